//! The command buffers of a submission.

/// The command buffers of one submission, while they are encoded.
pub(super) struct Encoders<'d> {
    device: &'d wgpu::Device,
    encoders: Vec<wgpu::CommandEncoder>,
}

impl<'d> Encoders<'d> {
    /// No command buffers yet.
    pub fn new(device: &'d wgpu::Device) -> Self {
        Encoders { device, encoders: Vec::new() }
    }

    /// The finished command buffers.
    pub fn finish(self) -> impl Iterator<Item = wgpu::CommandBuffer> {
        self.encoders.into_iter().map(wgpu::CommandEncoder::finish)
    }

    /// Returns the command buffer that was begun last.
    pub fn current(&mut self) -> &mut wgpu::CommandEncoder {
        if self.encoders.is_empty() {
            return self.begin();
        }
        let last = self.encoders.len() - 1;
        &mut self.encoders[last]
    }

    /// Begins another command buffer.
    pub fn begin(&mut self) -> &mut wgpu::CommandEncoder {
        let encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.encoders.push(encoder);
        let last = self.encoders.len() - 1;
        &mut self.encoders[last]
    }
}

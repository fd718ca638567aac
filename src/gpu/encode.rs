//! Encoding and submitting command buffers.

use super::device::Gpu;
use crate::Result;

/// The command buffers of one submission, while they are encoded.
pub(super) struct Encoders<'d> {
    device: &'d wgpu::Device,
    encoders: Vec<wgpu::CommandEncoder>,
}

impl Encoders<'_> {
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

impl Gpu {
    /// Submits one command buffer with the commands that `encode` writes, after the work that is gathered.
    pub(super) fn submit(
        &self,
        encode: impl FnOnce(&mut wgpu::CommandEncoder),
    ) -> Result<wgpu::SubmissionIndex> {
        self.flush()?;
        self.submit_now(|encoders| encode(encoders.begin()))
    }

    /// Submits the command buffers that `encode` begins, all at once.
    pub(super) fn submit_now(&self, encode: impl FnOnce(&mut Encoders<'_>)) -> Result<wgpu::SubmissionIndex> {
        self.lose_if_asked();
        self.guarded(|device| {
            let mut encoders = Encoders { device, encoders: Vec::new() };
            encode(&mut encoders);
            let encoders = encoders.encoders.into_iter();
            self.queue().submit(encoders.map(wgpu::CommandEncoder::finish))
        })
    }
}

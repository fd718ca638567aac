//! Work that is recorded and not yet handed to the driver.
//!
//! Handing over a submission takes the host longer (50 us on an H200) than many dispatches take the device. So short
//! work is gathered, and goes to the driver with what follows it:
//!
//! ```text
//! a call with data of the host     upload, dispatches, download --> one submission
//! many calls on device vectors     dispatches of up to 64 calls --> one submission
//! ```
//!
//! Everything takes effect in the order of the calls: whatever uses the queue hands over the gathered work first.

use super::encode::Encoders;
use super::staging::UNDER_WAY;
use super::step::{Step, encode_steps};
use crate::timeline::Mark;

/// The dispatches, and their expected device time in nanoseconds, that are gathered at most.
const MAX_DISPATCHES: usize = 64;
const MAX_COST: f64 = 1e6;

/// Commands in the order in which they take effect.
#[derive(Default)]
pub(super) struct SubmissionQueue {
    pub commands: Vec<Command>,
    /// The parameters of the dispatches, one after the other.
    pub params: Vec<u8>,
    dispatches: usize,
    /// Expected device time, in nanoseconds.
    cost: f64,
    /// The staging buffers from which copies are to come.
    pub staging: Vec<wgpu::Buffer>,
    /// The progress that the commands bring: how much is done once all of them are.
    pub marks: Vec<(Mark, u64)>,
}

pub(super) enum Command {
    Dispatch(Box<Step>),
    Copy { from: Place, to: Place, bytes: u64 },
    Clear(wgpu::Buffer),
}

impl Command {
    /// The dispatch, if it is one.
    pub fn step(&self) -> Option<&Step> {
        if let Command::Dispatch(step) = self { Some(step) } else { None }
    }
}

/// A place in a buffer: the buffer and the offset in bytes.
pub(super) type Place = (wgpu::Buffer, u64);

impl SubmissionQueue {
    /// Adds dispatches with their parameters.
    pub fn dispatch(&mut self, steps: Vec<Step>, params: Vec<u8>, cost: f64) {
        self.dispatches += steps.len();
        self.commands.extend(steps.into_iter().map(|step| Command::Dispatch(Box::new(step))));
        self.params.extend(params);
        self.cost += cost;
    }

    /// Adds a copy of `bytes` bytes.
    pub fn copy(&mut self, from: Place, to: Place, bytes: u64) {
        self.commands.push(Command::Copy { from, to, bytes });
    }

    /// Adds a copy from a staging buffer, which is free again once it is submitted.
    pub fn upload(&mut self, staging: wgpu::Buffer, to: Place, bytes: u64) {
        self.copy((staging.clone(), 0), to, bytes);
        self.staging.push(staging);
    }

    /// Adds the overwriting of buffers with zeros.
    pub fn clear<'b>(&mut self, buffers: impl IntoIterator<Item = &'b wgpu::Buffer>) {
        self.commands.extend(buffers.into_iter().cloned().map(Command::Clear));
    }

    /// True if there is nothing to hand over.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty() && self.marks.is_empty()
    }

    /// True if the work is to be handed over.
    pub fn is_full(&self) -> bool {
        self.dispatches >= MAX_DISPATCHES || self.cost >= MAX_COST || self.staging.len() >= UNDER_WAY
    }
}

/// Encodes the commands. Dispatches that follow each other share a compute pass.
pub(super) fn encode(encoders: &mut Encoders<'_>, commands: &[Command], bindings: &[wgpu::BindGroup]) {
    let (mut at, mut dispatches) = (0, 0);
    while at < commands.len() {
        match &commands[at] {
            Command::Copy { from, to, bytes } => {
                encoders.current().copy_buffer_to_buffer(&from.0, from.1, &to.0, to.1, *bytes);
                at += 1;
            }
            Command::Clear(buffer) => {
                encoders.current().clear_buffer(buffer, 0, None);
                at += 1;
            }
            Command::Dispatch(_) => {
                let steps: Vec<&Step> = commands[at..].iter().map_while(Command::step).collect();
                encode_steps(encoders, None, &steps, dispatches, bindings);
                at += steps.len();
                dispatches += steps.len();
            }
        }
    }
}

//! The stage on which every task is played: adapters, buffers, kernels, clocks.

mod select;

pub use select::Select;

use crate::timeline::Timeline;

/// An open device. Clones share it.
#[derive(Clone, Debug)]
pub struct Gpu {
    timeline: Timeline,
}

impl Gpu {
    /// The record of what this device did when.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }
}

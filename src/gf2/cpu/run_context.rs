//! The instructions and the record that all steps of a run share.

use crate::timeline::{Meter, Stages, Task, Timeline};
use crate::{Cpu, Simd};

/// The vector instructions of a run, and the timeline of its threads.
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    pub simd: Simd,
    timeline: &'a Timeline,
}

impl<'a> RunContext<'a> {
    pub fn on(cpu: &'a Cpu) -> Self {
        RunContext { simd: cpu.simd, timeline: &cpu.timeline }
    }

    /// Begins a task of this thread. `None`, at no cost, unless the timeline is a detailed one.
    pub fn task(self, name: &'static str) -> Option<Task<'a>> {
        self.timeline.task_here(name)
    }

    pub fn timeline(self) -> &'a Timeline {
        self.timeline
    }

    /// Begins work of this amount.
    pub fn meter(self, total: u64) -> Meter {
        self.timeline.meter(total)
    }

    /// Begins work in stages of these amounts.
    pub fn stages(self, amounts: &[u64]) -> Stages {
        self.timeline.stages(amounts)
    }

    /// Begins a task of a thread that is none of rayon's.
    pub fn task_on(self, thread: usize, name: &'static str) -> Option<Task<'a>> {
        self.timeline.task(thread, name)
    }
}

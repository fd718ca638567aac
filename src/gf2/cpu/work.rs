//! The instructions and the record that all steps of a run share.

use web_time::Instant;

use crate::timeline::Timeline;
use crate::{Cpu, Simd};

/// The vector instructions of a run, and the timeline of its threads.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub simd: Simd,
    timeline: &'a Timeline,
}

/// A task of a worker thread. It ends, and is recorded, when this is dropped.
pub(super) struct Task<'a> {
    timeline: &'a Timeline,
    thread: usize,
    name: &'static str,
    start: Instant,
}

impl<'a> Work<'a> {
    pub fn on(cpu: &'a Cpu) -> Self {
        Work { simd: cpu.simd, timeline: &cpu.timeline }
    }

    /// Begins a task of this thread. `None`, at no cost, unless the timeline is a detailed one.
    pub fn task(self, name: &'static str) -> Option<Task<'a>> {
        self.task_on(rayon::current_thread_index().unwrap_or(0), name)
    }

    /// Begins a task of a thread that is none of rayon's.
    pub fn task_on(self, thread: usize, name: &'static str) -> Option<Task<'a>> {
        let begin = || Task { timeline: self.timeline, thread, name, start: Instant::now() };
        self.timeline.is_detailed().then(begin)
    }
}

impl Drop for Task<'_> {
    fn drop(&mut self) {
        self.timeline.push_task(self.thread, self.name, self.start, self.start.elapsed());
    }
}

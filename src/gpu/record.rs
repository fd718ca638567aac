//! Recording dispatches, and submitting them in submissions of bounded length.

use std::time::Duration;

use web_time::Instant;

use super::binding::Binding;
use super::device::Gpu;
use super::kernel::Pipeline;
use super::params::{Buffers, Params};
use super::step::{PARAMS_STRIDE, Step, encode_pass, encode_steps, part};
use super::timestamps::{Batch, Queries};
use crate::timeline::{Launch, Mark, named};
use crate::{Error, Result};

/// Maximum number of dispatches in a submission. It keeps their parameters small and lets the
/// timestamps of a profile fit one query set.
const MAX_STEPS: usize = 1024;

/// A recorder of dispatches. They take effect in order: each sees the writes of those before it.
///
/// Dispatches may overlap on the device. If two dispatches of one command buffer bind the same buffer and
/// one of them writes it, wgpu makes the second wait for all dispatches before it. The first dispatch of a
/// command buffer waits for everything that the command buffer needs from earlier ones. So the dispatches
/// at the beginning of a command buffer ([`split`](Self::split)) overlap if no buffer that one of them
/// writes is bound by another.
pub struct Recorder<'g> {
    gpu: &'g Gpu,
    steps: Vec<Step>,
    params: Vec<u8>,
    /// True if the next step begins a command buffer.
    splits: bool,
    /// Expected device time of the steps, in nanoseconds.
    cost: f64,
    /// True if long work is split into several submissions.
    paced: bool,
    /// True if the host waits for the device after each dispatch.
    waits: bool,
    /// The name of what the next steps are part of, before the names of their stages.
    part: String,
    /// The progress that the steps so far bring, noted when the device has done them.
    mark: Option<(Mark, u64)>,
}

impl Gpu {
    /// Creates a recorder, which may split its work into several submissions.
    pub fn record(&self) -> Recorder<'_> {
        Recorder::new(self, true)
    }

    /// Creates a recorder that keeps its work in one submission, for timing.
    pub(super) fn record_whole(&self) -> Recorder<'_> {
        Recorder::new(self, false)
    }
}

impl<'g> Recorder<'g> {
    fn new(gpu: &'g Gpu, paced: bool) -> Self {
        gpu.reached();
        let (steps, params, part) = (Vec::new(), Vec::new(), String::new());
        Recorder { gpu, steps, params, splits: false, cost: 0.0, paced, waits: false, part, mark: None }
    }

    /// Returns the device whose work it records.
    pub fn gpu(&self) -> &Gpu {
        self.gpu
    }

    /// Makes the host wait for the device after each dispatch, as programs do that synchronise after each
    /// kernel; for measurements.
    #[doc(hidden)]
    #[must_use]
    pub fn waiting(self) -> Self {
        Recorder { waits: true, ..self }
    }

    /// Records `groups` workgroups of a kernel on its `buffers`, with its parameters `params`: the structs of both that
    /// were declared for it. `stage` is the name of the dispatch in timelines.
    ///
    /// Work that would make a submission too long is submitted before this returns.
    pub fn dispatch(
        &mut self,
        pipeline: &Pipeline,
        stage: &str,
        buffers: &dyn Buffers,
        params: &dyn Params,
        groups: u32,
    ) -> Result<()> {
        let kernel = pipeline.kernel;
        let differs = |what, [given, declared]: [String; 2]| {
            Err(Error::Device(format!("{}: {what} {given} where {declared} are declared", kernel.name)))
        };
        if !Binding::are_same(buffers.bindings(), kernel.bindings) {
            let list = |bindings: &[Binding]| {
                let each = bindings.iter().map(|Binding { name, access, .. }| format!("{name} ({access})"));
                each.collect::<Vec<_>>().join(", ")
            };
            return differs("buffers", [buffers.bindings(), kernel.bindings].map(list));
        }
        if params.names() != kernel.params {
            return differs("parameters", [params.names(), kernel.params].map(|names| format!("{names:?}")));
        }
        let words = params.words();
        let mut first = 0;
        while first < groups {
            let room = if self.paced { self.gpu.watchdog().room(kernel.name, self.cost) } else { u32::MAX };
            if (room == 0 || self.paced && self.steps.len() == MAX_STEPS) && !self.steps.is_empty() {
                self.submit()?;
                continue;
            }
            let count = part(room, groups - first);
            self.params.extend_from_slice(bytemuck::cast_slice(&[first, first + count]));
            self.params.extend_from_slice(bytemuck::cast_slice(&words));
            self.params.resize(self.params.len().next_multiple_of(PARAMS_STRIDE), 0);
            self.cost += self.gpu.watchdog().cost(kernel.name, count);
            self.steps.push(Step {
                pipeline: pipeline.pipeline.clone(),
                layout: pipeline.layout.clone(),
                buffers: buffers.handles(),
                kernel: kernel.name,
                stage: named(&self.part, stage),
                groups: count,
                first,
                total: groups,
                is_first: std::mem::take(&mut self.splits),
                #[cfg(any(test, debug_assertions))]
                source: (kernel, pipeline.wgsl.clone()),
            });
            first += count;
            if first < groups {
                self.submit()?;
                // The first submission of an unmeasured kernel is short. Its time decides how
                // long the next may be.
                if !self.gpu.watchdog().knows(kernel.name) {
                    self.gpu.wait()?;
                }
            }
        }
        if self.waits {
            self.submit()?;
            self.gpu.wait()?;
        }
        Ok(())
    }

    /// Begins another command buffer.
    pub fn split(&mut self) {
        self.splits = true;
    }

    /// Puts `part` before the names of the stages from here on: the name of what they are part of.
    pub(crate) fn set_part(&mut self, part: &str) {
        part.clone_into(&mut self.part);
    }

    /// Has it noted that `done` of the work is done once the device has done all that was recorded so far.
    pub(crate) fn mark(&mut self, mark: Mark, done: u64) {
        self.mark = Some((mark, done));
    }

    /// Submits the recorded dispatches, without waiting for them.
    pub fn submit(&mut self) -> Result<()> {
        self.gpu.timeline().check_stop()?;
        self.submit_steps()?;
        if let Some((mark, done)) = self.mark.take() {
            self.gpu.opened.queue.on_submitted_work_done(move || mark.reach(done));
        }
        Ok(())
    }

    /// Submits the recorded dispatches together with what comes next, if they are short: at the latest when the
    /// host waits or downloads. See [`Gpu::flush`].
    pub(crate) fn submit_later(&mut self) -> Result<()> {
        if self.is_submitted_alone() {
            return self.submit();
        }
        self.gpu.timeline().check_stop()?;
        let cost = std::mem::take(&mut self.cost);
        let (steps, params) = self.take();
        let mark = self.mark.take();
        self.gpu.gather(|gathered| {
            gathered.dispatch(steps, params, cost);
            gathered.marks.extend(mark);
        })
    }

    /// True if each submission is observed by itself.
    fn is_submitted_alone(&self) -> bool {
        #[cfg(any(test, debug_assertions))]
        if super::trace::is_on() {
            return true;
        }
        let is_profiled = self.gpu.options().profile && self.gpu.has_timestamps();
        self.waits || is_profiled || self.gpu.is_timed() || self.gpu.timeline().is_detailed()
    }

    fn submit_steps(&mut self) -> Result<()> {
        if self.steps.is_empty() {
            return self.gpu.flush();
        }
        if self.gpu.is_timed() {
            let time = self.submit_timed()?;
            self.gpu.spend(time);
            return Ok(());
        }
        if self.gpu.options().profile && self.gpu.has_timestamps() {
            return self.submit_profiled();
        }
        let (steps, params) = self.take();
        if self.gpu.timeline().is_detailed() {
            let now = self.gpu.timeline().since_zero(Instant::now());
            for step in &steps {
                self.gpu.timeline().push_dispatch(step.kernel, &step.stage, step.launch(), now, None);
            }
        }
        #[cfg(any(test, debug_assertions))]
        if super::trace::is_on() {
            let submit = || {
                self.gpu.submit_alone(&steps, &params, |encoders, steps, groups| {
                    encode_steps(encoders, None, steps, 0, groups);
                })
            };
            return super::trace::record(self.gpu, &steps, &params, submit);
        }
        self.gpu.flush_with(|gathered| gathered.dispatch(steps, params, 0.0)).map(drop)
    }

    /// Submits the recorded dispatches as one submission, waits, and returns their device time.
    pub(super) fn submit_timed(&mut self) -> Result<Duration> {
        if !self.gpu.has_timestamps() {
            return Err(Error::Device("this device has no timestamps".into()));
        }
        let (steps, params) = self.take();
        let queries = self.gpu.guarded(|device| Queries::new(device, 1))?;
        self.gpu.submit_alone(&steps, &params, |encoders, steps, groups| {
            encode_steps(encoders, Some(&queries.set), steps, 0, groups);
            queries.resolve(encoders.begin());
        })?;
        let [(start, end)] = self.gpu.times(&queries)?[..] else { return Ok(Duration::ZERO) };
        let time = end - start;
        let timeline = self.gpu.timeline();
        if let (true, Some(first)) = (timeline.is_detailed(), steps.first()) {
            let is_one = steps.iter().all(|step| step.kernel == first.kernel);
            let kernel = if is_one { first.kernel } else { "several in one timed submission" };
            let begin = timeline.since_zero(Instant::now()).saturating_sub(time);
            let count = steps.iter().fold(0u32, |sum, step| sum.saturating_add(step.groups));
            let launch = Launch { count, total: count, ..first.launch() };
            timeline.push_dispatch(kernel, "timed submission", launch, begin, Some(time));
        }
        Ok(time)
    }

    /// Takes the recorded steps and their parameters.
    fn take(&mut self) -> (Vec<Step>, Vec<u8>) {
        let (steps, params) = (std::mem::take(&mut self.steps), std::mem::take(&mut self.params));
        self.cost = 0.0;
        steps.iter().for_each(|step| self.gpu.timeline().count(&step.stage, 1));
        (steps, params)
    }

    /// Submits the recorded dispatches with a compute pass for each, whose times the host reads when it next
    /// waits.
    fn submit_profiled(&mut self) -> Result<()> {
        let (steps, params) = self.take();
        let queries = self.gpu.guarded(|device| Queries::new(device, steps.len() as u32))?;
        let submitted = Instant::now();
        self.gpu.submit_alone(&steps, &params, |encoders, steps, groups| {
            let encoder = encoders.begin();
            for (i, query) in (0..steps.len()).zip((0..).step_by(2)) {
                let stamps = (&queries.set, Some(query), Some(query + 1));
                encode_pass(encoder, Some(stamps), &steps[i..=i], i, groups);
            }
            queries.resolve(encoder);
        })?;
        let dispatches = steps.into_iter().map(|step| (step.kernel, step.launch(), step.stage)).collect();
        self.gpu.read_timestamps_later(Batch { submitted, dispatches, queries })
    }
}

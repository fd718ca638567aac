//! The context of every verb: options, device, files, progress, times, report.

use super::memory::{free_memory, sufficient};
use super::options::Options;
use super::outputs::{self, Outputs};
use super::profile;
use super::progress::Progress;
use super::report::Report;
use super::streams::{complain, complain_of, is_broken_pipe, write_stdout};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;
use wgalois::gpu::{self, Adapter, Gpu};
use wgalois::internal::counters::Counters;
use wgalois::io::{Source, write_whole};
use wgalois::processes::{Kind, Processes};
use wgalois::task::{Plan, Problem, Profile};
use wgalois::timeline::{Phase, Timeline, Worker};
use wgalois::verify::Guarantee;
use wgalois::{Choice, Cpu, Device, Error, Result, Select, Shortage, Side, Simd};

/// The state that verbs share. A process has one.
pub struct Context {
    options: Options,
    timeline: Timeline,
    report: RefCell<Report>,
    stdin_taken: Cell<bool>,
    /// The processor's counters with `--profile`, or why there are none.
    counters: Option<Result<Counters, String>>,
    /// Bytes of the inputs that the verb holds.
    held: Cell<u64>,
    /// True if the file of `--trace` has passed the check of outputs.
    writes_trace: Cell<bool>,
    /// This process among those that share the work, if `mpirun` started several.
    processes: Option<Box<dyn Processes>>,
}

impl Context {
    pub fn new(options: Options, verb: String, processes: Option<Box<dyn Processes>>) -> Self {
        let is_detailed = options.profile || options.trace.is_some();
        Context {
            processes,
            timeline: if is_detailed { Timeline::detailed() } else { Timeline::default() },
            // Started before any thread is, since they count the threads of their thread.
            counters: options.profile.then(Counters::start),
            options,
            report: RefCell::new(Report::new(verb)),
            stdin_taken: Cell::new(false),
            held: Cell::new(0),
            writes_trace: Cell::new(false),
        }
    }

    /// The processes that share the work, if there are several.
    pub fn processes(&self) -> Option<&dyn Processes> {
        self.processes.as_deref().filter(|processes| processes.size() > 1)
    }

    /// True if this process reads, plans and writes: the only one, or process 0.
    pub fn is_served(&self) -> bool {
        self.processes().is_none_or(|processes| processes.rank() == 0)
    }

    /// The cores that this process takes; `None` for all.
    pub fn cores(&self) -> Option<usize> {
        self.processes().map(Processes::cores)
    }

    /// True if the user named several GPUs.
    pub fn names_a_group(&self) -> bool {
        matches!(self.options.device, Select::Group(_))
    }

    /// Opens the device on which this process computes its share of the work, of the kind that process 0 chose: the
    /// GPU of its place on the host, or the CPU engine.
    ///
    /// # Errors
    /// Those of opening the device.
    pub fn device_of_share(&self, kind: Kind, threads: usize, simd: Simd) -> Result<Device> {
        let (memory, timeline) = (self.memory(), self.timeline.clone());
        let local_rank = self.processes().map_or(0, Processes::local_rank);
        let device = match (kind, &self.options.device) {
            (Kind::Cpu, _) => Device::Cpu(Cpu { threads, memory, simd, timeline }),
            (Kind::Gpu, select) => {
                let first = Adapter::First;
                let named = if let Select::Gpu(adapter) = select { adapter } else { &first };
                let host = gpu::Options { host_memory: memory, ..gpu::Options::default() };
                Device::Gpu(Gpu::open(&named.of_process(local_rank)?, self.gpu_options(host))?)
            }
        };
        log::info!("device: {}", device_name(&device));
        Ok(device)
    }

    /// True if the user named a GPU, or several.
    pub fn names_gpu(&self) -> bool {
        matches!(self.options.device, Select::Gpu(_) | Select::Group(_))
    }

    /// True if the user asked for verification with `--verify`.
    pub fn verifies(&self) -> bool {
        self.options.verify
    }

    /// Runs `check`, timed as checking, if the user asked for it with `--verify`.
    ///
    /// # Errors
    /// The errors of `check`: [`Error::Check`] for a wrong result.
    pub fn verify_if_asked(&self, check: impl FnOnce() -> Result<Guarantee>) -> Result<()> {
        if self.options.verify { self.verify(check) } else { Ok(()) }
    }

    /// Runs `check`, timed as checking, and reports the guarantee that it gives for the result.
    ///
    /// # Errors
    /// The errors of `check`: [`Error::Check`] for a wrong result.
    pub fn verify(&self, check: impl FnOnce() -> Result<Guarantee>) -> Result<()> {
        self.report("verified", false);
        let guarantee = self.step(Phase::Checking, "verify", check)?.to_string();
        self.report("verified", true);
        self.note(&format!("verified: {guarantee}"));
        self.report("guarantee", guarantee);
        Ok(())
    }

    /// The CPU engine on all threads of the run, for checks.
    pub fn host(&self) -> Device {
        Device::Cpu(Cpu::default())
    }

    /// True if the report is written to stdout (`--json`).
    pub fn json(&self) -> bool {
        self.options.json
    }

    /// Returns the time spent in a phase so far.
    pub fn spent(&self, phase: Phase) -> Duration {
        self.timeline.totals().get(&phase).copied().unwrap_or_default()
    }

    /// Counts `bytes` of memory that the verb holds from now on, such as an input: the memory of all
    /// later steps is smaller by them.
    pub fn hold(&self, bytes: u64) {
        self.held.set(self.held.get().saturating_add(bytes));
    }

    /// Returns the bytes that the verb holds.
    pub fn held(&self) -> u64 {
        self.held.get()
    }

    /// Returns the bytes of host memory that may be used, those that are held included: the free
    /// memory, and at most `--memory`.
    pub fn memory(&self) -> u64 {
        let free = free_memory() / self.processes().map_or(1, |processes| processes.local_size() as u64);
        let free = free.saturating_add(self.held.get());
        self.options.memory.map_or(free, |limit| limit.min(free))
    }

    /// Returns the bytes of host memory that may be used beside those that are held.
    pub fn free(&self) -> u64 {
        self.memory().saturating_sub(self.held.get())
    }

    /// Refuses a task that needs `bytes` beside what is held, if they may not be used.
    ///
    /// # Errors
    /// [`Error::TooLarge`]: the sizes are too large for this machine or for `--memory`. It states the limit that
    /// suffices.
    pub fn need(&self, bytes: u64, what: &str) -> Result<()> {
        let (bytes, memory) = (bytes.saturating_add(self.held.get()), self.memory());
        if bytes <= memory {
            return Ok(());
        }
        let message = format!("{what} needs {bytes} bytes of memory, and {memory} may be used");
        let mut shortage = Shortage::from(message);
        (shortage.needed, shortage.allowed) = (Some(bytes), Some(memory));
        Err(Error::TooLarge(shortage))
    }

    /// Adds the `--memory` that suffices to the error of an input that is too large.
    pub fn with_memory_named(&self, error: Error) -> Error {
        match error {
            Error::TooLarge(mut shortage) if self.options.memory.is_some() => {
                if let Some(needed) = shortage.needed {
                    shortage.message += &format!("; --memory {needed} suffices for that");
                }
                Error::TooLarge(shortage)
            }
            other => other,
        }
    }

    /// Returns the plan of a problem and the device that the user selected. With `--plan` it prints
    /// the plan and returns `None`; the verb then ends.
    ///
    /// # Errors
    /// The errors of making the plan and of opening the device. Where `--memory` is too small, the message
    /// states a size that suffices for the rest of the verb.
    pub fn plan<P: Problem>(&self, problem: &P) -> Result<Option<(Device, P::Plan)>> {
        self.plan_with(problem, Demands::default())
    }

    /// [`plan`](Self::plan) with demands that the problem does not state.
    ///
    /// # Errors
    /// The errors of [`plan`](Self::plan).
    pub fn plan_with<P: Problem>(&self, problem: &P, demands: Demands) -> Result<Option<(Device, P::Plan)>> {
        let memory = self.free().saturating_sub(demands.beside);
        let timeline = self.timeline.clone();
        let options = self.gpu_options(gpu::Options {
            profile: self.profiles(),
            host_memory: memory,
            ..gpu::Options::default()
        });
        let cpu = Cpu { threads: demands.threads, memory, timeline, ..Cpu::default() };
        if self.processes().is_some() && matches!(self.options.device, Select::Group(_)) {
            return Err(Error::Usage("each of several processes takes one GPU: --device gpu".to_owned()));
        }
        let select = || Device::select(&self.options.device, problem, cpu, options);
        let Choice { device, reason } = self.open(select)?;
        let device = match device {
            Device::Group(group) => Device::Group(group.with_keep_going(self.options.keep_going)),
            one => one,
        };
        self.announce(&device, reason.as_deref());
        let plan = self.plan_within(problem, &device.profile(), demands)?;
        self.report("plan", plan.cost().to_json());
        if !self.options.plan {
            return Ok(Some((device, plan)));
        }
        if !self.json() {
            write_stdout(|out| writeln!(out, "{plan}"))?;
        }
        Ok(None)
    }

    /// Plans within the memory of a profile and refuses a check for which it is too small. The error
    /// states the `--memory` that suffices.
    fn plan_within<P: Problem>(&self, problem: &P, profile: &Profile, demands: Demands) -> Result<P::Plan> {
        let checking = if self.options.verify { demands.check } else { 0 };
        let plan = |profile: &Profile| {
            let plan = problem.plan_for(profile)?;
            match checking > profile.host_memory {
                true => Err(Error::OutOfMemory(Shortage::new(
                    "the verification",
                    Side::Host,
                    checking,
                    profile.host_memory,
                ))),
                false => Ok(plan),
            }
        };
        let held = self.held.get().saturating_add(demands.beside);
        plan(profile).map_err(|error| match error {
            Error::OutOfMemory(mut shortage) if self.options.memory.is_some() => {
                if let Some(memory) = sufficient(&shortage, profile, held, plan) {
                    shortage.message += &format!("; --memory {memory} suffices, with all that is held");
                }
                Error::OutOfMemory(shortage)
            }
            other => other,
        })
    }

    /// True if every dispatch is timed. Each dispatch then gets its own pass, which costs some
    /// microseconds, so this is on only if the times will be shown.
    fn profiles(&self) -> bool {
        self.json() || self.options.profile || self.options.trace.is_some()
    }

    /// Returns GPU options with the user's memory limit and this run's timeline.
    fn gpu_options(&self, options: gpu::Options) -> gpu::Options {
        let (memory, timeline) = (self.options.memory.unwrap_or(u64::MAX), self.timeline.clone());
        gpu::Options { memory, timeline, ..options }.restricted_by_environment()
    }

    /// Runs `open`, which opens a device; with `--profile` its time is recorded as preparing.
    fn open<T>(&self, open: impl FnOnce() -> T) -> T {
        if self.options.profile { self.timeline.time(Phase::Preparing, "the device", open) } else { open() }
    }

    /// A GPU for work that only GPUs do, opened with `options`: the one that the user selected, or the
    /// first. Dispatches are timed one by one only if `options` say so.
    ///
    /// # Errors
    /// [`Error::Usage`] for `--device cpu`; those of [`Gpu::open`].
    pub fn gpu(&self, options: gpu::Options) -> Result<Gpu> {
        let options = self.gpu_options(options);
        let (adapter, reason) = match &self.options.device {
            Select::Cpu => return Err(Error::Usage("this needs a GPU: --device gpu".to_owned())),
            Select::Group(_) => return Err(Error::Usage("this needs one GPU: --device gpu".to_owned())),
            Select::Auto => (&Adapter::First, Some("this needs a GPU")),
            Select::Gpu(adapter) => (adapter, None),
        };
        let gpu = self.open(|| Gpu::open(adapter, options))?;
        self.announce(&Device::Gpu(gpu.clone()), reason);
        Ok(gpu)
    }

    /// [`gpu`](Self::gpu) whose dispatches are timed if the user will see the times.
    ///
    /// # Errors
    /// Those of [`gpu`](Self::gpu).
    pub fn profiled_gpu(&self) -> Result<Gpu> {
        self.gpu(gpu::Options { profile: self.profiles(), ..gpu::Options::default() })
    }

    /// Reports the device, and the reason for it if the user did not name it.
    fn announce(&self, device: &Device, reason: Option<&str>) {
        let name = device_name(device);
        match reason {
            Some(reason) => self.note(&format!("{name}: {reason}")),
            None => log::info!("device: {name}"),
        }
        self.report.borrow_mut().set_device(device, name);
    }

    /// Opens an input file; `-` is stdin.
    pub fn source(&self, path: &Path) -> Result<Source> {
        if path == Path::new("-") && self.stdin_taken.replace(true) {
            return Err(Error::Usage("only one input can be `-`, standard input".to_owned()));
        }
        // The length of a pipe is known without what is held.
        let source = Source::open(path, self.free()).map_err(|error| match error {
            Error::TooLarge(mut shortage) => {
                shortage.needed = shortage.needed.map(|needed| needed.saturating_add(self.held.get()));
                Error::TooLarge(shortage)
            }
            other => other,
        })?;
        let held = self.held.get().saturating_add(source.owned_bytes());
        Ok(source.with_held(held))
    }

    /// Opens an input file and parses it with `parse`; timed as reading.
    pub fn read<T>(&self, path: &Path, parse: impl FnOnce(&Source) -> Result<T>) -> Result<T> {
        let name = format!("read {}", path.display());
        self.step(Phase::Reading, &name, || parse(&self.source(path)?))
    }

    /// Returns the file of `-o` for the verb's data, or `None` for stdout.
    pub fn output_path(&self) -> Option<&Path> {
        self.options.output.as_deref().filter(|path| !outputs::is_stdout(path))
    }

    /// True if the data have a destination, which they lack with `--json` and without `-o`.
    pub fn has_output(&self) -> bool {
        self.output_path().is_some() || !self.json()
    }

    /// Writes the verb's data to `-o` or stdout; timed as writing. With `--json` and without `-o` it
    /// writes nothing, and prints a note.
    pub fn write(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        match self.output_path() {
            Some(path) => {
                let progress = Progress::bytes("write", self.shows_progress());
                let write = || write_whole(path, |file| write(&mut progress.through(file)));
                self.timeline.time(Phase::Writing, "write", write)
            }
            None if self.json() => {
                self.note("the data are not written: --json uses stdout, and there is no -o FILE");
                Ok(())
            }
            // No progress is shown: on a terminal it would appear among the data.
            None => self.timeline.time(Phase::Writing, "write", || write_stdout(write)),
        }
    }

    /// Runs `work`, timed as a span of `phase`, and shows progress if it takes long.
    pub fn step<T>(&self, phase: Phase, name: &str, work: impl FnOnce() -> T) -> T {
        self.watch(name, || self.timeline.time(phase, name, work))
    }

    /// Runs `work` and shows progress if it takes long; for work that times itself.
    pub fn watch<T>(&self, name: &str, work: impl FnOnce() -> T) -> T {
        let _spinner = Progress::spinner(name, self.shows_progress());
        work()
    }

    /// Creates a bar for work of `length` steps, shown if it takes long.
    pub fn bar(&self, name: &str, length: u64) -> Progress {
        Progress::bar(name, length, self.shows_progress())
    }

    /// Adds a field to the object of `--json`.
    pub fn report(&self, key: &str, value: impl Into<Value>) {
        self.report.borrow_mut().set(key, value.into());
    }

    /// Prints a message to stderr, unless `--quiet` is given.
    pub fn note(&self, message: &str) {
        if !self.options.quiet {
            complain(message);
        }
    }

    /// Refuses outputs that cannot be written, before any work is done for them.
    ///
    /// # Errors
    /// The errors of [`outputs::check`].
    pub fn check_outputs(&self, outputs: &Outputs) -> Result<()> {
        outputs::check(&self.options, outputs)?;
        self.writes_trace.set(true);
        Ok(())
    }

    /// Writes an output other than the verb's data: to a file, or to stdout for `-`.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be written.
    pub fn write_to(&self, path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        if outputs::is_stdout(path) { write_stdout(write) } else { write_whole(path, write) }
    }

    /// Writes the report, the trace and the profile, prints the error if there is one, and returns the exit code.
    pub fn finish(&mut self, outcome: Result<()>) -> u8 {
        if let Some(profile) = self.profile() {
            self.report("profile", profile.to_json());
            if !self.json() {
                // As for messages, a stderr that is closed is no error.
                let _ = io::stderr().write_all(profile.to_text().as_bytes());
            }
        }
        let traced = self.write_trace();
        let outcome = outcome.and(traced);
        let outcome = if self.json() { self.write_report(outcome) } else { outcome };
        match outcome {
            Ok(()) => 0,
            Err(error) if is_broken_pipe(&error) => 0,
            Err(error) => {
                complain_of(&error);
                error.exit_code()
            }
        }
    }

    /// Returns the profile of the run so far, if the user asked for it.
    fn profile(&mut self) -> Option<profile::Profile> {
        let counters = self.counters.take()?;
        let counts = counters.and_then(|mut counters| counters.read());
        let worker = self.report.borrow().worker();
        let summary = self.timeline.summary(worker.unwrap_or(Worker::Threads));
        Some(profile::Profile { worker, summary, counts })
    }

    fn write_trace(&self) -> Result<()> {
        let Some(path) = self.options.trace.as_ref().filter(|_| self.writes_trace.get()) else {
            return Ok(());
        };
        let trace = self.timeline.to_perfetto();
        self.write_to(path, |file| serde_json::to_writer(file, &trace).map_err(io::Error::from))
    }

    fn write_report(&self, outcome: Result<()>) -> Result<()> {
        let report = self.report.borrow().finish(&self.timeline, outcome.as_ref().err());
        let written = write_stdout(|out| {
            serde_json::to_writer_pretty(&mut *out, &report)?;
            writeln!(out)
        });
        outcome.and(written)
    }

    fn shows_progress(&self) -> bool {
        !self.options.quiet && io::stderr().is_terminal()
    }
}

/// Demands of a verb that its problem does not state. The default is none, and a thread per core.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demands {
    /// Number of threads of the CPU engine; 0 is one per core.
    pub threads: usize,
    /// Bytes of host memory that the verb takes beside the plan's all the time.
    pub beside: u64,
    /// Bytes of host memory that the verification takes, the answer included.
    pub check: u64,
}

/// A device's name for users.
fn device_name(device: &Device) -> String {
    match device {
        Device::Cpu(cpu) => match cpu.thread_count() {
            1 => "CPU engine, 1 thread".to_owned(),
            threads => format!("CPU engine, {threads} threads"),
        },
        Device::Gpu(gpu) => gpu_name(gpu),
        Device::Group(group) => {
            let names: Vec<_> = group.members().iter().map(gpu_name).collect();
            format!("{} devices: {}", names.len(), names.join("; "))
        }
    }
}

/// A GPU's name for users.
pub fn gpu_name(gpu: &Gpu) -> String {
    let adapter = gpu.adapter();
    let software = if adapter.is_software() { ", a software driver" } else { "" };
    format!("{} ({}{software})", adapter.name, adapter.backend)
}

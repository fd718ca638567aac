//! The context of every verb: options, device, files, progress, times, report.

mod compiling;
mod devices;
mod held;
mod opening;
mod plans;

use super::inputs::Inputs;
use super::options::Options;
use super::outputs;
use super::profile;
use super::progress::Progress;
use super::report::Report;
use super::streams::{complain, complain_of, expect_stdin, is_broken_pipe, write_stdout};
use crate::prelude::*;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use wgalois::files::{remove_output, write_together};
use wgalois::processes::Transport;
use wgalois::timeline::{Timeline, Worker};
use wgalois_benches::counters::Counters;

use devices::SOFTWARE;
pub use devices::gpu_name;
pub use plans::Demands;

/// The exit code of a run whose answer is that there is none, or not for all that was asked.
pub const NO_ANSWER: u8 = 7;

/// The state that verbs share. A process has one.
pub struct Context {
    options: Options,
    timeline: Timeline,
    report: RefCell<Report>,
    /// The files that the verb declared as its inputs.
    inputs: Inputs,
    stdin_taken: Cell<bool>,
    /// True if GPUs take the kernels that compile fast.
    is_brief: bool,
    /// The processor's counters with `--profile`, or why there are none.
    counters: Option<Result<Counters, String>>,
    /// Bytes of the inputs that the verb holds.
    held: Cell<u64>,
    /// True if the answer is that there is none, or not for all that was asked.
    lacks_answer: Cell<bool>,
    /// True if the file of `--trace` has passed the check of outputs.
    writes_trace: Cell<bool>,
    /// The GPU that is opened while input is read.
    early: RefCell<opening::Early>,
    /// The kernels that are compiled while it is measured.
    compiling: RefCell<compiling::Compiling>,
    /// The GPUs of this run, which stay open until the process ends.
    open: RefCell<Vec<Gpu>>,
    /// This process among those that share the work, if `mpirun` started several.
    processes: Option<Arc<dyn Transport>>,
}

impl Context {
    pub fn new(
        options: Options,
        (name, inputs): (String, Inputs),
        verb: &impl Run,
        processes: Option<Arc<dyn Transport>>,
    ) -> Self {
        let is_detailed = options.profile || options.trace.is_some();
        Context {
            processes,
            is_brief: verb.is_brief(),
            timeline: match (is_detailed, verb.stays()) {
                (true, _) => Timeline::detailed(),
                (false, false) => Timeline::with_events(),
                // Events would take more and more memory.
                (false, true) => Timeline::default(),
            },
            // Started before any thread is, since they count the threads of their thread.
            counters: options.profile.then(Counters::start),
            options,
            report: RefCell::new(Report::new(name)),
            inputs,
            stdin_taken: Cell::new(false),
            held: Cell::new(0),
            lacks_answer: Cell::new(false),
            writes_trace: Cell::new(false),
            early: RefCell::default(),
            compiling: RefCell::default(),
            open: RefCell::default(),
        }
    }

    /// The processes that share the work, if there are several.
    pub fn processes(&self) -> Option<&Arc<dyn Transport>> {
        self.processes.as_ref().filter(|processes| processes.size() > 1)
    }

    /// True if this process reads, plans and writes: the only one, or process 0.
    pub fn is_served(&self) -> bool {
        self.processes().is_none_or(|processes| processes.rank() == 0)
    }

    /// The cores that this process takes; `None` for all.
    pub fn cores(&self) -> Option<usize> {
        self.processes().map(|processes| processes.identity().cores)
    }

    /// True if the user asked for verification with `--verify`.
    pub fn verifies(&self) -> bool {
        self.options.verify
    }

    /// Runs `check`, timed as checking, if the user asked for it with `--verify`.
    pub fn verify_if_asked(&self, check: impl FnOnce() -> Result<Guarantee>) -> Result<()> {
        if self.options.verify { self.verify(check) } else { Ok(()) }
    }

    /// Runs `check`, timed as checking, and reports the guarantee that it gives for the result.
    pub fn verify(&self, check: impl FnOnce() -> Result<Guarantee>) -> Result<()> {
        self.report("verified", false);
        self.step(Phase::Checking, "verify", check).map(|guarantee| self.report_guarantee(&guarantee))
    }

    /// Reports the guarantee of a check that passed.
    fn report_guarantee(&self, guarantee: &Guarantee) {
        self.report("verified", true);
        self.note(&format!("verified: {guarantee}"));
        self.report("guarantee", guarantee.to_string());
    }

    /// True if the report is written to stdout (`--json`).
    pub fn json(&self) -> bool {
        self.options.json
    }

    /// Returns the time spent in a phase so far.
    pub fn spent(&self, phase: Phase) -> Duration {
        self.timeline.totals().get(&phase).copied().unwrap_or_default()
    }

    /// Opens an input file; `-` is stdin. A GPU that the user named begins to open.
    pub fn source(&self, path: &Path) -> Result<Source> {
        debug_assert!(self.inputs.declares(path), "{} is no declared input", path.display());
        self.open_file(path)
    }

    /// Opens a file, which may be an output that this run goes on from.
    fn open_file(&self, path: &Path) -> Result<Source> {
        self.open_early();
        if path == Path::new("-") && self.stdin_taken.replace(true) {
            return Err(Error::only_for("`-`, standard input", "one input"));
        }
        if path == Path::new("-") {
            expect_stdin()?;
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
        self.read_source(path, |source| parse(&source))
    }

    /// [`read`](Self::read) for a `parse` that sets properties of the source.
    pub fn read_source<T>(&self, path: &Path, parse: impl FnOnce(Source) -> Result<T>) -> Result<T> {
        let name = format!("read {}", path.display());
        self.step(Phase::Reading, &name, || parse(self.source(path)?))
    }

    /// Opens an output that an earlier run left, to go on from it, and parses it with `parse`; timed as reading.
    pub fn read_output<T>(&self, path: &Path, parse: impl FnOnce(&Source) -> Result<T>) -> Result<T> {
        let name = format!("read {}", path.display());
        self.step(Phase::Reading, &name, || parse(&self.open_file(path)?))
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

    /// Says that there is no answer, or not for all that was asked: the run ends with [`NO_ANSWER`].
    pub fn lack_answer(&self, sentence: &str) {
        self.lacks_answer.set(true);
        self.report("answer", sentence);
        self.note(sentence);
    }

    /// Removes an older file from an output's place, so that it does not pass for the result of this run. A pipe, a
    /// device or an input of this run stays. Returns true if a file was removed.
    pub fn remove_stale(&self, path: Option<&Path>) -> Result<bool> {
        match path.filter(|path| !outputs::is_stdout(path)) {
            Some(path) if self.inputs.at(path).is_some() => {
                self.note(&format!("{} is an input, and stays", text::name(path)));
                Ok(false)
            }
            Some(path) => remove_output(path),
            None => Ok(false),
        }
    }

    /// Runs `work`, timed as a span of `phase`, and shows progress if it takes long.
    pub fn step<T>(&self, phase: Phase, name: &str, work: impl FnOnce() -> T) -> T {
        self.watch(name, || self.timeline.time(phase, name, work))
    }

    /// Returns the record of this run's times, for threads that read.
    pub fn timeline(&self) -> Timeline {
        self.timeline.clone()
    }

    /// Runs `work` and shows progress if it takes long; for work that times itself.
    pub fn watch<T>(&self, name: &str, work: impl FnOnce() -> T) -> T {
        let _spinner = Progress::of_work(name, &self.timeline, self.shows_progress());
        work()
    }

    /// Creates a bar for work of `length` steps, shown if it takes long.
    pub fn bar(&self, name: &str, length: u64) -> Progress {
        Progress::bar(name, length, self.shows_progress())
    }

    /// Returns the name of the device; empty if the run has used none.
    pub fn device_name(&self) -> String {
        self.report.borrow().device().unwrap_or_default().to_owned()
    }

    /// Returns the name of the device if it is a software driver, whose times say nothing about GPUs.
    pub fn software_driver(&self) -> Option<String> {
        self.report.borrow().device().filter(|name| name.contains(SOFTWARE)).map(str::to_owned)
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

    /// Refuses outputs that cannot be written, or that are inputs, before any work is done for them.
    pub fn check_outputs(&self, outputs: &Outputs) -> Result<()> {
        outputs::check(&self.options, outputs, &self.inputs)?;
        self.writes_trace.set(true);
        Ok(())
    }

    /// Writes an output other than the verb's data: to a file, or to stdout for `-`.
    pub fn write_to(&self, path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        if outputs::is_stdout(path) { write_stdout(write) } else { write_whole(path, write) }
    }

    /// Writes outputs that belong together, each as [`write_to`](Self::write_to) does. No file appears unless all are complete.
    pub fn write_together(&self, outputs: &[(&Path, Vec<u8>)]) -> Result<()> {
        let (streams, files): (Vec<_>, Vec<_>) =
            outputs.iter().map(|(path, data)| (*path, data)).partition(|(path, _)| outputs::is_stdout(path));
        write_together(&files)?;
        streams.iter().try_for_each(|(_, data)| write_stdout(|out| out.write_all(data)))
    }

    /// Writes the report, the trace and the profile, prints the error if there is one, and returns the exit code.
    pub fn finish(&mut self, outcome: Result<()>) -> u8 {
        self.close_early();
        self.end_compiling();
        self.cpu_record().keep();
        self.open.borrow().iter().for_each(Gpu::keep_compiled);
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
            Ok(()) if self.lacks_answer.get() => NO_ANSWER,
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
        let code = match &outcome {
            Ok(()) if self.lacks_answer.get() => NO_ANSWER,
            Ok(()) => 0,
            Err(error) => error.exit_code(),
        };
        // A refusal is not written into an input either.
        if self.inputs.has_stdout() {
            return outcome;
        }
        let report = self.report.borrow().finish(&self.timeline, outcome.as_ref().err(), code);
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

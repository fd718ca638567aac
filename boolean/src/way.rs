//! What all ways of solving a system have in common: the input, the limits of time, and the checks.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use web_time::Instant;

use super::checks::Checks;
use super::watch::{Checkpoint, Unwatched, Watch};
use super::{Equations, Method, Query, Solutions, Solve, Speeds};
use wgalois::task::{Cost, Done, Profile, Ready, Way, other_device};
use wgalois::verify::Guarantee;
use wgalois::{Device, Error, One, Result};

/// What one run takes: a system of the problem's shape, perhaps with a watcher.
///
/// ```
/// use wgalois_boolean::{Solve, SolveInput, Query, generate};
/// use wgalois::{Cpu, Device, task::Problem};
///
/// let equations = generate::random(12, 24, 2, 1, true)?.equations;
/// let device = Device::Cpu(Cpu::default());
/// let ready = Solve::of(&equations).with_query(Query::Count).plan(&device)?.prepare(&device)?;
/// let (solutions, guarantee) = ready.run(SolveInput::new(&equations).with_checks(true))?;
/// println!("{}, {}", solutions.count, guarantee.unwrap());
/// # Ok::<(), wgalois::Error>(())
/// ```
pub struct SolveInput<'a> {
    pub(super) equations: &'a Equations,
    watch: Option<&'a mut (dyn Watch + 'a)>,
    is_checked: bool,
}

impl<'a> SolveInput<'a> {
    /// A system, which nobody watches.
    pub fn new(equations: &'a Equations) -> Self {
        SolveInput { equations, watch: None, is_checked: false }
    }

    /// Sets a watcher, which may end the search before it is complete.
    #[must_use]
    pub fn with_watch(self, watch: &'a mut (dyn Watch + 'a)) -> Self {
        SolveInput { watch: Some(watch), ..self }
    }

    /// Checks that no solution is missing, if this is true: eliminations are checked, and after a complete search solutions
    /// are planted, in parts of it that are drawn at random, and must be found; this takes a tenth of the search's time. The
    /// run then fails with [`Error::Check`], or with [`Error::Nonsense`] for hits that cannot be, or returns a guarantee;
    /// none if nothing was checked: the search was ended, or began at the watcher's state.
    #[must_use]
    pub fn with_checks(self, is_checked: bool) -> Self {
        SolveInput { is_checked, ..self }
    }

    /// The same for a shorter time.
    pub(super) fn reborrow(&mut self) -> SolveInput<'_> {
        let watch = self.watch.as_mut().map(|watch| &mut **watch as &mut dyn Watch);
        SolveInput { equations: self.equations, watch, is_checked: self.is_checked }
    }
}

/// One run of a way.
pub struct Job<'r> {
    pub device: &'r Device,
    pub equations: &'r Equations,
    pub query: Query,
    pub watch: &'r mut (dyn Watch + 'r),
    pub checks: &'r Checks,
}

/// The outcome of a search that has begun.
pub type Running<'r, T> = Pin<Box<dyn Future<Output = Result<T>> + 'r>>;

/// One way of solving a system: what it needs, what it costs, how it searches.
pub trait Searching: fmt::Debug + Send + Sync + 'static {
    /// The time and memory.
    fn cost(&self) -> Cost;

    /// The method with its sizes.
    fn summary(&self, problem: &Solve) -> String;

    /// Writes the sizes, as lines of a plan.
    fn write(&self, problem: &Solve, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Searches a system of the problem's shape.
    fn search<'r>(&'r self, job: Job<'r>) -> Running<'r, Solutions>;
}

/// A way in a plan.
#[derive(Debug)]
pub struct SolveWay {
    pub method: Method,
    pub way: Arc<dyn Searching>,
    /// The speeds that its time was expected by.
    speeds: Speeds,
    is_on_gpu: bool,
}

impl SolveWay {
    pub fn new(
        method: Method,
        way: Result<impl Searching>,
        (profile, speeds): (&Profile, Speeds),
    ) -> Result<Self> {
        Ok(SolveWay { method, way: Arc::new(way?), speeds, is_on_gpu: profile.gpu().is_some() })
    }
}

impl Way<Solve> for SolveWay {
    type Device = Device;
    type Ready<'p> = ReadySearch;

    fn cost(&self) -> Cost {
        self.way.cost()
    }

    fn write(&self, problem: &Solve, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         {}", self.method)?;
        self.way.write(problem, f)?;
        writeln!(f, "speeds         {}", self.speeds)
    }

    fn prepare<'p>(&self, _: &Solve, device: &Device, (): ()) -> Result<Self::Ready<'p>> {
        match matches!(device.one(), One::Gpu(_)) == self.is_on_gpu {
            true => Ok(ReadySearch { way: Arc::clone(&self.way), device: device.clone() }),
            false => Err(other_device()),
        }
    }
}

/// A way on its device. What it makes depends on the equations.
#[derive(Debug)]
pub struct ReadySearch {
    way: Arc<dyn Searching>,
    device: Device,
}

impl Ready<Solve> for ReadySearch {
    async fn run<'i: 'i>(
        &self,
        problem: &Solve,
        SolveInput { equations, watch, is_checked }: SolveInput<'i>,
        _: &Done,
    ) -> Result<(Solutions, Option<Guarantee>)> {
        let checks = if is_checked { Checks::wanted() } else { Checks::default() };
        let mut unwatched = Unwatched;
        let watch = watch.unwrap_or(&mut unwatched);
        let mut watch = Resumed { watch, is_resumed: false };
        let (device, query) = (&self.device, problem.query);
        let _limit = device.timeline().limited(watch.deadline());
        let job = Job { device, equations, query, watch: &mut watch, checks: &checks };
        let solutions = match self.way.search(job).await {
            // An elimination ended at the watcher's time.
            Err(Error::Stopped(_)) => Solutions::default(),
            solutions => solutions?,
        };
        // Nothing that does not solve the equations is returned, whatever the way did.
        solutions.check(equations)?;
        // What was done before, nobody has checked.
        let is_whole = solutions.is_complete && !watch.is_resumed;
        Ok((solutions, checks.guarantee().filter(|_| is_whole)))
    }
}

/// A watcher of which it is known whether the search went on from its state.
struct Resumed<'w> {
    watch: &'w mut (dyn Watch + 'w),
    is_resumed: bool,
}

impl Watch for Resumed<'_> {
    fn round(&mut self, state: &Checkpoint) -> Result<bool> {
        self.watch.round(state)
    }

    fn resume(&mut self) -> Option<Checkpoint> {
        let state = self.watch.resume();
        self.is_resumed |= state.is_some();
        state
    }

    fn deadline(&self) -> Option<Instant> {
        self.watch.deadline()
    }
}

//! A problem of the grid with its data: it is planned, run and checked on any engine.

use std::cell::{OnceCell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use web_time::Instant;

#[cfg(not(target_arch = "wasm32"))]
use super::Setup;
use super::Verb;
use wgalois::gpu::Family;
use wgalois::task::{Planned, Problem};
use wgalois::{Cpu, Device, Result};

/// A problem of the grid, which is made when it is measured.
pub struct Case {
    /// The verb of the program that does it.
    pub verb: Verb,
    /// What is asked, for problems that differ in their size only: the larger ones come later.
    pub series: String,
    /// The size.
    pub size: String,
    make: Box<dyn Fn() -> Result<Box<dyn Work>>>,
}

impl Case {
    pub(super) fn new<W: Work + 'static>(
        (verb, series): (Verb, impl Into<String>),
        size: impl Into<String>,
        make: impl Fn() -> Result<W> + 'static,
    ) -> Self {
        let make = move || Ok(Box::new(make()?) as Box<dyn Work>);
        Case { verb, series: series.into(), size: size.into(), make: Box::new(make) }
    }

    /// The problem in words.
    pub fn name(&self) -> String {
        let Case { verb, series, size, .. } = self;
        match series.is_empty() {
            true => format!("{} {size}", verb.name()),
            false => format!("{} {series} {size}", verb.name()),
        }
    }

    pub(super) fn make(&self) -> Result<Box<dyn Work>> {
        (self.make)()
    }
}

/// A problem whose types are forgotten.
pub(super) trait Work {
    /// The families of numbers that it multiplies on a GPU.
    fn families(&self) -> Vec<Family>;

    /// The time that its plan for an engine expects.
    fn planned(&self, device: &Device) -> Result<Duration>;

    /// The device that the program takes if the user names none.
    #[cfg(not(target_arch = "wasm32"))]
    fn chosen(&self, setup: Setup) -> Result<Device>;

    /// Makes the data, if they are not there.
    fn fill(&self) -> Result<()>;

    /// Prepares and runs once, from host data to host data, and checks the answer. The check does not count.
    fn run<'a>(&'a self, device: &'a Device) -> Running<'a, Duration>;
}

/// Work under way, which a browser must not block on.
pub(super) type Running<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + 'a>>;

/// Makes a problem's data.
type Make<D> = Box<dyn Fn() -> Result<D>>;
/// Prepares and runs a plan: the time, and the answer.
type RunOnce<P, D, A> = Box<dyn for<'a> Fn(Planned<P>, &'a Device, &'a D) -> Running<'a, (Duration, A)>>;
/// Checks an answer.
type CheckAnswer<P, D, A> = Box<dyn Fn(&P, &D, &A) -> Result<()>>;
/// A problem as the program states it for an open device.
type Refine<P> = Box<dyn Fn(&P, &Device) -> Result<P>>;

/// A problem with what makes, runs and checks it.
pub(super) struct Of<P: Problem, D, A> {
    problem: P,
    make: Make<D>,
    run: RunOnce<P, D, A>,
    check: CheckAnswer<P, D, A>,
    is_same: fn(&A, &A) -> bool,
    refine: Refine<P>,
    data: OnceCell<D>,
    /// An answer that passed its check: equal ones need none.
    right: RefCell<Option<A>>,
}

impl<P: Problem, D: 'static, A: PartialEq + 'static> Of<P, D, A> {
    /// A problem whose data `make` makes, and `run` takes.
    pub fn new(
        problem: P,
        make: impl Fn() -> Result<D> + 'static,
        run: impl AsyncFn(Planned<P>, &Device, &D) -> Result<(Duration, A)> + 'static,
        check: impl Fn(&P, &D, &A) -> Result<()> + 'static,
    ) -> Self {
        Self::with_equality(problem, make, run, check, A::eq)
    }
}

impl<P: Problem, D: 'static, A: 'static> Of<P, D, A> {
    /// [`new`](Of::new) for answers that `is_same` compares.
    pub fn with_equality(
        problem: P,
        make: impl Fn() -> Result<D> + 'static,
        run: impl AsyncFn(Planned<P>, &Device, &D) -> Result<(Duration, A)> + 'static,
        check: impl Fn(&P, &D, &A) -> Result<()> + 'static,
        is_same: fn(&A, &A) -> bool,
    ) -> Self {
        let run = Rc::new(run);
        Of {
            problem,
            make: Box::new(make),
            run: Box::new(move |plan, device, data| {
                let run = Rc::clone(&run);
                Box::pin(async move { run(plan, device, data).await })
            }),
            check: Box::new(check),
            is_same,
            refine: Box::new(|problem, _| Ok(problem.clone())),
            data: OnceCell::new(),
            right: RefCell::new(None),
        }
    }

    /// States the problem for an open device as `refine` does.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn refined(self, refine: impl Fn(&P, &Device) -> Result<P> + 'static) -> Self {
        Of { refine: Box::new(refine), ..self }
    }

    fn plan(&self, device: &Device) -> Result<Planned<P>> {
        (self.refine)(&self.problem, device)?.plan(device)
    }

    fn data(&self) -> Result<&D> {
        if let Some(data) = self.data.get() {
            return Ok(data);
        }
        let data = (self.make)()?;
        Ok(self.data.get_or_init(|| data))
    }
}

impl<P: Problem, D: 'static, A: 'static> Work for Of<P, D, A> {
    fn families(&self) -> Vec<Family> {
        self.problem.families()
    }

    fn planned(&self, device: &Device) -> Result<Duration> {
        Ok(self.plan(device)?.cost().time)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn chosen(&self, setup: Setup) -> Result<Device> {
        let plan = |profile: &wgalois::task::Profile| self.problem.plan_for(profile);
        Ok(Device::select_by(&wgalois::Select::Auto, plan, setup)?.device)
    }

    fn fill(&self) -> Result<()> {
        self.data().map(drop)
    }

    fn run<'a>(&'a self, device: &'a Device) -> Running<'a, Duration> {
        Box::pin(async move {
            let data = self.data()?;
            let plan = self.plan(device)?;
            let (time, answer) = (self.run)(plan, device, data).await?;
            let mut right = self.right.borrow_mut();
            if !right.as_ref().is_some_and(|right| (self.is_same)(right, &answer)) {
                (self.check)(&self.problem, data, &answer)?;
                *right = Some(answer);
            }
            Ok(time)
        })
    }
}

/// The time of `work` with its result.
pub(super) async fn timed<T>(work: impl Future<Output = Result<T>>) -> Result<(Duration, T)> {
    let begin = Instant::now();
    let result = work.await?;
    Ok((begin.elapsed(), result))
}

/// The CPU engine on all cores, for checks.
pub(super) fn host() -> Device {
    Device::Cpu(Cpu::default())
}

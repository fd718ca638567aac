//! What a task states of a problem, and the ways of doing it.

use std::fmt;
use std::sync::Arc;

use super::any_way::AnyWay;
use super::{Cost, Done, Planned, Profile, Traffic};
use crate::gpu::{Family, Gpu};
use crate::processes;
use crate::{Cpu, Device, Error, Group, Processes, Result};

/// A problem to compute: shapes and settings, without data and without a device.
pub trait Problem: Clone + fmt::Debug + Send + Sync + Sized + 'static {
    /// What errors call it.
    const NAME: &'static str;

    /// What all runs of a prepared form have in common, as the points of multiplications; mostly `()`.
    type Resident<'a>: Clone + Send + Sync;
    /// What one run takes from the host.
    type Input<'a>;
    /// What one run returns to the host.
    type Answer: Send;
    /// What a GPU has of a prepared form, for runs on vectors of the device; `()` if there are none.
    type Kernels;

    /// Returns the kinds of numbers that its kernels multiply, other than words: a plan is better if the device's record knows
    /// them.
    fn families(&self) -> Vec<Family> {
        Vec::new()
    }

    /// Returns its ways on a device like this, also those that do not fit its memory: [`Planned`] chooses.
    fn ways(&self, profile: &Profile) -> Result<Ways<Self>>;

    /// Returns the plan with the shortest expected time on a device with this profile, within its memory.
    fn plan_for(&self, profile: &Profile) -> Result<Planned<Self>> {
        Planned::cheapest(self, profile)
    }

    /// Returns the plan for an open device, by [`plan_for`](Self::plan_for).
    fn plan(&self, device: &Device) -> Result<Planned<Self>> {
        self.plan_for(&device.profile())
    }

    /// Checks that what all runs have in common has the problem's shape.
    fn check_resident(&self, _resident: &Self::Resident<'_>) -> Result<()> {
        Ok(())
    }

    /// Checks that the input has the problem's shape and ranges.
    fn check_input(&self, input: &Self::Input<'_>) -> Result<()>;

    /// The same input for a shorter time, so that a run can be tried again.
    fn reborrow<'s>(input: &'s mut Self::Input<'_>) -> Self::Input<'s>;

    /// Writes the lines of a plan that state the problem.
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// The ways of a problem on one device, each with its name, or the reason why there is none.
#[derive(Debug)]
pub struct Ways<P: Problem>(pub(super) Vec<(&'static str, Result<SharedWay<P>>)>);

type SharedWay<P> = Arc<dyn AnyWay<P>>;

impl<P: Problem> Default for Ways<P> {
    fn default() -> Self {
        Ways(Vec::new())
    }
}

impl<P: Problem> Ways<P> {
    /// Adds a way. Of two that take equally long, the one that was added first is taken.
    #[must_use]
    pub fn with<W: Way<P>>(mut self, name: &'static str, way: Result<W>) -> Self {
        self.0.push((name, way.map(|way| Arc::new(way) as SharedWay<P>)));
        self
    }

    /// Makes of each way that of another problem, which stands on this one.
    pub(crate) fn map<Q: Problem, W: Way<Q>>(self, of: impl Fn(Arc<dyn AnyWay<P>>) -> W) -> Ways<Q> {
        self.0.into_iter().fold(Ways::default(), |ways, (name, way)| ways.with(name, way.map(&of)))
    }
}

/// One way of doing a problem on one device: what it needs, what it costs, and how it is prepared.
pub trait Way<P: Problem>: fmt::Debug + Send + Sync + 'static {
    /// The kind of device that it runs on; [`Device`] if there are several.
    type Device: Kind;
    /// Its tables, kernels and resident data.
    type Ready<'p>: Ready<P> + 'p;

    /// The time and memory of one run.
    fn cost(&self) -> Cost;

    /// The data that one run sends through the host, and its dispatches. Zeros on the CPU engine.
    fn traffic(&self) -> Traffic {
        Traffic::default()
    }

    /// Checks that it is within the memory that `profile` allows, for a problem that errors call `what`.
    fn check(&self, profile: &Profile, what: &str) -> Result<()> {
        self.cost().check(profile, what)
    }

    /// Writes the lines of a plan that state the way.
    fn write(&self, problem: &P, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Compiles the kernels of [`prepare`](Self::prepare), which does it otherwise.
    fn compile(&self, _problem: &P, _device: &Self::Device) -> Result<()> {
        Ok(())
    }

    /// Makes tables, compiles kernels, uploads what all runs have in common.
    fn prepare<'p>(
        &self,
        problem: &P,
        device: &Self::Device,
        resident: P::Resident<'p>,
    ) -> Result<Self::Ready<'p>>;
}

/// A way that is ready to run.
pub trait Ready<P: Problem>: fmt::Debug + Send + Sync {
    /// Runs once, on an input that was checked, and of which `done` is done already.
    fn run(&self, problem: &P, input: P::Input<'_>, done: &Done) -> impl Future<Output = Result<P::Answer>>;

    /// What a GPU has of it, if one GPU runs it.
    fn kernels(&self) -> Option<&P::Kernels> {
        None
    }
}

/// A kind of device on which ways run.
pub trait Kind {
    /// The device, if it is of this kind.
    fn of(device: &Device) -> Option<&Self>;
}

impl Kind for Device {
    fn of(device: &Device) -> Option<&Self> {
        Some(device)
    }
}

/// The kind of each variant of [`Device`].
macro_rules! kinds {
    ($($kind:ident)*) => {$(
        impl Kind for $kind {
            fn of(device: &Device) -> Option<&Self> {
                if let Device::$kind(own) = device { Some(own) } else { None }
            }
        }
    )*};
}

kinds!(Cpu Gpu Group Processes);

/// The error of a plan that is used with a device of another kind.
pub fn other_device() -> Error {
    Error::OtherPlan { what: "kind of device" }
}

/// The processes, for a plan that was made for `size` of them, each with a device of this kind.
pub(crate) fn expect_processes(
    processes: &Processes,
    kind: processes::Kind,
    size: usize,
) -> Result<Processes> {
    match (processes::Kind::of(processes.own()), processes.size()) == (kind, size) {
        true => Ok(processes.clone()),
        false => Err(other_device()),
    }
}

/// The error of the CPU engine if it is asked for device vectors, which only GPUs have.
pub fn no_device_vectors() -> Error {
    Error::Unsupported { device: "the CPU engine", what: "hold vectors of a device".into() }
}

//! Ways and their prepared forms behind one pointer, since a plan does not know which one it holds.

use std::any::Any;
use std::fmt;
use std::pin::Pin;

use super::problem::Kind;
use super::{Cost, Done, Problem, Profile, Ready, Traffic, Way, other_device};
use crate::{Device, Result};

/// Any [`Way`] of a problem; its methods are those of the trait.
pub trait AnyWay<P: Problem>: Any + fmt::Debug + Send + Sync {
    fn cost(&self) -> Cost;
    fn traffic(&self) -> Traffic;
    fn check(&self, profile: &Profile, what: &str) -> Result<()>;
    fn write(&self, problem: &P, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn compile(&self, problem: &P, device: &Device) -> Result<()>;
    fn prepare<'p>(
        &self,
        problem: &P,
        device: &Device,
        resident: P::Resident<'p>,
    ) -> Result<Box<dyn AnyReady<P> + 'p>>;
}

impl<P: Problem, W: Way<P>> AnyWay<P> for W {
    fn cost(&self) -> Cost {
        Way::cost(self)
    }

    fn traffic(&self) -> Traffic {
        Way::traffic(self)
    }

    fn check(&self, profile: &Profile, what: &str) -> Result<()> {
        Way::check(self, profile, what)
    }

    fn write(&self, problem: &P, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Way::write(self, problem, f)
    }

    fn compile(&self, problem: &P, device: &Device) -> Result<()> {
        Way::compile(self, problem, W::Device::of(device).ok_or_else(other_device)?)
    }

    fn prepare<'p>(
        &self,
        problem: &P,
        device: &Device,
        resident: P::Resident<'p>,
    ) -> Result<Box<dyn AnyReady<P> + 'p>> {
        let device = W::Device::of(device).ok_or_else(other_device)?;
        Ok(Box::new(Way::prepare(self, problem, device, resident)?))
    }
}

/// The outcome of a run that has begun.
pub type Running<'r, T> = Pin<Box<dyn Future<Output = Result<T>> + 'r>>;

/// Any [`Ready`] form of a problem; its methods are those of the trait.
pub trait AnyReady<P: Problem>: fmt::Debug + Send + Sync {
    fn run<'r, 'i: 'r>(
        &'r self,
        problem: &'r P,
        input: P::Input<'i>,
        done: &'r Done,
    ) -> Running<'r, P::Answer>;
    fn kernels(&self) -> Option<&P::Kernels>;
}

impl<P: Problem, R: Ready<P>> AnyReady<P> for R {
    fn run<'r, 'i: 'r>(
        &'r self,
        problem: &'r P,
        input: P::Input<'i>,
        done: &'r Done,
    ) -> Running<'r, P::Answer> {
        Box::pin(Ready::run(self, problem, input, done))
    }

    fn kernels(&self) -> Option<&P::Kernels> {
        Ready::kernels(self)
    }
}

/// A prepared form of a way that has several.
#[derive(Debug)]
pub struct AnyForm<'p, P: Problem>(Box<dyn AnyReady<P> + 'p>);

impl<'p, P: Problem> AnyForm<'p, P> {
    /// One of the forms.
    pub fn new(ready: impl Ready<P> + 'p) -> Self {
        AnyForm(Box::new(ready))
    }
}

impl<P: Problem> Ready<P> for AnyForm<'_, P> {
    async fn run<'i: 'i>(&self, problem: &P, input: P::Input<'i>, done: &Done) -> Result<P::Answer> {
        self.0.run(problem, input, done).await
    }

    fn kernels(&self) -> Option<&P::Kernels> {
        self.0.kernels()
    }
}

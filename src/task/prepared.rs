//! A planned problem that is ready to run.

use super::any_way::{AnyReady, Running};
use super::{Done, Planned, Problem};
use crate::Result;
use crate::gpu::block_on;

/// A planned problem that is ready to run as often as needed: tables made, kernels compiled, resident data uploaded.
#[derive(Debug)]
pub struct Prepared<'p, P: Problem> {
    pub(super) planned: Planned<P>,
    pub(super) ready: Box<dyn AnyReady<P> + 'p>,
}

impl<P: Problem> Prepared<'_, P> {
    /// The plan that it was made from.
    pub fn plan(&self) -> &Planned<P> {
        &self.planned
    }

    /// What a GPU has of it, if one GPU runs it.
    pub fn kernels(&self) -> Option<&P::Kernels> {
        self.ready.kernels()
    }

    /// Runs once, from host data to host data.
    pub fn run(&self, input: P::Input<'_>) -> Result<P::Answer> {
        block_on(self.run_async(input))
    }

    /// The asynchronous form of [`run`](Self::run), for browsers.
    pub async fn run_async(&self, input: P::Input<'_>) -> Result<P::Answer> {
        self.planned.problem().check_input(&input)?;
        self.run_checked(input, &Done::default()).await
    }

    /// [`run_async`](Self::run_async) of an input that was checked, of which `done` is done.
    pub(super) fn run_checked<'r, 'i: 'r>(
        &'r self,
        input: P::Input<'i>,
        done: &'r Done,
    ) -> Running<'r, P::Answer> {
        self.ready.run(self.planned.problem(), input, done)
    }
}

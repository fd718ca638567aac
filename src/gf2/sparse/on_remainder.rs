//! The elimination of a remainder, as a part of a plan.

use std::time::Duration;

use super::remainder;
use crate::device::COPIED;
use crate::gf2::{BitMatrix, Carrying, Dense, DenseAnswer, Evidence, OnElimination};
use crate::parallel::Threads;
use crate::task::{Cost, Planned, Problem, Profile};
use crate::timeline::Phase;
use crate::{Device, Result};

/// The bytes that are moved for a one of the matrix and 512 columns of the remainder: a line is read from anywhere, and written.
const MOVED: usize = 2 * 64;

/// A question about a remainder, with or without evidence.
pub(super) trait Asked: OnElimination {
    fn of(question: Dense) -> Result<Self>;

    fn split(answer: Self::Answer) -> (DenseAnswer, Option<Evidence>);
}

impl Asked for Dense {
    fn of(question: Dense) -> Result<Self> {
        Ok(question)
    }

    fn split(answer: DenseAnswer) -> (DenseAnswer, Option<Evidence>) {
        (answer, None)
    }
}

impl Asked for Carrying {
    fn of(question: Dense) -> Result<Self> {
        question.carrying()
    }

    fn split((answer, evidence): Self::Answer) -> (DenseAnswer, Option<Evidence>) {
        (answer, Some(evidence))
    }
}

/// The plan of a question about a remainder.
#[derive(Debug)]
pub(super) struct OnRemainder<Q: Asked> {
    /// The bytes beside those of the elimination.
    pub held: u64,
    /// That of the remainder and of its elimination.
    pub cost: Cost,
    pub planned: Planned<Q>,
}

impl<Q: Asked> OnRemainder<Q> {
    /// Plans a question about the remainder of a matrix of so many columns and ones, beside so many bytes. Vectors go through the
    /// triangle in blocks of 512: those of the remainder, and `more` blocks.
    pub fn new(
        question: Dense,
        profile: &Profile,
        (columns, ones): (usize, usize),
        more: usize,
        beside: u64,
    ) -> Result<Self> {
        let (rows, left) = question.shape();
        let host = profile.host();
        let block = remainder::bytes_of(host.threads, columns, left, rows);
        let held = BitMatrix::bytes_of(rows as u64, left as u64).saturating_add(beside);
        let planned = Q::of(question)?.plan_for(&profile.beside(held))?;
        let cost = planned.cost();
        let bytes = |blocks: usize| (MOVED * ones) as f64 * blocks as f64;
        let moved = bytes(left.div_ceil(512)) / host.threads.max(1) as f64 + bytes(more);
        let time = cost.time + Duration::from_secs_f64(moved * host.record.seconds(&COPIED));
        let host_bytes = held.saturating_add(cost.host_bytes.max(block));
        Ok(OnRemainder { held, cost: Cost { time, host_bytes, ..cost }, planned })
    }
}

/// Runs a step of the host with the threads of the device's engine.
pub(super) fn on_host<T: Send>(
    device: &Device,
    name: &str,
    step: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    let threads = if let Device::Cpu(cpu) = device { cpu.threads } else { 0 };
    device.timeline().time(Phase::Host, name, || Threads::new(threads)?.run(step))
}

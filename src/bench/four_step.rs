//! Times of the forms of the four-step transform.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::microseconds;
use super::published::Outcome;
use crate::field::Prime;
use crate::gpu::{Clock, Gpu};
use crate::ntt::Transform;
use crate::ntt::four_step::{Form, FourStep, forms};
use crate::{Error, Result};

/// The measurement of one form at one length.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The modulus.
    pub prime: u32,
    /// log2 of the length.
    pub log_n: u32,
    /// The form.
    #[serde(flatten)]
    pub form: Form,
    /// The time, if the transform ran.
    pub timing: Option<Timing>,
    /// The time of one copy of the vector, in microseconds.
    pub copy_microseconds: f64,
    /// The outcome of its verification.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The time of one transform.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Timing {
    /// Median device time, in microseconds.
    pub microseconds: f64,
    /// Distance of the outermost samples as a share of the median.
    pub spread: f64,
    /// Dispatches of one transform.
    pub dispatches: usize,
}

/// Verifies and times every form on one random vector of 2^`log_n` words modulo `prime`.
///
/// # Errors
/// [`Error::Input`] if there is no such transform; [`Error::DeviceLost`] and other faults of the device. A
/// form that the device cannot run is not an error but the outcome of its row.
pub fn measure(
    gpu: &Gpu,
    clock: &mut Clock,
    samples: usize,
    (prime, log_n): (Prime, u32),
    mut done: impl FnMut(&Row),
) -> Result<Vec<Row>> {
    let n = 1usize.checked_shl(log_n).unwrap_or(0);
    let spec = Transform::new(prime, n)?;
    let mut rng = ChaCha8Rng::seed_from_u64(u64::from(log_n));
    let data: Vec<u32> = (0..n).map(|_| rng.random_range(0..prime.value())).collect();
    let copy_microseconds = microseconds(super::time_copy(gpu, clock, samples, n)?.median());
    let mut rows = Vec::new();
    for form in forms() {
        let (timing, outcome) = match time(gpu, clock, samples, &spec, form, &data) {
            Ok(timing) => (Some(timing), Outcome::Right),
            Err(Error::Check(message)) => (None, Outcome::Wrong(message)),
            Err(Error::Usage(message)) => (None, Outcome::LeftOut(message)),
            Err(error) => return Err(error),
        };
        let row = Row { prime: prime.value(), log_n, form, timing, copy_microseconds, outcome };
        done(&row);
        rows.push(row);
    }
    Ok(rows)
}

fn time(
    gpu: &Gpu,
    clock: &mut Clock,
    samples: usize,
    spec: &Transform,
    form: Form,
    data: &[u32],
) -> Result<Timing> {
    let plan = FourStep::new(gpu, spec, form)?;
    let (mut vector, mut other) = (gpu.upload(data)?, gpu.zeros(data.len())?);
    let mut recorder = gpu.record();
    plan.record(&mut recorder, &mut vector, &mut other)?;
    recorder.submit()?;
    spec.check(data, &vector.download()?, &mut rand::rng())?;
    let times = super::time(gpu, clock, samples, |recorder| plan.record(recorder, &mut vector, &mut other))?;
    Ok(Timing {
        microseconds: microseconds(times.median()),
        spread: times.spread(),
        dispatches: plan.dispatches(),
    })
}

//! Times of the forms of the four-step transform.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Fields, Row, Timing};
use crate::Result;
use crate::field::Prime;
use crate::gpu::{Clock, Gpu};
use crate::ntt::Transform;
use crate::ntt::four_step::{Form, FourStep, forms};

/// Verifies and times every form on one random vector of 2^`log_n` words modulo `prime`.
///
/// # Errors
/// [`Input`](crate::Error::Input) if there is no such transform, and
/// [`DeviceLost`](crate::Error::DeviceLost). Other faults are the outcome of their row.
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
    let copy = super::time_copy(gpu, clock, samples, n)?.median().as_secs_f64();
    let mut rows = Vec::new();
    for form in forms() {
        let result = time(gpu, clock, samples, &spec, form, &data);
        let dispatches = result.as_ref().ok().map(|(_, dispatches)| *dispatches);
        let fields = Fields::default()
            .with("log_n", log_n)
            .with("prime", prime.value())
            .with("log_base", form.log_base)
            .with("threads", form.threads)
            .with("transforms", form.transforms)
            .with("padded", form.padded)
            .with("transposition", form.transposition)
            .with("dispatches", dispatches);
        let timing = result.map(|(timing, _)| Timing { copy: Some(copy), ..timing });
        let row = Row::new(fields, "four-step", timing)?;
        done(&row);
        rows.push(row);
    }
    Ok(rows)
}

/// Verifies and times one form. Returns the time and the dispatches of one transform.
fn time(
    gpu: &Gpu,
    clock: &mut Clock,
    samples: usize,
    spec: &Transform,
    form: Form,
    data: &[u32],
) -> Result<(Timing, usize)> {
    let plan = FourStep::new(gpu, spec, form)?;
    let (mut vector, mut other) = (gpu.upload(data)?, gpu.zeros(data.len())?);
    let mut recorder = gpu.record();
    plan.record(&mut recorder, &mut vector, &mut other)?;
    recorder.submit()?;
    spec.check(data, &vector.download()?, &mut rand::rng())?;
    let times = super::time(gpu, clock, samples, |recorder| plan.record(recorder, &mut vector, &mut other))?;
    Ok((Timing::of_device(&times), plan.dispatches()))
}

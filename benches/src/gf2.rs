//! Times of eliminations and products over GF(2).

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::{Fields, Row, Timing};
use wgalois::gf2::gpu::DeviceMatrix;
use wgalois::gf2::{self, BitMatrix, Echelon, Method, System, generate, verify};
use wgalois::gpu::{Clock, Gpu, Options, Samples};
use wgalois::task::Problem;
use wgalois::timeline::{Phase, Timeline};
use wgalois::{Cpu, Device, Result};

/// The kind of square matrix that is eliminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Ones with probability 1/2.
    Random,
    /// A product of random factors of rank n / 2.
    Deficient,
    /// Every column of a random matrix twice, so that every block lacks half of its pivots.
    Doubled,
    /// A permutation: no pivot is among the rows that are searched first.
    Permutation,
}

/// Checks and times bringing a square matrix to echelon form on the device, `samples` times.
///
/// # Errors
/// [`Error::Check`](wgalois::Error::Check) if the result is wrong.
pub fn dense(gpu: &Gpu, clock: &mut Clock, samples: usize, (kind, log_n): (Kind, u32)) -> Result<Row> {
    let n = 1 << log_n;
    let device = Device::Gpu(gpu.clone());
    let matrix = square(&device, kind, n)?;
    let original = DeviceMatrix::upload(gpu, &matrix)?;
    let mut work = DeviceMatrix::zeros(gpu, n, n)?;
    let mut eliminate = |gpu: &Gpu| {
        work.assign(&original)?;
        gpu.device_time(|| work.reduce_to_echelon(n, false))
    };
    let pivots = eliminate(gpu)?.0;
    eliminate(gpu)?;
    let times = clock.gated(samples, || Ok(eliminate(gpu)?.1))?;
    let echelon = Echelon { matrix: work.download_echelon(&pivots, false)?, pivots };
    verify::echelon(&matrix, &echelon, false, &verify::Proof::determine(&device, &matrix)?)?;
    let profile = profiled(gpu, |gpu| {
        DeviceMatrix::upload(gpu, &matrix)?.reduce_to_echelon(n, false)?;
        Ok(())
    })?;
    let fields = Fields::default().with("kind", kind).with("n", n).with("rank", echelon.rank());
    profile.row(fields, "echelon form", &times)
}

/// Checks and times bringing the matrix of [`dense`] to echelon form on the CPU engine, at most `samples` times, on all
/// cores.
///
/// # Errors
/// [`Error::Check`](wgalois::Error::Check) if the result is wrong.
pub fn dense_on_host(samples: usize, (kind, log_n): (Kind, u32)) -> Result<Row> {
    let (device, n) = (Device::Cpu(Cpu::default()), 1 << log_n);
    let matrix = square(&device, kind, n)?;
    let echelon = gf2::echelon(&device, &matrix)?;
    verify::echelon(&matrix, &echelon, false, &verify::Proof::determine(&device, &matrix)?)?;
    let times = super::time_calls(samples.min(HOST_SAMPLES), || gf2::echelon(&device, &matrix).map(drop))?;
    let fields = Fields::default().with("kind", kind).with("n", n).with("rank", echelon.rank());
    let fields = fields.with("threads", wgalois::parallel::threads());
    Row::new(fields, format!("echelon form, {}", super::CPU_ENGINE), Ok(Timing::of_sorted_calls(&times)))
}

/// Checks and times the product of two random square matrices on the device, `samples` times, by so many levels of
/// Strassen's recursion, or as many as plans choose.
///
/// # Errors
/// [`Error::Check`](wgalois::Error::Check) if the result is wrong; the device's faults;
/// [`Error::Usage`](wgalois::Error::Usage) if the product is too small or too large for the levels.
pub fn product(
    gpu: &Gpu,
    clock: &mut Clock,
    samples: usize,
    (log_n, levels): (u32, Option<u32>),
) -> Result<Row> {
    let n = 1 << log_n;
    let [a, b] = [1, 2].map(|seed| generate::matrix(n, n, 0.5, seed));
    let (a, b) = (a?, b?);
    let multiply = |a: &DeviceMatrix, b: &DeviceMatrix| match levels {
        Some(levels) => a.multiply_by_levels(b, levels),
        None => a.multiply(b),
    };
    let upload = |gpu: &Gpu| Ok([DeviceMatrix::upload(gpu, &a)?, DeviceMatrix::upload(gpu, &b)?]);
    let [left, right] = upload(gpu)?;
    verify::product(&a, &b, &multiply(&left, &right)?.download()?)?;
    let times = clock.gated(samples, || Ok(gpu.device_time(|| multiply(&left, &right))?.1))?;
    let profile = profiled(gpu, |gpu| {
        let [left, right] = upload(gpu)?;
        multiply(&left, &right).map(drop)
    })?;
    let fields = Fields::default().with("n", n);
    let fields = match levels {
        Some(levels) => fields.with("levels", levels),
        None => fields,
    };
    profile.row(fields, "product", &times)
}

/// Checks and times the elimination of a system on the CPU engine, at most `samples` times, on all cores.
///
/// # Errors
/// [`Error::Check`](wgalois::Error::Check) if the result is wrong.
pub fn special_on_host(samples: usize, (system, method): (&System, Method)) -> Result<Row> {
    let device = Device::Cpu(Cpu::default());
    let system = &system.clone().with_method(method);
    let ready = system.plan(&device)?.prepare(&device)?;
    let method = ready.plan().method();
    let result = ready.run(system)?;
    verify::elimination(&device, system, &result, method, verify::Depth::Bounded)?;
    let times = super::time_calls(samples.min(HOST_SAMPLES), || ready.run(system).map(drop))?;
    let fields = system_fields(system).with("rank", result.promoted().len());
    let fields = fields.with("threads", wgalois::parallel::threads());
    Row::new(fields, format!("{method}, {}", super::CPU_ENGINE), Ok(Timing::of_sorted_calls(&times)))
}

/// The maximum number of samples of the CPU engine: a large matrix takes it many seconds.
const HOST_SAMPLES: usize = 3;

/// Checks and times the elimination of a system on the device, `samples` times: all kernels, from
/// the rows' lists to the promoted rows.
///
/// # Errors
/// [`Error::Check`](wgalois::Error::Check) if the result is wrong.
pub fn special(
    gpu: &Gpu,
    clock: &mut Clock,
    samples: usize,
    (system, method): (&System, Method),
) -> Result<Row> {
    let device = Device::Gpu(gpu.clone());
    let system = &system.clone().with_method(method);
    let ready = system.plan(&device)?.prepare(&device)?;
    let method = ready.plan().method();
    let result = ready.run(system)?;
    verify::elimination(&device, system, &result, method, verify::Depth::Bounded)?;
    let times = clock.gated(samples, || Ok(gpu.device_time(|| ready.run(system))?.1))?;
    let profile = profiled(gpu, |gpu| {
        let device = Device::Gpu(gpu.clone());
        system.plan(&device)?.prepare(&device)?.run(system)?;
        Ok(())
    })?;
    let fields = system_fields(system).with("rank", result.promoted().len());
    profile.row(fields, method.to_string(), &times)
}

/// The shape of a system.
fn system_fields(system: &System) -> Fields {
    Fields::default().with("rows", system.row_count()).with("columns", system.columns())
}

struct Profile {
    dispatches: u64,
    steps: BTreeMap<String, Duration>,
}

impl Profile {
    fn row(self, fields: Fields, system: impl Into<String>, times: &Samples) -> Result<Row> {
        let timing = Timing { steps: super::row::steps(self.steps), ..Timing::of_device(times) };
        Row::new(fields.with("dispatches", self.dispatches), system, Ok(timing))
    }
}

/// Runs work once on the same device with every dispatch timed.
fn profiled(gpu: &Gpu, work: impl FnOnce(&Gpu) -> Result<()>) -> Result<Profile> {
    let options = Options { profile: true, timeline: Timeline::default(), ..gpu.options().clone() };
    let gpu = gpu.with_options(options);
    work(&gpu)?;
    // The timestamps are read when the host waits.
    gpu.wait()?;
    Ok(Profile {
        dispatches: gpu.timeline().dispatches().values().sum(),
        steps: gpu.timeline().by_name(Phase::Device),
    })
}

fn square(device: &Device, kind: Kind, n: usize) -> Result<BitMatrix> {
    let random = |columns: usize, seed: u64| generate::matrix(n, columns, 0.5, seed);
    match kind {
        Kind::Random => random(n, 1),
        Kind::Deficient => {
            let right = generate::matrix(n / 2, n, 0.5, 2)?;
            gf2::multiply(device, &random(n / 2, 1)?, &right)
        }
        Kind::Doubled => {
            // With an odd number of columns the last one has no double.
            let half = random(n.div_ceil(2), 1)?.transposed()?;
            let mut doubled = BitMatrix::zeros(n, n)?;
            (0..n).for_each(|c| doubled.row_mut(c).copy_from_slice(half.row(c / 2)));
            doubled.transposed()
        }
        Kind::Permutation => {
            let mut permutation = BitMatrix::zeros(n, n)?;
            // An odd factor permutes the residues modulo a power of two.
            (0..n).for_each(|r| permutation.set(r, (r * 40_503 + n / 3) % n, true));
            Ok(permutation)
        }
    }
}

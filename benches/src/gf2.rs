//! Times of eliminations and products over GF(2).

use std::fmt;

use serde::Serialize;

use super::{Fields, Row, Timing};
use wgalois::gf2::gpu::DeviceMatrix;
use wgalois::gf2::{self, BitMatrix, Echelon, Method, System, generate, verify};
use wgalois::gpu::{Clock, Gpu, Options, Samples};
use wgalois::task::{Prepared, Problem};
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
    let fields = checked(&device, kind, &matrix, &echelon)?;
    profiled(gpu, fields, "echelon form", &times, |gpu| {
        DeviceMatrix::upload(gpu, &matrix)?.reduce_to_echelon(n, false).map(drop)
    })
}

/// Checks and times bringing the matrix of [`dense`] to echelon form on the CPU engine, at most `samples` times, on all
/// cores.
///
/// # Errors
/// [`Error::Check`](wgalois::Error::Check) if the result is wrong.
pub fn dense_on_host(samples: usize, (kind, log_n): (Kind, u32)) -> Result<Row> {
    let device = Device::Cpu(Cpu::default());
    let matrix = square(&device, kind, 1 << log_n)?;
    let fields = checked(&device, kind, &matrix, &gf2::echelon(&device, &matrix)?)?;
    on_host(samples, fields, "echelon form", || gf2::echelon(&device, &matrix).map(drop))
}

/// Checks an echelon form and returns the fields of its row.
fn checked(device: &Device, kind: Kind, matrix: &BitMatrix, echelon: &Echelon) -> Result<Fields> {
    verify::echelon(matrix, echelon, false, &verify::Proof::determine(device, matrix)?)?;
    Ok(Fields::default().with("kind", kind).with("n", matrix.rows()).with("rank", echelon.rank()))
}

/// Checks and times the product of two random square matrices on the device, `samples` times, by so many levels of
/// Strassen's recursion, or as many as plans choose.
///
/// # Errors
/// [`Error::Check`](wgalois::Error::Check) if the result is wrong; the device's faults;
/// [`Error::Unsupported`](wgalois::Error::Unsupported) if the product is too small or too large for the levels.
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
    let fields = Fields::default().with("n", n);
    let fields = match levels {
        Some(levels) => fields.with("levels", levels),
        None => fields,
    };
    profiled(gpu, fields, "product", &times, |gpu| {
        let [left, right] = upload(gpu)?;
        multiply(&left, &right).map(drop)
    })
}

/// The maximum number of samples of the CPU engine: a large matrix takes it many seconds.
const HOST_SAMPLES: usize = 3;

/// Times `samples` whole calls of the CPU engine, at most three, on all cores.
fn on_host(
    samples: usize,
    fields: Fields,
    what: impl fmt::Display,
    call: impl FnMut() -> Result<()>,
) -> Result<Row> {
    let times = super::time_calls(samples.min(HOST_SAMPLES), call)?;
    let fields = fields.with("threads", wgalois::parallel::threads());
    Row::new(fields, format!("{what}, {}", super::CPU_ENGINE), Ok(Timing::of_sorted_calls(&times)))
}

/// A system whose elimination was checked once.
struct Eliminated {
    system: System,
    ready: Prepared<'static, System>,
    method: Method,
    fields: Fields,
}

impl Eliminated {
    fn new(device: &Device, system: &System, method: Method) -> Result<Self> {
        let system = system.clone().with_method(method);
        let ready = system.plan(device)?.prepare(device)?;
        let method = ready.plan().method();
        let result = ready.run(&system)?;
        verify::elimination(device, &system, &result, method, verify::Depth::Bounded)?;
        let fields = Fields::default().with("rows", system.row_count()).with("columns", system.columns());
        let fields = fields.with("rank", result.promoted().len());
        Ok(Eliminated { system, ready, method, fields })
    }
}

/// Checks and times the elimination of a system on the CPU engine, at most `samples` times, on all cores.
///
/// # Errors
/// [`Error::Check`](wgalois::Error::Check) if the result is wrong.
pub fn special_on_host(samples: usize, (system, method): (&System, Method)) -> Result<Row> {
    let Eliminated { system, ready, method, fields } =
        Eliminated::new(&Device::Cpu(Cpu::default()), system, method)?;
    on_host(samples, fields, method, || ready.run(&system).map(drop))
}

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
    let Eliminated { system, ready, method, fields } =
        Eliminated::new(&Device::Gpu(gpu.clone()), system, method)?;
    let times = clock.gated(samples, || Ok(gpu.device_time(|| ready.run(&system))?.1))?;
    profiled(gpu, fields, &method.to_string(), &times, |gpu| {
        let device = Device::Gpu(gpu.clone());
        system.plan(&device)?.prepare(&device)?.run(&system).map(drop)
    })
}

/// The row of work that took `times`, and runs once more on the same device with every dispatch timed.
fn profiled(
    gpu: &Gpu,
    fields: Fields,
    what: &str,
    times: &Samples,
    work: impl FnOnce(&Gpu) -> Result<()>,
) -> Result<Row> {
    let options = Options { profile: true, timeline: Timeline::default(), ..gpu.options().clone() };
    let gpu = gpu.with_options(options);
    work(&gpu)?;
    // The timestamps are read when the host waits.
    gpu.wait()?;
    let dispatches: u64 = gpu.timeline().dispatches().values().sum();
    let steps = super::row::steps(gpu.timeline().by_name(Phase::Device));
    let timing = Timing { steps, ..Timing::of_device(times) };
    Row::new(fields.with("dispatches", dispatches), what, Ok(timing))
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

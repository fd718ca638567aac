//! Times of whole calls: data of the host in, the result in host memory, on a device that is open and with a problem
//! that is prepared. Programs with many small problems wait for these.

use std::fmt;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::msm::{Data, Distribution};
use super::{Fields, Row, Timing, time_calls};
use wgalois::curve::Bls12_381;
use wgalois::field::{BABY_BEAR, Prime};
use wgalois::gf2;
use wgalois::gpu::shortest_opening;
use wgalois::msm::{Known, Multiplication, Precompute};
use wgalois::ntt::{Order, Product, Transform};
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Result, Wrong};

/// The kind of call that is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum CallKind {
    /// A transform of n words.
    Transform,
    /// 256 transforms of n words that stay on the GPU, a call each; the time is that of one.
    Resident,
    /// A product of two polynomials of n terms.
    Product,
    /// A multiplication of n prepared points by uniform scalars.
    Multiplication,
    /// The same, half of the scalars zero and half below 4.
    Sparse,
    /// The same, all scalars below 16.
    Small,
    /// 2^20 / n vectors of n scalars in one call; the time is that of one vector.
    Many,
    /// The rank of a random n x n matrix.
    Rank,
}

/// The calls of [`CallKind::Resident`].
const SEPARATE: usize = 256;
/// The scalars of all vectors of [`CallKind::Many`].
const ENTRIES: usize = 1 << 20;

/// Calls are repeated for so long before they are timed: the clock of an idle GPU is low.
const WARM: Duration = Duration::from_millis(300);
const PRIME: Prime = BABY_BEAR;

impl CallKind {
    /// The exponents of the sizes that are timed by default: from where either engine is the faster one.
    pub fn default_sizes(self) -> Vec<u32> {
        match self {
            CallKind::Transform | CallKind::Product => (8..=20).step_by(2).collect(),
            CallKind::Resident => vec![12],
            CallKind::Multiplication => (6..=16).step_by(2).collect(),
            CallKind::Sparse | CallKind::Small => vec![17],
            CallKind::Many => vec![14, 16],
            CallKind::Rank => (8..=13).collect(),
        }
    }

    /// The bytes of host memory of a call with n = 2^`log_n`, an upper bound.
    pub fn host_bytes(self, log_n: u32) -> u64 {
        let n = 1u64 << log_n;
        match self {
            CallKind::Transform | CallKind::Resident | CallKind::Product => 64 * n,
            CallKind::Multiplication | CallKind::Sparse | CallKind::Small => 1024 * n,
            CallKind::Many => 1024 * n + 64 * ENTRIES as u64,
            CallKind::Rank => n * n / 2,
        }
    }

    /// Checks the result of a call on `device`, then times `samples` of them. The GPU stores `precompute` of the points of
    /// a multiplication.
    pub fn measure(self, device: &Device, samples: usize, log_n: u32, precompute: Precompute) -> Result<Row> {
        let n = 1 << log_n;
        let (calls, vectors, expected) = match self {
            CallKind::Transform | CallKind::Resident => {
                transform(device, samples, n, self == CallKind::Resident)?
            }
            CallKind::Product => product(device, samples, n)?,
            CallKind::Multiplication => {
                multiplication(device, samples, n, Distribution::Uniform, precompute)?
            }
            CallKind::Sparse => multiplication(device, samples, n, Distribution::Sparse, precompute)?,
            CallKind::Small => multiplication(device, samples, n, Distribution::Small, precompute)?,
            CallKind::Many => many(device, samples, n, precompute)?,
            CallKind::Rank => rank(device, samples, n)?,
        };
        let per_vector: Vec<f64> = calls.iter().map(|seconds| seconds / vectors as f64).collect();
        let fields = Fields::default().with("work", self).with("n", n).with("vectors", vectors);
        let (system, auto) = match device {
            Device::Cpu(_) => (super::CPU_ENGINE, None),
            _ => ("GPU", Some(expected.auto)),
        };
        let multiplies =
            matches!(self, CallKind::Multiplication | CallKind::Sparse | CallKind::Small | CallKind::Many);
        let stored = (multiplies && auto.is_some()).then(|| precompute.to_string());
        let fields = fields.with("precompute", stored);
        let fields = fields.with("expected", expected.time.as_secs_f64() / vectors as f64).with("auto", auto);
        Row::new(fields, system, Ok(Timing::of_sorted_calls(&per_vector)))
    }
}

/// The expectations of plans.
struct Expected {
    /// The time on the open device, preparation included.
    time: Duration,
    /// The engine that [`Device::auto`] takes for one run.
    auto: &'static str,
}

impl Expected {
    fn of(problem: &impl Problem, device: &Device) -> Result<Self> {
        let time = problem.plan(device)?.cost().time;
        let on_cpu = problem.plan(&Device::Cpu(Cpu::default()))?.cost().time;
        let is_software = device.profile().gpu().is_some_and(|gpu| gpu.is_software);
        let auto = if is_software || on_cpu <= time + shortest_opening() { "CPU" } else { "GPU" };
        Ok(Expected { time, auto })
    }
}

/// The seconds of calls in ascending order, the vectors of each, and what the plan expects.
type Timed = (Vec<f64>, usize, Expected);

/// Times calls of a prepared problem, each for so many vectors, after a warm-up.
fn timed(
    device: &Device,
    problem: &impl Problem,
    samples: usize,
    vectors: usize,
    mut call: impl FnMut() -> Result<()>,
) -> Result<Timed> {
    let begin = Instant::now();
    while begin.elapsed() < WARM {
        call()?;
    }
    Ok((time_calls(samples, call)?, vectors, Expected::of(problem, device)?))
}

/// The error of a wrong result.
fn check(is_right: bool, what: fmt::Arguments<'_>) -> Result<()> {
    Wrong::unless(is_right, format!("{what} is wrong"))
}

fn words(len: usize) -> Vec<u32> {
    (0..len as u64).map(|i| (i * i % u64::from(PRIME.value())) as u32).collect()
}

fn transform(device: &Device, samples: usize, n: usize, resident: bool) -> Result<Timed> {
    let problem = Transform::new(PRIME, n)?.with_output(Order::BitReversed);
    let prepared = problem.plan(device)?.prepare(device)?;
    let (before, mut data) = (words(n), words(n));
    prepared.run(&mut data)?;
    problem.check(device, &before, &data)?;
    let calls = if resident { SEPARATE } else { 1 };
    match device {
        Device::Gpu(gpu) if resident => {
            let mut vector = gpu.upload(&before)?;
            timed(device, &problem, samples, calls, || {
                (0..calls).try_for_each(|_| prepared.run_on_device(&mut vector))?;
                gpu.wait()
            })
        }
        _ => timed(device, &problem, samples, calls, || (0..calls).try_for_each(|_| prepared.run(&mut data))),
    }
}

fn product(device: &Device, samples: usize, n: usize) -> Result<Timed> {
    let problem = Product::new(PRIME, n, n);
    let prepared = problem.plan(device)?.prepare(device)?;
    let (a, b) = (words(n), words(n));
    problem.check(device, &a, &b, &prepared.multiply(&a, &b)?)?;
    timed(device, &problem, samples, 1, || prepared.multiply(&a, &b).map(drop))
}

fn multiplication(
    device: &Device,
    samples: usize,
    n: usize,
    distribution: Distribution,
    precompute: Precompute,
) -> Result<Timed> {
    let data = Data::<Bls12_381>::new(n, distribution);
    let problem = Multiplication::<Bls12_381>::new(n).with_precompute(precompute);
    let bases = problem.plan(device)?.prepare_unchecked(device, &data.known.points)?;
    data.check(bases.multiply(&data.scalars)?)?;
    timed(device, &problem, samples, 1, || bases.multiply(&data.scalars).map(drop))
}

fn many(device: &Device, samples: usize, n: usize, precompute: Precompute) -> Result<Timed> {
    let vectors = (ENTRIES / n).max(1);
    let known = Known::<Bls12_381>::random(n, n as u64);
    let problem = Multiplication::<Bls12_381>::new(n).with_vectors(vectors).with_precompute(precompute);
    let bases = problem.plan(device)?.prepare_unchecked(device, &known.points)?;
    let scalars: Vec<_> =
        (0..vectors).map(|seed| Distribution::Uniform.draw::<Bls12_381>(n, seed as u64)).collect();
    let all: Vec<_> = scalars.iter().map(Vec::as_slice).collect();
    for (sum, scalars) in bases.run_many(&all)?.iter().zip(&all) {
        check(*sum == known.sum(scalars), format_args!("a multiplication of {n} points"))?;
    }
    timed(device, &problem, samples, vectors, || bases.run_many(&all).map(drop))
}

fn rank(device: &Device, samples: usize, n: usize) -> Result<Timed> {
    let matrix = gf2::generate::matrix(n, n, 0.5, 1)?;
    let problem = gf2::Dense::rank(n, n)?;
    let prepared = problem.plan(device)?.prepare(device)?;
    let rank = prepared.run((&matrix, None))?.into_pivots()?.len();
    check(gf2::rank(&Device::Cpu(Cpu::default()), &matrix)? == rank, format_args!("the rank of {n} x {n}"))?;
    timed(device, &problem, samples, 1, || prepared.run((&matrix, None)).map(drop))
}

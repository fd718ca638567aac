//! Times of multi-scalar multiplications with points and scalars on the device.

use std::collections::BTreeMap;
use std::time::Duration;

use ark_ec::{CurveGroup, VariableBaseMSM};
use ark_ff::{PrimeField, Zero};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::Serialize;
use web_time::Instant;

use super::compared::msm::{double_and_add, pippenger};
use super::{Fields, Row, Timing};
use wgalois::curve::{Affine, Curve, Projective};
use wgalois::field::BigField;
use wgalois::gpu::{Clock, Gpu};
use wgalois::msm::{Bases, DeviceScalars, Known, Multiplication, Settings, multiply_unchecked};
use wgalois::parallel::*;
use wgalois::task::Problem;
use wgalois::timeline::Phase;
use wgalois::{Cpu, Device, Error, Result, Wrong};

/// The distribution of the scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distribution {
    /// Uniform below r.
    Uniform,
    /// All equal: in every window one bucket gets every point.
    Equal,
    /// One in sixteen uniform, the others below 16: the lowest window crowds few buckets, and
    /// the other windows are nearly empty.
    Skewed,
    /// 0 or 1, at random.
    Bits,
    /// At random, one half zero and the other below 4.
    Sparse,
    /// Uniform below 16.
    Small,
}

impl Distribution {
    /// `n` scalars.
    pub fn draw<C: Curve>(self, n: usize, seed: u64) -> Vec<C::ScalarField> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let uniform = wgalois::msm::random_scalars::<C>(n, &mut random);
        match self {
            Distribution::Uniform => uniform,
            Distribution::Equal => vec![uniform.first().copied().unwrap_or_default(); n],
            Distribution::Skewed => {
                let small = |i: usize| C::ScalarField::from((i / 16 * 7 % 16) as u64);
                uniform.into_iter().enumerate().map(|(i, k)| if i % 16 == 0 { k } else { small(i) }).collect()
            }
            Distribution::Bits => small(&uniform, |low| low & 1),
            Distribution::Sparse => small(&uniform, |low| if low & 4 == 0 { 0 } else { low & 3 }),
            Distribution::Small => small(&uniform, |low| low & 15),
        }
    }
}

/// Small scalars from the lowest words of uniform ones.
fn small<F: PrimeField>(uniform: &[F], of: impl Fn(u64) -> u64) -> Vec<F> {
    uniform.iter().map(|k| F::from(of(k.into_bigint().as_ref()[0]))).collect()
}

/// Points, scalars and their sum, for measuring on.
pub struct Data<C: Curve> {
    /// The points.
    pub known: Known<C>,
    /// The scalars.
    pub scalars: Vec<C::ScalarField>,
    /// The distribution of the scalars.
    pub distribution: Distribution,
    /// The right result.
    pub sum: Affine<C>,
}

impl<C: Curve> Data<C> {
    /// `n` points and scalars.
    pub fn new(n: usize, distribution: Distribution) -> Self {
        let known = Known::random(n, n as u64);
        let scalars = distribution.draw::<C>(n, 1);
        let sum = known.sum(&scalars);
        Data { known, scalars, distribution, sum }
    }

    /// The case: curve, points, distribution of the scalars.
    pub fn fields(&self) -> Fields {
        let fields = Fields::default().with("curve", C::NAME).with("n", self.scalars.len());
        fields.with("distribution", self.distribution)
    }

    /// Checks a result.
    pub fn check(&self, sum: Affine<C>) -> Result<()> {
        let fault = format!("the multiplication of {} points is wrong", self.scalars.len());
        Wrong::unless(sum == self.sum, fault)
    }

    /// 32-bit words of all points and scalars.
    pub fn words(&self) -> usize {
        let coordinate = BigField::of::<C::BaseField>().affine_words() / 2;
        let scalar = C::ScalarField::MODULUS_BIT_SIZE.div_ceil(32) as usize;
        self.scalars.len() * (2 * coordinate + scalar)
    }
}

/// Checks one multiplication, then times `samples` of them, on the device only with a clock. Returns the settings
/// that its plan chose, and the times.
pub fn measure<C: Curve>(
    gpu: &Gpu,
    mut clock: Option<&mut Clock>,
    samples: usize,
    settings: &Settings,
    data: &Data<C>,
) -> Result<(Fields, Timing)> {
    let begin = Instant::now();
    let bases = prepare(gpu, settings, data)?;
    gpu.wait()?;
    let prepared = begin.elapsed();
    let scalars = DeviceScalars::upload(gpu, &data.scalars)?;
    data.check(bases.run_on_device(&scalars)?)?;
    let record = |recorder: &mut wgalois::gpu::Recorder| bases.record(recorder, &scalars).map(drop);
    let device = clock.as_mut().map(|clock| super::time(gpu, clock, samples, record)).transpose()?;
    let (mut walls, mut split) = (Vec::with_capacity(samples), [Duration::ZERO; 3]);
    for _ in 0..samples {
        // This steadies the device's clock.
        if let Some(clock) = &mut clock {
            clock.samples(1, record)?;
        }
        let before = PHASES.map(|phase| spent(gpu, phase));
        let begin = Instant::now();
        let result = bases.run_on_device(&scalars)?;
        walls.push(begin.elapsed());
        data.check(result)?;
        for ((sum, phase), before) in split.iter_mut().zip(PHASES).zip(before) {
            *sum += spent(gpu, phase) - before;
        }
    }
    let share = |time: Duration| time.as_secs_f64() / samples as f64;
    let rest = walls.iter().sum::<Duration>().saturating_sub(split.iter().sum());
    let host = ["wait", "download", "combine", "record"].map(str::to_owned).into_iter();
    let host = host.zip(split.into_iter().chain([rest]).map(share)).collect();
    walls.sort();
    let cut = bases.plan().cut().ok_or_else(|| Error::needs("a cut", "a GPU"))?;
    let parts = cut.scheme.sets.div_ceil(cut.group) as usize * bases.len().div_ceil(cut.chunk.max(1));
    let fields = data
        .fields()
        .with("precompute", settings.precompute.to_string())
        .with("coordinates", settings.coordinates.name)
        .with("balance", settings.balance.to_string())
        .with("accumulators", settings.accumulators.to_string())
        .with("addends", settings.addends.to_string())
        .with("reduction", settings.reduction.to_string())
        .with("int64", gpu.arithmetic().int64)
        .with("pair_rounds", cut.rounds)
        .with("width", cut.scheme.width)
        .with("sets", cut.scheme.sets)
        .with("levels", cut.scheme.levels)
        .with("parts", parts)
        .with("slice", cut.slice);
    let calls = Timing::of_calls(walls[walls.len() / 2].as_secs_f64());
    let timing = device.iter().fold(calls, Timing::with_device);
    Ok((fields, Timing { prepare: Some(prepared.as_secs_f64()), host, ..timing }))
}

/// The points, on the device.
fn prepare<'d, C: Curve>(gpu: &Gpu, settings: &Settings, data: &'d Data<C>) -> Result<Bases<'d, C>> {
    let device = Device::Gpu(gpu.clone());
    let problem = Multiplication::new(data.known.points.len()).with_settings(*settings);
    problem.plan(&device)?.prepare_unchecked(&device, &data.known.points)
}

/// The phases of a call on the host, as timelines record them.
const PHASES: [Phase; 3] = [Phase::Waiting, Phase::Download, Phase::Host];

/// The time that was spent in a phase so far.
fn spent(gpu: &Gpu, phase: Phase) -> Duration {
    gpu.timeline().by_name(phase).into_values().sum()
}

/// A method of computing the sum on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostMethod {
    /// The CPU engine.
    Engine,
    /// Pippenger's method with unsigned digits, a part of the points on each core.
    Pippenger,
    /// Double-and-add, a part of the points on each core.
    DoubleAndAdd,
    /// arkworks' special case of scalars that are 0 or 1 (`msm_u1`).
    ArkworksBits,
}

impl HostMethod {
    /// All methods for any scalars, the fastest first.
    pub const ALL: [HostMethod; 3] = [HostMethod::Engine, HostMethod::Pippenger, HostMethod::DoubleAndAdd];
}

/// Checks and times `samples` multiplications by the CPU engine, at least one, as a row.
pub fn measure_engine<C: Curve>(samples: usize, data: &Data<C>) -> Result<Row> {
    let fields = data.fields().with("threads", threads());
    Row::new(fields, super::CPU_ENGINE, host_timing(HostMethod::Engine, samples, data))
}

/// Checks and times `samples` multiplications by a method, at least one.
pub fn host_timing<C: Curve>(method: HostMethod, samples: usize, data: &Data<C>) -> Result<Timing> {
    let times = (0..samples.max(1)).map(|_| measure_host(method, data)).collect::<Result<Vec<_>>>()?;
    Ok(Timing::of_sorted_calls(&super::sorted(times)))
}

/// Checks and times one multiplication on the host, in seconds. [`HostMethod::ArkworksBits`] is for scalars of 0 and 1.
pub fn measure_host<C: Curve>(method: HostMethod, data: &Data<C>) -> Result<f64> {
    // Programs that call this have bits, not elements of a field.
    let bits: Vec<bool> = match method {
        HostMethod::ArkworksBits => data.scalars.iter().map(|k| !k.is_zero()).collect(),
        _ => Vec::new(),
    };
    let begin = Instant::now();
    let sum = match method {
        HostMethod::ArkworksBits => {
            <Projective<C> as VariableBaseMSM>::msm_u1(&data.known.points, &bits).into_affine()
        }
        HostMethod::Engine => {
            let engine = Device::Cpu(Cpu::default());
            multiply_unchecked(&engine, &Settings::default(), &data.known.points, &data.scalars)?
        }
        HostMethod::Pippenger | HostMethod::DoubleAndAdd => {
            let part = data.scalars.len().div_ceil(threads()).max(1);
            // Close to the optimum: a bucket costs two additions, a point one.
            let width = (part.max(8).ilog2() - 2).min(16);
            let parts = data.known.points.par_chunks(part).zip(data.scalars.par_chunks(part));
            let sums = parts.map(|(points, scalars)| {
                let integers: Vec<_> = scalars.iter().map(|k| k.into_bigint()).collect();
                match method {
                    HostMethod::Pippenger => pippenger(points, &integers, width),
                    _ => double_and_add(points, &integers),
                }
            });
            sums.sum::<Projective<C>>().into_affine()
        }
    };
    let time = begin.elapsed();
    data.check(sum).map(|()| time.as_secs_f64())
}

/// The device time of each step of one multiplication, in seconds, on a device that was
/// opened with [`Options::profile`](wgalois::gpu::Options::profile). Each dispatch has a pass
/// of its own, so that their sum is more than the time of the whole.
pub fn stages<C: Curve>(gpu: &Gpu, settings: &Settings, data: &Data<C>) -> Result<BTreeMap<String, f64>> {
    let bases = prepare(gpu, settings, data)?;
    let scalars = DeviceScalars::upload(gpu, &data.scalars)?;
    // Twice to compile and to raise the clock.
    for _ in 0..2 {
        let _ = bases.run_on_device(&scalars)?;
    }
    let before = gpu.timeline().by_name(Phase::Device);
    let _ = bases.run_on_device(&scalars)?;
    let mut spent = gpu.timeline().by_name(Phase::Device);
    spent.iter_mut().for_each(|(name, time)| *time -= before.get(name).copied().unwrap_or_default());
    Ok(super::row::steps(spent))
}

//! Multiplications on one GPU, whose memory holds all points, with their multiples and working memory, or a part at a time.

use std::fmt;
use std::time::Duration;

use super::gpu::{Apart, Compiled, Resident};
use super::in_parts::ReadyInParts;
use super::operands::{ResidentPoints, filled};
use super::run_apart;
use super::search::fastest_parts;
use super::speeds::Speeds;
use super::tiling::{Cut, Limits, write_parts};
use super::{Addends, Balance, Multiplication, Scalars, Settings, cost};
use crate::curve::{Affine, Curve};
use crate::gpu::Gpu;
use crate::task::{AnyForm, Cost, Done, GpuProfile, Ready, Traffic, Way, Ways};
use crate::{Error, Result};

/// Bytes of bindings and of memory in which any cut without points has room.
const ANY: u64 = 32 << 30;

/// The ways: of the two, the device's memory allows one.
#[derive(Debug)]
pub(super) struct OnGpu {
    pub cut: Cut,
    /// The number of points of a part: all, unless memory is too short.
    pub part: usize,
    cost: Cost,
    traffic: Traffic,
}

impl OnGpu {
    /// Both ways, of which the memory of the device, `memory` bytes, allows one. Refuses forms that exclude each
    /// other.
    pub fn ways<C: Curve>(
        problem: &Multiplication<C>,
        gpu: &GpuProfile,
        memory: u64,
    ) -> Result<Ways<Multiplication<C>>> {
        let [whole, in_parts] = ["on one GPU", "in parts, on one GPU"];
        let refused = |why: &str| Err::<OnGpu, _>(Error::Usage(why.into()));
        let (way, ways) = (OnGpu::new(problem, gpu, memory)?, Ways::default());
        Ok(match way.part < problem.points() {
            true => {
                let why = "the memory of the device is too short for all points";
                ways.with(in_parts, Ok(way)).with(whole, refused(why))
            }
            false => {
                let why = "all points fit the memory of the device";
                ways.with(whole, Ok(way)).with(in_parts, refused(why))
            }
        })
    }

    fn new<C: Curve>(problem: &Multiplication<C>, gpu: &GpuProfile, memory: u64) -> Result<Self> {
        let (points, vectors, settings) = (problem.points(), problem.vectors(), problem.settings());
        // Without points nothing goes to the device. The cut, which shows the settings, is one of any device.
        let room = if points == 0 { [ANY; 2] } else { [gpu.binding_bytes, memory] };
        let limits = Limits::new::<C>(settings, vectors, room, Speeds::of::<C>(gpu));
        let (cut, part) = fastest_parts(points, &allowed(settings)?, &limits)?;
        if settings.balance == Balance::Buckets && cut.chunk < points {
            return Err(Error::only_for("whole buckets a thread", "one chunk of bases"));
        }
        let traffic = traffic(problem, &cut, part);
        if points == 0 {
            return Ok(OnGpu { cut, part, cost: Cost::default(), traffic });
        }
        let at_a_time = if part < points { 2 } else { 1 };
        let nanoseconds = cost::gpu_nanoseconds(gpu, (points, vectors), (&cut, part), &limits);
        let cost = Cost {
            time: Duration::from_nanos(nanoseconds as u64),
            compiling: Duration::from_secs_f64(cost::compile_seconds(gpu, &limits)),
            preparing: Duration::from_secs_f64(cost::preparing_seconds(gpu, points, &limits)),
            host_bytes: cost::gpu_host_bytes(cut.chunk as u64, part as u64, &limits, cut.scheme.levels > 1),
            device_bytes: cut.device_bytes(part as u64, &limits).saturating_mul(at_a_time),
        };
        Ok(OnGpu { cut, part, cost, traffic })
    }
}

/// The settings with what follows from the forms. Refuses forms that exclude each other.
fn allowed(settings: &Settings) -> Result<Settings> {
    settings.reduction.check()?;
    let mut allowed = *settings;
    let (whole, two) = (settings.balance.is_whole(), settings.addends == Addends::Two);
    if (whole || two) && allowed.pair_rounds.get_or_insert(0) != &0 {
        let scope = "parts of buckets, one point at a time";
        return Err(Error::only_for("rounds of pairs", scope));
    }
    if whole && two {
        return Err(Error::only_for("whole buckets a thread", "one point at a time"));
    }
    Ok(allowed)
}

/// The traffic of all vectors, as many together as the cut says.
fn traffic<C: Curve>(problem: &Multiplication<C>, cut: &Cut, part: usize) -> Traffic {
    let traffic =
        |vectors| cost::gpu_traffic::<C>((problem.points(), vectors), part, cut, problem.settings());
    let (batches, rest) = (problem.vectors() / cut.together, problem.vectors() % cut.together);
    let whole = traffic(cut.together).times(batches as u64);
    Traffic::sum([whole, if rest > 0 { traffic(rest) } else { Traffic::sum([]) }])
}

impl<C: Curve> Way<Multiplication<C>> for OnGpu {
    type Device = Gpu;
    type Ready<'p> = AnyForm<'p, Multiplication<C>>;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }

    fn write(&self, problem: &Multiplication<C>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (OnGpu { cut, part, .. }, settings) = (self, problem.settings());
        let scheme = &cut.scheme;
        let (chunks, groups) = (part.div_ceil(cut.chunk), scheme.sets.div_ceil(cut.group));
        writeln!(f, "method         GPU, buckets")?;
        writeln!(f, "windows        {} of {} bits", scheme.windows, scheme.width)?;
        writeln!(f, "stored         {}", settings.precompute)?;
        writeln!(f, "levels         {} points stored for each", scheme.levels)?;
        writeln!(f, "bucket sets    {} in {groups} groups", scheme.sets)?;
        writeln!(f, "chunks         {chunks} of {} points", cut.chunk)?;
        writeln!(f, "together       {} vectors", cut.together)?;
        writeln!(f, "pair rounds    {}", cut.rounds)?;
        let Settings { balance, accumulators, addends, reduction, .. } = settings;
        writeln!(f, "accumulation   {balance}, in {accumulators}, {addends} at a time")?;
        writeln!(f, "reduction      {reduction}")?;
        write_parts(f, problem.points(), *part)
    }

    fn compile(&self, problem: &Multiplication<C>, gpu: &Gpu) -> Result<()> {
        match problem.points() {
            0 => Ok(()),
            _ => Compiled::new::<C>(gpu, problem.settings(), &self.cut).map(drop),
        }
    }

    fn prepare<'p>(
        &self,
        problem: &Multiplication<C>,
        gpu: &Gpu,
        points: ResidentPoints<'p, C>,
    ) -> Result<Self::Ready<'p>> {
        let (gpu, cut, part, settings) = (gpu.clone(), self.cut, self.part, *problem.settings());
        if part < points.len() {
            return Ok(AnyForm::new(ReadyInParts { gpu, cut, part, settings, points }));
        }
        if points.is_empty() {
            return Ok(AnyForm::new(ReadyOnGpu(OnDevice::Nothing)));
        }
        let resident = Resident::new(&gpu, points.name(), &points, &settings, &cut)?;
        Ok(AnyForm::new(ReadyOnGpu(OnDevice::Whole(Box::new(resident)))))
    }
}

/// The points on the device.
pub struct ReadyOnGpu<C: Curve>(pub(super) OnDevice<C>);

/// What the device has of points.
pub(super) enum OnDevice<C: Curve> {
    /// There are no points: every sum is that of no terms, and the device has nothing to do.
    Nothing,
    /// With the working memory of multiplications by any scalars.
    Whole(Box<Resident<C>>),
    /// With that of sums by ones, and of multiplications by the few other scalars.
    Apart(Box<Apart<C>>),
}

impl<C: Curve> fmt::Debug for ReadyOnGpu<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "points of {} on a GPU", C::NAME)
    }
}

impl<C: Curve> Ready<Multiplication<C>> for ReadyOnGpu<C> {
    async fn run<'i: 'i>(
        &self,
        _: &Multiplication<C>,
        scalars: Scalars<'i, C::ScalarField>,
        _: &Done,
    ) -> Result<Vec<Affine<C>>> {
        match (&self.0, scalars) {
            (OnDevice::Nothing, scalars) => Ok(vec![Affine::default(); scalars.vectors()]),
            (OnDevice::Apart(apart), scalars) => run_apart::run(apart, scalars).await,
            (OnDevice::Whole(resident), Scalars::Device(scalars)) => {
                Ok(vec![resident.run_on_device(scalars).await?])
            }
            (OnDevice::Whole(resident), Scalars::Host(vectors)) => {
                let vectors = filled(vectors);
                resident.run_many(&vectors.iter().map(|vector| &vector[..]).collect::<Vec<_>>()).await
            }
        }
    }

    fn kernels(&self) -> Option<&Self> {
        Some(self)
    }
}

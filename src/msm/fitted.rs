//! What multiplications on one GPU need: the largest part of the points that fits, the cut of the work, and the cost.

use std::fmt;
use std::time::Duration;

use super::gpu::Compiled;
use super::plan::write_parts;
use super::search::fastest_parts;
use super::settings::Choice;
use super::tiling::{Cut, Limits};
use super::{Addends, Balance, Multiplication, Settings, cost};
use crate::curve::Curve;
use crate::task::{Cost, GpuProfile, Traffic, other_device, planned};
use crate::{Device, Error, Result};

/// The largest part of the points that the memory of a GPU holds, and its cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fitted {
    pub cut: Cut,
    /// The number of points of a part: all, unless memory is too short.
    pub part: usize,
    pub cost: Cost,
    pub traffic: Traffic,
}

impl Fitted {
    /// Fits a multiplication into `memory` bytes of device memory.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] with the bytes that would suffice; [`Error::Usage`] for forms that exclude each other.
    pub fn new<C: Curve>(problem: &Multiplication<C>, gpu: &GpuProfile, memory: u64) -> Result<Self> {
        let (points, vectors, settings) = (problem.points(), problem.vectors(), problem.settings());
        let memory = planned(memory);
        let limits = Limits {
            threads: settings.threads(),
            vectors: vectors.clamp(1, 2) as u64,
            once: settings.is_for_one_run(),
            most_together: if settings.balance() == Balance::Slices { vectors } else { 1 },
            digit_bits: settings.reduction().digit_bits(),
            ..Limits::new::<C>(settings.coordinates(), gpu.binding_bytes, memory)
        };
        let choice = allowed(settings)?;
        if points == 0 {
            // Nothing goes to the device. The cut, which shows the settings, is one of any device.
            let memory = planned(u64::MAX);
            let limits = Limits { memory, binding_words: memory / 4, ..limits };
            let (cut, part) = fastest_parts(points, settings.precompute(), choice, &limits)?;
            let cost = Cost { time: gpu.startup, ..Cost::default() };
            return Ok(Fitted { cut, part, cost, traffic: traffic(problem, &cut, part) });
        }
        let (cut, part) = fastest_parts(points, settings.precompute(), choice, &limits)?;
        if settings.balance() == Balance::Buckets && cut.chunk < points {
            return Err(Error::Usage("whole buckets a thread: only for one chunk of bases".into()));
        }
        let at_a_time = if part < points { 2 } else { 1 };
        let nanoseconds = cost::gpu_nanoseconds(gpu, (points, vectors), (&cut, part), &limits);
        let cost = Cost {
            time: Duration::from_nanos(nanoseconds as u64),
            host_bytes: cost::gpu_host_bytes(cut.chunk as u64, part as u64, &limits, cut.scheme.levels > 1),
            device_bytes: cut.device_bytes(part as u64, &limits).saturating_mul(at_a_time),
        };
        Ok(Fitted { cut, part, cost, traffic: traffic(problem, &cut, part) })
    }

    /// Compiles the kernels.
    pub fn compile<C: Curve>(&self, problem: &Multiplication<C>, device: &Device) -> Result<()> {
        match device {
            Device::Gpu(_) if problem.points() == 0 => Ok(()),
            Device::Gpu(gpu) => Compiled::new::<C>(gpu, problem.settings(), &self.cut).map(drop),
            _ => Err(other_device()),
        }
    }

    /// Writes the lines of a plan that state the method.
    pub fn write<C: Curve>(&self, problem: &Multiplication<C>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Fitted { cut, part, .. }, settings) = (self, problem.settings());
        let scheme = &cut.scheme;
        let (chunks, groups) = (part.div_ceil(cut.chunk), scheme.sets.div_ceil(cut.group));
        writeln!(f, "method         GPU, buckets")?;
        writeln!(f, "windows        {} of {} bits", scheme.windows, scheme.width)?;
        writeln!(f, "stored         {}", settings.precompute())?;
        writeln!(f, "levels         {} points stored for each", scheme.levels)?;
        writeln!(f, "bucket sets    {} in {groups} groups", scheme.sets)?;
        writeln!(f, "chunks         {chunks} of {} points", cut.chunk)?;
        writeln!(f, "together       {} vectors", cut.together)?;
        writeln!(f, "pair rounds    {}", cut.rounds)?;
        let (balance, accumulators) = (settings.balance(), settings.accumulators());
        let addends = settings.addends();
        writeln!(f, "accumulation   {balance}, in {accumulators}, {addends} at a time")?;
        writeln!(f, "reduction      {}", settings.reduction())?;
        write_parts(f, problem.points(), *part)
    }
}

/// The parameters that the caller has chosen, and those that follow from the forms.
///
/// # Errors
/// [`Error::Usage`] for forms that exclude each other.
fn allowed(settings: &Settings) -> Result<Choice> {
    let refused = |why: &str| Err(Error::Usage(why.into()));
    settings.reduction().check()?;
    let mut choice = settings.choice;
    let (whole, two) = (settings.balance().is_whole(), settings.addends() == Addends::Two);
    if (whole || two) && choice.pair_rounds.get_or_insert(0) != &0 {
        return refused(
            "rounds of pairs leave single points: not with whole buckets or two points at a time",
        );
    }
    if whole && two {
        return refused("whole buckets a thread take one point at a time");
    }
    Ok(choice)
}

/// The traffic of all vectors, as many together as the cut says.
fn traffic<C: Curve>(problem: &Multiplication<C>, cut: &Cut, part: usize) -> Traffic {
    let traffic =
        |vectors| cost::gpu_traffic::<C>((problem.points(), vectors), part, cut, problem.settings());
    let (batches, rest) = (problem.vectors() / cut.together, problem.vectors() % cut.together);
    let whole = traffic(cut.together).times(batches as u64);
    Traffic::sum([whole, if rest > 0 { traffic(rest) } else { Traffic::sum([]) }])
}

//! The plan of a multiplication on one device: numbers only.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use super::cut::{Cut, Limits};
use super::group::GroupPlan;
use super::search::fastest_parts;
use super::settings::Choice;
use super::{Addends, Balance, Settings, cost};
use crate::curve::Curve;
use crate::task::{Cost, Engine, GpuProfile, Plan, Profile, Traffic, planned};
use crate::{Error, Result};

/// A plan for a [`Multiplication`](super::Multiplication) on one device. `wgalois msm --plan` prints it
/// as text.
///
/// ```
/// use wgalois::curve::Bn254;
/// use wgalois::task::{Plan, Problem};
/// use wgalois::{Cpu, Device, msm::Multiplication};
///
/// let device = Device::Cpu(Cpu::default());
/// let plan = Multiplication::<Bn254>::new(1 << 16).plan(&device)?;
/// assert_eq!(plan.parts(), 1);
/// assert_eq!(plan.cost().device_bytes, 0);
/// println!("{plan}");
/// # Ok::<(), wgalois::Error>(())
/// ```
pub struct MultiplicationPlan<C: Curve> {
    points: usize,
    vectors: usize,
    settings: Settings,
    /// The number of points of a part.
    part: usize,
    method: Method<C>,
    cost: Cost,
    curve: PhantomData<fn() -> C>,
}

/// The engine and, on a GPU, the cut of a part.
pub(super) enum Method<C: Curve> {
    Cpu {
        threads: usize,
    },
    Gpu(Cut),
    /// Several GPUs share the work.
    Group(Arc<GroupPlan<C>>),
}

/// The number of points of the smallest part on the CPU engine.
const SMALLEST_PART: usize = 1 << 12;

impl<C: Curve> MultiplicationPlan<C> {
    /// Plans `vectors` multiplications of `points` points.
    pub(super) fn new(points: usize, vectors: usize, settings: &Settings, profile: &Profile) -> Result<Self> {
        let one = profile.of_one();
        let profile = if matches!(profile.engine, Engine::Processes { .. }) { &*one } else { profile };
        let (method, part, cost) = match &profile.engine {
            Engine::Cpu { threads } => Self::on_cpu(points, vectors, *threads, profile.host_memory),
            Engine::Gpu(gpu) => Self::on_gpu(points, vectors, settings, gpu, profile.device_memory)?,
            Engine::Group(members) => {
                let plan = GroupPlan::new(points, vectors, settings, profile, members)?;
                let cost = plan.cost();
                (Method::Group(Arc::new(plan)), points, cost)
            }
            Engine::Processes { .. } => return Err(Error::Usage("processes are planned one by one".into())),
        };
        cost.check(profile, "this multiplication")?;
        let settings = *settings;
        Ok(MultiplicationPlan { points, vectors, settings, part, method, cost, curve: PhantomData })
    }

    /// The method, the number of points of a part, and the cost on the CPU engine.
    fn on_cpu(points: usize, vectors: usize, threads: usize, memory: u64) -> (Method<C>, usize, Cost) {
        let bytes = |part: usize| cost::cpu_host_bytes::<C>(part as u64, threads as u64);
        let mut part = points;
        while bytes(part) > memory && part > SMALLEST_PART {
            part = part.next_power_of_two() / 2;
        }
        let nanoseconds = cost::cpu_nanoseconds::<C>(points, vectors, threads);
        let cost =
            Cost { time: Duration::from_nanos(nanoseconds as u64), host_bytes: bytes(part), device_bytes: 0 };
        (Method::Cpu { threads }, part, cost)
    }

    /// The method, the number of points of a part, and the cost on a GPU.
    fn on_gpu(
        points: usize,
        vectors: usize,
        settings: &Settings,
        gpu: &GpuProfile,
        memory: u64,
    ) -> Result<(Method<C>, usize, Cost)> {
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
            return Ok((Method::Gpu(cut), part, Cost { time: gpu.startup, ..Cost::default() }));
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
        Ok((Method::Gpu(cut), part, cost))
    }

    /// The number of points.
    pub fn points(&self) -> usize {
        self.points
    }

    /// The number of vectors.
    pub fn vectors(&self) -> usize {
        self.vectors
    }

    /// The number of points of a part: all points, unless memory is too short.
    pub fn part(&self) -> usize {
        self.part
    }

    /// The number of parts in which the points go to the engine, one after the other.
    pub fn parts(&self) -> usize {
        self.points.div_ceil(self.part.max(1)).max(1)
    }

    /// The cut of a part on a GPU; `None` on the CPU engine and on a group.
    pub fn cut(&self) -> Option<&Cut> {
        match &self.method {
            Method::Gpu(cut) => Some(cut),
            Method::Cpu { .. } | Method::Group(_) => None,
        }
    }

    /// The options of the method.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(super) fn method(&self) -> &Method<C> {
        &self.method
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

// A derived implementation would require `C: Clone`.
impl<C: Curve> Clone for Method<C> {
    fn clone(&self) -> Self {
        match self {
            Method::Cpu { threads } => Method::Cpu { threads: *threads },
            Method::Gpu(cut) => Method::Gpu(*cut),
            Method::Group(plan) => Method::Group(plan.clone()),
        }
    }
}

impl<C: Curve> Clone for MultiplicationPlan<C> {
    fn clone(&self) -> Self {
        MultiplicationPlan { method: self.method.clone(), ..*self }
    }
}

impl<C: Curve> Plan for MultiplicationPlan<C> {
    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        match &self.method {
            Method::Cpu { .. } => Traffic::default(),
            Method::Gpu(cut) => {
                let traffic =
                    |vectors| cost::gpu_traffic::<C>((self.points, vectors), self.part, cut, &self.settings);
                let (batches, rest) = (self.vectors / cut.together, self.vectors % cut.together);
                let whole = traffic(cut.together).times(batches as u64);
                Traffic::sum([whole, if rest > 0 { traffic(rest) } else { Traffic::sum([]) }])
            }
            Method::Group(plan) => plan.traffic(),
        }
    }
}

impl<C: Curve> fmt::Display for MultiplicationPlan<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "curve          {}", C::NAME)?;
        writeln!(f, "points         {}", self.points)?;
        writeln!(f, "vectors        {}", self.vectors)?;
        match &self.method {
            Method::Cpu { threads } => writeln!(f, "method         CPU engine, {threads} threads")?,
            Method::Gpu(cut) => {
                let scheme = &cut.scheme;
                let (chunks, groups) = (self.part.div_ceil(cut.chunk), scheme.sets.div_ceil(cut.group));
                writeln!(f, "method         GPU, buckets")?;
                writeln!(f, "windows        {} of {} bits", scheme.windows, scheme.width)?;
                writeln!(f, "stored         {}", self.settings.precompute())?;
                writeln!(f, "levels         {} points stored for each", scheme.levels)?;
                writeln!(f, "bucket sets    {} in {groups} groups", scheme.sets)?;
                writeln!(f, "chunks         {chunks} of {} points", cut.chunk)?;
                writeln!(f, "together       {} vectors", cut.together)?;
                writeln!(f, "pair rounds    {}", cut.rounds)?;
                let (balance, accumulators) = (self.settings.balance(), self.settings.accumulators());
                let addends = self.settings.addends();
                writeln!(f, "accumulation   {balance}, in {accumulators}, {addends} at a time")?;
                writeln!(f, "reduction      {}", self.settings.reduction())?;
            }
            Method::Group(plan) => return plan.write(f, self),
        }
        writeln!(f, "parts          {} of {} points", self.parts(), self.part)?;
        self.cost.fmt(f)
    }
}

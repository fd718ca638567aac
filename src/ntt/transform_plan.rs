//! From a transform to its plan, and from the plan to a transform that is ready to run.

use std::fmt;

use super::parts::{Part, takes_parts, transform_rest};
use super::words::Transform;
use super::{cost, cpu, gpu};
use crate::gpu::{DeviceVec, Gpu, PIECE, Recorder, block_on};
use crate::task::{
    self, Cost, Plan, Problem, Profile, Shares, Traffic, no_device_vectors, other_device, within_memory,
};
use crate::timeline::{Phase, Timeline};
use crate::{Device, Error, Group, Result};

/// The plan of a [`Transform`] on one device.
#[derive(Clone, Debug)]
pub struct TransformPlan {
    transform: Transform,
    engine: Engine,
    cost: Cost,
}

#[derive(Clone, Debug)]
enum Engine {
    Cpu {
        threads: usize,
    },
    Gpu(Part<gpu::TransformPlan>),
    /// Several GPUs share the vectors of the batch.
    Group(Shares<TransformPlan>),
}

impl Problem for Transform {
    type Plan = TransformPlan;

    fn plan_for(&self, profile: &Profile) -> Result<TransformPlan> {
        self.shift()?;
        let planned = |engine, cost| TransformPlan { transform: *self, engine, cost };
        match &profile.engine {
            task::Engine::Cpu { threads } => {
                let cost = cost::transform_on_cpu(self, *threads);
                cost.check(profile, "this transform")?;
                Ok(planned(Engine::Cpu { threads: *threads }, cost))
            }
            task::Engine::Gpu(gpu) => {
                let (part, cost) = Part::within(profile, self.batch, |vectors| {
                    let plan = gpu::TransformPlan::new(&self.with_batch(vectors), 1, gpu)?;
                    let cost = cost::transform_on_gpu(self, &plan, gpu);
                    Ok((plan, cost))
                })?;
                Ok(planned(Engine::Gpu(part), cost))
            }
            task::Engine::Group(members) => {
                let plan = |vectors, profile: &Profile| self.with_batch(vectors).plan_for(profile);
                let shares = Shares::plan(profile, members, self.batch, plan)?;
                let cost = shares.cost();
                Ok(planned(Engine::Group(shares), cost))
            }
        }
    }
}

impl Plan for TransformPlan {
    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        match &self.engine {
            Engine::Cpu { .. } => Traffic::default(),
            Engine::Gpu(part) => {
                let bytes = 4 * self.transform.len() as u64;
                part.traffic(self.transform.batch, bytes, part.plan.dispatches())
            }
            Engine::Group(shares) => shares.traffic(),
        }
    }
}

impl TransformPlan {
    /// The transform.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// The passes of a GPU over the data, each of which reads and writes every word once; None on the CPU
    /// engine.
    pub fn passes(&self) -> Option<usize> {
        match &self.engine {
            Engine::Cpu { .. } => None,
            Engine::Gpu(part) => Some(part.plan.passes()),
            Engine::Group(shares) => shares.largest().and_then(TransformPlan::passes),
        }
    }

    /// The number of parts in which the batch is transformed one after the other, because memory does not
    /// hold it at once.
    pub fn parts(&self) -> usize {
        match &self.engine {
            Engine::Gpu(part) => part.count(self.transform.batch),
            _ => 1,
        }
    }

    /// Makes the tables and compiles the kernels.
    ///
    /// # Errors
    /// [`Error::Usage`] for a device of another kind than the plan's; [`Error::OutOfMemory`], and
    /// the device's faults.
    pub fn prepare(&self, device: &Device) -> Result<PreparedTransform> {
        let engine = match (&self.engine, device) {
            (Engine::Cpu { .. }, Device::Cpu(cpu)) => {
                let prepare = || cpu::Plan::new(&self.transform, cpu.threads);
                let plan = cpu.timeline.time(Phase::Preparing, "tables", prepare)?.recorded(&cpu.timeline);
                PreparedEngine::Cpu { plan, timeline: cpu.timeline.clone() }
            }
            (Engine::Gpu(Part { vectors: 0, .. }), Device::Gpu(_)) => PreparedEngine::Nothing,
            (Engine::Gpu(Part { vectors, plan }), Device::Gpu(gpu)) => PreparedEngine::Gpu {
                gpu: gpu.clone(),
                part: vectors * self.transform.n(),
                transform: gpu::PreparedTransform::new(gpu, plan)?,
            },
            (Engine::Group(shares), Device::Group(group)) => {
                let prepare = |device: &Device, plan: &mut &TransformPlan| plan.prepare(device).map(Some);
                let plans = shares.list.iter().map(|share| (share.member, &share.plan)).collect();
                // The share of a GPU that is lost here is prepared on another when it runs.
                let prepared = group.each(plans, prepare, |_, _| Ok(None))?;
                PreparedEngine::Group(group.clone(), prepared)
            }
            _ => return Err(other_device()),
        };
        Ok(PreparedTransform { plan: self.clone(), engine })
    }
}

impl fmt::Display for TransformPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.transform.write(f, format_args!("words modulo {}", self.transform.prime()))?;
        match &self.engine {
            Engine::Cpu { threads } => writeln!(f, "engine         CPU, {threads} threads")?,
            Engine::Gpu(part) => {
                writeln!(f, "engine         GPU")?;
                writeln!(f, "passes         {}", part.plan.passes())?;
                writeln!(f, "parts          {}", self.parts())?;
            }
            Engine::Group(shares) => {
                let plan = |vectors, profile: &Profile| self.transform.with_batch(vectors).plan_for(profile);
                return shares.write(f, "vectors", plan);
            }
        }
        self.cost.fmt(f)
    }
}

/// A transform ready to run: tables made, kernels compiled.
///
/// ```
/// use wgalois::field::BABY_BEAR;
/// use wgalois::ntt::Transform;
/// use wgalois::task::Problem;
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let there = Transform::new(BABY_BEAR, 4)?;
/// let back = there.inverted().plan(&device)?.prepare(&device)?;
/// let there = there.plan(&device)?.prepare(&device)?;
/// let mut data = [1, 2, 3, 4];
/// there.run(&mut data)?;
/// assert_eq!(data[0], 10);
/// back.run(&mut data)?;
/// assert_eq!(data, [1, 2, 3, 4]);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Debug)]
pub struct PreparedTransform {
    plan: TransformPlan,
    engine: PreparedEngine,
}

#[derive(Debug)]
enum PreparedEngine {
    /// An empty batch.
    Nothing,
    Cpu {
        plan: cpu::Plan,
        timeline: Timeline,
    },
    Gpu {
        gpu: Gpu,
        /// Words of one part of the batch.
        part: usize,
        transform: gpu::PreparedTransform,
    },
    /// The prepared share of each member; `None` for one that was lost.
    Group(Group, Vec<Option<PreparedTransform>>),
}

impl PreparedTransform {
    /// The plan that it was made from.
    pub fn plan(&self) -> &TransformPlan {
        &self.plan
    }

    /// Transforms every vector of the batch in `data`, in place.
    ///
    /// # Errors
    /// [`Error::Input`] if `data` have another length than the batch or an entry that is not below p; the
    /// device's faults.
    pub fn run(&self, data: &mut [u32]) -> Result<()> {
        block_on(self.run_async(data))
    }

    /// The asynchronous form of [`run`](Self::run), for browsers.
    pub async fn run_async(&self, data: &mut [u32]) -> Result<()> {
        self.run_counting(data, &mut 0).await
    }

    /// [`run_async`](Self::run_async), which also adds the words of every finished part to `done`.
    async fn run_counting(&self, data: &mut [u32], done: &mut usize) -> Result<()> {
        match &self.engine {
            PreparedEngine::Nothing => self.plan.transform.check_input(data),
            PreparedEngine::Cpu { plan, timeline } => {
                timeline.time(Phase::Host, "transform", || plan.run(data))
            }
            PreparedEngine::Gpu { gpu, part, transform } => {
                self.plan.transform.check_input(data)?;
                let mut vector = gpu.unset(*part)?;
                for part in data.chunks_mut(*part) {
                    // After a shorter last part the vector still holds words of the part before.
                    vector.write_async(0, part).await?;
                    transform.run(&mut vector)?;
                    match size_of_val(part) as u64 <= PIECE {
                        // One piece arrives whole or not at all: after an error the entries are as they were.
                        true => vector.read_into_async(0, part).await?,
                        false => part.copy_from_slice(&vector.read_async(0..part.len()).await?),
                    }
                    *done += part.len();
                }
                Ok(())
            }
            PreparedEngine::Group(group, prepared) => self.run_shared(group, prepared, data),
        }
    }

    /// Transforms every share of the batch on its device:
    ///
    /// ```text
    /// for each share, all at the same time:
    ///     run it on its device
    ///     if memory runs out there: plan, prepare and run the vectors that are left, there
    /// the vectors left of a device that was lost: plan, prepare and run them on another
    /// ```
    fn run_shared(
        &self,
        group: &Group,
        prepared: &[Option<PreparedTransform>],
        data: &mut [u32],
    ) -> Result<()> {
        let Engine::Group(shares) = &self.plan.engine else { return Err(other_device()) };
        self.plan.transform.check_input(data)?;
        let n = self.plan.transform.n();
        let mut rest = data;
        let mut parts = Vec::new();
        for (share, prepared) in shares.list.iter().zip(prepared) {
            let (data, after) = rest.split_at_mut(share.range.len() * n);
            rest = after;
            parts.push((share.member, SharedPart { prepared, data, done: 0 }));
        }
        let again = |device: &Device, part: &mut SharedPart| {
            let rest = &mut part.data[part.done..];
            transform(device, &self.plan.transform.with_batch(rest.len() / n), rest)
        };
        let work = |device: &Device, part: &mut SharedPart| {
            let Some(prepared) = part.prepared else { return again(device, part) };
            match block_on(prepared.run_counting(part.data, &mut part.done)) {
                Err(Error::OutOfMemory(_)) => again(device, part),
                outcome => outcome,
            }
        };
        group.each(parts, work, again).map(drop)
    }

    /// Transforms every vector of the batch in `data`, which stay on the device. The entries must be
    /// below p, which is not checked.
    ///
    /// It returns before the work is done; the next download waits for it.
    ///
    /// # Errors
    /// [`Error::Usage`] on the CPU engine, for data on another device, and for a plan of several parts; [`Error::Input`] for another
    /// length than the batch's; the device's faults.
    pub fn run_on_device(&self, data: &mut DeviceVec<u32>) -> Result<()> {
        match &self.engine {
            PreparedEngine::Gpu { transform, .. } if self.plan.parts() == 1 => transform.run(data),
            _ => Err(self.no_device_run()),
        }
    }

    /// Records the work of [`run_on_device`](Self::run_on_device). Work of this prepared transform shares a vector on the
    /// device: no other thread may record or run it until this is submitted.
    ///
    /// # Errors
    /// Those of [`run_on_device`](Self::run_on_device).
    pub fn record(&self, recorder: &mut Recorder, data: &mut DeviceVec<u32>) -> Result<()> {
        match &self.engine {
            PreparedEngine::Gpu { transform, .. } if self.plan.parts() == 1 => {
                transform.record(recorder, data)
            }
            _ => Err(self.no_device_run()),
        }
    }

    fn no_device_run(&self) -> Error {
        match &self.engine {
            PreparedEngine::Cpu { .. } => no_device_vectors(),
            PreparedEngine::Group(..) => Error::Usage("a group takes the batch from the host".into()),
            _ => takes_parts(self.plan.parts()),
        }
    }
}

/// The vectors of one device of a group.
struct SharedPart<'a> {
    prepared: &'a Option<PreparedTransform>,
    data: &'a mut [u32],
    /// Words that are transformed already.
    done: usize,
}

/// Transforms every vector of the batch in `data`, in place: plans, prepares and runs once.
///
/// ```
/// use wgalois::field::Prime;
/// use wgalois::ntt::{self, Transform};
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let mut data = [1, 2, 3, 4];
/// ntt::transform(&device, &Transform::new(Prime::new(17)?, 4)?, &mut data)?;
/// assert_eq!((data[0], data[2]), (10, 15)); // the values at 1 and -1
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// Those of the plan, of [`TransformPlan::prepare`] and of [`PreparedTransform::run`].
pub fn transform(device: &Device, transform: &Transform, data: &mut [u32]) -> Result<()> {
    block_on(transform_async(device, transform, data))
}

/// The asynchronous form of [`transform`], for browsers.
pub async fn transform_async(device: &Device, transform: &Transform, data: &mut [u32]) -> Result<()> {
    if let Device::Group(_) = device {
        // A group finishes what it has begun: the words that are done are not the first ones.
        let prepare = async |profile: &_| transform.plan_for(profile)?.prepare(device);
        return within_memory(device.profile(), prepare).await?.run_async(data).await;
    }
    transform_rest(device, transform, data, async |profile, rest, data, done| {
        rest.plan_for(profile)?.prepare(device)?.run_counting(data, done).await
    })
    .await
}

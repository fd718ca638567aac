//! From a transform over a scalar field to its plan, and from the plan to a transform that is ready to run.

use std::fmt;

use super::problem::Transform;
use super::vector::Vector;
use super::{cost, cpu, gpu};
use crate::gpu::{Gpu, Recorder, block_on};
use crate::ntt::parts::{Part, takes_parts, transform_rest};
use crate::ntt::transform_plan::{no_device_vectors, other_device};
use crate::parallel::Threads;
use crate::scalars::{DeviceScalars, SCALAR_BYTES, Scalar};
use crate::task::{Cost, OneEngine, Plan, Problem, Profile, Traffic};
use crate::timeline::{Phase, Timeline};
use crate::{Device, Error, One, Result};

/// The plan of a [`Transform`] on one device; of a group, on its fastest GPU.
#[derive(Clone, Debug)]
pub struct TransformPlan<F: Scalar> {
    transform: Transform<F>,
    engine: Engine<F>,
    cost: Cost,
}

#[derive(Clone, Debug)]
enum Engine<F: Scalar> {
    Cpu { threads: usize },
    Gpu(Part<gpu::TransformPlan<F>>),
}

impl<F: Scalar> Problem for Transform<F> {
    type Plan = TransformPlan<F>;

    fn plan_for(&self, profile: &Profile) -> Result<TransformPlan<F>> {
        self.shift()?;
        let profile = profile.of_one();
        match profile.one_engine() {
            OneEngine::Cpu(threads) => {
                let cost = cost::transform_on_cpu(self, threads);
                cost.check(&profile, "this transform")?;
                Ok(TransformPlan { transform: *self, engine: Engine::Cpu { threads }, cost })
            }
            OneEngine::Gpu(gpu) => {
                let (part, cost) = Part::within(&profile, self.batch, |vectors| {
                    let plan = gpu::TransformPlan::new(&self.with_batch(vectors), gpu)?;
                    let cost = cost::transform_on_gpu(self, vectors, &plan, gpu);
                    Ok((plan, cost))
                })?;
                Ok(TransformPlan { transform: *self, engine: Engine::Gpu(part), cost })
            }
        }
    }
}

impl<F: Scalar> Plan for TransformPlan<F> {
    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        match &self.engine {
            Engine::Cpu { .. } => Traffic::default(),
            Engine::Gpu(part) => {
                let bytes = SCALAR_BYTES * self.transform.len() as u64;
                part.traffic(self.transform.batch, bytes, part.plan.dispatches())
            }
        }
    }
}

impl<F: Scalar> TransformPlan<F> {
    /// The transform.
    pub fn transform(&self) -> &Transform<F> {
        &self.transform
    }

    /// The passes of a GPU over the data, each of which reads and writes every scalar once; None on the CPU engine.
    pub fn passes(&self) -> Option<usize> {
        match &self.engine {
            Engine::Cpu { .. } => None,
            Engine::Gpu(part) => Some(part.plan.passes()),
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

    /// Compiles the kernels of [`prepare`](Self::prepare), which does it otherwise.
    ///
    /// # Errors
    /// [`Error::Usage`] for a device of another kind than the plan's, and the device's faults.
    pub fn compile(&self, device: &Device) -> Result<()> {
        match (&self.engine, device.one()) {
            (Engine::Cpu { .. }, One::Cpu(_)) => Ok(()),
            (Engine::Gpu(part), One::Gpu(gpu)) => gpu::compile(gpu, &part.plan),
            _ => Err(other_device()),
        }
    }

    /// Makes the tables and compiles the kernels.
    ///
    /// # Errors
    /// [`Error::Usage`] for a device of another kind than the plan's; [`Error::OutOfMemory`], and
    /// the device's faults.
    pub fn prepare(&self, device: &Device) -> Result<PreparedTransform<F>> {
        let engine = match (&self.engine, device.one()) {
            (Engine::Cpu { .. }, One::Cpu(cpu)) => {
                let prepare = || cpu::Engine::new(&self.transform, Threads::new(cpu.threads)?);
                let engine = cpu.timeline.time(Phase::Preparing, "tables", prepare)?;
                PreparedEngine::Cpu { engine, timeline: cpu.timeline.clone() }
            }
            (Engine::Gpu(Part { vectors, plan }), One::Gpu(gpu)) => PreparedEngine::Gpu {
                gpu: gpu.clone(),
                part: vectors * self.transform.n(),
                transform: Box::new(gpu::PreparedTransform::new(gpu, plan)?),
            },
            _ => return Err(other_device()),
        };
        Ok(PreparedTransform { plan: self.clone(), engine })
    }
}

impl<F: Scalar> fmt::Display for TransformPlan<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.transform.write(f, format_args!("scalars of {} bits", F::MODULUS_BIT_SIZE))?;
        match &self.engine {
            Engine::Cpu { threads } => writeln!(f, "engine         CPU, {threads} threads")?,
            Engine::Gpu(part) => {
                writeln!(f, "engine         GPU")?;
                writeln!(f, "passes         {}", part.plan.passes())?;
                writeln!(f, "parts          {}", self.parts())?;
            }
        }
        self.cost.fmt(f)
    }
}

/// A transform ready to run: tables made, kernels compiled.
///
/// ```
/// use ark_bn254::Fr;
/// use wgalois::ntt::scalar::Transform;
/// use wgalois::task::Problem;
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let there = Transform::<Fr>::new(4)?;
/// let back = there.inverted().plan(&device)?.prepare(&device)?;
/// let there = there.plan(&device)?.prepare(&device)?;
/// let mut scalars = [1u64, 2, 3, 4].map(Fr::from);
/// there.run(&mut scalars)?;
/// assert_eq!(scalars[0], Fr::from(10));
/// back.run(&mut scalars)?;
/// assert_eq!(scalars, [1u64, 2, 3, 4].map(Fr::from));
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Debug)]
pub struct PreparedTransform<F: Scalar> {
    plan: TransformPlan<F>,
    engine: PreparedEngine<F>,
}

#[derive(Debug)]
enum PreparedEngine<F: Scalar> {
    Cpu {
        engine: cpu::Engine<F>,
        timeline: Timeline,
    },
    Gpu {
        gpu: Gpu,
        /// Scalars of one part of the batch.
        part: usize,
        transform: Box<gpu::PreparedTransform<F>>,
    },
}

impl<F: Scalar> PreparedTransform<F> {
    /// The plan that it was made from.
    pub fn plan(&self) -> &TransformPlan<F> {
        &self.plan
    }

    /// Transforms every vector of the batch in `data`, in place.
    ///
    /// # Errors
    /// [`Error::Input`] if `data` have another length than the batch; the device's faults.
    pub fn run(&self, data: &mut [F]) -> Result<()> {
        block_on(self.run_async(data))
    }

    /// The asynchronous form of [`run`](Self::run), for browsers.
    pub async fn run_async(&self, data: &mut [F]) -> Result<()> {
        self.run_counting(data, &mut 0).await
    }

    /// [`run_async`](Self::run_async), which also adds the scalars of every finished part to `done`.
    async fn run_counting(&self, data: &mut [F], done: &mut usize) -> Result<()> {
        self.plan.transform.check_len(data.len(), "scalars")?;
        match &self.engine {
            PreparedEngine::Cpu { engine, timeline } => {
                timeline.time(Phase::Host, "transform", || engine.run(data))
            }
            PreparedEngine::Gpu { .. } if data.is_empty() => Ok(()),
            PreparedEngine::Gpu { gpu, part, transform } => {
                let mut vector = DeviceScalars::zeros(gpu, *part)?;
                for part in data.chunks_mut(*part) {
                    // After a shorter last part the vector still holds scalars of the part before.
                    vector.write_async(0, part).await?;
                    transform.run(&mut vector)?;
                    let mut after = vector.download_async().await?;
                    after.truncate(part.len());
                    part.copy_from_slice(&after);
                    *done += part.len();
                }
                Ok(())
            }
        }
    }

    /// Transforms every vector of the batch in `data`, which stay on the device.
    ///
    /// It returns before the work is done; the next download waits for it.
    ///
    /// # Errors
    /// [`Error::Usage`] on the CPU engine, for data on another device, and for a plan of several parts; [`Error::Input`] for another
    /// length than the batch's; the device's faults.
    pub fn run_on_device(&self, data: &mut DeviceScalars<F>) -> Result<()> {
        self.on_device()?.run(data)
    }

    /// Transforms every vector of the batch in `data`, on the engine that holds it.
    ///
    /// # Errors
    /// Those of [`run`](Self::run) or of [`run_on_device`](Self::run_on_device); [`Error::Usage`] if the vector is
    /// held by another engine than this one.
    pub fn run_vector(&self, data: &mut Vector<F>) -> Result<()> {
        match (data, &self.engine) {
            (Vector::Host(scalars), PreparedEngine::Cpu { .. }) => self.run(scalars),
            (Vector::Device(scalars), PreparedEngine::Gpu { .. }) => self.run_on_device(scalars),
            _ => Err(Error::Usage("the vector is held by another engine".into())),
        }
    }

    /// Records the work of [`run_on_device`](Self::run_on_device). Work of this prepared transform shares a vector on the
    /// device: no other thread may record or run it until this is submitted.
    ///
    /// # Errors
    /// Those of [`run_on_device`](Self::run_on_device).
    pub fn record(&self, recorder: &mut Recorder, data: &mut DeviceScalars<F>) -> Result<()> {
        self.on_device()?.record(recorder, data)
    }

    /// Overwrites the vector that runs share on the device, which holds values of the last run.
    ///
    /// # Errors
    /// The device's faults.
    pub fn clear(&self) -> Result<()> {
        match &self.engine {
            PreparedEngine::Cpu { .. } => Ok(()),
            PreparedEngine::Gpu { transform, .. } => transform.clear(),
        }
    }

    fn on_device(&self) -> Result<&gpu::PreparedTransform<F>> {
        match &self.engine {
            PreparedEngine::Cpu { .. } => Err(no_device_vectors()),
            PreparedEngine::Gpu { transform, .. } if self.plan.parts() == 1 => Ok(transform),
            PreparedEngine::Gpu { .. } => Err(takes_parts(self.plan.parts())),
        }
    }
}

/// Transforms every vector of the batch in `data`, in place: plans, prepares and runs once.
///
/// ```
/// use ark_bn254::Fr;
/// use wgalois::ntt::scalar::{self, Transform};
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let mut scalars = [5u64, 3].map(Fr::from);
/// scalar::transform(&device, &Transform::new(2)?, &mut scalars)?;
/// assert_eq!(scalars, [8u64, 2].map(Fr::from)); // the values at 1 and -1
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// Those of the plan, of [`TransformPlan::prepare`] and of [`PreparedTransform::run`].
pub fn transform<F: Scalar>(device: &Device, transform: &Transform<F>, data: &mut [F]) -> Result<()> {
    block_on(transform_async(device, transform, data))
}

/// The asynchronous form of [`transform`], for browsers.
pub async fn transform_async<F: Scalar>(
    device: &Device,
    transform: &Transform<F>,
    data: &mut [F],
) -> Result<()> {
    transform_rest(device, transform, data, async |profile, rest, data, done| {
        rest.plan_for(profile)?.prepare(device)?.run_counting(data, done).await
    })
    .await
}

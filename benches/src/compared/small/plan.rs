//! From a batch of 64-point transforms to its plan, and from the plan to transforms that are ready to run.

use std::fmt;
use std::sync::Arc;

use rand::Rng;

use super::kernels::{REGISTERS, RegistersParams, SmallBuffers, WORKGROUP, WorkgroupParams, variant};
use super::{Ablation, Form, Method, POINTS, TRANSFORMS, stripped};
use crate::compared::{check_lengths, gpu_of, in_place, traffic};
use wgalois::gpu::{DeviceVec, Gpu, Pipeline, Recorder};
use wgalois::ntt::arithmetic::Modulus;
use wgalois::ntt::{Coset, Direction, Order, Passes, Transform, verify};
use wgalois::task::{Cost, Plan, Problem, Profile, Traffic};
use wgalois::{Device, Error, Result};

/// A batch of 64-point transforms in one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Small {
    transform: Transform,
    form: Form,
}

/// The plan of a batch of [`Small`] transforms.
#[derive(Clone, Debug)]
pub struct SmallPlan {
    transform: Transform,
    form: Form,
    cost: Cost,
}

/// A batch of 64-point transforms, ready to run.
#[derive(Debug)]
pub struct PreparedSmall {
    gpu: Gpu,
    plan: SmallPlan,
    modulus: Modulus,
    pipeline: Arc<Pipeline>,
    /// The powers of the root of unity.
    twiddles: DeviceVec<[u32; 2]>,
}

impl Small {
    /// The batch `transform` in one form.
    pub fn new(transform: &Transform, form: Form) -> Self {
        Small { transform: *transform, form }
    }
}

impl Problem for Small {
    type Plan = SmallPlan;

    /// Plans the batch for a GPU.
    ///
    /// # Errors
    /// [`Error::Usage`] for anything but forward transforms of 64 points in natural order without a coset, for
    /// an ablation of transforms in registers, for the CPU engine, and for a GPU with smaller workgroups;
    /// [`Error::OutOfMemory`] for more data than one binding, or the memory, holds.
    fn plan_for(&self, profile: &Profile) -> Result<SmallPlan> {
        let Small { transform, form } = *self;
        let Some(gpu) = profile.gpu() else {
            return Err(Error::Usage("64-point transforms in several forms run on GPUs only".into()));
        };
        let natural = transform.input() == Order::Natural && transform.output() == Order::Natural;
        let forward = transform.direction() == Direction::Forward && transform.coset() == Coset::Subgroup;
        if transform.n() != POINTS || !natural || !forward {
            return Err(Error::Usage(format!(
                "forward transforms of {POINTS} points, in natural order, without a coset"
            )));
        }
        if form.method == Method::Registers && form.ablation.is_some() {
            return Err(Error::Usage("transforms in registers leave nothing out".into()));
        }
        let (threads, most) = (form.workgroup(), gpu.workgroup_invocations);
        if threads > most {
            return Err(Error::Usage(format!("{threads} threads a workgroup: the device has {most}")));
        }
        let levels = POINTS.ilog2() as usize;
        let words = transform.len();
        let passes = Passes { words, dispatches: 1, levels, vectors: 2, table_bytes: 8 * POINTS as u64 };
        Ok(SmallPlan { transform, form, cost: passes.cost(profile)? })
    }
}

impl SmallPlan {
    /// The batch.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// The form.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Workgroups of the dispatch.
    pub fn groups(&self) -> u32 {
        (self.transform.batch() as u32).div_ceil(TRANSFORMS)
    }

    /// Compiles the kernel and makes the twiddles.
    ///
    /// # Errors
    /// [`Error::Usage`] on the CPU engine.
    pub fn prepare(&self, device: &Device) -> Result<PreparedSmall> {
        let gpu = gpu_of(device)?;
        let transform = &self.transform;
        let modulus = Modulus::new(transform.prime(), transform.reduction(), gpu.arithmetic());
        let root = transform.root()?;
        let mut power = 1;
        let powers = (0..POINTS).map(|_| {
            let pair = modulus.constant(power);
            power = transform.prime().mul(power, root);
            pair
        });
        let kernel = match self.form.method {
            Method::Workgroup => &WORKGROUP,
            Method::Registers => &REGISTERS,
        };
        Ok(PreparedSmall {
            gpu: gpu.clone(),
            plan: self.clone(),
            modulus,
            pipeline: gpu.pipeline(kernel, &variant(self.form, modulus, root))?,
            twiddles: gpu.upload_table(&powers.collect::<Vec<_>>())?,
        })
    }
}

impl Plan for SmallPlan {
    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        traffic(self.transform.len(), usize::from(self.transform.batch() > 0))
    }
}

impl fmt::Display for SmallPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (transforms, threads) = (self.transform.batch(), self.form.threads());
        let place = match self.form.method {
            Method::Workgroup => "in workgroup memory",
            Method::Registers => "in registers",
        };
        let banks = if self.form.skewed { "without" } else { "with" };
        write!(f, "{transforms} transforms of {POINTS} points, {threads} invocations each, {place}, ")?;
        write!(f, "{banks} bank conflicts, {} workgroups", self.groups())?;
        match self.form.ablation {
            Some(ablation) => writeln!(f, ", without {}: no transforms", ablation.name())?,
            None => writeln!(f)?,
        }
        self.cost.fmt(f)
    }
}

impl PreparedSmall {
    /// The plan.
    pub fn plan(&self) -> &SmallPlan {
        &self.plan
    }

    /// Transforms host data in place.
    ///
    /// # Errors
    /// [`Error::Input`] if `data` have another length or an entry that is not below p; [`Error::OutOfMemory`] for more
    /// data than one binding holds.
    pub fn run(&self, data: &mut [u32]) -> Result<()> {
        self.plan.transform.check_words(data)?;
        if data.is_empty() {
            return Ok(());
        }
        in_place(&self.gpu, data, |recorder, source, target| {
            self.record_stored(recorder, source, target, true)
        })
    }

    /// Records the transforms of `source` into `target`, which has the same length. Without global memory
    /// nothing is stored: `target` keeps its contents.
    ///
    /// # Errors
    /// [`Error::Input`] for vectors of another length; [`Error::OutOfMemory`] for more data than one binding holds.
    pub fn record(
        &self,
        recorder: &mut Recorder,
        source: &DeviceVec<u32>,
        target: &mut DeviceVec<u32>,
    ) -> Result<()> {
        let stored = self.plan.form.ablation != Some(Ablation::GlobalMemory);
        self.record_stored(recorder, source, target, stored)
    }

    /// Checks a result of [`run`](Self::run): transforms as [`Transform::check`] does; where a form leaves out
    /// a part of the work, the words that the rest of it makes.
    ///
    /// # Errors
    /// [`Error::Check`] if `after` is wrong; [`Error::Input`] if `before` is no input of the plan.
    pub fn check(&self, before: &[u32], after: &[u32], rng: &mut impl Rng) -> Result<()> {
        let transform = &self.plan.transform;
        transform.check_words(before)?;
        match self.plan.form.ablation {
            None => verify::transform(transform, before, after, rng).map(drop),
            Some(ablation) => stripped::check(transform.prime(), ablation, before, after),
        }
    }

    fn record_stored(
        &self,
        recorder: &mut Recorder,
        source: &DeviceVec<u32>,
        target: &mut DeviceVec<u32>,
        stored: bool,
    ) -> Result<()> {
        check_lengths(self.plan.transform.len(), &[source, target])?;
        self.twiddles.gpu().expect_same_device([source.gpu(), target.gpu(), recorder.gpu()])?;
        let buffers = SmallBuffers {
            source: source.whole()?,
            target_words: target.written()?,
            twiddles: self.twiddles.whole()?,
        };
        let transforms = self.plan.transform.batch() as u32;
        let groups = self.plan.groups();
        let [twiddle, twiddle_quotient] = self.modulus.constant(stripped::TWIDDLE);
        match self.plan.form.method {
            Method::Workgroup => {
                let stored = if stored { transforms } else { 0 };
                let params = WorkgroupParams { transforms, stored, twiddle, twiddle_quotient };
                recorder.dispatch(&self.pipeline, "transforms", &buffers, &params, groups)
            }
            Method::Registers => {
                let params = RegistersParams { transforms };
                recorder.dispatch(&self.pipeline, "transforms", &buffers, &params, groups)
            }
        }
    }
}

//! A batch of 64-point transforms, and its way on a GPU.

use std::fmt;
use std::sync::Arc;

use rand::Rng;

use super::kernels::{REGISTERS, RegistersParams, SmallBuffers, WORKGROUP, WorkgroupParams, variant};
use super::{Ablation, Form, Method, POINTS, TRANSFORMS, stripped};
use crate::compared::{OnGpu, OnOneGpu, check_lengths, in_place};
use wgalois::gpu::{DeviceVec, Gpu, Pipeline, Recorder};
use wgalois::ntt::arithmetic::Modulus;
use wgalois::ntt::{Coset, Direction, Order, Passes, Transform, verify};
use wgalois::task::{Done, Planned, Prepared, Problem, Profile, Ready, Ways};
use wgalois::{Error, Result};

/// A batch of 64-point transforms in one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Small {
    transform: Transform,
    form: Form,
}

/// The plan of a batch of [`Small`] transforms.
pub type SmallPlan = Planned<Small>;

/// A batch of 64-point transforms, ready to run.
pub type PreparedSmall = Prepared<'static, Small>;

/// The kernel and the table of a batch.
#[derive(Debug)]
pub struct SmallKernels {
    gpu: Gpu,
    problem: Small,
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

    /// Checks a result: transforms as [`Transform::check`] does; where a form leaves out
    /// a part of the work, the words that the rest of it makes.
    ///
    /// # Errors
    /// [`Error::Check`] if `after` is wrong; [`Error::Input`] if `before` is no batch of this problem.
    pub fn check(&self, before: &[u32], after: &[u32], rng: &mut impl Rng) -> Result<()> {
        self.transform.check_words(before)?;
        match self.form.ablation {
            None => verify::transform(&self.transform, before, after, rng).map(drop),
            Some(ablation) => stripped::check(self.transform.prime(), ablation, before, after),
        }
    }

    /// The way on a GPU.
    ///
    /// # Errors
    /// [`Error::Usage`] for anything but forward transforms of 64 points in natural order without a coset, for
    /// an ablation of transforms in registers, for the CPU engine, and for a GPU with smaller workgroups;
    /// [`Error::OutOfMemory`] for more data than one binding, or the memory, holds.
    fn on_gpu(&self, profile: &Profile) -> Result<OnGpu> {
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
        OnGpu::new(&passes, profile)
    }
}

impl Problem for Small {
    const NAME: &'static str = "these transforms";

    type Resident<'a> = ();
    /// The batch.
    type Input<'a> = &'a mut [u32];
    type Answer = ();
    type Kernels = SmallKernels;

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        Ok(Ways::default().with(OnGpu::NAME, self.on_gpu(profile)))
    }

    fn check_input(&self, batch: &&mut [u32]) -> Result<()> {
        self.transform.check_words(batch)
    }

    fn reborrow<'s>(batch: &'s mut Self::Input<'_>) -> Self::Input<'s> {
        batch
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (transforms, threads) = (self.transform.batch(), self.form.threads());
        let place = match self.form.method {
            Method::Workgroup => "in workgroup memory",
            Method::Registers => "in registers",
        };
        let banks = if self.form.skewed { "without" } else { "with" };
        write!(f, "{transforms} transforms of {POINTS} points, {threads} invocations each, {place}, ")?;
        write!(f, "{banks} bank conflicts, {} workgroups", self.groups())?;
        match self.form.ablation {
            Some(ablation) => writeln!(f, ", without {}: no transforms", ablation.name()),
            None => writeln!(f),
        }
    }
}

impl OnOneGpu for Small {
    fn ready(&self, gpu: &Gpu) -> Result<SmallKernels> {
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
        Ok(SmallKernels {
            gpu: gpu.clone(),
            problem: *self,
            modulus,
            pipeline: gpu.pipeline(kernel, &variant(self.form, modulus, root))?,
            twiddles: gpu.upload_table(&powers.collect::<Vec<_>>())?,
        })
    }
}

impl Ready<Small> for SmallKernels {
    async fn run<'i: 'i>(&self, _: &Small, batch: &'i mut [u32], _: &Done) -> Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        in_place(&self.gpu, batch, |recorder, source, target| {
            self.record_stored(recorder, source, target, true)
        })
    }

    fn kernels(&self) -> Option<&Self> {
        Some(self)
    }
}

impl SmallKernels {
    /// Records the transforms of `source` into `target`, which has the same length. Without global memory
    /// nothing is stored: `target` keeps its contents.
    ///
    /// # Errors
    /// [`Error::Input`] for vectors of another length; [`Error::OutOfMemory`] for more data than one binding
    /// holds; the device's faults.
    pub fn record(
        &self,
        recorder: &mut Recorder,
        source: &DeviceVec<u32>,
        target: &mut DeviceVec<u32>,
    ) -> Result<()> {
        let stored = self.problem.form.ablation != Some(Ablation::GlobalMemory);
        self.record_stored(recorder, source, target, stored)
    }

    fn record_stored(
        &self,
        recorder: &mut Recorder,
        source: &DeviceVec<u32>,
        target: &mut DeviceVec<u32>,
        stored: bool,
    ) -> Result<()> {
        check_lengths(self.problem.transform.len(), &[source, target])?;
        self.twiddles.gpu().expect_same_device([source.gpu(), target.gpu(), recorder.gpu()])?;
        let buffers = SmallBuffers {
            source: source.whole()?,
            target_words: target.written()?,
            twiddles: self.twiddles.whole()?,
        };
        let transforms = self.problem.transform.batch() as u32;
        let groups = self.problem.groups();
        let [twiddle, twiddle_quotient] = self.modulus.constant(stripped::TWIDDLE);
        match self.problem.form.method {
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

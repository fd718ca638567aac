//! Four-step transforms on a GPU.

use std::sync::Arc;

use super::kernels::{
    BASE, BaseBuffers, BaseParams, TRANSPOSE, TransposeBuffers, TransposeParams, transpose,
};
use super::problem::{FourStep, Pass};
use crate::compared::textbook::{SCALE, ScaleBuffers, ScaleParams, flat};
use crate::compared::{OnGpu, OnOneGpu, check_lengths};
use wgalois::gpu::{DeviceVec, Gpu, Pipeline, Recorder, Written};
use wgalois::ntt::arithmetic::{Modulus, Powers};
use wgalois::ntt::{Coset, Direction, Order, Passes, Transform};
use wgalois::task::{Done, Profile, Ready};
use wgalois::{Error, Result};

impl FourStep {
    /// The way on a GPU.
    ///
    /// # Errors
    /// [`Error::Usage`] for a form that the device cannot run, see [`Form::check`](super::Form::check), and for anything but
    /// one vector in natural order without a coset; [`Error::OutOfMemory`] for more data than one binding, or the
    /// memory, holds.
    pub(super) fn on_gpu(&self, profile: &Profile) -> Result<OnGpu> {
        let FourStep { transform, form } = *self;
        form.check(profile)?;
        let natural = transform.input() == Order::Natural && transform.output() == Order::Natural;
        if !natural || transform.coset() != Coset::Subgroup || transform.batch() != 1 {
            return Err(Error::Usage(
                "four-step transforms are those of one vector, in natural order, without a coset".into(),
            ));
        }
        let passes = self.passes();
        let moves = passes.iter().filter(|pass| !matches!(pass, Pass::Base(_))).count();
        let table_bytes =
            passes.iter().map(Pass::table_bytes).sum::<u64>() + Powers::bytes(transform.log_n());
        let (words, dispatches) = (transform.n(), passes.len());
        let levels = transform.log_n() as usize + moves;
        OnGpu::new(&Passes { words, dispatches, levels, vectors: 2, table_bytes }, profile)
    }
}

/// The kernels and tables of a transform.
#[derive(Debug)]
pub struct FourStepKernels {
    gpu: Gpu,
    transform: Transform,
    passes: Vec<PreparedPass>,
    powers: Powers,
    /// 1/n, as a pair of constants.
    scale: [u32; 2],
}

#[derive(Debug)]
struct PreparedPass {
    pass: Pass,
    pipeline: Arc<Pipeline>,
    /// The powers of the root of a step; empty for other passes.
    twiddles: DeviceVec<[u32; 2]>,
}

/// Invocations per workgroup of the kernel that scales.
const SCALE_WORKGROUP: u32 = 256;

impl OnOneGpu for FourStep {
    fn ready(&self, gpu: &Gpu) -> Result<FourStepKernels> {
        let FourStep { transform, form } = *self;
        let (log_n, direction, prime) = (transform.log_n(), transform.direction(), transform.prime());
        let modulus = Modulus::new(prime, transform.reduction(), gpu.arithmetic());
        let forward = transform.root()?;
        let root = if direction == Direction::Forward { forward } else { prime.inverse(forward) };
        let prepared = |pass: &Pass| -> Result<PreparedPass> {
            let (pipeline, twiddles) = match pass {
                Pass::Base(base) => {
                    let step = prime.pow(root, 1 << base.log_stride);
                    (
                        gpu.pipeline(&BASE, &base.spec(form, modulus, log_n).variant())?,
                        gpu.upload_table(&twiddles(modulus, step, base.log_base))?,
                    )
                }
                Pass::Transpose { .. } => (gpu.pipeline(&TRANSPOSE, &transpose(form.padded))?, gpu.zeros(0)?),
                Pass::Scale => (gpu.pipeline(&SCALE, &flat(modulus, SCALE_WORKGROUP))?, gpu.zeros(0)?),
            };
            Ok(PreparedPass { pass: *pass, pipeline, twiddles })
        };
        Ok(FourStepKernels {
            gpu: gpu.clone(),
            transform,
            passes: self.passes().iter().map(prepared).collect::<Result<_>>()?,
            powers: Powers::new(gpu, modulus, root, 1, log_n)?,
            scale: modulus.constant(prime.inverse_of_length(log_n)),
        })
    }
}

impl Ready<FourStep> for FourStepKernels {
    async fn run<'i: 'i>(&self, _: &FourStep, data: &'i mut [u32], _: &Done) -> Result<()> {
        let (mut vector, mut other) = (self.gpu.upload(data)?, self.gpu.zeros(data.len())?);
        let mut recorder = self.gpu.record();
        self.record(&mut recorder, &mut vector, &mut other)?;
        recorder.submit()?;
        data.copy_from_slice(&vector.download()?);
        Ok(())
    }

    fn kernels(&self) -> Option<&Self> {
        Some(self)
    }
}

impl FourStepKernels {
    /// Records the transform of `vector`; the contents of `other`, of the same length, are lost. Afterwards
    /// the two may have changed places in memory.
    ///
    /// # Errors
    /// [`Error::Input`] for vectors of another length; [`Error::OutOfMemory`] for more data than one binding
    /// holds; the device's faults.
    pub fn record(
        &self,
        recorder: &mut Recorder,
        vector: &mut DeviceVec<u32>,
        other: &mut DeviceVec<u32>,
    ) -> Result<()> {
        for pass in &self.passes {
            self.record_pass(recorder, pass, vector, other)?;
            if !matches!(pass.pass, Pass::Scale) {
                std::mem::swap(vector, other);
            }
        }
        Ok(())
    }

    /// Records one of the plan's dispatches alone, to time it: from `source` to `target`, or in place in
    /// `source` if it scales.
    ///
    /// # Errors
    /// [`Error::Usage`] if the plan has no dispatch of this number; those of [`record`](Self::record).
    pub fn record_one(
        &self,
        recorder: &mut Recorder,
        dispatch: usize,
        source: &mut DeviceVec<u32>,
        target: &mut DeviceVec<u32>,
    ) -> Result<()> {
        let Some(pass) = self.passes.get(dispatch) else {
            let count = self.passes.len();
            return Err(Error::Usage(format!("dispatch {dispatch} of a plan with {count}, counted from 0")));
        };
        self.record_pass(recorder, pass, source, target)
    }

    fn record_pass(
        &self,
        recorder: &mut Recorder,
        PreparedPass { pass, pipeline, twiddles }: &PreparedPass,
        source: &DeviceVec<u32>,
        target: &DeviceVec<u32>,
    ) -> Result<()> {
        check_lengths(self.transform.n(), &[source, target])?;
        let log_n = self.transform.log_n();
        let (source, target_words) = (source.whole()?, target.written()?);
        let (name, groups) = (pass.name(), pass.groups(log_n, SCALE_WORKGROUP));
        match *pass {
            Pass::Base(base) => {
                let (twiddles, powers) = (twiddles.whole()?, self.powers.words.whole()?);
                let buffers = BaseBuffers { source, target_words, twiddles, powers };
                let (log_stride, log_done, log_low_powers) =
                    (base.log_stride, base.log_done, self.powers.log_low);
                let params = BaseParams { log_stride, log_done, log_low_powers };
                recorder.dispatch(pipeline, name, &buffers, &params, groups)
            }
            Pass::Transpose { log_rows, log_columns } => {
                let params = TransposeParams { log_rows, log_columns };
                let buffers = TransposeBuffers { source, target_words };
                recorder.dispatch(pipeline, name, &buffers, &params, groups)
            }
            Pass::Scale => {
                let [scale, scale_quotient] = self.scale;
                let params = ScaleParams { len: 1 << log_n, scale, scale_quotient };
                let buffers = ScaleBuffers { data: Written(source) };
                recorder.dispatch(pipeline, name, &buffers, &params, groups)
            }
        }
    }
}

/// The powers of the root of a step.
fn twiddles(modulus: Modulus, root: u32, log_base: u32) -> Vec<[u32; 2]> {
    let mut power = 1;
    let next = |_| {
        let pair = modulus.constant(power);
        power = modulus.prime().mul(power, root);
        pair
    };
    (0..1u32 << (log_base - 1)).map(next).collect()
}

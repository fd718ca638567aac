//! Four-step transforms on a GPU.

use std::sync::Arc;

use super::FourStepForm;
use super::kernels::{self, BASE, BaseBuffers, BaseParams, TRANSPOSE, transpose};
use super::passes::{self, Pass};
use crate::compared::textbook::{SCALE, ScaleParams, flat};
use crate::compared::{InPlaceBuffers, Kernels, MatrixParams, MoveBuffers, Words, check_lengths, powers};
use wgalois::gpu::{DeviceVec, Gpu, Pipeline, Recorder, Written};
use wgalois::ntt::arithmetic::{Modulus, Powers};
use wgalois::ntt::{Direction, Transform};
use wgalois::{Error, Result};

/// The kernels and tables of a transform.
#[derive(Debug)]
pub struct FourStepKernels {
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

impl FourStepKernels {
    pub(super) fn new(gpu: &Gpu, transform: &Transform, form: FourStepForm) -> Result<Self> {
        let (log_n, direction, prime) = (transform.log_n(), transform.direction(), transform.prime());
        let modulus = Modulus::new(prime, transform.reduction(), gpu.arithmetic());
        let forward = transform.root()?;
        let root = if direction == Direction::Forward { forward } else { prime.inverse(forward) };
        let prepared = |pass: &Pass| -> Result<PreparedPass> {
            let (pipeline, twiddles) = match pass {
                Pass::Base(base) => {
                    let step = prime.pow(root, 1 << base.log_stride);
                    (
                        gpu.pipeline(&BASE, &kernels::base(form, modulus, *base))?,
                        gpu.upload_table(&powers(modulus, step, 1 << (base.log_base - 1)))?,
                    )
                }
                Pass::Transpose { .. } => (gpu.pipeline(&TRANSPOSE, &transpose(form.padded))?, gpu.zeros(0)?),
                Pass::Scale => (gpu.pipeline(&SCALE, &flat(modulus, SCALE_WORKGROUP))?, gpu.zeros(0)?),
            };
            Ok(PreparedPass { pass: *pass, pipeline, twiddles })
        };
        Ok(FourStepKernels {
            transform: *transform,
            passes: passes::of(transform, form).iter().map(prepared).collect::<Result<_>>()?,
            powers: Powers::new(gpu, modulus, root, 1, log_n)?,
            scale: modulus.constant(prime.inverse_of_length(log_n)),
        })
    }

    /// Records one of the plan's dispatches alone, to time it: from `source` to `target`, or in place in
    /// `source` if it scales.
    pub fn record_one(
        &self,
        recorder: &mut Recorder,
        dispatch: usize,
        [source, target]: [&mut Words; 2],
    ) -> Result<()> {
        let Some(pass) = self.passes.get(dispatch) else {
            let (value, most) = (dispatch as u64, (self.passes.len() as u64).saturating_sub(1));
            return Err(Error::Setting { what: "dispatch", value, least: 0, most });
        };
        self.record_pass(recorder, pass, source, target)
    }

    fn record_pass(
        &self,
        recorder: &mut Recorder,
        PreparedPass { pass, pipeline, twiddles }: &PreparedPass,
        source: &Words,
        target: &Words,
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
                let params = MatrixParams { log_rows, log_columns };
                let buffers = MoveBuffers { source, target_words };
                recorder.dispatch(pipeline, name, &buffers, &params, groups)
            }
            Pass::Scale => {
                let [scale, scale_quotient] = self.scale;
                let params = ScaleParams { len: 1 << log_n, scale, scale_quotient };
                let buffers = InPlaceBuffers { data: Written(source) };
                recorder.dispatch(pipeline, name, &buffers, &params, groups)
            }
        }
    }
}

impl Kernels for FourStepKernels {
    fn record<'v>(&self, recorder: &mut Recorder, [vector, other]: [&'v mut Words; 2]) -> Result<&'v Words> {
        for pass in &self.passes {
            self.record_pass(recorder, pass, vector, other)?;
            if !matches!(pass.pass, Pass::Scale) {
                std::mem::swap(vector, other);
            }
        }
        Ok(vector)
    }
}

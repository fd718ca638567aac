//! The 64-point transforms on a GPU.

use std::sync::Arc;

use super::kernels::{REGISTERS, RegistersParams, SmallBuffers, WORKGROUP, WorkgroupParams, variant};
use super::{Ablation, POINTS, SmallForm, Storage, groups, stripped};
use crate::compared::{Kernels, Words, check_lengths, powers};
use wgalois::Result;
use wgalois::gpu::{DeviceVec, Gpu, Pipeline, Recorder};
use wgalois::ntt::Transform;
use wgalois::ntt::arithmetic::Modulus;

/// The kernel and the table of a batch.
#[derive(Debug)]
pub struct SmallKernels {
    transform: Transform,
    form: SmallForm,
    modulus: Modulus,
    pipeline: Arc<Pipeline>,
    /// The powers of the root of unity.
    twiddles: DeviceVec<[u32; 2]>,
}

impl SmallKernels {
    pub(super) fn new(gpu: &Gpu, transform: &Transform, form: SmallForm) -> Result<Self> {
        let modulus = Modulus::new(transform.prime(), transform.reduction(), gpu.arithmetic());
        let root = transform.root()?;
        let kernel = match form.storage {
            Storage::Workgroup => &WORKGROUP,
            Storage::Registers => &REGISTERS,
        };
        Ok(SmallKernels {
            transform: *transform,
            form,
            modulus,
            pipeline: gpu.pipeline(kernel, &variant(form, modulus, root))?,
            twiddles: gpu.upload_table(&powers(modulus, root, POINTS))?,
        })
    }

    fn record_all<'v>(
        &self,
        recorder: &mut Recorder,
        [source, target]: [&'v mut Words; 2],
        stored: bool,
    ) -> Result<&'v Words> {
        check_lengths(self.transform.len(), &[source, target])?;
        self.twiddles.gpu().expect_same_device([source.gpu(), target.gpu(), recorder.gpu()])?;
        let buffers = SmallBuffers {
            source: source.whole()?,
            target_words: target.written()?,
            twiddles: self.twiddles.whole()?,
        };
        let transforms = self.transform.batch() as u32;
        let groups = groups(&self.transform);
        match self.form.storage {
            Storage::Workgroup => {
                let [twiddle, twiddle_quotient] = self.modulus.constant(stripped::TWIDDLE);
                let stored = if stored { transforms } else { 0 };
                let params = WorkgroupParams { transforms, stored, twiddle, twiddle_quotient };
                recorder.dispatch(&self.pipeline, "transforms", &buffers, &params, groups)?;
            }
            Storage::Registers => {
                let params = RegistersParams { transforms };
                recorder.dispatch(&self.pipeline, "transforms", &buffers, &params, groups)?;
            }
        }
        Ok(target)
    }
}

impl Kernels for SmallKernels {
    /// Without global memory nothing is stored: the second vector keeps its contents.
    fn record<'v>(&self, recorder: &mut Recorder, vectors: [&'v mut Words; 2]) -> Result<&'v Words> {
        self.record_all(recorder, vectors, self.form.ablation != Some(Ablation::GlobalMemory))
    }

    fn record_stored<'v>(&self, recorder: &mut Recorder, vectors: [&'v mut Words; 2]) -> Result<&'v Words> {
        self.record_all(recorder, vectors, true)
    }
}

//! The kernels that a device was asked for, for a program that gives them to the vendors' compilers. In development builds only.

use std::sync::Arc;

use super::device::Gpu;
use super::kernel::{Kernel, Pipeline, Variant};
use super::pipelines::Asked;
use crate::lock::lock;

impl Gpu {
    /// Returns the kernels that this device was asked for since the last call, each once, whether they had been compiled before
    /// or not.
    #[doc(hidden)]
    pub fn take_asked(&self) -> Vec<Asked> {
        std::mem::take(&mut *lock(&self.opened.pipelines.asked)).into_values().collect()
    }

    pub(super) fn note_asked(&self, kernel: &'static Kernel, variant: &Variant, pipeline: &Pipeline) {
        let variant = variant.identity();
        let asked = Asked { kernel, variant: variant.clone(), wgsl: Arc::clone(&pipeline.wgsl) };
        lock(&self.opened.pipelines.asked).insert((kernel.name, variant), asked);
    }
}

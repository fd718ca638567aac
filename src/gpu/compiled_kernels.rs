//! Which kinds of kernels were compiled on this machine before: the driver, or the pipeline cache, still has them, and a plan
//! counts less time for them.

use std::collections::BTreeSet;

use super::kernel::{Kernel, Variant};

/// Kinds of kernels: a task, and the field where they have one, as `gf2`, `ntt`, `msm 381` or `msm 381 x 2`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompiledKernels(pub(super) BTreeSet<String>);

impl CompiledKernels {
    /// True if kernels of this task, over this field if there is one, were compiled.
    pub fn has(&self, task: &str, field: Option<(usize, usize)>) -> bool {
        self.0.contains(&label(task, field))
    }
}

/// The kind of a kernel: the folder of its name, and the bits and the degree of its field.
pub(super) fn kind(kernel: &Kernel, variant: &Variant) -> String {
    label(kernel.name.split('/').next().unwrap_or_default(), variant.field())
}

fn label(task: &str, field: Option<(usize, usize)>) -> String {
    match field {
        None => task.to_owned(),
        Some((bits, 1)) => format!("{task} {bits}"),
        Some((bits, degree)) => format!("{task} {bits} x {degree}"),
    }
}

//! The transform as textbooks have it, on the GPU: a family of small kernels to read, to
//! compare and to measure the fast plan against.
//!
//! Bit reversal, then log2 n stages of radix-2 butterflies, one dispatch each (Cooley and
//! Tukey 1965; Cormen, Leiserson, Rivest and Stein, "Introduction to Algorithms", sections
//! 30.2 and 30.3). The reduction, the workgroup's size and where twiddles come from are
//! choices; everything else is as plain as it can be. The same on the CPU is
//! [`crate::ntt::cpu::naive`].

mod kernels;
mod plan;

use std::time::Duration;

use serde::Serialize;

use super::{Product, Reduction, Transform};
use crate::field::Prime;
use crate::gpu::{Gpu, Kernel};
use crate::{Error, Result};

pub use kernels::{BIT_REVERSE, POINTWISE, SCALE, STAGE};
pub(in crate::ntt) use kernels::{ScaleParams, flat};
pub use plan::Textbook;

/// The kernels of this module.
pub static KERNELS: &[&Kernel] = &[&BIT_REVERSE, &STAGE, &SCALE, &POINTWISE];

/// Where a butterfly takes its twiddle from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Twiddles {
    /// It computes the power by squaring and multiplying.
    Fly,
    /// From a table of n/2 powers in device memory.
    #[default]
    Table,
}

/// The choices of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// The arithmetic. [`Reduction::Auto`] is Shoup's with a table, Montgomery's without.
    pub reduction: Reduction,
    /// Invocations a workgroup, from 1 to what the device has; 64 to 1024 are customary.
    pub workgroup: u32,
    /// Where twiddles come from.
    pub twiddles: Twiddles,
}

impl Default for Options {
    fn default() -> Self {
        Options { reduction: Reduction::Auto, workgroup: 256, twiddles: Twiddles::Table }
    }
}

/// How long the parts of a call took, by the host's clock.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Times {
    /// Host memory to device memory.
    pub upload: Duration,
    /// Kernels, from the first submission until the device is idle.
    pub device: Duration,
    /// Device memory to host memory.
    pub download: Duration,
}

impl Times {
    /// All parts together.
    pub fn total(&self) -> Duration {
        self.upload + self.device + self.download
    }
}

/// Transforms host data in place.
///
/// # Errors
/// Those of [`Textbook::new`] and [`Textbook::transform`].
pub fn transform(gpu: &Gpu, spec: &Transform, options: &Options, data: &mut [u32]) -> Result<Times> {
    spec.check_input(data)?;
    Textbook::new(gpu, spec, options)?.transform(data)
}

/// The product of `a` and `b` modulo `prime`, lowest degree first, with the time that it
/// took. Products modulo x^N - 1 and x^N + 1 are the linear one, folded.
///
/// # Errors
/// Those of [`crate::ntt::multiply`], and [`Error::Usage`] for options that do not go
/// together or that the device does not have.
pub fn multiply(
    gpu: &Gpu,
    prime: Prime,
    product: Product,
    options: &Options,
    a: &[u32],
    b: &[u32],
) -> Result<(Vec<u32>, Times)> {
    Product::check_operands(prime, a, b)?;
    let length = product.length(a.len(), b.len())?;
    if a.is_empty() || b.is_empty() {
        return Ok((vec![0; length], Times::default()));
    }
    let (a, b) = (product.fold(prime, a), product.fold(prime, b));
    let linear = a.len() + b.len() - 1;
    let spec = Transform::new(prime, linear.next_power_of_two().max(2))?;
    let (words, times) = Textbook::new(gpu, &spec, options)?.multiply(&a, &b)?;
    let mut result = product.fold(prime, &words[..linear]).into_owned();
    result.resize(length, 0);
    Ok((result, times))
}

impl Options {
    /// The reduction that is meant.
    ///
    /// # Errors
    /// [`Error::Usage`] for Shoup's without a table: it needs a precomputed quotient a twiddle.
    fn reduction(&self) -> Result<Reduction> {
        match (self.reduction, self.twiddles) {
            (Reduction::Auto, Twiddles::Fly) => Ok(Reduction::Montgomery),
            (Reduction::Auto, Twiddles::Table) => Ok(Reduction::Shoup),
            (Reduction::Shoup, Twiddles::Fly) => Err(Error::Usage(
                "Shoup's reduction has a precomputed quotient for every twiddle: it needs a table of them"
                    .into(),
            )),
            (reduction, _) => Ok(reduction),
        }
    }

    /// Checks the size of a workgroup against the device.
    fn check_workgroup(&self, gpu: &Gpu) -> Result<()> {
        let limits = gpu.limits();
        let most = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
        if (1..=most).contains(&self.workgroup) {
            return Ok(());
        }
        let (wanted, name) = (self.workgroup, &gpu.adapter().name);
        Err(Error::Usage(format!("{wanted} threads a workgroup: on {name} there are 1 to {most}")))
    }
}

//! The transform as textbooks have it, on the GPU: a family of small kernels to read and to compare with the
//! fast plan.
//!
//! Bit reversal, then log2 n stages of radix-2 butterflies, one dispatch each (Cooley and
//! Tukey 1965; Cormen, Leiserson, Rivest and Stein, "Introduction to Algorithms", sections
//! 30.2 and 30.3). The reduction, the workgroup's size and the source of the twiddles are
//! choices; everything else is as plain as it can be. The same on the CPU is
//! [`super::naive`].
//!
//! ```text
//! Textbook (Transform, Options)  ->  TextbookPlan  ->  PreparedTextbook, with TextbookKernels
//! ```

mod kernels;
mod on_gpu;
mod problem;

use std::time::Duration;

use serde::Serialize;

use crate::compared;
use wgalois::gpu::{Gpu, Kernel};
use wgalois::ntt::{Product, Reduction, Transform};
use wgalois::task::{Problem, Profile};
use wgalois::{Device, Error, Result};

use kernels::{BIT_REVERSE, POINTWISE, STAGE};
pub(super) use kernels::{SCALE, ScaleBuffers, ScaleParams, flat};
pub use on_gpu::TextbookKernels;
pub use problem::{PreparedTextbook, Textbook, TextbookPlan};

/// The kernels of this module.
pub(super) static KERNELS: &[&Kernel] = &[&BIT_REVERSE, &STAGE, &SCALE, &POINTWISE];

/// The source of the twiddle of a butterfly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Twiddles {
    /// Each thread computes the power by squaring and multiplying.
    Fly,
    /// From a table of n/2 powers in device memory.
    #[default]
    Table,
}

/// The choices of the family: the arithmetic, the size of a workgroup, the source of the twiddles.
///
/// ```
/// use wgalois::ntt::Reduction;
/// use wgalois_benches::compared::textbook::{Options, Twiddles};
///
/// let options = Options::default().with_reduction(Reduction::Barrett).with_twiddles(Twiddles::Fly);
/// assert_eq!(options.workgroup(), 256);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    reduction: Reduction,
    workgroup: u32,
    twiddles: Twiddles,
}

impl Default for Options {
    fn default() -> Self {
        Options { reduction: Reduction::Auto, workgroup: 256, twiddles: Twiddles::Table }
    }
}

/// The times of the parts of a call, by the host's clock.
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
/// Those of [`Textbook::plan_for`](Problem::plan_for) and [`run`](wgalois::task::Prepared::run).
pub fn transform(gpu: &Gpu, spec: &Transform, options: &Options, data: &mut [u32]) -> Result<Times> {
    spec.check_words(data)?;
    prepared(gpu, spec, options)?.run(data)
}

/// The product of `a` and `b`, lowest degree first, with the time that it took. Products modulo
/// x^N - 1 and x^N + 1 are the linear one, folded.
///
/// # Errors
/// Those of [`wgalois::ntt::multiply`], and [`Error::Usage`] for options that exclude each other or that the
/// device lacks.
pub fn multiply(
    gpu: &Gpu,
    product: &Product,
    options: &Options,
    a: &[u32],
    b: &[u32],
) -> Result<(Vec<u32>, Times)> {
    product.check_factors(a, b)?;
    let (prime, form, length) = (product.prime(), product.ring(), product.length()?);
    if a.is_empty() || b.is_empty() {
        return Ok((vec![0; length], Times::default()));
    }
    let (a, b) = (form.fold(prime, a), form.fold(prime, b));
    let linear = a.len() + b.len() - 1;
    let spec = Transform::new(prime, linear.next_power_of_two().max(2))?;
    let (words, times) = compared::on_gpu(&prepared(gpu, &spec, options)?)?.multiply(&a, &b)?;
    let mut result = form.fold(prime, &words[..linear]).into_owned();
    result.resize(length, 0);
    Ok((result, times))
}

fn prepared(gpu: &Gpu, transform: &Transform, options: &Options) -> Result<PreparedTextbook> {
    let device = Device::Gpu(gpu.clone());
    Textbook::new(transform, options).plan(&device)?.prepare(&device)
}

impl Options {
    /// Sets the arithmetic. [`Reduction::Auto`] is Shoup's with a table and Montgomery's without.
    #[must_use]
    pub fn with_reduction(self, reduction: Reduction) -> Self {
        Options { reduction, ..self }
    }

    /// Sets the number of invocations per workgroup, from 1 to the device's limit; 64 to 1024 are
    /// customary.
    #[must_use]
    pub fn with_workgroup(self, workgroup: u32) -> Self {
        Options { workgroup, ..self }
    }

    /// Sets the source of the twiddles.
    #[must_use]
    pub fn with_twiddles(self, twiddles: Twiddles) -> Self {
        Options { twiddles, ..self }
    }

    /// The arithmetic.
    pub fn reduction(&self) -> Reduction {
        self.reduction
    }

    /// Invocations per workgroup.
    pub fn workgroup(&self) -> u32 {
        self.workgroup
    }

    /// The source of the twiddles.
    pub fn twiddles(&self) -> Twiddles {
        self.twiddles
    }

    /// The arithmetic, with [`Reduction::Auto`] resolved.
    ///
    /// # Errors
    /// [`Error::Usage`] for Shoup's without a table: it needs a precomputed quotient per twiddle.
    fn settled_reduction(&self) -> Result<Reduction> {
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
    fn check_workgroup(&self, profile: &Profile) -> Result<()> {
        let Some(gpu) = profile.gpu() else {
            return Err(Error::Usage("the textbook's kernels run on GPUs only".into()));
        };
        let (wanted, most) = (self.workgroup, gpu.workgroup_invocations);
        match (1..=most).contains(&wanted) {
            true => Ok(()),
            false => Err(Error::Usage(format!("{wanted} threads a workgroup: the device has 1 to {most}"))),
        }
    }
}

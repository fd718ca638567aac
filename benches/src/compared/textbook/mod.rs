//! The transform as textbooks have it, on the GPU: a family of small kernels to read and to compare with the
//! fast plan.
//!
//! Bit reversal, then log2 n stages of radix-2 butterflies, one dispatch each (Cooley and
//! Tukey 1965; Cormen, Leiserson, Rivest and Stein, "Introduction to Algorithms", sections
//! 30.2 and 30.3). The reduction, the workgroup's size and the source of the twiddles are
//! choices; everything else is as plain as it can be. The same on the CPU is
//! [`super::naive`].

mod kernels;
mod on_gpu;

use serde::Serialize;

use super::{Compared, GpuForm, Times, on_gpu};
use wgalois::gpu::{Gpu, Kernel};
use wgalois::ntt::{Coset, Direction, Order, Passes, Product, Reduction, Transform};
use wgalois::task::GpuProfile;
use wgalois::{Error, Result};

use kernels::{BIT_REVERSE, POINTWISE, STAGE};
pub(super) use kernels::{SCALE, ScaleParams, flat};
pub use on_gpu::TextbookKernels;

/// The kernels of this module.
pub(super) static KERNELS: &[&Kernel] = &[&BIT_REVERSE, &STAGE, &SCALE, &POINTWISE];

/// A transform, and the products by transforms of its length, by the textbook's kernels. Its cost is that of one
/// transform; a product takes three.
///
/// The reduction is that of the options; the one of the transform has no effect here.
///
/// ```
/// use wgalois::Error;
/// use wgalois::field::BABY_BEAR;
/// use wgalois::ntt::Transform;
/// use wgalois_benches::compared::textbook::{Options, Textbook};
/// use wgalois::task::Problem;
/// use wgalois::{Cpu, Device};
///
/// let textbook = Textbook::new(&Transform::new(BABY_BEAR, 8)?, Options::default());
/// // These kernels are for GPUs.
/// assert!(matches!(textbook.plan(&Device::Cpu(Cpu::default())), Err(Error::Unsupported { .. })));
/// # Ok::<(), Error>(())
/// ```
pub type Textbook = Compared<Options>;

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
/// let options =
///     Options { reduction: Reduction::Barrett, twiddles: Twiddles::Fly, ..Options::default() };
/// assert_eq!(options.workgroup, 256);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// The arithmetic. [`Reduction::Auto`] is Shoup's with a table and Montgomery's without.
    pub reduction: Reduction,
    /// Invocations per workgroup, from 1 to the device's limit; 64 to 1024 are customary.
    pub workgroup: u32,
    /// The source of the twiddles.
    pub twiddles: Twiddles,
}

impl Default for Options {
    fn default() -> Self {
        Options { reduction: Reduction::Auto, workgroup: 256, twiddles: Twiddles::Table }
    }
}

/// Transforms host data in place.
pub fn transform(gpu: &Gpu, spec: &Transform, options: &Options, data: &mut [u32]) -> Result<Times> {
    spec.check_words(data)?;
    Textbook::new(spec, *options).prepared(gpu)?.run(data)
}

/// The product of `a` and `b`, lowest degree first, with the time that it took. Products modulo
/// x^N - 1 and x^N + 1 are the linear one, folded. Refuses options that exclude each other or that the device lacks.
pub fn multiply(
    gpu: &Gpu,
    product: &Product,
    options: &Options,
    a: &[u32],
    b: &[u32],
) -> Result<(Vec<u32>, Times)> {
    product.check_factors(a, b)?;
    let no_prime = || Error::unsuited("the textbook kernels", "their modulus is an odd prime");
    let prime = product.modulus().prime().ok_or_else(no_prime)?;
    let (form, length) = (product.ring(), product.length()?);
    if a.is_empty() || b.is_empty() {
        return Ok((vec![0; length], Times::default()));
    }
    let (a, b) = (form.fold(prime, a), form.fold(prime, b));
    let linear = a.len() + b.len() - 1;
    let spec = Transform::new(prime, linear.next_power_of_two().max(2))?;
    let (words, times) = on_gpu(&Textbook::new(&spec, *options).prepared(gpu)?)?.multiply(&a, &b)?;
    let mut result = form.fold(prime, &words[..linear]).into_owned();
    result.resize(length, 0);
    Ok((result, times))
}

impl Options {
    /// The arithmetic, with [`Reduction::Auto`] resolved. Refuses Shoup's without a table: it needs a precomputed
    /// quotient per twiddle.
    fn settled_reduction(&self) -> Result<Reduction> {
        match (self.reduction, self.twiddles) {
            (Reduction::Auto, Twiddles::Fly) => Ok(Reduction::Montgomery),
            (Reduction::Auto, Twiddles::Table) => Ok(Reduction::Shoup),
            (Reduction::Shoup, Twiddles::Fly) => {
                Err(Error::needs("Shoup's reduction", "a table of twiddles and their quotients"))
            }
            (reduction, _) => Ok(reduction),
        }
    }
}

impl Textbook {
    /// Dispatches of a transform: a stage for each binary digit, a reversal for each end in natural order at
    /// the input or bit-reversed order at the output, and the division by n.
    pub fn dispatches(&self) -> usize {
        self.transform.log_n() as usize
            + usize::from(self.transform.input() == Order::Natural)
            + usize::from(self.transform.output() == Order::BitReversed)
            + usize::from(self.transform.direction() == Direction::Inverse)
    }
}

impl GpuForm for Options {
    type Kernels = TextbookKernels;
    const VECTORS: u64 = 1;

    fn workgroup(&self) -> u32 {
        self.workgroup
    }

    fn passes(&self, transform: &Transform, _: &GpuProfile) -> Result<Passes> {
        if transform.coset() != Coset::Subgroup {
            return Err(Error::only_for("the textbook's transforms", "the subgroup, without a coset"));
        }
        self.settled_reduction()?;
        // A pair of words for each power, in both directions.
        let table_bytes = match self.twiddles {
            Twiddles::Fly => 8,
            Twiddles::Table => 8 * transform.n() as u64,
        };
        let (words, dispatches) = (transform.len(), Textbook::new(transform, *self).dispatches());
        Ok(Passes { words, dispatches, vectors: Self::VECTORS, table_bytes })
    }

    fn kernels(&self, transform: &Transform, gpu: &Gpu) -> Result<TextbookKernels> {
        TextbookKernels::new(gpu, transform, self)
    }
}

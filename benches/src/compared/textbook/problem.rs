//! The textbook's transform in numbers.

use std::fmt;

use super::{Options, TextbookKernels, Times};
use crate::compared::OnGpu;
use wgalois::Result;
use wgalois::ntt::{Direction, Order, Transform};
use wgalois::task::{Planned, Prepared, Problem, Profile, Ways};

/// A transform, and the products by transforms of its length, by the textbook's kernels.
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
/// let textbook = Textbook::new(&Transform::new(BABY_BEAR, 8)?, &Options::default());
/// // These kernels are for GPUs.
/// assert!(matches!(textbook.plan(&Device::Cpu(Cpu::default())), Err(Error::Usage(_))));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Textbook {
    pub(super) transform: Transform,
    pub(super) options: Options,
}

impl Textbook {
    /// A transform with these choices.
    pub fn new(transform: &Transform, options: &Options) -> Self {
        Textbook { transform: *transform, options: *options }
    }

    /// The transform.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Dispatches of a transform: a stage for each binary digit, a reversal for each end in natural order at
    /// the input or bit-reversed order at the output, and the division by n.
    pub fn dispatches(&self) -> usize {
        self.transform.log_n() as usize
            + usize::from(self.transform.input() == Order::Natural)
            + usize::from(self.transform.output() == Order::BitReversed)
            + usize::from(self.transform.direction() == Direction::Inverse)
    }
}

/// The plan of a [`Textbook`] transform. Its cost is that of one transform; a product takes three.
pub type TextbookPlan = Planned<Textbook>;

/// A transform, and the products by transforms of its length, ready to run.
pub type PreparedTextbook = Prepared<'static, Textbook>;

impl Problem for Textbook {
    const NAME: &'static str = "this transform";

    type Resident<'a> = ();
    /// The batch.
    type Input<'a> = &'a mut [u32];
    type Answer = Times;
    type Kernels = TextbookKernels;

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
        let Textbook { transform, options } = self;
        // Options that exclude each other have no plan.
        let reduction = options.settled_reduction().unwrap_or(options.reduction());
        writeln!(
            f,
            "{} transforms of 2^{} words in {} dispatches, {reduction:?} reduction, twiddles {:?}, {} threads a workgroup",
            transform.batch(),
            transform.log_n(),
            self.dispatches(),
            options.twiddles(),
            options.workgroup()
        )
    }
}

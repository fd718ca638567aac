//! The textbook's transform in numbers.

use std::fmt;

use super::{Options, PreparedTextbook, Twiddles};
use crate::compared::{gpu_of, traffic};
use wgalois::ntt::{Coset, Direction, Order, Passes, Transform};
use wgalois::task::{Cost, Plan, Problem, Profile, Traffic};
use wgalois::{Device, Error, Result};

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
    transform: Transform,
    options: Options,
}

impl Textbook {
    /// A transform with these choices.
    pub fn new(transform: &Transform, options: &Options) -> Self {
        Textbook { transform: *transform, options: *options }
    }

    /// Dispatches of a transform: a stage for each binary digit, a reversal for each end in natural order at
    /// the input or bit-reversed order at the output, and the division by n.
    fn dispatches(&self) -> usize {
        self.transform.log_n() as usize
            + usize::from(self.transform.input() == Order::Natural)
            + usize::from(self.transform.output() == Order::BitReversed)
            + usize::from(self.transform.direction() == Direction::Inverse)
    }
}

impl Problem for Textbook {
    type Plan = TextbookPlan;

    /// Plans the transform for a GPU.
    ///
    /// # Errors
    /// [`Error::Usage`] for a coset, for options that exclude each other, for a workgroup larger than the
    /// device's, and for the CPU engine; [`Error::OutOfMemory`] for more data than one binding, or the memory,
    /// holds.
    fn plan_for(&self, profile: &Profile) -> Result<TextbookPlan> {
        if self.transform.coset() != Coset::Subgroup {
            return Err(Error::Usage(
                "the textbook's transforms are those on the subgroup, without a coset".into(),
            ));
        }
        self.options.check_workgroup(profile)?;
        let options = self.options.with_reduction(self.options.settled_reduction()?);
        let problem = Textbook { options, ..*self };
        // A pair of words for each power, in both directions.
        let table_bytes = match options.twiddles() {
            Twiddles::Fly => 8,
            Twiddles::Table => 8 * self.transform.n() as u64,
        };
        let (words, dispatches) = (self.transform.len(), self.dispatches());
        let passes = Passes { words, dispatches, levels: dispatches, vectors: 1, table_bytes };
        Ok(TextbookPlan { problem, cost: passes.cost(profile)? })
    }
}

/// The plan of a [`Textbook`] transform. Its cost is that of one transform; a product takes three.
#[derive(Clone, Debug)]
pub struct TextbookPlan {
    problem: Textbook,
    cost: Cost,
}

impl TextbookPlan {
    /// The transform.
    pub fn transform(&self) -> &Transform {
        &self.problem.transform
    }

    /// The options; [`Reduction::Auto`](crate::ntt::Reduction::Auto) is resolved.
    pub fn options(&self) -> &Options {
        &self.problem.options
    }

    /// Dispatches of a transform.
    pub fn dispatches(&self) -> usize {
        self.problem.dispatches()
    }

    /// Compiles the kernels and makes the tables.
    ///
    /// # Errors
    /// [`Error::Usage`] on the CPU engine.
    pub fn prepare(&self, device: &Device) -> Result<PreparedTextbook> {
        PreparedTextbook::new(gpu_of(device)?, self)
    }
}

impl Plan for TextbookPlan {
    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        traffic(self.problem.transform.len(), self.dispatches())
    }
}

impl fmt::Display for TextbookPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Textbook { transform, options } = &self.problem;
        writeln!(
            f,
            "{} transforms of 2^{} words in {} dispatches, {:?} reduction, twiddles {:?}, {} threads a workgroup",
            transform.batch(),
            transform.log_n(),
            self.dispatches(),
            options.reduction(),
            options.twiddles(),
            options.workgroup()
        )?;
        self.cost.fmt(f)
    }
}

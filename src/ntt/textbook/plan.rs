//! The textbook's transform in numbers.

use std::fmt;

use super::{Options, Textbook};
use crate::gpu::Gpu;
use crate::ntt::{Coset, Direction, Order, Transform};
use crate::task::Profile;
use crate::{Error, Result};

/// The plan of a transform, and of the products by transforms of its length, with the textbook's kernels.
#[derive(Clone, Debug)]
pub struct TextbookPlan {
    transform: Transform,
    options: Options,
}

impl TextbookPlan {
    /// Plans `transform` for a GPU with this profile. The reduction is that of `options`; the one of
    /// `transform` has no effect here.
    ///
    /// # Errors
    /// [`Error::Usage`] for a coset, for options that exclude each other, for a workgroup larger than the
    /// device's, and for the CPU engine.
    pub fn new(transform: &Transform, options: &Options, profile: &Profile) -> Result<Self> {
        if transform.coset != Coset::Subgroup {
            return Err(Error::Usage(
                "the textbook's transforms are those on the subgroup, without a coset".into(),
            ));
        }
        options.check_workgroup(profile)?;
        let options = options.with_reduction(options.settled_reduction()?);
        Ok(TextbookPlan { transform: *transform, options })
    }

    /// The transform.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// The options; [`Reduction::Auto`](crate::ntt::Reduction::Auto) is resolved.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Dispatches of a transform: a stage for each binary digit, a reversal for each end in natural order at
    /// the input or bit-reversed order at the output, and the division by n.
    pub fn dispatches(&self) -> usize {
        let Transform { log_n, direction, input, output, .. } = self.transform;
        log_n as usize
            + usize::from(input == Order::Natural)
            + usize::from(output == Order::BitReversed)
            + usize::from(direction == Direction::Inverse)
    }

    /// Compiles the kernels and makes the tables.
    ///
    /// # Errors
    /// The device's faults.
    pub fn prepare(&self, gpu: &Gpu) -> Result<Textbook> {
        Textbook::of_plan(gpu, self)
    }
}

impl fmt::Display for TextbookPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (transform, options) = (&self.transform, &self.options);
        write!(
            f,
            "{} transforms of 2^{} words in {} dispatches, {:?} reduction, twiddles {:?}, {} threads a workgroup",
            transform.batch,
            transform.log_n,
            self.dispatches(),
            options.reduction(),
            options.twiddles(),
            options.workgroup()
        )
    }
}

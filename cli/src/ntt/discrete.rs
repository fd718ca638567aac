//! Transforms of any length, or with a root that is given.

use super::{Ntt, Shift, expect_sides};
use crate::prelude::*;
use wgalois::field::Prime;
use wgalois::ntt::{Direction, DiscreteTransform, Order};
use wgalois_io::coefficients;

impl Ntt {
    /// Returns the transform of a file of `len` entries, which may be an array of these sides, if its length is no power of two
    /// or its root is given.
    pub(super) fn discrete(
        &self,
        prime: Prime,
        len: usize,
        sides: &[u64],
    ) -> Result<Option<DiscreteTransform>> {
        let batch = self.vectors(sides)?;
        let n = len / batch;
        let divides = n > 0 && n * batch == len && (prime.value() as usize - 1).is_multiple_of(n);
        if !divides || (self.root.is_none() && n > 1 && n.is_power_of_two()) {
            return self.root.as_ref().map_or(Ok(None), |_| self.refuse_length(prime, batch, len));
        }
        if n > 1 && [self.input_order, self.output_order].contains(&Order::BitReversed) {
            let what = "--input-order and --output-order bitrev";
            return Err(Error::only_for(what, "lengths that are powers of two, without --root"));
        }
        let transform = DiscreteTransform::new(prime, n)?;
        let transform = match &self.root {
            Some(root) => transform.with_root(root.word("--root")?)?,
            None => transform,
        };
        let shift = match (&self.coset, self.negacyclic, &self.root) {
            (Some(shift), ..) => shift.word("--coset")?,
            (None, true, None) => DiscreteTransform::new(prime, 2 * n)?.root(),
            (None, true, Some(_)) => {
                return Err(Error::only_for(
                    "--negacyclic",
                    "transforms without --root, whose square root --coset states",
                ));
            }
            (None, false, _) => 1,
        };
        let direction = if self.inverse { Direction::Inverse } else { Direction::Forward };
        Ok(Some(transform.with_shift(shift)?.with_batch(batch).with_direction(direction)))
    }

    fn refuse_length<T>(&self, prime: Prime, batch: usize, len: usize) -> Result<T> {
        let divided = prime.value() - 1;
        Err(self.refuse(format!("{len} entries, where {batch} times a divisor of {divided} was expected")))
    }

    pub(super) fn run_discrete(
        &self,
        context: &Context,
        transform: &DiscreteTransform,
        (before, sides): (&[u32], &[u64]),
    ) -> Result<()> {
        let format = self.formats.output(context.output_path(), &self.file);
        context.report("n", transform.n());
        context.report("batch", transform.batch());
        context.report("root", transform.root());
        if self.kernels.textbook().is_some() {
            return Err(Error::only_for(
                "the textbook kernels",
                "lengths that are powers of two, without --root",
            ));
        }
        let demands = Demands { beside: size_of_val(before) as u64, ..Demands::default() };
        let Some((device, plan)) = context.plan_with(transform, demands)? else { return Ok(()) };
        let mut after = before.to_vec();
        context.compute("transform", (&device, plan), &mut after)?;
        context.verify_if_asked(|| transform.check(&context.host(), before, &after))?;
        context.write(|out| coefficients::write_array(out, format, &after, sides))
    }

    pub(super) fn check_discrete(
        &self,
        context: &Context,
        transform: &DiscreteTransform,
        (before, sides): (&[u32], &[u64]),
        (after, found): (&[u32], &[u64]),
    ) -> Result<()> {
        expect_sides(found, sides, transform.batch(), transform.n())?;
        context.verify(|| transform.check(&context.host(), before, after))
    }
}

impl Shift {
    /// Returns the value of this option.
    pub(super) fn word(&self, option: &'static str) -> Result<u32> {
        self.0.parse().map_err(|_| Error::unexpected(&self.0, "a number below 2^32").of(option))
    }
}

//! Circuits as a setup goes through them.

use ark_ff::PrimeField;

use super::{Circuit, Row};

/// A circuit whose constraints come one after the other, so that they need not be in memory.
pub trait Constraints<F>: Sync {
    /// The number of variables, the constant 1 included.
    fn variables(&self) -> usize;

    /// The number of public variables, without the constant.
    fn public(&self) -> usize;

    /// The number of constraints.
    fn constraints(&self) -> usize;

    /// Calls `visit` with the rows A, B and C of each constraint, in order. Rows name variables that exist.
    fn each(&self, visit: &mut dyn FnMut(&[Row<F>; 3]));
}

/// The constraints of a circuit that was checked.
impl<F: PrimeField> Constraints<F> for Circuit<F> {
    fn variables(&self) -> usize {
        self.variables
    }

    fn public(&self) -> usize {
        self.public
    }

    fn constraints(&self) -> usize {
        self.constraints.len()
    }

    fn each(&self, visit: &mut dyn FnMut(&[Row<F>; 3])) {
        self.constraints.iter().for_each(visit);
    }
}

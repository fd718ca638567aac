//! The variables whose polynomials are not 0, for keys with constraints that leave out the bases of the others.

use ark_ff::PrimeField;

use super::{ProvingKey, Queries, SparseMatrix, Witness};
use wgalois::curve::PairingCurve;
use wgalois::parallel::*;
use wgalois::scalars::Scalar;

/// The variables of the bases A and of the bases B; `None` if these are all.
pub(super) struct Densities([Option<Vec<u32>>; 2]);

/// The scalars of the bases A and B of one witness, if these leave variables out.
pub(super) struct Dense<F: Scalar>(pub [Option<Witness<F>>; 2]);

impl Densities {
    /// Those of a key whose sizes were checked.
    pub(super) fn of<E: PairingCurve>(key: &ProvingKey<E>) -> Self {
        let Queries { a, b, .. } = &key.queries;
        let variables = key.variables();
        let Some([rows_a, rows_b]) = &key.constraints else { return Densities([None, None]) };
        let own = |rows: &SparseMatrix<E::Scalar>, len: usize| {
            (len < variables).then(|| variables_in(rows, variables))
        };
        Densities([own(rows_a, a.len()), own(rows_b, b.len())])
    }

    /// The scalars of the bases for a whole witness; none for an evaluated one, which has them and is empty here.
    pub(super) fn gather<F: Scalar>(&self, witness: &[F]) -> Dense<F> {
        if witness.is_empty() {
            return Dense([None, None]);
        }
        let gather = |variables: &Option<Vec<u32>>| {
            let variables = variables.as_ref()?;
            let mut scalars = vec![F::ZERO; variables.len()];
            let pairs = scalars.par_iter_mut().zip(variables).with_min_len(1 << 12);
            pairs.for_each(|(scalar, &variable)| *scalar = witness[variable as usize]);
            Some(Witness::from(scalars))
        };
        Dense(self.0.each_ref().map(gather))
    }
}

/// The variables with a factor in the rows that is not 0, of so many variables.
pub(super) fn variables_in<F: Scalar + PrimeField>(rows: &SparseMatrix<F>, variables: usize) -> Vec<u32> {
    let mut are_in = vec![false; variables];
    for row in 0..rows.rows() {
        for (variable, _) in rows.row(row).filter(|(_, factor)| !factor.is_zero()) {
            if let Some(is_in) = are_in.get_mut(variable as usize) {
                *is_in = true;
            }
        }
    }
    (0..).zip(are_in).filter(|(_, is_in)| *is_in).map(|(variable, _)| variable).collect()
}

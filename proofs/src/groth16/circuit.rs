//! Constraints, as a setup takes them.

use ark_ff::PrimeField;

use wgalois::{Error, Result};

/// A coefficient and the variable that it multiplies.
pub type Entry<F> = (F, u32);

/// A linear combination of variables.
pub type Row<F> = Vec<Entry<F>>;

/// A circuit: constraints `<A_i, w> <B_i, w> = <C_i, w>` on a witness w of [`variables`](Self::variables) values.
/// Variable 0 is 1; those from 1 to [`public`](Self::public) are public.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circuit<F> {
    /// The number of variables, the constant 1 included.
    pub variables: usize,
    /// The number of public variables, without the constant.
    pub public: usize,
    /// The rows A, B and C of every constraint.
    pub constraints: Vec<[Row<F>; 3]>,
}

impl<F: PrimeField> Circuit<F> {
    /// Refuses a circuit whose rows name variables that it lacks.
    pub fn check(&self) -> Result<()> {
        let Circuit { variables, public, .. } = *self;
        Error::expect_index("variable", variables, public)?;
        let mut entries = self.constraints.iter().flatten().flatten();
        entries.try_for_each(|&(_, variable)| Error::expect_index("variable", variables, variable as usize))
    }

    /// The first constraint that does not hold for a witness; `None` if all hold.
    pub fn first_violated(&self, witness: &[F]) -> Result<Option<usize>> {
        self.check()?;
        expect_witness(self.variables, witness)?;
        let product = |row: &Row<F>| -> F {
            row.iter().map(|(factor, variable)| *factor * witness[*variable as usize]).sum()
        };
        let holds = |[a, b, c]: &[Row<F>; 3]| product(a) * product(b) == product(c);
        Ok(self.constraints.iter().position(|constraint| !holds(constraint)))
    }
}

/// Refuses a witness of another circuit.
pub(super) fn expect_witness<F: PrimeField>(variables: usize, witness: &[F]) -> Result<()> {
    Error::expect_length("values of a witness of another circuit", variables, witness.len())?;
    match witness.first() == Some(&F::ONE) {
        true => Ok(()),
        false => Err(Error::value("the first value of the witness", "not 1".into())),
    }
}

//! The constraints of a circuit, for a key.

use ark_ec::AffineRepr;
use ark_ff::PrimeField;

use super::{Circuit, Domain, ProvingKey, Queries, Row, SparseMatrix};
use wgalois::curve::{Affine, Curve, PairingCurve};
use wgalois::scalars::Scalar;
use wgalois::{Error, Result};

/// The rows A and B of a circuit at the roots of its domain, with those rows of A that bind the public variables.
pub(super) fn constraints<F: Scalar>(circuit: &Circuit<F>, domain: &Domain) -> Result<[SparseMatrix<F>; 2]> {
    let rows = |part: usize| {
        let constraints = circuit.constraints.iter().enumerate();
        constraints.flat_map(move |(i, rows)| {
            rows[part].iter().map(move |(factor, variable)| (domain.position(i), *variable, *factor))
        })
    };
    let binding =
        (0..=circuit.public).map(|i| (domain.position(circuit.constraints.len() + i), i as u32, F::ONE));
    let n = domain.len();
    Ok([SparseMatrix::new(n, rows(0).chain(binding))?, SparseMatrix::new(n, rows(1))?])
}

impl<E: PairingCurve> ProvingKey<E> {
    /// A key without constraints, with those of its circuit: it then proves witnesses that are not evaluated. Infinity takes the
    /// places of the bases that the key leaves out. Refuses another circuit, if its sizes differ.
    pub fn with_constraints(self, circuit: &Circuit<E::Scalar>) -> Result<Self> {
        let domain = self.expect_sizes_of(circuit)?;
        let (mut in_a, in_b) = (variables_in(circuit, 0), variables_in(circuit, 1));
        in_a[..=circuit.public].fill(true);
        let Queries { a, b, b2, .. } = self.queries;
        let queries = Queries {
            a: spread(&a, &in_a, "variables of the circuit in A")?,
            b: spread(&b, &in_b, "variables of the circuit in B")?,
            b2: spread(&b2, &in_b, "variables of the circuit in B")?,
            ..self.queries
        };
        Ok(ProvingKey { queries, constraints: Some(constraints(circuit, &domain)?), ..self })
    }

    /// [`with_constraints`](Self::with_constraints) that leaves the bases as they are: A and B still lack the variables whose polynomial is
    /// 0, for which a proof takes no time.
    pub fn with_rows(self, circuit: &Circuit<E::Scalar>) -> Result<Self> {
        let domain = self.expect_sizes_of(circuit)?;
        let (mut in_a, in_b) = (variables_in(circuit, 0), variables_in(circuit, 1));
        in_a[..=circuit.public].fill(true);
        let Queries { a, b, .. } = &self.queries;
        for (what, found, are_in) in [
            ("variables of the circuit in A", a.len(), in_a),
            ("variables of the circuit in B", b.len(), in_b),
        ] {
            Error::expect_length(what, found, are_in.into_iter().filter(|is_in| *is_in).count())?;
        }
        Ok(ProvingKey { constraints: Some(constraints(circuit, &domain)?), ..self })
    }

    /// Refuses a circuit with other sizes than the key's. Returns the key's roots.
    fn expect_sizes_of(&self, circuit: &Circuit<E::Scalar>) -> Result<Domain> {
        circuit.check()?;
        Error::expect_length("variables of the circuit", self.variables(), circuit.variables)?;
        Error::expect_length("public variables of the circuit", self.public(), circuit.public)?;
        let roots = (circuit.constraints.len() + circuit.public + 1).next_power_of_two();
        Error::expect_length("roots of unity for the circuit", self.domain.len(), roots)?;
        Ok(self.domain)
    }
}

/// True for the variables with a coefficient in rows A (0) or B (1).
fn variables_in<F: PrimeField>(circuit: &Circuit<F>, part: usize) -> Vec<bool> {
    let mut are_in = vec![false; circuit.variables];
    let rows = circuit.constraints.iter().flat_map(|rows: &[Row<F>; 3]| &rows[part]);
    rows.filter(|(factor, _)| !factor.is_zero()).for_each(|(_, variable)| are_in[*variable as usize] = true);
    are_in
}

/// The points at the places of the variables that they are for, with infinity at the others.
fn spread<C: Curve>(points: &[Affine<C>], are_in: &[bool], what: &'static str) -> Result<Vec<Affine<C>>> {
    Error::expect_length(what, points.len(), are_in.iter().filter(|is_in| **is_in).count())?;
    let mut points = points.iter().copied();
    let point = |is_in: &bool| if *is_in { points.next().unwrap_or_default() } else { Affine::zero() };
    Ok(are_in.iter().map(point).collect())
}

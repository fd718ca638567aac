//! The keys of provers and of verifiers.

use std::borrow::Cow;

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::SWCurveConfig;

use super::density::variables_in;
use super::{Basis, Domain, SparseMatrix};
use wgalois::curve::{Affine, PairingCurve};
use wgalois::{Error, Fault, Result};

values! { VerifyingKey { alpha, beta, gamma, delta, public } }
values! { Queries { a, b, b2, secret, quotient } }
values! { ProvingKey { verifying, beta, delta, queries, constraints, domain, basis } }

/// The key that verifies proofs of a circuit.
pub struct VerifyingKey<E: PairingCurve> {
    /// alpha in G1.
    pub alpha: Affine<E::G1>,
    /// beta in G2.
    pub beta: Affine<E::G2>,
    /// gamma in G2.
    pub gamma: Affine<E::G2>,
    /// delta in G2.
    pub delta: Affine<E::G2>,
    /// For the constant and each public variable, `(beta a + alpha b + c) / gamma` of its polynomials, in G1.
    pub public: Vec<Affine<E::G1>>,
}

/// The bases of a proof's multiplications, by variables, but for [`quotient`](Self::quotient). A and B may leave out the variables
/// whose polynomial is 0, as bellman's keys do: these have no factor in the rows.
pub struct Queries<E: PairingCurve> {
    /// The polynomials a of all variables, in G1.
    pub a: Vec<Affine<E::G1>>,
    /// The polynomials b, in G1.
    pub b: Vec<Affine<E::G1>>,
    /// The polynomials b, in G2.
    pub b2: Vec<Affine<E::G2>>,
    /// `(beta a + alpha b + c) / delta` of the secret variables.
    pub secret: Vec<Affine<E::G1>>,
    /// The bases of the quotient, divided by delta, in the order of the powers of the field's own root: see [`Basis`].
    pub quotient: Vec<Affine<E::G1>>,
}

/// The key that proves, with the constraints A and B if it has them.
pub struct ProvingKey<E: PairingCurve> {
    /// The key of verifiers.
    pub verifying: VerifyingKey<E>,
    /// beta in G1.
    pub beta: Affine<E::G1>,
    /// delta in G1.
    pub delta: Affine<E::G1>,
    /// The bases.
    pub queries: Queries<E>,
    /// The rows A of the constraints, those that bind the public variables included, as indices among the roots, and the rows
    /// B. Keys of bellman have none: they prove an [`EvaluatedWitness`](super::EvaluatedWitness) only.
    pub constraints: Option<[SparseMatrix<E::Scalar>; 2]>,
    /// The roots of unity.
    pub domain: Domain,
    /// The basis of the quotient.
    pub basis: Basis,
}

impl<E: PairingCurve> VerifyingKey<E> {
    /// Refuses points outside the subgroups, and elements at infinity, which no setup makes.
    /// [`check_strength`](Self::check_strength) refuses keys without the second phase of a setup. The error names the
    /// element.
    pub fn check_members(&self) -> Result<()> {
        let VerifyingKey { alpha, beta, gamma, delta, public } = self;
        check_member(alpha, "alpha in G1")?;
        for (point, name) in [(beta, "beta in G2"), (gamma, "gamma in G2"), (delta, "delta in G2")] {
            check_member(point, name)?;
        }
        for (i, point) in public.iter().enumerate().filter(|(_, point)| !point.is_zero()) {
            check_member(point, format!("point {i} of the public variables"))?;
        }
        Error::expect_at_least("points of the constant and the public variables", 1, public.len() as u64)
    }
}

/// Refuses a point off its curve, outside the subgroup, or at infinity.
fn check_member<C: SWCurveConfig>(point: &Affine<C>, name: impl Into<Cow<'static, str>>) -> Result<()> {
    let fault = match point {
        point if point.is_zero() => Fault::AtInfinity,
        point if !point.is_on_curve() => Fault::NotOnCurve { curve: "the curve" },
        point if !point.is_in_correct_subgroup_assuming_on_curve() => Fault::OutsideSubgroup,
        _ => return Ok(()),
    };
    Err(Error::value(name, fault))
}

impl<E: PairingCurve> ProvingKey<E> {
    /// The number of variables, the constant included.
    pub fn variables(&self) -> usize {
        self.verifying.public.len() + self.queries.secret.len()
    }

    /// The number of public variables, without the constant.
    pub fn public(&self) -> usize {
        self.verifying.public.len().saturating_sub(1)
    }

    /// The number of coefficients in the constraints A and B; 0 for a key without them.
    pub fn coefficients(&self) -> usize {
        self.constraints.iter().flatten().map(SparseMatrix::entries).sum()
    }

    /// Refuses a key whose parts contradict each other in size. Points are not checked.
    pub fn check_sizes(&self) -> Result<()> {
        let (variables, known, n) = (self.variables(), self.verifying.public.len(), self.domain.len());
        let expected_quotient = match self.basis {
            Basis::OddRoots => n,
            Basis::Powers => n - 1,
        };
        let Queries { a, b, b2, quotient, .. } = &self.queries;
        Error::expect_at_least("public variables with the constant", 1, known as u64)?;
        Error::expect_length("bases B in G2", b.len(), b2.len())?;
        Error::expect_length("bases of the quotient", expected_quotient, quotient.len())?;
        let Some([rows_a, rows_b]) = &self.constraints else {
            // The rows that bind the public variables are no zeros of their polynomials.
            Error::expect_at_least("bases A", known as u64, a.len() as u64)?;
            Error::expect_at_most("bases A", variables as u64, a.len() as u64)?;
            return Error::expect_at_most("bases B in G1", variables as u64, b.len() as u64);
        };
        for (what, found, rows) in [("bases A", a.len(), rows_a), ("bases B in G1", b.len(), rows_b)] {
            if found != variables && found != variables_in(rows, variables).len() {
                Error::expect_length(what, variables, found)?;
            }
        }
        let sizes = [("rows A", rows_a.rows()), ("rows B", rows_b.rows())];
        sizes.into_iter().try_for_each(|(what, found)| Error::expect_length(what, n, found))
    }
}

//! Commitments to polynomials by their coefficients.

use ark_ff::Field;

use wgalois::curve::{Affine, Curve};
use wgalois::msm::{Bases, Multiplication};
use wgalois::task::Problem;
use wgalois::{Device, Error, Result};

/// Commits to polynomials by the powers of a secret, `powers[i]` = tau^i G, which stay on the device.
///
/// These are the `powers_of_g` of ark-poly-commit's `Powers`: commitments and proofs without hiding are the same points.
///
/// ```
/// use ark_bn254::Fr;
/// use ark_ec::{AffineRepr, CurveGroup};
/// use wgalois::curve::{Affine, Bn254};
/// use wgalois_proofs::kzg::Committer;
/// use wgalois::{Cpu, Device};
///
/// // A setup whose secret is known, for a test: tau = 5.
/// let g = Affine::<Bn254>::generator();
/// let powers: Vec<_> = [1, 5, 25].map(|power| (g * Fr::from(power)).into_affine()).into();
/// let committer = Committer::new(&Device::Cpu(Cpu::default()), &powers)?;
/// // p = 1 + 2 x + 3 x^2; p(5) = 86, p(2) = 17, and (p - 17) / (x - 2) = 8 + 3 x, which is 23 at 5.
/// let p = [1, 2, 3].map(Fr::from);
/// assert_eq!(committer.commit(&p)?, (g * Fr::from(86)).into_affine());
/// let opening = committer.open(&p, Fr::from(2))?;
/// assert_eq!((opening.value, opening.proof), (Fr::from(17), (g * Fr::from(23)).into_affine()));
/// # Ok::<(), wgalois::Error>(())
/// ```
pub struct Committer<'p, C: Curve> {
    bases: Bases<'p, C>,
}

/// A polynomial's value at a point, with the proof.
#[derive(Clone, Debug)]
pub struct Opening<C: Curve> {
    /// The value.
    pub value: C::ScalarField,
    /// The commitment to the quotient.
    pub proof: Affine<C>,
}

impl<'p, C: Curve> Committer<'p, C> {
    /// Prepares powers. The host checks that they lie on the curve.
    pub fn new(device: &Device, powers: &'p [Affine<C>]) -> Result<Self> {
        let problem = Multiplication::new(powers.len());
        Ok(Committer { bases: problem.plan(device)?.prepare(device, powers)? })
    }

    /// The largest number of coefficients.
    pub fn len(&self) -> usize {
        self.bases.len()
    }

    /// True if there are no powers.
    pub fn is_empty(&self) -> bool {
        self.bases.is_empty()
    }

    /// The commitment to a polynomial, by its coefficients from the lowest.
    pub fn commit(&self, coefficients: &[C::ScalarField]) -> Result<Affine<C>> {
        self.bases.multiply(coefficients)
    }

    /// Commitments to several polynomials.
    pub fn commit_many(&self, polynomials: &[&[C::ScalarField]]) -> Result<Vec<Affine<C>>> {
        self.bases.run_many(polynomials)
    }

    /// The value of a polynomial at `z`, with the proof.
    pub fn open(&self, coefficients: &[C::ScalarField], z: C::ScalarField) -> Result<Opening<C>> {
        // The quotient has a coefficient less. But a polynomial that has no commitment has no proof.
        Error::expect_at_most("coefficients", self.len() as u64, coefficients.len() as u64)?;
        let (quotient, value) = divided(coefficients, z);
        Ok(Opening { value, proof: self.bases.multiply(&quotient)? })
    }
}

/// The quotient by x - z and the remainder, by Horner's rule.
fn divided<F: Field>(coefficients: &[F], z: F) -> (Vec<F>, F) {
    let Some((last, rest)) = coefficients.split_last() else { return (Vec::new(), F::ZERO) };
    let mut quotient = vec![F::ZERO; rest.len()];
    let mut carry = *last;
    for (to, coefficient) in quotient.iter_mut().zip(rest).rev() {
        *to = carry;
        carry = carry * z + coefficient;
    }
    (quotient, carry)
}

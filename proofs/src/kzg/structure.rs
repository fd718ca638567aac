//! The check that points are those of one setup, in the right order.
//!
//! Let L_i be the Lagrange points in the order of the roots w^i, T_j = sum over i of w^(ij) L_i, and tau the logarithm
//! of the file's second point of G2. The Lagrange polynomials are those values for which T_j = tau^j G for all j below n, and no
//! others, since w^(ij) is an invertible matrix. So the check has to show
//!
//! ```text
//! T_0 = G                                             compared
//! T_(j+1) = tau T_j       for j from 0 to n - 2       all at once, with random c_j of 128 bits:
//!     B = sum of c_j T_(j+1),   A = sum of c_j T_j,   e(B, H) = e(A, tau H)
//! ```
//!
//! A and B are sums of the L_i by the values of the polynomials c and x c at the roots. If one T_(j+1) is not tau T_j, the
//! equation holds for one value of c_j at most: with a chance of at most 2^-128. Powers of tau in G1 are compared with B, and those
//! in G2 with each other, in the same way. All points lie in the subgroups of order r.

use ark_bls12_381::{Bls12_381 as Pairing, Fr, G1Affine, G2Affine};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::AdditiveGroup;

use super::verify::random_factors;
use wgalois::curve::{Bls12_381, PairingCurve};
use wgalois::msm::{self, Settings, sum_of_multiples};
use wgalois::ntt::scalar::{Transform, transform};
use wgalois::{Cpu, Device, Error, Result};

/// Refuses points that are not of one setup: see the module. `lagrange` has the points in the order of the roots; there are at
/// least two `powers2` of tau in G2, and as many `powers` in G1 as Lagrange points, or none.
pub(super) fn check(lagrange: &[G1Affine], powers2: &[G2Affine], powers: &[G1Affine]) -> Result<()> {
    let refused = |message: &str| Err(Error::Input(message.into()));
    let n = lagrange.len();
    let (first, second) = (G1Affine::generator(), G2Affine::generator());
    if powers2[0] != second || powers.first().is_some_and(|power| *power != first) {
        return refused("the first power of tau is not the generator");
    }
    let tau = powers2[1];
    if sum(lagrange, &vec![Fr::from(1u64); n])? != first {
        return refused("the Lagrange points do not sum to the generator of G1");
    }
    // A shift by tau is one place up, and the last coefficient of c is 0, so that the places do not wrap around.
    let mut low = random_factors(n)?;
    low[n - 1] = Fr::ZERO;
    let mut high = low.clone();
    high.rotate_right(1);
    let (of_low, of_high) = (sum(lagrange, &values(&low)?)?, sum(lagrange, &values(&high)?)?);
    if !Pairing::product_is_one(&[(of_high, second), (-of_low, tau)]) {
        return refused("the Lagrange points are not those of tau in G2, or not in the order of the roots");
    }
    if !powers.is_empty() && sum(powers, &high)? != of_high {
        return refused("the powers of tau in G1 are not those of the Lagrange points and of tau in G2");
    }
    let mut one = vec![Fr::ZERO; n];
    one[1] = Fr::from(1u64);
    let tau1 = sum(lagrange, &values(&one)?)?;
    let factors = random_factors(powers2.len() - 1)?;
    let sum2 = |points: &[G2Affine]| sum_of_multiples(points, &factors).into_affine();
    let (of_low, of_high) = (sum2(&powers2[..powers2.len() - 1]), sum2(&powers2[1..]));
    match Pairing::product_is_one(&[(first, of_high), (-tau1, of_low)]) {
        true => Ok(()),
        false => refused("the powers of tau in G2 are not those of one tau"),
    }
}

/// The sum of multiples, on the host.
fn sum(points: &[G1Affine], factors: &[Fr]) -> Result<G1Affine> {
    msm::multiply_unchecked::<Bls12_381>(&Device::Cpu(Cpu::default()), &Settings::default(), points, factors)
}

/// The values of a polynomial at the powers of the root, by its coefficients.
fn values(coefficients: &[Fr]) -> Result<Vec<Fr>> {
    let mut values = coefficients.to_vec();
    transform(&Device::Cpu(Cpu::default()), &Transform::new(values.len())?, &mut values)?;
    Ok(values)
}

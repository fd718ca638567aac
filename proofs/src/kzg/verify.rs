//! Encodings and verification.

use ark_bls12_381::{Bls12_381 as Pairing, Fr, G1Affine, G1Projective, G2Affine};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{BigInteger, Field, PrimeField};

use super::{Claim, Opening};
use crate::fill_at_random;
use wgalois::curve::{Bls12_381, Curve, PairingCurve};
use wgalois::msm::sum_of_multiples;
use wgalois::verify::Guarantee;
use wgalois::{Error, Fault, Result, Wrong};
use wgalois_io::points::{self, Trust};

/// Reads a commitment or a proof: the compressed encoding of 48 bytes of a point in the subgroup. Refuses another
/// length, a wrong flag, a coordinate that is not below p, and a point off the curve or outside the subgroup.
pub fn decode_point(bytes: &[u8]) -> Result<G1Affine> {
    Error::expect_length("bytes of a point", 48, bytes.len())?;
    points::decode_one::<Bls12_381>(bytes, Trust::Nothing).map_err(|fault| Error::value("a point", fault))
}

/// The compressed encoding of a point.
pub fn encode_point(point: &G1Affine) -> Vec<u8> {
    points::encode::<Bls12_381>(point, true)
}

/// Reads a scalar: a big-endian integer of 32 bytes below r.
pub fn decode_scalar(bytes: &[u8]) -> Result<Fr> {
    Error::expect_length("bytes of a scalar", 32, bytes.len())?;
    scalar_of(bytes)
        .ok_or_else(|| Error::value("a scalar", Fault::NotBelow { what: "the value".into(), bound: "r" }))
}

/// The scalar of a big-endian integer; `None` unless it is below r.
pub(super) fn scalar_of(bytes: &[u8]) -> Option<Fr> {
    Some(Fr::from_be_bytes_mod_order(bytes)).filter(|scalar| encode_scalar(scalar) == bytes)
}

/// The big-endian integer of a scalar.
pub fn encode_scalar(scalar: &Fr) -> Vec<u8> {
    scalar.into_bigint().to_bytes_be()
}

/// Checks openings all at once: for random factors f, `e(sum f (C - y G + z P), H) = e(sum f P, tau H)` for commitments C
/// and proofs P. One claim needs no randomness.
pub(super) fn check(claims: &[Claim], proofs: &[G1Affine], tau: &G2Affine) -> Result<Guarantee> {
    Error::expect_length("proofs", claims.len(), proofs.len())?;
    let factors = match claims.len() {
        0 | 1 => vec![Fr::ONE; claims.len()],
        count => random_factors(count)?,
    };
    let mut points: Vec<G1Affine> = claims.iter().map(|claim| claim.commitment).collect();
    points.extend(proofs);
    points.push(G1Affine::generator());
    let mut scalars = factors.clone();
    scalars.extend(claims.iter().zip(&factors).map(|(claim, factor)| claim.z * factor));
    scalars.push(-claims.iter().zip(&factors).map(|(claim, factor)| claim.y * factor).sum::<Fr>());
    let hold = are_equal(sum_of_multiples(&points, &scalars), sum_of_multiples(proofs, &factors), tau);
    let fault = match claims.len() {
        1 => "the proof does not hold".to_owned(),
        count => format!("not all of {count} proofs hold"),
    };
    Wrong::unless(hold, fault)?;
    Ok(match claims.len() {
        0 | 1 => Guarantee::certain("the committed polynomial has this value"),
        _ => Guarantee::probable("the committed polynomials have these values", 127),
    })
}

/// Checks openings of blobs at points, by commitments that the host computes from the blobs: as [`check`] with `commitment`, the sum of the blobs'
/// commitments by these factors, in the place of the claims' ones.
pub(super) fn check_sum(
    (commitment, factors): (G1Projective, &[Fr]),
    points: &[Fr],
    openings: &[Opening<Bls12_381>],
    tau: &G2Affine,
) -> Result<()> {
    let proofs: Vec<G1Affine> = openings.iter().map(|opening| opening.proof).collect();
    Wrong::none("proof", first_outside(&proofs), "is no point of the subgroup of order r")?;
    let scaled: Vec<Fr> = points.iter().zip(factors).map(|(z, factor)| *z * factor).collect();
    let value: Fr = openings.iter().zip(factors).map(|(opening, factor)| opening.value * factor).sum();
    let left = commitment - G1Affine::generator() * value + sum_of_multiples(&proofs, &scaled);
    let hold = are_equal(left, sum_of_multiples(&proofs, factors), tau);
    Wrong::unless(hold, "an opening that was computed does not hold")
}

/// True if `e(left, H) = e(right, tau H)`.
fn are_equal(left: G1Projective, right: G1Projective, tau: &G2Affine) -> bool {
    let pairs = [(left.into_affine(), G2Affine::generator()), ((-right).into_affine(), *tau)];
    Pairing::product_is_one(&pairs)
}

/// The first point that is off the curve or outside the subgroup.
pub(super) fn first_outside(points: &[G1Affine]) -> Option<usize> {
    points.iter().position(|point| !point.is_on_curve() || !Bls12_381::in_subgroup(point))
}

/// Random factors of 128 bits, from the operating system.
pub(super) fn random_factors(count: usize) -> Result<Vec<Fr>> {
    let factor = |_| {
        let mut bytes = [0; 16];
        fill_at_random(&mut bytes)?;
        Ok(Fr::from(u128::from_le_bytes(bytes)))
    };
    (0..count).map(factor).collect()
}

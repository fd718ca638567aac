//! Checks of sums that a faulty device computed.
//!
//! Let P_i be the points, k_j the vectors of scalars, and Q_j the sums to check. The host draws
//! secret a_j and s uniformly from 1 to r - 1, and a secret t_i from 0 to 2^64 - 1 for *every* i.
//! One more multiplication on the device, and one with short factors on the host by a separate
//! algorithm (`msm64.rs`), have to agree:
//!
//! ```text
//! device(u) = sum of a_j Q_j + s T,    u_i = sum over j of a_j k_j,i + s t_i mod r,
//!                                      T = sum over i of t_i P_i.
//! ```
//!
//! Let device(u) = L'(u) + e, with L' linear and e constant, both fixed before the draw, and let
//! L be the right map, L(u) = sum of u_i P_i. Then the two sides agree if and only if
//!
//! ```text
//! sum over j of a_j (L'(k_j) - Q_j) + s (L'(t) - L(t)) + e = 0.                (*)
//! ```
//!
//! - L' is wrong: bases are forgotten, damaged, doubled, negated or exchanged. Then L' and L
//!   differ at some base i by a point D_i of order r. For any a, s and other t, (*) fixes
//!   s t_i D_i, hence t_i mod r: at most one of the 2^64 values of t_i, as r > 2^64. So it
//!   passes with a chance of at most 2^-64.
//! - L' = L, and some Q_j is wrong: given the other draws, (*) holds for one value of a_j at
//!   most. It passes with a chance of at most 1/(r - 1), below 2^-251 on every curve here.
//!
//! Neither bound depends on the origin of the Q_j: the same wrong L', another device, or a file.
//! Both hold for any number of sums together, for duplicate points (whose exchange changes no
//! sum), for points at infinity (t_i P_i = 0 on the host, so that a device that has another
//! point there is found) and for no points at all (every Q_j has to be infinity).
//!
//! The assumptions are:
//!
//! - The P_i are in the subgroup of order r. Otherwise right sums may be refused; so a failed
//!   check looks for points outside and names the first one instead.
//! - The Q_j are in the subgroup, which is checked. So a device whose wrong bases are outside the
//!   subgroup, but have the right component of order r, passes only with right sums.
//! - The draw is secret and does not depend on the Q_j: it is made after them.
//! - The device's fault in the second multiplication is a fixed affine map of u. Another fault,
//!   such as a dropped window of digits, gives a point that is unrelated to the secret a_j and
//!   s, but no bound is proved for it. Nothing is claimed about a *hostile* device that sees u
//!   and searches it for a_j and s.

use ark_ec::CurveGroup;
use ark_ff::AdditiveGroup;
use rand::Rng;

use super::membership::first_outside;
use super::msm64::short_msm;
use super::operands::too_many_scalars;
use crate::curve::{Affine, Curve, Projective};
use crate::parallel::*;
use crate::verify::Guarantee;
use crate::{Error, Result, Wrong};

/// Checks that `results[j]` is the sum of `vectors[j][i]` times `points[i]`, with one more
/// multiplication by `msm` for all of them together and one on the host, whose factors have
/// 64 bits. A vector may be shorter than there are points.
///
/// A wrong result passes with a chance of at most 2^-64 if the fault in the second
/// multiplication is a fixed affine map of its scalars (none at all, or any bases wrong, the
/// same in the multiplications that made `results` or not). The source file has the proof and
/// its assumptions; the points are assumed to be in the subgroup of order r.
///
/// The host's multiplication, on all threads, has about a quarter of the additions of a full one.
pub fn verify<C: Curve>(
    points: &[Affine<C>],
    vectors: &[&[C::ScalarField]],
    results: &[Affine<C>],
    random: &mut impl Rng,
    msm: impl FnOnce(&[C::ScalarField]) -> Result<Affine<C>>,
) -> Result<Guarantee> {
    let n = vectors.iter().map(|vector| vector.len()).max().unwrap_or(0);
    let Some(points) = points.get(..n) else {
        return Err(too_many_scalars(n, points.len()));
    };
    Wrong::expect_length("sums", vectors.len(), results.len())?;
    match find_fault(points, vectors, results, random, msm)? {
        None => Ok(Guarantee::probable("the sum is right for points of the subgroup of order r", 64)),
        Some(fault) => Err(match first_outside(points) {
            None => Error::Check(fault),
            Some(index) => Error::OutsideSubgroup { index },
        }),
    }
}

/// Returns a description of the fault if the check fails. There are as many points as the longest
/// vector has scalars.
fn find_fault<C: Curve>(
    points: &[Affine<C>],
    vectors: &[&[C::ScalarField]],
    results: &[Affine<C>],
    random: &mut impl Rng,
    msm: impl FnOnce(&[C::ScalarField]) -> Result<Affine<C>>,
) -> Result<Option<Wrong>> {
    let is_outside = |sum: &Affine<C>| !sum.is_on_curve() || !C::in_subgroup(sum);
    if let Some(j) = results.par_iter().position_first(is_outside) {
        return Ok(Some(Wrong::at("sum", j, "is outside the subgroup of order r")));
    }
    let short: Vec<u64> = points.iter().map(|_| random.next_u64()).collect();
    let mask = random_scalar::<C>(random);
    let mut masked: Vec<C::ScalarField> = short.par_iter().map(|&t| mask * C::ScalarField::from(t)).collect();
    let mut expected: Projective<C> = short_msm(points, &short) * mask;
    for (vector, sum) in vectors.iter().zip(results) {
        let factor = random_scalar::<C>(random);
        masked.par_iter_mut().zip(*vector).for_each(|(u, k)| *u += factor * k);
        expected += *sum * factor;
    }
    let agree = msm(&masked)? == expected.into_affine();
    Ok((!agree).then(|| "a multiplication with masked scalars gives another sum".into()))
}

/// A random scalar that is not 0, within 2^-250 of uniform.
fn random_scalar<C: Curve>(random: &mut impl Rng) -> C::ScalarField {
    use ark_ff::PrimeField;
    loop {
        let mut bytes = [0; 64];
        random.fill_bytes(&mut bytes);
        let scalar = C::ScalarField::from_le_bytes_mod_order(&bytes);
        if scalar != C::ScalarField::ZERO {
            return scalar;
        }
    }
}

#[cfg(all(test, feature = "default"))]
mod tests;

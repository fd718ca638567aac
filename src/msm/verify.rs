//! Checks of results that a faulty device computed.

use ark_ec::CurveGroup;
use ark_ff::AdditiveGroup;
use rand::{Rng, RngExt};
use rayon::prelude::*;

use crate::curve::{Affine, Curve, Projective};
use crate::verify::Guarantee;
use crate::{Error, Result};

/// Places at which the secret vector t is not 0, as far as there are so many.
const SPARSE: usize = 64;

/// Checks that `results[j]` is the sum of `vectors[j][i]` times `points[i]`, with one more
/// multiplication by `msm` for all of them together.
///
/// For secret random a_j and a secret vector t with at most 64 random entries that are not 0,
/// msm(sum of a_j k_j + t) must be the sum of a_j Q_j plus the sum of t_i P_i, which the host
/// computes. So it costs one multiplication for any number of results, and 64 on the host.
///
/// It finds every fault that does not, by chance, strike both multiplications alike: a wrong
/// result passes with probability below 2^-250 if the second multiplication is right. A fault
/// that makes the device compute the same wrong linear map both times, say a damaged or
/// forgotten base, passes only if t is 0 at every base concerned: one base of n with
/// probability 1 - 64/n, half of the bases with 2^-64. The device must not know a and t.
///
/// Nothing cheaper was found that is as sound: whoever looks at fewer terms misses faults in
/// the others, and factors of fewer bits save nothing, since a k has as many bits as k. What
/// helps is to check many results at once, at the cost of one.
///
/// # Errors
/// [`Error::Check`] where they differ; what `msm` reports.
pub fn verify<C: Curve>(
    points: &[Affine<C>],
    vectors: &[&[C::ScalarField]],
    results: &[Affine<C>],
    random: &mut impl Rng,
    msm: impl FnOnce(&[C::ScalarField]) -> Result<Affine<C>>,
) -> Result<Guarantee> {
    let n = vectors.iter().map(|vector| vector.len()).max().unwrap_or(0);
    let factors: Vec<C::ScalarField> = vectors.iter().map(|_| random_scalar::<C>(random)).collect();
    let mut combined = vec![C::ScalarField::ZERO; n];
    for (factor, vector) in factors.iter().zip(vectors) {
        combined.par_iter_mut().zip(*vector).for_each(|(sum, k)| *sum += *factor * k);
    }
    let mut expected: Projective<C> = results.iter().zip(&factors).map(|(q, factor)| *q * factor).sum();
    for _ in 0..SPARSE.min(n) {
        let (place, t) = (random.random_range(0..n), random_scalar::<C>(random));
        combined[place] += t;
        expected += points[place] * t;
    }
    if msm(&combined)? == expected.into_affine() {
        let claim = "the sum is right if the second multiplication, with masked scalars, is not wrong alike";
        return Ok(Guarantee::probable(claim, 64));
    }
    Err(Error::Check("a multiplication with masked scalars gives another sum".to_owned()))
}

/// A scalar that is not 0, off uniform by less than 2^-250.
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

#[cfg(test)]
mod tests {
    use ark_ff::PrimeField;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::curve::CurveName;
    use crate::msm::{Known, random_scalars};
    use crate::with_curve;

    fn right_passes_and_wrong_fails<C: Curve>() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let known = Known::<C>::random(30, 2);
        let scalars = [(); 3].map(|()| random_scalars::<C>(30, &mut random));
        let vectors = [&scalars[0][..], &scalars[1][..7], &[], &scalars[2]];
        let mut results: Vec<Affine<C>> = vectors.iter().map(|scalars| known.sum(scalars)).collect();
        let msm = |scalars: &[C::ScalarField]| {
            let integers: Vec<_> = scalars.iter().map(|k| k.into_bigint()).collect();
            Ok(C::host_msm(&known.points[..scalars.len()], &integers).into_affine())
        };
        verify(&known.points, &vectors, &results, &mut random, msm).unwrap();
        // A device that forgets every second base, both times.
        let forgetful = |scalars: &[C::ScalarField]| {
            let mut scalars = scalars.to_vec();
            scalars.iter_mut().step_by(2).for_each(|k| *k = C::ScalarField::ZERO);
            msm(&scalars)
        };
        let forgotten = [forgetful(&scalars[0]).unwrap()];
        let checked = verify(&known.points, &vectors[..1], &forgotten, &mut random, forgetful);
        assert_eq!(checked.unwrap_err().exit_code(), 1);
        results[1] = (results[1] + known.points[3]).into_affine();
        assert!(verify(&known.points, &vectors, &results, &mut random, msm).is_err());
        verify::<C>(&[], &[], &[], &mut random, msm).unwrap();
    }

    #[test]
    fn right_results_pass_and_wrong_ones_fail() {
        for name in CurveName::ALL {
            with_curve!(name, C => right_passes_and_wrong_fails::<C>());
        }
    }
}

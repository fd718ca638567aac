//! Right sums pass and wrong ones do not, even if both multiplications are wrong in the same way.

use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, PrimeField};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::curve::CurveName;
use crate::msm::tests::samples::{KINDS, sample};
use crate::msm::{Known, random_scalars};
use crate::with_curve;

/// The sum on the host by a device's table of the points.
fn by_table<C: Curve>(table: &[Affine<C>], scalars: &[C::ScalarField]) -> Affine<C> {
    let integers: Vec<_> = scalars.iter().map(|k| k.into_bigint()).collect();
    crate::curve::sum_by_arkworks(&table[..scalars.len()], &integers).into_affine()
}

fn is_refused(result: Result<Guarantee>) -> bool {
    matches!(result, Err(Error::Check(_)))
}

/// A right result of several vectors passes; each change of a sum is found by a right second
/// multiplication.
fn wrong_sums_fail<C: Curve>() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let known = Known::<C>::random(30, 2);
    let scalars = [(); 3].map(|()| random_scalars::<C>(30, &mut random));
    let vectors = [&scalars[0][..], &scalars[1][..7], &[], &scalars[2]];
    let right: Vec<Affine<C>> = vectors.iter().map(|scalars| known.sum(scalars)).collect();
    let mut check = |sums: &[Affine<C>]| {
        verify(&known.points, &vectors, sums, &mut random, |k| Ok(by_table(&known.points, k)))
    };
    let guarantee = check(&right).unwrap();
    assert_eq!(
        guarantee.to_string(),
        "the sum is right for points of the subgroup of order r; \
         a wrong one is missed with a chance of at most 2^-64"
    );
    let generator = Affine::<C>::generator();
    for j in 0..4 {
        let others = [
            (right[j] + generator).into_affine(),
            (right[j] + known.points[3]).into_affine(),
            (right[j] - known.points[3] * scalars[0][3]).into_affine(),
            (right[j] + right[j] + generator).into_affine(),
            Affine::identity(),
            -right[j],
            right[(j + 1) % 4],
            // Points off the curve, and (0, 0), which some read as infinity.
            Affine::new_unchecked(generator.x, generator.x),
            Affine::new_unchecked(C::BaseField::ZERO, C::BaseField::ZERO),
        ];
        for other in others.into_iter().filter(|other| *other != right[j]) {
            let mut wrong = right.clone();
            wrong[j] = other;
            assert!(is_refused(check(&wrong)), "{:?} {j}", C::NAME);
        }
    }
    let mut exchanged = right.clone();
    exchanged.swap(0, 3);
    assert!(is_refused(check(&exchanged)));
    assert!(is_refused(check(&right[1..])));
}

#[test]
fn right_sums_pass_and_wrong_ones_fail() {
    for name in CurveName::all() {
        with_curve!(name, C => wrong_sums_fail::<C>());
    }
}

type Device<C> = Box<dyn Fn(&[<C as ark_ec::CurveConfig>::ScalarField]) -> Affine<C>>;

/// Devices that are wrong in the same way each time, so that another multiplication on the same device
/// agrees with its own wrong sum.
fn wrong_devices<C: Curve>(points: &[Affine<C>]) -> Vec<(&'static str, Device<C>)> {
    let n = points.len();
    let wrong_table = |change: &dyn Fn(&mut Vec<Affine<C>>)| -> Device<C> {
        let mut table = points.to_vec();
        change(&mut table);
        Box::new(move |scalars| by_table(&table, scalars))
    };
    let of_digits = |change: fn(&mut crate::curve::ScalarInt)| -> Device<C> {
        let table = points.to_vec();
        Box::new(move |scalars| {
            let mut integers: Vec<_> = scalars.iter().map(|k| k.into_bigint()).collect();
            integers.iter_mut().for_each(change);
            crate::curve::sum_by_arkworks(&table[..integers.len()], &integers).into_affine()
        })
    };
    let sum_changed = |change: fn(Projective<C>) -> Projective<C>| -> Device<C> {
        let table = points.to_vec();
        Box::new(move |scalars| change(by_table(&table, scalars).into()).into_affine())
    };
    vec![
        ("forgets one base", wrong_table(&|table| table[n / 3] = Affine::identity())),
        ("forgets the last base", wrong_table(&|table| table[n - 1] = Affine::identity())),
        ("exchanges two bases", wrong_table(&|table| table.swap(n / 2, n / 3))),
        ("exchanges neighbours", wrong_table(&|table| table.swap(n - 2, n - 1))),
        ("doubles one base", wrong_table(&|table| table[5] = (table[5] + table[5]).into_affine())),
        ("negates one base", wrong_table(&|table| table[n - 5] = -table[n - 5])),
        ("takes one base twice, another never", wrong_table(&|table| table[7] = table[8])),
        ("shifts all bases", wrong_table(&|table| table.rotate_left(1))),
        ("has another base at infinity", wrong_table(&|table| table[4] = table[5])),
        ("moves one base by the generator", wrong_table(&|t| t[9] = (t[9] + Affine::generator()).into())),
        ("drops a window", of_digits(|k| k.0[1] &= !0xfff0)),
        ("drops the top bits", of_digits(|k| k.0[3] &= (1 << 56) - 1)),
        ("loses the carry of a word", of_digits(|k| k.0[0] = 0)),
        ("takes even scalars for odd ones", of_digits(|k| k.0[0] |= 1)),
        ("adds the generator", sum_changed(|sum| sum + Affine::<C>::generator())),
        ("negates the sum", sum_changed(|sum| -sum)),
        ("doubles the sum", sum_changed(|sum| sum.double())),
        ("says infinity", sum_changed(|_| Projective::<C>::ZERO)),
    ]
}

fn wrong_devices_fail<C: Curve>(n: usize) {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut points = Known::<C>::random(n, 4).points;
    points[4] = Affine::identity();
    let scalars = random_scalars::<C>(n, &mut random);
    for (fault, device) in wrong_devices::<C>(&points) {
        let sum = device(&scalars);
        // Check the sum on the same device, then on a right one.
        let same = verify(&points, &[&scalars], &[sum], &mut random, |k| Ok(device(k)));
        assert!(is_refused(same), "{:?}: a device that {fault}", C::NAME);
        let right = verify(&points, &[&scalars], &[sum], &mut random, |k| Ok(by_table(&points, k)));
        let is_right = sum == by_table(&points, &scalars);
        assert_eq!(is_refused(right), !is_right, "{:?}: the sum of a device that {fault}", C::NAME);
    }
}

/// Uses enough points that a check of only 64 of them would usually miss a wrong base.
#[test]
fn devices_that_are_wrong_alike_twice_fail() {
    wrong_devices_fail::<crate::curve::Bls12_381>(2000);
    wrong_devices_fail::<crate::curve::Bls12_377>(300);
    wrong_devices_fail::<crate::curve::Bn254>(300);
    wrong_devices_fail::<crate::curve::Bls24_315>(300);
}

/// Tests the curves with points outside the subgroup of order r.
fn outsiders_are_named<C: Curve>() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let outside = outside::<C>();
    assert!(outside.is_on_curve() && !C::in_subgroup(&outside));
    let known = Known::<C>::random(20, 6);
    let scalars = random_scalars::<C>(20, &mut random);
    let right = |k: &[C::ScalarField]| Ok(by_table(&known.points, k));
    // A right sum plus a point of small order.
    let moved = (known.sum(&scalars) + outside).into_affine();
    assert!(is_refused(verify(&known.points, &[&scalars], &[moved], &mut random, right)));
    // A point outside the subgroup makes a check impossible.
    let mut points = known.points.clone();
    points[13] = outside;
    let sum = by_table(&points, &scalars);
    let told = verify(&points, &[&scalars], &[sum], &mut random, |k| Ok(by_table(&points, k)));
    assert!(matches!(&told, Err(Error::OutsideSubgroup { index: 13 })), "{told:?}");
}

/// A point of the curve whose order does not divide r.
fn outside<C: Curve>() -> Affine<C> {
    (1u64..)
        .filter_map(|x| Affine::<C>::get_point_from_x_unchecked(C::BaseField::from(x), false))
        .find(|point| !C::in_subgroup(point))
        .unwrap()
}

#[test]
fn points_outside_the_subgroup_are_named() {
    outsiders_are_named::<crate::curve::Bls12_381>();
    outsiders_are_named::<crate::curve::Bls12_377>();
    outsiders_are_named::<crate::curve::Bls24_315>();
}

/// A right sum with one bit flipped is never accepted: it is not a point, or the check refuses it.
#[test]
fn flipped_bits_are_found() {
    type C = crate::curve::Bls12_381;
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let known = Known::<C>::random(50, 8);
    let scalars = random_scalars::<C>(50, &mut random);
    let sum = known.sum(&scalars);
    for i in 0..200 {
        let bit = i * 7 % (2 * 381);
        let flip = |element: ark_bls12_381::Fq, bit: usize| {
            let mut words = element.into_bigint();
            words.0[bit / 64] ^= 1 << (bit % 64);
            ark_bls12_381::Fq::from_bigint(words)
        };
        let (x, y) = match bit < 381 {
            true => (flip(sum.x, bit), Some(sum.y)),
            false => (Some(sum.x), flip(sum.y, bit - 381)),
        };
        // Integers beyond the field are refused when they are read.
        let (Some(x), Some(y)) = (x, y) else { continue };
        let wrong = [Affine::new_unchecked(x, y)];
        let right = |k: &[_]| Ok(by_table(&known.points, k));
        assert!(is_refused(verify(&known.points, &[&scalars], &wrong, &mut random, right)), "{bit}");
    }
}

#[test]
fn shapes_that_do_not_fit_are_errors() {
    type C = crate::curve::Bn254;
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let known = Known::<C>::random(3, 10);
    let scalars = random_scalars::<C>(4, &mut random);
    let never = |_: &[_]| -> Result<Affine<C>> { panic!("nothing to multiply") };
    let long = verify(&known.points, &[&scalars], &[known.points[0]], &mut random, never);
    assert!(matches!(long, Err(Error::TooMany { count: 4, most: 3, .. })));
    let sumless = verify(&known.points, &[&scalars[..3]], &[], &mut random, never);
    assert!(is_refused(sumless));
    // The sum of no points is 0 only.
    let nothing = |k: &[_]| {
        assert!(k.is_empty());
        Ok(Affine::<C>::identity())
    };
    verify(&[], &[&[]], &[Affine::<C>::identity()], &mut random, nothing).unwrap();
    verify(&[], &[], &[], &mut random, nothing).unwrap();
    assert!(is_refused(verify(&[], &[&[]], &[known.points[0]], &mut random, nothing)));
    // The device's own errors are passed on.
    let lost =
        verify(&known.points, &[&scalars[..3]], &[known.points[0]], &mut random, |_| Err(Error::ZeroShift));
    assert!(matches!(lost, Err(Error::ZeroShift)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Right sums of every kind of points and scalars pass, of any number.
    #[test]
    fn right_sums_are_never_refused(kind in 0..KINDS.len(), n in 0..40usize, short in 0..40usize, seed: u64) {
        fn check<C: Curve>(kind: usize, n: usize, short: usize, seed: u64) {
            let sample = sample::<C>(KINDS[kind], n);
            let vectors = [&sample.scalars[..], &sample.scalars[..short.min(n)]];
            let sums = vectors.map(|scalars| by_table(&sample.points, scalars));
            let again = |k: &[C::ScalarField]| Ok(by_table(&sample.points, k));
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            verify(&sample.points, &vectors, &sums, &mut random, again).unwrap();
        }
        with_curve!(CurveName::all().nth(seed as usize % CurveName::all().len()).unwrap(), C => check::<C>(kind, n, short, seed));
    }
}

//! Curves over quadratic extensions: field arithmetic, every step on one curve, whole sums and membership on all three.

use ark_ec::scalar_mul::double_and_add_affine;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, PrimeField, UniformRand};
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;

use super::bench::{Bench, scheme};
use super::field::{agrees_with_arkworks, inverses_invert_on};
use super::stages::{additions_match, check, pairs_match, reduction_alone_matches};
use super::whole::{agrees, first_outside, prepare};
use super::{devices, portable_with_few_registers};
use crate::curve::coordinates::{HOMOGENEOUS, XYZZ};
use crate::curve::{Affine, BaseField, Bls12_377G2, Bls12_381G2, Bn254G2, Curve, Projective};
use crate::field::CoordinateField;
use crate::gpu::Gpu;
use crate::msm::tests::samples::{KINDS, Kind};
use crate::msm::{Accumulators, Addends, Balance, Known, Precompute, Reduction, Settings};

/// The devices take turns.
fn device(turn: usize) -> &'static Gpu {
    &devices()[turn % devices().len()]
}

/// One half of the operations on each device, so that few kernels are compiled.
fn operations_agree<F: CoordinateField>(turn: usize) {
    let n = |k: u64| F::from(k);
    let text = "t = c*c\n a = a*b\n b = t*t\n b = b*c";
    agrees_with_arkworks::<F>(device(turn), text, |[a, b, c]| [a * b, c.square().square() * c]);
    let text = "t = -3 a*b - 2 c\n u = 3 b*b - c\n t = t*a\n a = t*u\n b = u*t";
    agrees_with_arkworks::<F>(device(turn + 1), text, move |[a, b, c]| {
        let t = -(n(3) * a * b + n(2) * c) * a;
        [t * (n(3) * b.square() - c); 2]
    });
}

#[test]
fn operations_agree_with_arkworks() {
    operations_agree::<BaseField<Bls12_381G2>>(0);
    operations_agree::<BaseField<Bls12_377G2>>(1);
    operations_agree::<BaseField<Bn254G2>>(2);
}

#[test]
fn inverses_invert() {
    for gpu in devices() {
        inverses_invert_on::<BaseField<Bls12_381G2>>(gpu);
    }
    inverses_invert_on::<BaseField<Bls12_377G2>>(device(0));
    inverses_invert_on::<BaseField<Bn254G2>>(device(2));
}

#[test]
fn every_step_matches() {
    let kinds = [Kind::EdgeScalars, Kind::SomeInfinite, Kind::Random, Kind::Opposite];
    let few = [portable_with_few_registers()];
    for (gpu, kind) in devices().iter().take(3).chain(few).zip(kinds) {
        let scheme = scheme::<Bls12_381G2>(4, Precompute::Doublings(1), u32::MAX);
        check(&Bench::<Bls12_381G2>::new(gpu, &XYZZ, (kind, 17), scheme, 8));
        let halves = self::scheme::<Bls12_381G2>(5, Precompute::Glv, 2);
        check(&Bench::<Bls12_381G2>::new(gpu, &XYZZ, (kind, 17), halves, 8));
        pairs_match(&Bench::<Bls12_381G2>::with_rounds(gpu, &XYZZ, (kind, 17), scheme, (8, 2)));
    }
    // Every kind of pair, read an element at a time.
    for kind in KINDS {
        let scheme = scheme::<Bls12_381G2>(4, Precompute::Plain, 1);
        pairs_match(&Bench::<Bls12_381G2>::with_rounds(few[0], &XYZZ, (kind, 17), scheme, (8, 2)));
    }
}

#[test]
fn every_kind_of_input() {
    for (turn, kind) in KINDS.into_iter().enumerate() {
        let settings = Settings::default().with_width(4);
        agrees::<Bls12_381G2>(device(turn), &settings, kind, 20);
        agrees::<Bls12_381G2>(device(turn), &settings.with_pair_rounds(1), kind, 20);
    }
}

#[test]
fn every_curve() {
    let settings = Settings::default().with_precompute(Precompute::Windows).with_width(5).with_pair_rounds(1);
    for n in [0, 1, 2, 33] {
        agrees::<Bls12_377G2>(device(2), &settings, Kind::Random, n);
        agrees::<Bn254G2>(device(0), &settings, Kind::Random, n);
        let halves = settings.with_precompute(Precompute::Glv);
        agrees::<Bls12_377G2>(device(0), &halves, Kind::Random, n);
        agrees::<Bls12_381G2>(device(1), &halves, Kind::Random, n);
    }
}

/// Forms of published programs.
#[test]
fn other_forms_give_the_same() {
    let plain = Settings::default().with_width(3);
    let two = plain.with_addends(Addends::Two);
    for kind in [Kind::Random, Kind::EqualPoints, Kind::Opposite] {
        agrees::<Bn254G2>(device(0), &two.with_accumulators(Accumulators::Workgroup), kind, 9);
        let each = plain.with_balance(Balance::BucketEach).with_reduction(Reduction::PrefixSums);
        agrees::<Bn254G2>(device(2), &each.with_coordinates(&HOMOGENEOUS), kind, 9);
    }
    let scheme = scheme::<Bn254G2>(4, Precompute::Plain, 1);
    let digits = plain.with_reduction(Reduction::Layers(4));
    reduction_alone_matches(&Bench::<Bn254G2>::with_settings(
        device(0),
        digits,
        (Kind::Random, 9),
        scheme,
        (8, 0),
    ));
    additions_match(&Bench::<Bn254G2>::with_settings(device(0), digits, (Kind::AllEqual, 9), scheme, (8, 0)));
}

/// Coordinates with an element that is 0, whose opposite could be written as p. The points are on some curve
/// y^2 = x^3 + b, whose b no formula has.
#[test]
fn elements_that_are_0_are_equal_to_their_opposites() {
    let mut random = StdRng::seed_from_u64(1);
    let real = |x: ark_bls12_381::Fq| ark_bls12_381::Fq2::new(x, AdditiveGroup::ZERO);
    let other = |x: ark_bls12_381::Fq| ark_bls12_381::Fq2::new(AdditiveGroup::ZERO, x);
    for element in [&real as &dyn Fn(_) -> _, &other] {
        let [x, y] = [(); 2].map(|()| element(UniformRand::rand(&mut random)));
        let point = Affine::<Bls12_381G2>::new_unchecked(x, y);
        // P + P as P - (-P), and P - P.
        for signs in [[1i64, -1], [-1, -1], [1, 1]] {
            let points = [point, -point];
            let scalars = signs.map(ark_bls12_381::Fr::from);
            let expected: Projective<Bls12_381G2> = points
                .iter()
                .zip(signs)
                .map(|(p, sign)| if sign < 0 { -p.into_group() } else { p.into_group() })
                .sum();
            for rounds in [0, 1] {
                let settings = Settings::default().with_width(4).with_pair_rounds(rounds);
                let device = crate::Device::Gpu(device(rounds as usize).clone());
                let sum = crate::msm::multiply_unchecked(&device, &settings, &points, &scalars).unwrap();
                assert_eq!(sum, expected.into_affine(), "{signs:?} {rounds}");
            }
        }
    }
}

/// Random points of the curve, those of the order of the cofactor, and their sums with points inside.
#[test]
fn points_outside_the_subgroup_are_found() {
    fn check<C: Curve>(gpu: &Gpu) {
        let mut points = Known::<C>::random(66, 3).points;
        points[5] = Affine::identity();
        assert_eq!(first_outside(gpu, &points).unwrap(), None);
        let mut random = StdRng::seed_from_u64(2);
        let mut other = || loop {
            let x = C::BaseField::rand(&mut random);
            if let Some(point) = Affine::<C>::get_point_from_x_unchecked(x, false) {
                return point;
            }
        };
        for place in [65, 64, 63, 0] {
            let point = other();
            let cleared = double_and_add_affine(&point, C::ScalarField::MODULUS.as_ref()).into_affine();
            let outside = [point, cleared, (cleared + points[7]).into_affine()][place % 3];
            assert!(!C::in_subgroup(&outside));
            points[place] = outside;
            assert_eq!(first_outside(gpu, &points).unwrap(), Some(place), "{}", C::NAME);
        }
    }
    check::<Bls12_381G2>(device(0));
    check::<Bls12_377G2>(device(2));
    check::<Bn254G2>(device(1));
}

#[test]
fn bases_are_used_again_and_by_prefixes() {
    let known = Known::<Bn254G2>::random(40, 1);
    let scalars = crate::msm::tests::samples::sample::<Bn254G2>(Kind::Random, 40).scalars;
    let bases = prepare(device(0), &Settings::default().with_width(5), &known.points).unwrap();
    let vectors = [&scalars[..], &scalars[..7], &[], &scalars[10..]];
    assert_eq!(bases.run_many(&vectors).unwrap(), vectors.map(|scalars| known.sum(scalars)));
}

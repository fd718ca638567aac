//! The laws of every curve: constants, generator, order, cofactor, subgroup.

use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::AdditiveGroup;
use ark_ff::{BigInteger, Field, UniformRand, Zero};
use ark_std::rand::rngs::StdRng;
use ark_std::rand::{Rng, SeedableRng};

use super::*;
use crate::field::PrimeOf;

/// A random point of the curve, almost surely outside the subgroup where the cofactor is not 1.
fn random_point<C: Curve>(rng: &mut StdRng) -> Affine<C> {
    loop {
        let x = C::BaseField::rand(rng);
        if let Some(point) = Affine::get_point_from_x_unchecked(x, rng.r#gen()) {
            return point;
        }
    }
}

fn order<C: Curve>() -> Vec<u64> {
    C::ScalarField::MODULUS.as_ref().to_vec()
}

fn times<C: Curve>(point: &Affine<C>, factor: &[u64]) -> Projective<C> {
    ark_ec::scalar_mul::double_and_add_affine(point, factor)
}

fn generator_has_order_r<C: Curve>() {
    let g = Affine::<C>::generator();
    assert!(g.is_on_curve() && !g.is_zero());
    assert!(times(&g, &order::<C>()).is_zero());
    assert!(C::in_subgroup(&g) && C::in_subgroup(&Affine::identity()));
    assert!(PrimeOf::<C::BaseField>::MODULUS.num_bits() <= 384 && C::ScalarField::MODULUS.num_bits() <= 255);
    assert!(C::COEFF_A.is_zero() && !C::COEFF_B.is_zero());
}

fn cofactor_clears<C: Curve>(rng: &mut StdRng) {
    let inverse = C::ScalarField::from_le_bytes_mod_order(
        &C::COFACTOR.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>(),
    ) * C::COFACTOR_INV;
    assert_eq!(inverse, C::ScalarField::ONE);
    let cleared = times(&random_point::<C>(rng), C::COFACTOR).into_affine();
    assert!(times(&cleared, &order::<C>()).is_zero());
    assert!(C::in_subgroup(&cleared) && !cleared.is_zero());
}

fn subgroup_test_agrees_with_the_definition<C: Curve>(rng: &mut StdRng) {
    for _ in 0..8 {
        let inside = (Affine::<C>::generator() * C::ScalarField::rand(rng)).into_affine();
        for point in [inside, random_point(rng), (random_point::<C>(rng) + inside).into_affine()] {
            assert_eq!(C::in_subgroup(&point), times(&point, &order::<C>()).is_zero(), "{point}");
        }
    }
}

/// Points whose order divides the cofactor, or that and r, but not r alone.
fn multiples_of_other_points_are_outside<C: Curve>(rng: &mut StdRng) {
    for _ in 0..4 {
        let outside = times(&random_point::<C>(rng), &order::<C>()).into_affine();
        let inside = (Affine::<C>::generator() * C::ScalarField::rand(rng)).into_affine();
        for point in [outside, -outside, (outside + inside).into_affine()] {
            assert!(
                point.is_on_curve() && (!C::in_subgroup(&point) || outside.is_zero()),
                "{} {point}",
                C::NAME
            );
            let map = C::ENDOMORPHISM.unwrap();
            assert!(!map.acts_as_power(&point) || outside.is_zero(), "{} {point}", C::NAME);
            assert!(map.acts_as_power(&inside), "{}", C::NAME);
        }
    }
}

#[test]
fn points_of_the_order_of_the_cofactor_are_outside() {
    let mut rng = StdRng::seed_from_u64(5);
    multiples_of_other_points_are_outside::<Bls12_381>(&mut rng);
    multiples_of_other_points_are_outside::<Bls12_381G2>(&mut rng);
    multiples_of_other_points_are_outside::<Bls12_377G2>(&mut rng);
    multiples_of_other_points_are_outside::<Bn254G2>(&mut rng);
}

/// The factors of the endomorphisms of G2 follow from the curves' equations: x^3 b and y^2 b become x^3 and y^2, up to the
/// conjugation of b.
#[test]
fn endomorphisms_map_the_curve_to_itself() {
    fn check<C: Curve>() {
        let map = C::ENDOMORPHISM.unwrap();
        assert_eq!(
            map.x * map.x * map.x * C::COEFF_B.frobenius_map(1),
            map.y * map.y * C::COEFF_B.frobenius_map(1)
        );
        assert_eq!(map.y * map.y * C::COEFF_B.frobenius_map(1), C::COEFF_B, "{}", C::NAME);
    }
    check::<Bls12_381>();
    check::<Bls12_377>();
    check::<Bls24_315>();
    check::<Bls12_381G2>();
    check::<Bls12_377G2>();
    check::<Bn254G2>();
}

/// Halving multiplies by M, and the halves of a scalar make it up.
#[test]
fn halves_make_up_scalars() {
    fn check<C: Curve>(rng: &mut StdRng) {
        let halving = C::halving().unwrap();
        let m = C::ScalarField::from(halving.factor);
        assert_eq!(m * m - m + C::ScalarField::ONE, C::ScalarField::ZERO, "{}", C::NAME);
        let least = (-C::ScalarField::ONE / C::ScalarField::from(2u64)).into_bigint();
        let mut scalars = vec![least, C::ScalarField::ZERO.into_bigint(), m.into_bigint()];
        for near in [m, m / C::ScalarField::from(2u64), C::ScalarField::from(halving.factor / 2)] {
            scalars.extend([-C::ScalarField::ONE, C::ScalarField::ONE].map(|one| (near + one).into_bigint()));
        }
        scalars.extend((0..50).map(|_| C::ScalarField::rand(rng).into_bigint()));
        for k in scalars.into_iter().filter(|k| *k <= least) {
            let halves = halving.halves(&k);
            assert!(halves.iter().all(|(half, _)| *half <= halving.factor.div_ceil(2)), "{} {k}", C::NAME);
            assert!(halves.iter().all(|(half, _)| half >> halving.bits() == 0), "{} {k}", C::NAME);
            let [low, high] = halves.map(|(half, is_negative)| {
                let half = C::ScalarField::from(half);
                if is_negative { -half } else { half }
            });
            assert_eq!((low + high * m).into_bigint(), k, "{}", C::NAME);
        }
        for _ in 0..5 {
            let point = (Affine::<C>::generator() * C::ScalarField::rand(rng)).into_affine();
            let image = Affine::<C>::new_unchecked(halving.x * point.x, halving.y * point.y);
            assert_eq!((point * m).into_affine(), image, "{}", C::NAME);
        }
        for factor in [halving.x, halving.y] {
            assert!(factor.to_base_prime_field_elements().skip(1).all(|part| part.is_zero()), "{}", C::NAME);
        }
    }
    let rng = &mut StdRng::seed_from_u64(9);
    check::<Bls12_381>(rng);
    check::<Bls12_377>(rng);
    check::<Bls24_315>(rng);
    check::<Bls12_381G2>(rng);
    check::<Bls12_377G2>(rng);
    assert!(Bn254::halving().is_none() && Bn254G2::halving().is_none());
}

/// A point of the small prime order l, where l divides the cofactor.
fn small_order_is_outside<C: Curve>(l: u64, rng: &mut StdRng) {
    let mut rest = C::COFACTOR.iter().rev().fold(0u128, |sum, word| sum << 64 | u128::from(*word));
    while rest % u128::from(l) == 0 {
        rest /= u128::from(l);
    }
    let rest = [rest as u64, (rest >> 64) as u64];
    let mut point = Affine::identity();
    while point.is_zero() {
        point = times(&times(&random_point::<C>(rng), &rest).into_affine(), &order::<C>()).into_affine();
    }
    while !times(&point, &[l]).is_zero() {
        point = times(&point, &[l]).into_affine();
    }
    assert!(!C::in_subgroup(&point));
    assert_eq!(point.y.is_zero(), l == 2);
}

#[test]
fn generators_have_order_r() {
    for name in CurveName::all() {
        crate::with_curve!(name, C => generator_has_order_r::<C>());
    }
}

#[test]
fn cofactors_clear() {
    let mut rng = StdRng::seed_from_u64(1);
    for name in CurveName::all() {
        crate::with_curve!(name, C => cofactor_clears::<C>(&mut rng));
    }
}

#[test]
fn subgroup_tests_agree_with_the_definition() {
    let mut rng = StdRng::seed_from_u64(2);
    for name in CurveName::all() {
        crate::with_curve!(name, C => subgroup_test_agrees_with_the_definition::<C>(&mut rng));
    }
}

#[test]
fn points_of_small_order_are_outside() {
    let mut rng = StdRng::seed_from_u64(3);
    small_order_is_outside::<Bls12_381>(3, &mut rng);
    small_order_is_outside::<Bls12_377>(2, &mut rng);
    small_order_is_outside::<Bls12_377>(3, &mut rng);
    small_order_is_outside::<Bls24_315>(2, &mut rng);
    small_order_is_outside::<Bls24_315>(3, &mut rng);
}

/// The parameters that the files state give the fields that they name.
#[test]
fn fields_follow_from_their_parameters() {
    use dashu_int::IBig;
    let of = |words: &[u64]| words.iter().rev().fold(IBig::ZERO, |sum, word| (sum << 64) + IBig::from(*word));
    let check = |u: IBig, k: usize, p: &[u64], r: &[u64], h: &[u64]| {
        let expected_r: IBig = u.pow(2 * k) - u.pow(k) + IBig::ONE;
        let v: IBig = &u - IBig::ONE;
        assert_eq!(of(r), expected_r);
        assert_eq!(of(p), v.pow(2) * expected_r / IBig::from(3) + u);
        assert_eq!(of(h), v.pow(2) / IBig::from(3));
    };
    fn modulus<F: PrimeField>() -> Vec<u64> {
        F::MODULUS.as_ref().to_vec()
    }
    use ark_ec::CurveConfig;
    check(
        -IBig::from(0xd201_0000_0001_0000_u64),
        2,
        &modulus::<ark_bls12_381::Fq>(),
        &modulus::<ark_bls12_381::Fr>(),
        Bls12_381::COFACTOR,
    );
    check(
        IBig::from(0x8508_c000_0000_0001_u64),
        2,
        &modulus::<ark_bls12_377::Fq>(),
        &modulus::<ark_bls12_377::Fr>(),
        Bls12_377::COFACTOR,
    );
    check(
        -IBig::from(0xbfcf_ffff_u64),
        4,
        &modulus::<BaseField<Bls24_315>>(),
        &modulus::<ScalarField<Bls24_315>>(),
        Bls24_315::COFACTOR,
    );
}

#[test]
fn words_go_both_ways() {
    let mut rng = StdRng::seed_from_u64(4);
    let x = ark_bn254::Fq::rand(&mut rng);
    assert_eq!(ark_bn254::Fq::from_words(x.words()), Some(x));
    assert_eq!(ark_bn254::Fq::from_words(ark_bn254::Fq::MODULUS.as_ref()), None);
    assert_eq!(ark_bn254::Fq::from_words(&[0; 5]), None);
}

#[test]
fn names_go_both_ways() {
    for name in CurveName::all() {
        assert_eq!(name.to_string().parse::<CurveName>().unwrap(), name);
        assert_eq!(serde_json::to_value(name).unwrap(), name.as_str());
    }
    // snarkjs' names, and other spellings of the same letters and digits.
    for (names, curve) in [
        (&["BN254", "bn-128", "bn128", "alt_bn128", "altbn-128", "ALT_BN128"][..], CurveName::Bn254),
        (&["bn128-g2", "alt_bn128_g2"], CurveName::Bn254G2),
        (&["bls12381", "BLS12_381", "BLS12-381", "bls-12-381"], CurveName::Bls12_381),
        (&["bls12381g2", "BLS12_381_G2"], CurveName::Bls12_381G2),
    ] {
        names.iter().for_each(|name| assert_eq!(name.parse::<CurveName>().unwrap(), curve, "{name}"));
    }
    for wrong in ["", "bn", "bn256", "bn129", "bls12+381", "bls12/381", "bn128bn128", "altbn"] {
        assert!(wrong.parse::<CurveName>().is_err(), "{wrong}");
    }
    assert_eq!("bls12-382".parse::<CurveName>().unwrap_err().exit_code(), 2);
}

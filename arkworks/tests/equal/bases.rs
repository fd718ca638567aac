//! Multiplications beside ark-ec's.

use ark_ec::{CurveGroup, VariableBaseMSM};
use ark_ff::{BigInt, PrimeField, UniformRand};
use wgalois::Device;
use wgalois::curve::{
    Affine, Bls12_377, Bls12_377G2, Bls12_381, Bls12_381G2, Bn254, Bn254G2, Curve, Projective,
};
use wgalois::msm::Multiplication;
use wgalois::task::Problem;
use wgalois_arkworks::Bases;

use crate::{cpu, gpu, rng};

/// Points of the subgroup, some equal, some opposite, some at infinity.
fn points<C: Curve>(len: usize) -> Vec<Affine<C>> {
    let mut rng = rng(len as u64);
    let mut points: Vec<_> = (0..len).map(|_| Projective::<C>::rand(&mut rng).into_affine()).collect();
    for i in (2..len).step_by(7) {
        points[i] = [points[i - 1], -points[i - 1], Affine::identity()][i % 3];
    }
    points
}

/// Scalars, of which some are 0, 1 and r - 1.
fn scalars<F: PrimeField>(len: usize) -> Vec<F> {
    let mut rng = rng(len as u64 + 1);
    let edges = [F::ZERO, F::ONE, -F::ONE];
    (0..len).map(|i| if i % 5 == 4 { edges[i % 3] } else { F::rand(&mut rng) }).collect()
}

fn sums_are_theirs<C: Curve>(device: &Device, lengths: &[usize]) {
    for &len in lengths {
        let (points, scalars) = (points::<C>(len), scalars::<C::ScalarField>(len));
        let ints: Vec<_> = scalars.iter().map(|scalar| scalar.into_bigint()).collect();
        let sum = |first: usize, scalars: &[C::ScalarField]| {
            <Projective<C> as VariableBaseMSM>::msm_unchecked(&points[first..], scalars)
        };
        let bases = Bases::new(device, &points).unwrap();
        assert_eq!((bases.len(), bases.is_empty()), (len, len == 0));
        assert_eq!(bases.msm(&scalars).unwrap(), sum(0, &scalars), "{} {len}", C::NAME);
        assert_eq!(bases.msm_bigint(&ints).unwrap(), sum(0, &scalars), "{} {len}", C::NAME);
        // Fewer scalars than points, vectors together, ranges.
        let (some, middle) = (&scalars[..len / 2], len / 3);
        assert!(bases.msm(&scalars[..len - len.min(1)]).is_err() || len == 0);
        assert_eq!(bases.msm_unchecked(some).unwrap(), sum(0, some), "{} {len}", C::NAME);
        assert_eq!(
            bases.run_many(&[some, &scalars, &[]]).unwrap(),
            [sum(0, some), sum(0, &scalars), sum(0, &[])]
        );
        assert_eq!(bases.msm_from(middle, some).unwrap(), sum(middle, some));
        let ranges = [(middle, some), (0, &scalars[..]), (len, &scalars[..0])];
        assert_eq!(
            bases.run_many_from(&ranges).unwrap(),
            ranges.map(|(first, scalars)| sum(first, scalars)),
            "{} {len}",
            C::NAME
        );
    }
}

#[test]
fn sums_on_the_cpu_engine() {
    let lengths = [0, 1, 2, 50];
    sums_are_theirs::<Bls12_381>(&cpu(), &lengths);
    sums_are_theirs::<Bls12_381G2>(&cpu(), &lengths);
    sums_are_theirs::<Bls12_377>(&cpu(), &lengths);
    sums_are_theirs::<Bls12_377G2>(&cpu(), &lengths);
    sums_are_theirs::<Bn254>(&cpu(), &lengths);
    sums_are_theirs::<Bn254G2>(&cpu(), &lengths);
}

#[test]
fn sums_on_a_gpu() {
    sums_are_theirs::<Bn254>(&gpu(), &[0, 1, 2, 100]);
    sums_are_theirs::<Bn254G2>(&gpu(), &[50]);
}

#[test]
#[ignore = "compiles the kernels of four curves, which takes minutes on lavapipe"]
fn sums_on_a_gpu_of_the_other_curves() {
    sums_are_theirs::<Bls12_381>(&gpu(), &[50]);
    sums_are_theirs::<Bls12_381G2>(&gpu(), &[50]);
    sums_are_theirs::<Bls12_377>(&gpu(), &[50]);
    sums_are_theirs::<Bls12_377G2>(&gpu(), &[50]);
}

#[test]
fn wrong_points_and_scalars_are_errors() {
    let (points, scalars) = (points::<Bn254>(4), scalars::<ark_bn254::Fr>(5));
    let bases = Bases::new(&cpu(), points.clone()).unwrap();
    assert!(bases.msm(&scalars).is_err_and(|error| error.exit_code() == 3));
    assert!(bases.msm(&scalars[..3]).is_err_and(|error| error.exit_code() == 3));
    assert!(bases.msm_unchecked(&scalars).is_err_and(|error| error.exit_code() == 3));
    assert!(bases.msm_from(1, &scalars[..4]).is_err_and(|error| error.exit_code() == 3));
    assert!(bases.msm_from(usize::MAX, &scalars[..4]).is_err_and(|error| error.exit_code() == 3));
    assert!(bases.run_many(&[&scalars]).is_err_and(|error| error.exit_code() == 3));
    for int in [ark_bn254::Fr::MODULUS, BigInt([u64::MAX; 4])] {
        assert!(bases.msm_bigint(&[int]).is_err_and(|error| error.exit_code() == 3));
    }
    let off = ark_bn254::G1Affine::new_unchecked(1u64.into(), 1u64.into());
    assert!(Bases::new(&cpu(), &[points[0], off]).is_err_and(|error| error.exit_code() == 3));
    Bases::new_unchecked(&cpu(), &[points[0], off]).unwrap();
    // What the library has prepared is of this type, too.
    let prepared =
        Multiplication::new(4).with_vectors(3).plan(&cpu()).unwrap().prepare(&cpu(), &points).unwrap();
    let again = Bases::from(prepared);
    assert_eq!(again.msm(&scalars[..4]).unwrap(), bases.msm(&scalars[..4]).unwrap());
    assert_eq!(again.library().plan().points(), 4);
}

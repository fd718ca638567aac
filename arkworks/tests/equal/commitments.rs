//! Commitments beside ark-poly-commit's.

use ark_bls12_377::Bls12_377;
use ark_bls12_381::Bls12_381;
use ark_bn254::{Bn254, Fr, G1Affine};
use ark_ec::pairing::Pairing;
use ark_ff::{AdditiveGroup, UniformRand};
use ark_poly::univariate::DensePolynomial;
use ark_poly::{DenseUVPolynomial, Polynomial};
use ark_poly_commit::PCCommitmentState;
use ark_poly_commit::kzg10::{KZG10, Powers, Randomness, UniversalParams, VerifierKey};
use ark_std::rand::RngCore;
use wgalois::Device;
use wgalois::curve::PairingCurve;
use wgalois_arkworks::Committer;

use crate::{cpu, gpu, rng};

const DEGREE: usize = 40;

type Poly<E> = DensePolynomial<<E as Pairing>::ScalarField>;

fn powers<E: Pairing>(params: &UniversalParams<E>) -> Powers<'_, E> {
    let powers_of_gamma_g = params.powers_of_gamma_g.values().copied().collect();
    Powers { powers_of_g: params.powers_of_g[..].into(), powers_of_gamma_g }
}

fn commitments_are_theirs<E>(device: &Device)
where
    E: Pairing + PairingCurve<Pairing = E, Scalar = <E as Pairing>::ScalarField>,
{
    let random = &mut rng(1);
    let params = KZG10::<E, Poly<E>>::setup(DEGREE, false, random).unwrap();
    let powers = powers(&params);
    let vk = VerifierKey {
        g: params.powers_of_g[0],
        gamma_g: params.powers_of_gamma_g[&0],
        h: params.h,
        beta_h: params.beta_h,
        prepared_h: params.prepared_h.clone(),
        prepared_beta_h: params.prepared_beta_h.clone(),
    };
    let committer = Committer::<E>::new(device, &powers).unwrap();
    assert_eq!(committer.size(), powers.size());
    // Also the zero polynomial, and one whose lowest coefficients are 0.
    let mut high = Poly::<E>::rand(DEGREE, random);
    high.coeffs[..7].fill(E::ScalarField::ZERO);
    let polynomials = [Poly::<E>::from_coefficients_vec(vec![]), high]
        .into_iter()
        .chain([0, 1, 10, DEGREE].map(|degree| Poly::<E>::rand(degree, random)));
    let polynomials: Vec<_> = polynomials.collect();
    for p in &polynomials {
        let z = E::ScalarField::rand(random);
        for hiding_bound in [None, Some(1), Some(DEGREE)] {
            let (mut first, mut second) = (rng(2), rng(2));
            let theirs = KZG10::commit(&powers, p, hiding_bound, Some(&mut first)).unwrap();
            let ours = committer.commit(p, hiding_bound, Some(&mut second)).unwrap();
            assert_eq!(ours, theirs, "{} {hiding_bound:?}", p.degree());
            assert_eq!(first.next_u64(), second.next_u64());
            let proof = committer.open(p, z, &ours.1).unwrap();
            assert_eq!(
                proof,
                KZG10::open(&powers, p, z, &theirs.1).unwrap(),
                "{} {hiding_bound:?}",
                p.degree()
            );
            let check = |value| KZG10::<E, Poly<E>>::check(&vk, &ours.0, z, value, &proof).unwrap();
            let value = p.evaluate(&z);
            assert!(check(value) && !check(value + E::ScalarField::from(1u64)));
        }
    }
    let together = committer.commit_many(&polynomials.iter().collect::<Vec<_>>()).unwrap();
    for (p, commitment) in polynomials.iter().zip(together) {
        assert_eq!(commitment, KZG10::commit(&powers, p, None, None).unwrap().0);
    }
}

#[test]
fn commitments_on_the_cpu_engine() {
    commitments_are_theirs::<Bls12_381>(&cpu());
    commitments_are_theirs::<Bls12_377>(&cpu());
    commitments_are_theirs::<Bn254>(&cpu());
}

#[test]
fn commitments_on_a_gpu() {
    commitments_are_theirs::<Bn254>(&gpu());
}

#[test]
fn what_the_powers_do_not_cover_is_an_error() {
    let random = &mut rng(3);
    let params = KZG10::<Bn254, Poly<Bn254>>::setup(4, false, random).unwrap();
    let powers = powers(&params);
    let committer = Committer::<Bn254>::new(&cpu(), &powers).unwrap();
    let (short, long) = (Poly::<Bn254>::rand(4, random), Poly::<Bn254>::rand(5, random));
    let none = Randomness::<Fr, Poly<Bn254>>::empty();
    assert!(committer.commit(&long, None, None).is_err_and(|error| error.exit_code() == 3));
    assert!(committer.commit_many(&[&short, &long]).is_err_and(|error| error.exit_code() == 3));
    // The quotient has a coefficient less, but a polynomial that has no commitment has no proof.
    assert!(committer.open(&long, Fr::from(1), &none).is_err_and(|error| error.exit_code() == 3));
    assert!(committer.commit(&short, Some(1), None).is_err_and(|error| error.exit_code() == 2));
    for bound in [5, usize::MAX] {
        assert!(
            committer.commit(&short, Some(bound), Some(random)).is_err_and(|error| error.exit_code() == 3)
        );
    }
    let hidden = Randomness::<Fr, Poly<Bn254>>::rand(20, false, None, random);
    assert!(committer.open(&short, Fr::from(1), &hidden).is_err_and(|error| error.exit_code() == 3));
    let mut off = params.powers_of_g.clone();
    off[2] = G1Affine::new_unchecked(1u64.into(), 1u64.into());
    let off = Powers { powers_of_g: off.into(), ..powers.clone() };
    assert!(Committer::<Bn254>::new(&cpu(), &off).is_err_and(|error| error.exit_code() == 3));
}

//! Wrong witnesses, public values, keys and proofs are refused.

use std::iter::zip;

use ark_ec::CurveGroup;
use ark_ff::Field;

use super::*;
use wgalois::Error;
use wgalois::curve::{Affine, Projective};

#[test]
fn wrong_witnesses_values_keys_and_proofs_are_refused() {
    let (circuit, witness) = chain::<ark_bn254::Fr>(10, 3);
    let key = setup::<Bn>().key(&circuit, Basis::OddRoots).unwrap();
    let prover = prover(&key, &cpu());
    let public = prover.public(&witness).unwrap();
    let proofs = prover.prove_many(&[&witness, &witness]).unwrap();
    let (proof, other) = (&proofs[0], &proofs[1]);
    assert_ne!(proof, other);
    let verifying = prover.verifying();
    for proof in [proof, other] {
        verifying.check(proof, public).unwrap();
        prover.verifier().check(proof, public).unwrap();
    }
    let refused = |key: &VerifyingKey<Bn>, proof: &Proof<Bn>, public: &[ark_bn254::Fr]| {
        assert!(matches!(key.check(proof, public), Err(Error::Check(_))));
        assert!(matches!(Verifier::new(key.clone()).check(proof, public), Err(Error::Check(_))));
    };
    // A witness changed anywhere but in the constant violates a constraint.
    for i in 1..witness.len() {
        let mut changed = witness.to_vec();
        changed[i] += ark_bn254::Fr::from(1u64);
        assert!(circuit.first_violated(&changed).unwrap().is_some());
        let proof = prover.prove(&changed).unwrap();
        refused(verifying, &proof, prover.public(&changed).unwrap());
    }
    refused(verifying, proof, &[public[1], public[0]]);
    refused(verifying, &Proof { a: other.a, ..*proof }, public);
    refused(verifying, &Proof { b: other.b, ..*proof }, public);
    refused(verifying, &Proof { c: other.c, ..*proof }, public);
    refused(verifying, &Proof { a: Affine::identity(), ..*proof }, public);
    refused(&VerifyingKey { delta: verifying.beta, ..verifying.clone() }, proof, public);
    // Points off the curve and outside the subgroup.
    let x = (1u64..).map(ark_bn254::Fq2::from);
    let mut points = x.filter_map(|x| ark_bn254::G2Affine::get_point_from_x_unchecked(x, true));
    let outside = points.next().unwrap();
    assert!(!outside.is_in_correct_subgroup_assuming_on_curve());
    refused(verifying, &Proof { b: outside, ..*proof }, public);
    refused(verifying, &Proof { a: Affine::new_unchecked(1u64.into(), 1u64.into()), ..*proof }, public);
    assert!(VerifyingKey { gamma: outside, ..verifying.clone() }.check_members().is_err());
    // Sizes.
    assert!(matches!(verifying.check(proof, &public[1..]), Err(Error::WrongLength { .. })));
    let fewer = prover.verifier().check(proof, &public[1..]);
    assert!(matches!(fewer, Err(Error::WrongLength { .. })));
    assert!(matches!(prover.prove(&witness[1..]), Err(Error::WrongLength { .. })));
    let mut not_one = witness.to_vec();
    not_one[0] += ark_bn254::Fr::from(1u64);
    assert!(matches!(prover.prove(&not_one), Err(Error::Value { .. })));
    assert!(matches!(prover.prove_with(&[&witness], &[]), Err(Error::WrongLength { .. })));
    let mut short = key.clone();
    short.queries.quotient.pop();
    let plan = Proving::of(&key).plan(&cpu()).unwrap();
    assert!(matches!(Prover::new(&cpu(), &plan, short), Err(Error::WrongLength { .. })));
}

/// A proof that anybody can make for a key without the second phase: A is alpha, B is beta, and C cancels the public values.
fn forged<E: PairingCurve>(key: &VerifyingKey<E>, public: &[E::Scalar], factor: E::Scalar) -> Proof<E> {
    let sum =
        zip(&key.public[1..], public).fold(Projective::from(key.public[0]), |sum, (base, x)| sum + *base * x);
    Proof { a: key.alpha, b: key.beta, c: (-(sum * factor)).into_affine() }
}

fn keys_without_a_second_phase_are_refused<E: PairingCurve>() {
    let (circuit, witness) = chain::<E::Scalar>(5, 3);
    let (one, gamma) = (E::Scalar::ONE, setup::<E>().gamma);
    // Gamma, delta, and what cancels the public values: gamma / delta.
    let cases = [
        (one, one, one, Weakness::DeltaIsGamma),
        (gamma, gamma, one, Weakness::DeltaIsGamma),
        (gamma, -gamma, -one, Weakness::DeltaIsGamma),
        (gamma, one, gamma, Weakness::DeltaIsGenerator),
        (gamma, -one, -gamma, Weakness::DeltaIsGenerator),
    ];
    for (gamma, delta, factor, weakness) in cases {
        let key = Setup { gamma, delta, ..setup::<E>() }.key(&circuit, Basis::OddRoots).unwrap();
        let verifying = &key.verifying;
        assert_eq!(verifying.weakness(), Some(weakness));
        verifying.check_members().unwrap();
        // No witness has these public values, and the equation holds.
        let public = [E::Scalar::from(123u64), E::Scalar::from(4u64)];
        let forged = forged(verifying, &public, factor);
        let prover = prover(&key, &cpu());
        let (real, values) = (prover.prove(&witness).unwrap(), prover.public(&witness).unwrap());
        for (proof, public) in [(&forged, &public[..]), (&real, values)] {
            for outcome in [verifying.check(proof, public), prover.verifier().check(proof, public)] {
                let error = outcome.unwrap_err();
                assert!(error.exit_code() == 3 && error.to_string().contains("forge"), "{error}");
            }
            let equations =
                [verifying.check_equation(proof, public), prover.verifier().check_equation(proof, public)];
            for guarantee in equations {
                assert!(guarantee.unwrap().claim().contains("no knowledge of a witness"));
            }
        }
        // Of other values it does not hold.
        let other = verifying.check_equation(&forged, values);
        assert!(matches!(other, Err(Error::Check(_))));
    }
    // The same forgery is refused by a key of a whole setup.
    let key = setup::<E>().key(&circuit, Basis::OddRoots).unwrap().verifying;
    assert_eq!(key.weakness(), None);
    key.check_strength().unwrap();
    let public = [E::Scalar::from(123u64), E::Scalar::from(4u64)];
    for factor in [one, -one, gamma, -gamma] {
        let outcome = key.check(&forged(&key, &public, factor), &public);
        assert!(matches!(outcome, Err(Error::Check(_))));
    }
}

#[test]
fn keys_for_which_anybody_forges_proofs_are_refused() {
    keys_without_a_second_phase_are_refused::<Bn>();
    keys_without_a_second_phase_are_refused::<Bls>();
}

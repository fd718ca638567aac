//! Proofs are those of the paper: its equations hold in the exponents, also of circuits of which a part is empty.

use std::iter::zip;

use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, Field, PrimeField};

use super::*;
use wgalois::curve::{Affine, Projective};

/// The root of order n by which a key numbers its constraints, by the definition.
fn root<F: PrimeField>(n: u64, basis: Basis) -> F {
    match basis {
        Basis::Powers => F::get_root_of_unity(n).unwrap(),
        Basis::OddRoots => {
            let residue = (2u64..).map(F::from).find(|value| value.legendre().is_qnr()).unwrap();
            (n.ilog2()..F::TWO_ADICITY).fold(residue.pow(F::TRACE), |root, _| root.square())
        }
    }
}

/// The proof in the exponents: the paper's equations, with polynomials interpolated by their definition.
fn exponents<E: PairingCurve>(
    circuit: &Circuit<E::Scalar>,
    witness: &[E::Scalar],
    basis: Basis,
    (r, s): (E::Scalar, E::Scalar),
) -> [E::Scalar; 3] {
    let Setup { tau, alpha, beta, delta, .. } = setup::<E>();
    let known = circuit.public + 1;
    let n = (circuit.constraints.len() + known).next_power_of_two();
    let root: E::Scalar = root(n as u64, basis);
    let roots: Vec<_> = (0..n as u64).map(|i| root.pow([i])).collect();
    let lagrange: Vec<E::Scalar> = (0..n)
        .map(|i| (0..n).filter(|&j| j != i).map(|j| (tau - roots[j]) / (roots[i] - roots[j])).product())
        .collect();
    // The polynomials of every variable at tau.
    let mut polynomials = vec![[E::Scalar::ZERO; 3]; circuit.variables];
    for (rows, at) in zip(&circuit.constraints, &lagrange) {
        for (part, row) in rows.iter().enumerate() {
            for (factor, variable) in row {
                polynomials[*variable as usize][part] += *factor * at;
            }
        }
    }
    for (i, polynomials) in polynomials[..known].iter_mut().enumerate() {
        polynomials[0] += lagrange[circuit.constraints.len() + i];
    }
    let sum = |part: usize| -> E::Scalar { zip(&polynomials, witness).map(|(p, w)| p[part] * w).sum() };
    let [a, b, c] = [0, 1, 2].map(sum);
    let secret: E::Scalar =
        zip(&polynomials, witness).skip(known).map(|([a, b, c], w)| (beta * a + alpha * b + c) * w).sum();
    // h(tau) Z(tau) = a b - c.
    let (first, second) = (alpha + a + r * delta, beta + b + s * delta);
    [first, second, (secret + a * b - c) / delta + s * first + r * second - r * s * delta]
}

fn proofs_are_those_of_the_paper<E: PairingCurve>(device: &Device) {
    for (basis, constraints) in
        [(Basis::OddRoots, 5), (Basis::Powers, 5), (Basis::OddRoots, 13), (Basis::Powers, 1)]
    {
        let (circuit, witness) = chain::<E::Scalar>(constraints, 7);
        assert_eq!(circuit.first_violated(&witness).unwrap(), None);
        let key = setup::<E>().key(&circuit, basis).unwrap();
        let prover = prover(&key, device);
        let random = (E::Scalar::from(1234u64).pow([20u64]), E::Scalar::from(77u64));
        let proof = &prover.prove_with(&[&witness], &[random]).unwrap()[0];
        prover.verifying().check(proof, prover.public(&witness).unwrap()).unwrap();
        let [a, b, c] = exponents::<E>(&circuit, &witness, basis, random);
        assert_eq!(
            proof.a,
            (Projective::from(Affine::<E::G1>::generator()) * a).into_affine(),
            "a of {basis:?}, {constraints}"
        );
        assert_eq!(
            proof.b,
            (Projective::from(Affine::<E::G2>::generator()) * b).into_affine(),
            "b of {basis:?}, {constraints}"
        );
        assert_eq!(
            proof.c,
            (Projective::from(Affine::<E::G1>::generator()) * c).into_affine(),
            "c of {basis:?}, {constraints}"
        );
    }
}

#[test]
fn proofs_on_the_cpu_engine_are_those_of_the_paper() {
    proofs_are_those_of_the_paper::<Bn>(&cpu());
    proofs_are_those_of_the_paper::<Bls>(&cpu());
}

#[test]
fn proofs_on_a_gpu_are_those_of_the_paper() {
    proofs_are_those_of_the_paper::<Bn>(&gpu());
}

fn circuits_with_empty_parts_are_proved<E: PairingCurve>(device: &Device) {
    for (name, circuit, witness) in circuits_with_empty_parts::<E::Scalar>() {
        assert_eq!(circuit.first_violated(&witness).unwrap(), None, "{name}");
        for basis in [Basis::OddRoots, Basis::Powers] {
            let key = setup::<E>().key(&circuit, basis).unwrap();
            let plan = Proving::of(&key).with_proofs(2).plan(device);
            let plan = plan.unwrap_or_else(|error| panic!("{name}, {basis:?}: {error}"));
            Prover::compile(device, &plan, true).unwrap();
            let prover = Prover::new(device, &plan, key).unwrap();
            let random = [3, 4].map(|r| (E::Scalar::from(1234u64 + r), E::Scalar::from(77u64)));
            let proofs = prover.prove_with(&[&witness, &witness], &random);
            let proofs = proofs.unwrap_or_else(|error| panic!("{name}, {basis:?}: {error}"));
            for (proof, random) in zip(&proofs, random) {
                prover.verifying().check(proof, prover.public(&witness).unwrap()).unwrap();
                let [a, _, c] = exponents::<E>(&circuit, &witness, basis, random);
                let generator = Projective::from(Affine::<E::G1>::generator());
                assert_eq!(
                    [proof.a, proof.c],
                    [a, c].map(|x| (generator * x).into_affine()),
                    "{name}, {basis:?}"
                );
            }
        }
    }
}

#[test]
fn circuits_with_empty_parts_are_proved_by_the_cpu_engine() {
    circuits_with_empty_parts_are_proved::<Bn>(&cpu());
    circuits_with_empty_parts_are_proved::<Bls>(&cpu());
}

#[test]
fn circuits_with_empty_parts_are_proved_by_a_gpu() {
    circuits_with_empty_parts_are_proved::<Bn>(&gpu());
}

#[test]
fn circuits_with_empty_parts_are_proved_by_a_group() {
    let members = [0, 1].map(|_| crate::test_devices::open_another(wgalois::gpu::Options::default()));
    circuits_with_empty_parts_are_proved::<Bn>(&Device::Group(wgalois::Group::new(members.into()).unwrap()));
}

//! Proofs of circuits of bits, in every way from the largest memory to the least.

use std::collections::BTreeSet;

use ark_ff::Field;

use super::evaluated_tests::compacted;
use super::tests::{cpu, gpu, setup};
use super::*;
use wgalois::curve::PairingCurve;
use wgalois::task::{Problem, Profile};
use wgalois::{Device, Error};

type Bn = ark_bn254::Bn254;
type Bls = ark_bls12_381::Bls12_381;

/// The key of a shaped circuit, and three different witnesses.
fn shaped<E: PairingCurve>(
    domain: usize,
    (bits, density): (f64, f64),
    basis: Basis,
) -> (ProvingKey<E>, Vec<Witness<E::Scalar>>) {
    let shaped = Shaped::<E::Scalar>::new(domain, bits, density, 9).unwrap();
    let mut constraints = Vec::new();
    shaped.each(&mut |rows| constraints.push(rows.clone()));
    let circuit = Circuit { variables: shaped.variables(), public: shaped.public(), constraints };
    let witnesses = (1..=3).map(|number| shaped.witness(number)).collect();
    let key = setup::<E>().key(&circuit, basis).unwrap();
    // The bases of variables without a polynomial may be left out, as bellman does.
    let key = if basis == Basis::Powers { compacted(&key).with_rows(&circuit).unwrap() } else { key };
    (key, witnesses)
}

#[test]
fn keys_that_leave_variables_out_give_the_same_proofs() {
    let shaped = Shaped::<<Bn as PairingCurve>::Scalar>::new(64, 0.9, 0.25, 9).unwrap();
    let mut constraints = Vec::new();
    shaped.each(&mut |rows| constraints.push(rows.clone()));
    let circuit = Circuit { variables: shaped.variables(), public: shaped.public(), constraints };
    let whole = setup::<Bn>().key(&circuit, Basis::Powers).unwrap();
    let compact = compacted(&whole).with_rows(&circuit).unwrap();
    assert_eq!((compact.queries.a.len(), compact.queries.b.len()), (61, 15));
    let witnesses: Vec<_> = (1..=3).map(|number| shaped.witness(number)).collect();
    for device in [cpu(), gpu()] {
        let of =
            |key| prove(&device, &Proving::of(key).with_proofs(3).plan(&device).unwrap(), key, &witnesses);
        assert!(of(&compact) == of(&whole));
    }
    // Another number of bases than the rows have variables.
    let mut short = compact.clone();
    short.queries.b.pop();
    short.queries.b2.pop();
    assert!(matches!(short.check_sizes(), Err(Error::WrongLength { .. })));
    let (other, _) = chain(60, 1);
    assert!(matches!(compacted(&whole).with_rows(&other), Err(Error::WrongLength { .. })));
}

fn random<E: PairingCurve>() -> Vec<(E::Scalar, E::Scalar)> {
    let scalar = |i: u64| E::Scalar::from(i + 77).pow([19u64]);
    (0..3).map(|i| (scalar(i), scalar(i + 9))).collect()
}

fn prove<E: PairingCurve>(
    device: &Device,
    plan: &ProvingPlan<E>,
    key: &ProvingKey<E>,
    witnesses: &[Witness<E::Scalar>],
) -> Vec<Proof<E>> {
    let prover = Prover::new(device, plan, key.clone()).unwrap();
    let witnesses: Vec<&[E::Scalar]> = witnesses.iter().map(|witness| &witness[..]).collect();
    let proofs = prover.prove_with(&witnesses, &random::<E>()).unwrap();
    for (proof, witness) in proofs.iter().zip(&witnesses) {
        prover.verifying().check(proof, prover.public(witness).unwrap()).unwrap();
    }
    proofs
}

/// The proofs of plans for less and less memory of the device are those of the CPU engine. Returns the names of the ways taken,
/// with the numbers of parts.
fn less_memory_gives_the_same_proofs<E: PairingCurve>(
    domain: usize,
    (bits, density): (f64, f64),
    basis: Basis,
) -> BTreeSet<String> {
    let (key, witnesses) = shaped::<E>(domain, (bits, density), basis);
    let problem = Proving::of(&key).with_proofs(3).with_bits(bits);
    let expected = prove(&cpu(), &problem.plan(&cpu()).unwrap(), &key, &witnesses);
    let (device, mut seen) = (gpu(), BTreeSet::new());
    let whole = problem.plan(&device).unwrap();
    let mut memory = whole.cost().device_bytes;
    loop {
        let profile = Profile { device_memory: memory, ..device.profile() };
        match problem.plan_for(&profile) {
            Ok(plan) => {
                assert!(plan.cost().device_bytes <= memory);
                let text = plan.to_string();
                let lines = text
                    .lines()
                    .filter(|line| line.starts_with("bases") || line.contains("on the device at a time"));
                let form = format!("{}: {}", plan.name(), lines.collect::<Vec<_>>().join("; "));
                if seen.insert(form.clone()) {
                    assert!(prove(&device, &plan, &key, &witnesses) == expected, "{form}");
                }
            }
            Err(error) => {
                let Error::OutOfMemory(shortage) = &error else { panic!("{error}") };
                let enough = shortage.needed.unwrap();
                assert!(enough > memory, "{error}");
                problem.plan_for(&Profile { device_memory: enough, ..profile }).unwrap();
                return seen;
            }
        }
        memory /= 2;
    }
}

#[test]
fn proofs_of_bits_are_the_same_in_any_memory() {
    // The smallest parts have half of these bases.
    let ways = less_memory_gives_the_same_proofs::<Bn>(1 << 13, (0.99, 0.25), Basis::Powers);
    let has = |what: &str| ways.iter().any(|way| way.contains(what));
    assert!(has("on one GPU: ") && has("in turn") && has("one vector"), "{ways:?}");
    for (bits, density) in [(0.0, 1.0), (1.0, 0.0)] {
        less_memory_gives_the_same_proofs::<Bn>(64, (bits, density), Basis::OddRoots);
    }
}

#[test]
fn proofs_of_bits_over_bls12_381() {
    less_memory_gives_the_same_proofs::<Bls>(64, (0.9, 0.5), Basis::Powers);
}

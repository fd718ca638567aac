//! Proofs by keys without constraints, and without the points of variables whose polynomials are 0.

use ark_ec::AffineRepr;
use ark_ff::PrimeField;

use super::tests::{circuits_with_empty_parts, cpu, gpu, prover, setup, witness_of};
use super::*;
use wgalois::curve::{Affine, PairingCurve};
use wgalois::{Device, Error};

type Bn = ark_bn254::Bn254;
type Bls = ark_bls12_381::Bls12_381;

/// The key without constraints and without points at infinity, as bellman makes it.
pub(crate) fn compacted<E: PairingCurve>(key: &ProvingKey<E>) -> ProvingKey<E> {
    let mut key = ProvingKey { constraints: None, ..key.clone() };
    key.queries.a.retain(|point| !point.is_zero());
    key.queries.b.retain(|point| !point.is_zero());
    key.queries.b2.retain(|point| !point.is_zero());
    key
}

/// What the circuit of a key with constraints makes of a witness.
pub(crate) fn evaluated<E: PairingCurve>(
    key: &ProvingKey<E>,
    witness: &[E::Scalar],
) -> EvaluatedWitness<E::Scalar> {
    let Some(rows) = &key.constraints else { panic!("no constraints") };
    let products = rows.each_ref().map(|rows| {
        let product = |i| rows.row(i).map(|(variable, factor)| factor * witness[variable as usize]).sum();
        let mut products: Vec<E::Scalar> = (0..rows.rows()).map(product).collect();
        // Roots without a constraint are left out.
        let constraints = products.iter().rposition(|value| *value != E::Scalar::from(0u64));
        products.truncate(constraints.map_or(0, |last| last + 1));
        products
    });
    let longest = products.iter().map(Vec::len).max().unwrap_or_default();
    let products = products.map(|mut products| {
        products.resize(longest, E::Scalar::from(0u64));
        Witness::from(products)
    });
    let chosen = |points: &[Affine<E::G1>]| {
        let pairs = points.iter().zip(witness).filter(|(point, _)| !point.is_zero());
        Witness::from(pairs.map(|(_, value)| *value).collect::<Vec<_>>())
    };
    let (a, b) = (chosen(&key.queries.a), chosen(&key.queries.b));
    EvaluatedWitness { a, b, secret: witness[key.public() + 1..].to_vec().into(), products }
}

fn proofs_are_those_with_constraints<E: PairingCurve>(device: &Device) {
    let mut circuits = circuits_with_empty_parts::<E::Scalar>();
    for constraints in [1, 5, 13] {
        let (circuit, witness) = chain::<E::Scalar>(constraints, 7);
        circuits.push(("a chain", circuit, witness.to_vec()));
    }
    for (name, circuit, witness) in circuits {
        for basis in [Basis::Powers, Basis::OddRoots] {
            let key = setup::<E>().key(&circuit, basis).unwrap();
            let random = [3, 4].map(|r| (E::Scalar::from(1234u64 + r), E::Scalar::from(77u64)));
            let expected = prover(&key, &cpu()).prove_with(&[&witness, &witness], &random).unwrap();
            let evaluated = evaluated(&key, &witness);
            let compact = compacted(&key);
            let without = prover(&compact, device);
            let proofs = without.prove_evaluated(&[&evaluated, &evaluated], &random);
            let proofs = proofs.unwrap_or_else(|error| panic!("{name}, {basis:?}: {error}"));
            assert!(proofs == expected, "{name}, {basis:?}");
            // The vectors that the first proofs left are those of the next ones.
            assert!(without.prove_evaluated(&[&evaluated], &random[1..]).unwrap() == expected[1..]);
            assert!(without.prove_evaluated(&[], &[]).unwrap().is_empty());
            assert!(without.leaves_nothing().unwrap());
            assert!(matches!(without.prove_with(&[&witness], &random[..1]), Err(Error::Needs { .. })));
            // With the circuit's constraints, the key is that of the setup.
            assert!(compact.clone().with_constraints(&circuit).unwrap() == key, "{name}, {basis:?}");
            // A key with constraints takes both kinds, in turn.
            if key.queries.a == compact.queries.a && key.queries.b == compact.queries.b {
                let with = prover(&key, device);
                assert!(with.prove_evaluated(&[&evaluated], &random[..1]).unwrap() == expected[..1]);
                assert!(with.prove_with(&[&witness], &random[1..]).unwrap() == expected[1..]);
            }
        }
    }
}

#[test]
fn evaluated_witnesses_are_proved_by_the_cpu_engine() {
    proofs_are_those_with_constraints::<Bn>(&cpu());
    proofs_are_those_with_constraints::<Bls>(&cpu());
}

#[test]
fn evaluated_witnesses_are_proved_by_a_gpu() {
    proofs_are_those_with_constraints::<Bn>(&gpu());
}

#[test]
fn evaluated_witnesses_are_proved_by_a_group() {
    let members = [0, 1].map(|_| crate::test_devices::open_another(wgalois::gpu::Options::default()));
    proofs_are_those_with_constraints::<Bn>(&Device::Group(wgalois::Group::new(members.into()).unwrap()));
}

/// What is left in memory of the device that a dropped prover gave back does not depend on the witness.
#[test]
fn memory_given_back_holds_nothing_of_an_evaluated_witness() {
    let (circuit, witness) = chain::<ark_bn254::Fr>(2100, 7);
    let key = setup::<Bn>().key(&circuit, Basis::Powers).unwrap();
    let compact = compacted(&key);
    let gpu = crate::test_devices::open_another(wgalois::gpu::Options::default());
    let mut kept = Vec::new();
    for witness in [&witness[..], &witness_of(&circuit, 5)] {
        let prover = prover(&compact, &Device::Gpu(gpu.clone()));
        let random = [(ark_bn254::Fr::from(3u64), ark_bn254::Fr::from(4u64))];
        let proofs = prover.prove_evaluated(&[&evaluated(&key, witness)], &random).unwrap();
        prover.verifying().check(&proofs[0], prover.public(witness).unwrap()).unwrap();
        let staged = gpu.take_staged().unwrap();
        assert!(!staged.is_empty() && staged.iter().all(|&byte| byte == 0));
        drop(prover);
        kept.push(gpu.take_kept().unwrap());
    }
    assert!(kept[0].len() > 10 && kept[0] == kept[1], "{} {}", kept[0].len(), kept[1].len());
}

/// A change of one vector's length.
type Change<F> = fn(&mut EvaluatedWitness<F>);

fn shorter<F: PrimeField>(witness: &Witness<F>) -> Witness<F> {
    witness[1..].to_vec().into()
}

#[test]
fn evaluated_witnesses_and_keys_of_other_circuits_are_refused() {
    type Fr = ark_bn254::Fr;
    let (circuit, witness) = chain::<Fr>(10, 3);
    let key = setup::<Bn>().key(&circuit, Basis::Powers).unwrap();
    let compact = compacted(&key);
    let prover = prover(&compact, &cpu());
    let random = [(Fr::from(3u64), Fr::from(4u64))];
    let changes: [Change<Fr>; 5] = [
        |witness| witness.a = shorter(&witness.a),
        |witness| witness.b = shorter(&witness.b),
        |witness| witness.secret = shorter(&witness.secret),
        |witness| witness.products[0] = shorter(&witness.products[0]),
        |witness| witness.products[1] = shorter(&witness.products[1]),
    ];
    for change in changes {
        let mut changed = evaluated(&key, &witness);
        change(&mut changed);
        let refused = prover.prove_evaluated(&[&changed], &random);
        assert!(matches!(refused, Err(Error::WrongLength { .. })), "{changed:?}");
    }
    let mut long = evaluated(&key, &witness);
    long.products = [(); 2].map(|()| vec![Fr::from(0u64); key.domain.len() + 1].into());
    assert!(matches!(prover.prove_evaluated(&[&long], &random), Err(Error::TooMany { .. })));
    assert!(matches!(
        prover.prove_evaluated(&[&evaluated(&key, &witness)], &[]),
        Err(Error::WrongLength { .. })
    ));
    // Values that violate a constraint give a proof that does not verify.
    let mut wrong = evaluated(&key, &witness);
    wrong.products[0] = [&wrong.products[0][1..], &wrong.products[0][..1]].concat().into();
    let proofs = prover.prove_evaluated(&[&wrong], &random).unwrap();
    let public = prover.public(&witness).unwrap();
    assert!(matches!(prover.verifying().check(&proofs[0], public), Err(Error::Check(_))));
    // Keys whose parts contradict each other.
    let mut few = compact.clone();
    few.queries.a.truncate(few.public());
    assert!(matches!(few.check_sizes(), Err(Error::TooFew { .. })));
    let mut many = compact.clone();
    many.queries.a = vec![many.queries.a[0]; many.variables() + 1];
    assert!(matches!(many.check_sizes(), Err(Error::TooMany { .. })));
    let mut uneven = compact;
    uneven.queries.b2.pop();
    assert!(matches!(uneven.check_sizes(), Err(Error::WrongLength { .. })));
    // Constraints of another circuit.
    for constraints in [9, 11, 20] {
        let (other, _) = chain::<Fr>(constraints, 3);
        assert!(matches!(compacted(&key).with_constraints(&other), Err(Error::WrongLength { .. })));
    }
    let mut other = circuit;
    other.constraints[4][0].clear();
    other.constraints[4][1].clear();
    assert!(matches!(compacted(&key).with_constraints(&other), Err(Error::WrongLength { .. })));
    // One with constraints has all points.
    let mut left_out = key;
    left_out.queries.a.pop();
    assert!(matches!(left_out.check_sizes(), Err(Error::WrongLength { .. })));
}

//! Proofs of small circuits, from setups whose secrets are known.

use std::iter::zip;

use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, Field, PrimeField};

use super::*;
use wgalois::curve::{Affine, PairingCurve, Projective};
use wgalois::msm::Precompute;
use wgalois::scalars::DeviceScalars;
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error};

type Bn = ark_bn254::Bn254;
type Bls = ark_bls12_381::Bls12_381;

pub(crate) fn cpu() -> Device {
    Device::Cpu(Cpu::default())
}

pub(crate) fn gpu() -> Device {
    Device::Gpu(crate::test_devices::open(wgalois::gpu::Options::default()))
}

pub(crate) fn setup<E: PairingCurve>() -> Setup<E> {
    let [tau, alpha, beta, gamma, delta] = [0x1234_5678_9abcu64, 3, 5, 7, 11].map(|value| {
        // Of full size, as secrets are.
        E::Scalar::from(value).pow([9u64])
    });
    Setup { tau, alpha, beta, gamma, delta }
}

pub(crate) fn prover<E: PairingCurve>(key: &ProvingKey<E>, device: &Device) -> Prover<E> {
    Prover::new(device, &Proving::of(key).plan(device).unwrap(), key.clone()).unwrap()
}

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

/// The witness of a chain with other first values.
pub(crate) fn witness_of<F: PrimeField>(circuit: &Circuit<F>, first: u64) -> Vec<F> {
    let mut witness = vec![F::ONE; circuit.variables];
    (witness[2], witness[3]) = (F::from(first), F::from(first + 1));
    let product = |row: &Row<F>, witness: &[F]| -> F {
        row.iter().map(|(factor, variable)| *factor * witness[*variable as usize]).sum()
    };
    for [a, b, c] in &circuit.constraints {
        witness[c[0].1 as usize] = product(a, &witness) * product(b, &witness);
    }
    witness
}

/// Proofs of which one begins while the device works on the one before are those of the CPU engine, and leave no
/// vectors on the device.
#[test]
fn proofs_in_a_row_on_a_gpu_are_those_of_the_cpu_engine() {
    type Fr = ark_bn254::Fr;
    for basis in [Basis::OddRoots, Basis::Powers] {
        let (circuit, witness) = chain::<Fr>(12, 7);
        let witnesses = [witness.to_vec(), witness_of(&circuit, 5), witness_of(&circuit, 99)];
        let key = setup::<Bn>().key(&circuit, basis).unwrap();
        let [on_cpu, on_gpu] = [cpu(), gpu()].map(|device| prover(&key, &device));
        let random: Vec<_> = (1..4u64).map(|i| (Fr::from(i).pow([30u64]), Fr::from(i + 9))).collect();
        let witnesses: Vec<&[Fr]> = witnesses.iter().map(|witness| &witness[..]).collect();
        let expected = on_cpu.prove_with(&witnesses, &random).unwrap();
        for (proof, witness) in zip(&expected, &witnesses) {
            on_cpu.verifying().check(proof, on_cpu.public(witness).unwrap()).unwrap();
        }
        assert!(on_gpu.prove_with(&witnesses, &random).unwrap() == expected);
        assert!(on_gpu.prove_with(&witnesses[1..2], &random[1..2]).unwrap() == expected[1..2]);
        assert!(on_gpu.prove_with(&[], &[]).unwrap().is_empty());
        assert!(on_gpu.leaves_nothing().unwrap() && on_cpu.leaves_nothing().unwrap());
        drop(on_gpu);
        // With multiples of the bases.
        let (device, problem) = (gpu(), Proving::of(&key).with_precompute(Precompute::Windows));
        let stored = Prover::new(&device, &problem.plan(&device).unwrap(), key).unwrap();
        assert!(stored.prove_with(&witnesses, &random).unwrap() == expected);
    }
}

/// Vectors of 1024 values and a witness of some 600 on a device of which a binding holds 256.
#[test]
fn proofs_in_pieces_are_those_of_the_cpu_engine() {
    type Fr = ark_bn254::Fr;
    let options = wgalois::gpu::Options { max_chunk_bytes: 32 << 8, ..wgalois::gpu::Options::default() };
    let small = Device::Gpu(crate::test_devices::open(options));
    for basis in [Basis::OddRoots, Basis::Powers] {
        let (circuit, witness) = chain::<Fr>(600, 7);
        let key = setup::<Bn>().key(&circuit, basis).unwrap();
        let random = [(Fr::from(3), Fr::from(5))];
        let [expected, proofs] = [cpu(), small.clone()].map(|device| {
            let prover = prover(&key, &device);
            let proofs = prover.prove_with(&[&witness], &random).unwrap();
            assert!(prover.leaves_nothing().unwrap());
            proofs
        });
        assert!(proofs == expected, "{basis:?}");
    }
}

/// What is left in memory of the device that a dropped prover gave back does not depend on the witness, and staging buffers
/// hold nothing after a proof.
#[test]
fn memory_given_back_holds_nothing_of_the_witness() {
    // Long enough that the vectors' memory is kept for new ones, and that the upload has a staging buffer.
    let (circuit, witness) = chain::<ark_bn254::Fr>(2100, 7);
    let key = setup::<Bn>().key(&circuit, Basis::Powers).unwrap();
    let gpu = crate::test_devices::open_another(wgalois::gpu::Options::default());
    let mut kept = Vec::new();
    for witness in [&witness[..], &witness_of(&circuit, 5)] {
        let prover = prover(&key, &Device::Gpu(gpu.clone()));
        let proof = prover.prove(witness).unwrap();
        prover.verifying().check(&proof, prover.public(witness).unwrap()).unwrap();
        let staged = gpu.take_staged().unwrap();
        assert!(!staged.is_empty() && staged.iter().all(|&byte| byte == 0));
        drop(prover);
        kept.push(gpu.take_kept().unwrap());
    }
    assert!(kept[0].len() > 10 && kept[0] == kept[1], "{} {}", kept[0].len(), kept[1].len());
    // A vector that is not cleared is found.
    drop(DeviceScalars::upload(&gpu, &witness).unwrap());
    assert!(gpu.take_kept().unwrap().concat().iter().any(|&word| word != 0));
}

/// A proof that ends with an error, at whichever allocation, or as it is stopped, leaves nothing of the witness either.
#[test]
fn an_error_within_a_proof_leaves_nothing_of_the_witness() {
    const MEMORY: u64 = 64 << 20;
    const STEP: usize = 32 << 10;
    let (circuit, witness) = chain::<ark_bn254::Fr>(2100, 7);
    let other = witness_of(&circuit, 5);
    let key = setup::<Bn>().key(&circuit, Basis::Powers).unwrap();
    let options = wgalois::gpu::Options { memory: MEMORY, ..wgalois::gpu::Options::default() };
    let gpu = crate::test_devices::open_another(options);
    // What the device has kept after a proof of each witness that ends with an error. The memory beside the prover is taken
    // but for `room` bytes.
    let left_by = |witness: &[ark_bn254::Fr], room: usize, stops: bool| {
        let prover = prover(&key, &Device::Gpu(gpu.clone()));
        let taken = (MEMORY - gpu.memory_in_use()) as usize - room;
        let taken = gpu.zeros::<u32>(taken / 4).unwrap();
        let stop = stops.then(|| gpu.timeline().stop());
        let ended = prover.prove(witness);
        drop(stop);
        assert!(gpu.take_staged().unwrap().iter().all(|&byte| byte == 0));
        drop((taken, prover));
        let mut kept = gpu.take_kept().unwrap();
        kept.retain(|buffer| buffer.len() < MEMORY as usize / 8);
        (ended, kept)
    };
    let mut failed = 0;
    for room in (0..).step_by(STEP) {
        let [(ended, first), (_, second)] =
            [&witness[..], &other].map(|witness| left_by(witness, room, false));
        assert!(first == second, "{room}");
        match ended {
            Ok(_) => break,
            Err(Error::OutOfMemory(_)) => failed += 1,
            Err(error) => panic!("{room}: {error}"),
        }
    }
    // A vector of the witness, three of the quotient, another of a transform, sums.
    assert!(failed >= 5 * (4096 * 32) / STEP, "{failed}");
    let [(ended, first), (_, second)] =
        [&witness[..], &other].map(|witness| left_by(witness, 16 << 20, true));
    assert!(matches!(ended, Err(Error::Stopped(_))) && first == second);
}

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

/// A row of entries with factor 1.
fn ones<F: PrimeField>(variables: &[u32]) -> Row<F> {
    variables.iter().map(|&variable| (F::ONE, variable)).collect()
}

/// Circuits of which a part is empty, each with a witness: their variables, public ones, and constraints.
pub(crate) fn circuits_with_empty_parts<F: PrimeField>() -> Vec<(&'static str, Circuit<F>, Vec<F>)> {
    let (one, none) = (|variables: &[u32]| ones::<F>(variables), Row::<F>::new);
    let square = [one(&[1]), one(&[1]), one(&[2])];
    let is_sum = [one(&[1, 2]), one(&[0]), one(&[3])];
    let list = vec![
        ("only the constant", (1, 0), vec![], vec![1]),
        ("only the constant, and its square", (1, 0), vec![[one(&[0]), one(&[0]), one(&[0])]], vec![1]),
        ("no constraints, one private variable", (2, 0), vec![], vec![1, 7]),
        ("no constraints, all public", (3, 2), vec![], vec![1, 7, 9]),
        ("no constraints", (6, 2), vec![], vec![1, 7, 9, 4, 4, 4]),
        ("all public, one constraint", (3, 2), vec![square.clone()], vec![1, 5, 25]),
        ("all public, linear", (4, 3), vec![is_sum.clone(), is_sum.clone()], vec![1, 5, 6, 11]),
        ("none public, one constraint", (3, 0), vec![square], vec![1, 5, 25]),
        ("none public, linear", (4, 0), vec![is_sum], vec![1, 5, 6, 11]),
        (
            "rows without entries",
            (3, 1),
            vec![[none(), none(), none()], [one(&[1]), none(), none()]],
            vec![1, 5, 2],
        ),
    ];
    let circuit = |(name, (variables, public), constraints, witness): (_, (usize, usize), _, Vec<u64>)| {
        (name, Circuit { variables, public, constraints }, witness.into_iter().map(F::from).collect())
    };
    list.into_iter().map(circuit).collect()
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

#[test]
fn plans_name_their_parts() {
    let plan = Proving::<Bls>::new(1000, 3, 10).with_proofs(4).plan(&cpu()).unwrap();
    let text = plan.to_string();
    assert!(text.contains("1000 variables") && text.contains("996 points of G1"), "{text}");
    // The plans of the parts: four multiplications, of which that by A is also that by B, and two transforms.
    let times = |line: &str| text.lines().filter(|own| own.starts_with(line)).count();
    assert_eq!([times("curve "), times("transforms     1 "), times("expected time ")], [4, 2, 7], "{text}");
    assert!(plan.cost().host_bytes > 0 && plan.cost().device_bytes == 0);
}

#[cfg(feature = "ark-groth16")]
#[test]
fn proofs_are_those_of_ark_groth16() {
    type Theirs = ark_groth16::Groth16<Bls>;
    let (circuit, witness) = chain::<ark_bls12_381::Fr>(20, 5);
    let ours = setup::<Bls>().key(&circuit, Basis::Powers).unwrap();
    let key = ark_groth16::ProvingKey {
        vk: ours.verifying.to_arkworks(),
        beta_g1: ours.beta,
        delta_g1: ours.delta,
        a_query: ours.queries.a.clone(),
        b_g1_query: ours.queries.b.clone(),
        b_g2_query: ours.queries.b2.clone(),
        h_query: ours.queries.quotient.clone(),
        l_query: ours.queries.secret.clone(),
    };
    let matrix = |part: usize| {
        let row = |row: &Row<_>| row.iter().map(|(factor, variable)| (*factor, *variable as usize)).collect();
        circuit.constraints.iter().map(|rows| row(&rows[part])).collect::<Vec<Vec<_>>>()
    };
    let [a, b, c] = [0, 1, 2].map(matrix);
    let read = ProvingKey::<Bls>::from_arkworks(&key, &a, &b).unwrap();
    assert_eq!(read, ours);
    let (r, s) = (ark_bls12_381::Fr::from(99u64), ark_bls12_381::Fr::from(88u64));
    let (known, count) = (circuit.public + 1, circuit.constraints.len());
    let matrices = [a.clone(), b, c];
    let theirs =
        Theirs::create_proof_with_reduction_and_matrices(&key, r, s, &matrices, known, count, &witness);
    let prover = prover(&read, &cpu());
    let proof = prover.prove_with(&[&witness], &[(r, s)]).unwrap()[0].to_arkworks();
    assert_eq!(proof, theirs.unwrap());
    let prepared = ark_groth16::prepare_verifying_key(&key.vk);
    let mut public = prover.public(&witness).unwrap().to_vec();
    assert!(Theirs::verify_proof(&prepared, &proof, &public).unwrap());
    prover.verifying().check(&Proof::from_arkworks(&proof), &public).unwrap();
    public[0] += ark_bls12_381::Fr::from(1u64);
    assert!(!Theirs::verify_proof(&prepared, &proof, &public).unwrap());
    assert!(ProvingKey::<Bls>::from_arkworks(&key, &a[1..], &a).is_err());
}

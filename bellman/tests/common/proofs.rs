//! Every proof is the peer's, on both engines, and what is wrong is refused.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use wgalois_bellman::wgalois::gpu::Gpu;
use wgalois_bellman::wgalois::{self, Cpu, Device, Place, Position};
use wgalois_bellman::{Counts, Error};

use crate::circuits::{At, System, circuits};
use crate::peer::{self, Parameters, Prover, Scalar};

/// The first adapter, opened once: compiling every kernel again for each test takes long.
fn gpu() -> Device {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    Device::Gpu(GPU.get_or_init(|| Gpu::new().expect("an adapter; install mesa-vulkan-drivers")).clone())
}

fn cpu() -> Device {
    Device::Cpu(Cpu::default())
}

fn proofs_are_theirs(device: &Device, circuits: &[System]) {
    for circuit in circuits {
        let name = circuit.name;
        let params = peer::parameters(circuit.without_witness());
        let prover = Prover::new(device, &params).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(prover.counts(), peer::counts(&params), "{name}");
        // Given randomness, also none.
        for (r, s) in [(1234, 5678), (0, 0)].map(|(r, s)| (Scalar::from(r), Scalar::from(s))) {
            let ours = prover.prove_with(circuit.clone(), r, s);
            let ours = ours.unwrap_or_else(|error| panic!("{name}: {error}"));
            let theirs = peer::create_proof(circuit.clone(), &params, r, s);
            assert_eq!(peer::bytes(&ours), peer::bytes(&theirs), "{name}");
            assert!(peer::accepts(&params, &ours, &circuit.inputs), "{name}");
            if let [first, ..] = circuit.inputs[..] {
                let mut changed = circuit.inputs.clone();
                changed[0] = first + Scalar::from(1);
                assert!(!peer::accepts(&params, &ours, &changed), "{name}");
            }
        }
        // One of a generator, then a batch, in the peer's order.
        let (mut our_rng, mut their_rng) = (peer::rng(2), peer::rng(2));
        let ours = prover.prove(circuit.clone(), &mut our_rng).unwrap();
        let theirs = peer::create_random_proof(circuit.clone(), &params, &mut their_rng);
        assert_eq!(peer::bytes(&ours), peer::bytes(&theirs), "{name}");
        let ours = prover.prove_batch(vec![circuit.clone(); 5], &mut our_rng).unwrap();
        let theirs = peer::create_random_proof_batch(vec![circuit.clone(); 5], &params, &mut their_rng);
        assert_eq!(
            ours.iter().map(peer::bytes).collect::<Vec<_>>(),
            theirs.iter().map(peer::bytes).collect::<Vec<_>>()
        );
        assert_ne!(peer::bytes(&ours[0]), peer::bytes(&ours[1]), "{name}");
        assert!(prover.prove_batch(Vec::<System>::new(), &mut our_rng).unwrap().is_empty());
    }
}

#[test]
fn proofs_on_the_cpu_engine_are_those_of_the_peer() {
    proofs_are_theirs(&cpu(), &circuits());
}

#[test]
fn proofs_on_a_gpu_are_those_of_the_peer() {
    let circuits = circuits();
    proofs_are_theirs(&gpu(), &[&circuits[4..6], &circuits[circuits.len() - 1..]].concat());
}

/// Witnesses that differ, in one batch: each proof is that of its own circuit.
#[test]
fn a_batch_keeps_its_order() {
    let batch: Vec<_> = (0..9).map(|first| System::chain("", 2 + first, 20)).collect();
    let params = peer::parameters(batch[0].without_witness());
    let prover = Prover::new(&cpu(), &params).unwrap();
    let proofs = prover.prove_batch(batch.clone(), &mut peer::rng(3)).unwrap();
    assert_eq!(proofs.len(), batch.len());
    for (i, proof) in proofs.iter().enumerate() {
        for (j, circuit) in batch.iter().enumerate() {
            assert_eq!(peer::accepts(&params, proof, &circuit.inputs), i == j, "{i} {j}");
        }
    }
    let numbers = |count| vec![Scalar::from(7); count];
    for (r, s) in [(8, 9), (9, 10)] {
        let refused = prover.prove_batch_with(batch.clone(), numbers(r), numbers(s));
        assert!(matches!(refused, Err(Error::RandomScalars { circuits: 9, .. })));
    }
}

#[test]
fn circuits_that_are_not_satisfied_are_refused_and_named() {
    for device in [cpu(), gpu()] {
        let good = System::chain("", 3, 6);
        let params = peer::parameters(good.without_witness());
        let prover = Prover::new(&device, &params).unwrap();
        // Each variable is part of two constraints, of which the first is found.
        for (changed, expected) in [(0, 0), (3, 2), (5, 4)] {
            let mut bad = good.clone();
            bad.aux[changed] += Scalar::from(1);
            let refused = prover.prove(bad, &mut peer::rng(4));
            let Err(Error::Unsatisfied { constraint, name }) = refused else { panic!("{refused:?}") };
            assert_eq!((constraint, name), (expected, format!("constraint {expected}")));
        }
        let mut bad = good.clone();
        bad.inputs[0] += Scalar::from(1);
        let batch = || vec![good.clone(), good.clone(), bad.clone(), good.clone(), bad.clone(), good.clone()];
        let refused = prover.prove_batch(batch(), &mut peer::rng(5));
        let Err(Error::InBatch { index: 2, error }) = refused else { panic!("{refused:?}") };
        assert!(matches!(*error, Error::Unsatisfied { constraint: 5, .. }), "{error}");
        // The others, if asked: with the randomness that they have in the whole batch.
        let outcomes = prover.prove_each(batch(), &mut peer::rng(5)).unwrap();
        let expected = prover.prove_batch(vec![good.clone(); 6], &mut peer::rng(5)).unwrap();
        for (i, outcome) in outcomes.iter().enumerate() {
            match outcome {
                Ok(proof) => assert_eq!(peer::bytes(proof), peer::bytes(&expected[i])),
                Err(Error::Unsatisfied { constraint: 5, .. }) => assert!(i == 2 || i == 4),
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 4);
    }
}

#[test]
fn circuits_without_a_witness_are_refused() {
    let circuit = System::chain("", 3, 6);
    let params = peer::parameters(circuit.without_witness());
    let prover = Prover::new(&cpu(), &params).unwrap();
    let refused = prover.prove(circuit.without_witness(), &mut peer::rng(4));
    let Err(Error::Synthesis(error)) = refused else { panic!("{refused:?}") };
    let error = error.downcast_ref::<peer::SynthesisError>();
    assert!(matches!(error, Some(peer::SynthesisError::AssignmentMissing)));
}

#[test]
fn keys_of_other_circuits_are_refused() {
    let circuit = System::chain("", 3, 6);
    let params = peer::parameters(circuit.without_witness());
    for device in [cpu(), gpu()] {
        // Every count differs for some circuit.
        let prover = Prover::new(&device, &params).unwrap();
        let mut more_inputs = circuit.clone();
        more_inputs.inputs.push(Scalar::from(8));
        let mut more_aux = circuit.clone();
        more_aux.aux.push(Scalar::from(8));
        let mut less_in_b = circuit.clone();
        less_in_b.constraints[1][1][0].0 = 0;
        less_in_b.constraints[0][1][0].0 = 0;
        for other in [more_inputs, more_aux, System::chain("", 3, 8), System::chain("", 3, 5)] {
            let refused = prover.prove(other, &mut peer::rng(6));
            let Err(Error::OtherCircuit { key, circuit }) = refused else { panic!("{refused:?}") };
            assert!(key == prover.counts() && circuit != key);
            let text = Error::OtherCircuit { key, circuit }.to_string();
            assert!(
                text.contains(&format!("{} inputs", key.inputs))
                    && text.contains(&format!("{} points of H", circuit.h))
            );
        }
        // Equal counts: one coefficient differs. The first proof tells.
        let mut other = System::chain("", 3, 6);
        other.constraints[0][0] = vec![(2, At::Aux(0))];
        let other_params = peer::parameters(other.without_witness());
        let prover = Prover::new(&device, &other_params).unwrap();
        assert_eq!(prover.counts(), Prover::new(&cpu(), &params).unwrap().counts());
        for _ in 0..2 {
            assert!(matches!(prover.prove(circuit.clone(), &mut peer::rng(6)), Err(Error::Unverified)));
        }
        let refused = prover.prove_batch(vec![circuit.clone(); 3], &mut peer::rng(6));
        let Err(Error::InBatch { index: 0, error }) = refused else { panic!("{refused:?}") };
        assert!(matches!(*error, Error::Unverified));
    }
}

#[test]
fn variables_of_no_constraint_system_are_refused() {
    let circuit = System::chain("", 3, 6);
    let params = peer::parameters(circuit.without_witness());
    let prover = Prover::new(&cpu(), &params).unwrap();
    let refused = prover.prove(peer::Stray(circuit), &mut peer::rng(4));
    assert!(matches!(refused, Err(Error::NoSuchVariable { constraint: 6 })), "{refused:?}");
}

fn file(folder: &Path, bytes: &[u8]) -> std::path::PathBuf {
    let path = folder.join("key.params");
    fs::write(&path, bytes).unwrap();
    path
}

/// The place of a file's fault.
fn place(error: Error) -> usize {
    match error {
        Error::Library(wgalois::Error::Format {
            place: Place { position: Position::Byte(at), .. }, ..
        }) => at,
        error => panic!("{error}"),
    }
}

#[test]
fn files_of_keys_are_read_and_refused_with_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let circuit = System::chain("", 3, 6);
    let params: Parameters = peer::parameters(circuit.without_witness());
    let bytes = peer::write(&params);
    let (r, s) = (Scalar::from(4), Scalar::from(5));
    let expected = peer::bytes(&peer::create_proof(circuit.clone(), &params, r, s));
    for device in [cpu(), gpu()] {
        let prover = Prover::new(&device, &*file(folder.path(), &bytes)).unwrap();
        assert_eq!(peer::bytes(&prover.prove_with(circuit.clone(), r, s).unwrap()), expected);
        let open = |bytes: &[u8]| Prover::new(&device, &*file(folder.path(), bytes));
        for end in [0, 95, 500, 864, 866, 900, bytes.len() / 2, bytes.len() - 1] {
            let at = place(open(&bytes[..end]).err().unwrap());
            assert!(at <= end && end < at + 192, "{end}: {at}");
        }
        // A point of H and one of B in G2 off the curve.
        let h = 864 + 4 + 2 * 96 + 4 + 3 * 96;
        for (at, byte) in [(h, h + 95), (bytes.len() - 192, bytes.len() - 1)] {
            let mut changed = bytes.clone();
            changed[byte] ^= 1;
            assert_eq!(place(open(&changed).err().unwrap()), at);
        }
        let missing = Prover::new(&device, Path::new("/there/is/none.params")).err().unwrap();
        assert!(matches!(missing, Error::Library(wgalois::Error::File { .. })));
    }
    // Another key's counts.
    let Counts { inputs, aux, h, .. } = Prover::new(&cpu(), &params).unwrap().counts();
    assert_eq!((inputs, aux, h), (2, 6, 7));
}

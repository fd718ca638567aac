//! Proofs on a GPU in a row and in pieces, and what they leave in its memory.

use std::iter::zip;

use ark_ff::Field;

use super::*;
use wgalois::Error;
use wgalois::msm::Precompute;
use wgalois::scalars::DeviceScalars;

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

//! Times the proofs of Zcash's Sapling, a Spend and an Output, by bellman and on a device, with the parameters of the ceremony.
//!
//!     cargo run --release -p wgalois-bellman --features sapling-parameters --example sapling [cpu] [repetitions]
//!
//! The random numbers are the same, and so are the proofs. The device is the first GPU, or with `cpu` the CPU engine.

use std::error::Error;
use std::time::Instant;

use bellman::Circuit;
use bls12_381::{Bls12, Scalar};
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use sapling_crypto::circuit::{Output, OutputParameters, Spend, SpendParameters};
use sapling_crypto::keys::EphemeralSecretKey;
use sapling_crypto::prover::{OutputProver, SpendProver};
use sapling_crypto::value::{NoteValue, ValueCommitTrapdoor};
use sapling_crypto::zip32::ExtendedSpendingKey;
use sapling_crypto::{MerklePath, Node, Rseed};
use wgalois_bellman::bellman::Prover;
use wgalois_bellman::sapling::{DeviceOutputProver, DeviceSpendProver, from_ceremony};
use wgalois_bellman::wgalois::gpu::Gpu;
use wgalois_bellman::wgalois::{Cpu, Device};

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A note that is spent, and one that is made.
fn circuits() -> Result<(Spend, Output), Box<dyn Error>> {
    let key = ExtendedSpendingKey::master(&[7; 32]).ok_or("no key has this seed")?;
    let (_, address) = key.to_diversifiable_full_viewing_key().default_address();
    let (value, rseed) = (NoteValue::from_raw(50_000), Rseed::AfterZip212([3; 32]));
    let note = address.create_note(value, rseed);
    let siblings = (0..32u64).map(|level| Node::from_scalar(Scalar::from(level))).collect();
    let path = MerklePath::from_parts(siblings, 5.into()).map_err(|()| "a path has 32 nodes")?;
    let anchor: Scalar = path.root(Node::from_cmu(&note.cmu())).into();
    let spend = DeviceSpendProver::prepare_circuit(
        key.expsk().proof_generation_key(),
        *address.diversifier(),
        rseed,
        value,
        jubjub::Fr::random(&mut rng(1)),
        ValueCommitTrapdoor::random(&mut rng(2)),
        anchor,
        path,
    );
    let esk: EphemeralSecretKey = note.generate_or_derive_esk(&mut rng(3));
    let trapdoor = ValueCommitTrapdoor::random(&mut rng(4));
    let output = DeviceOutputProver::prepare_circuit(&esk, address, note.rcm(), value, trapdoor);
    Ok((spend.ok_or("no address has this diversifier")?, output))
}

/// Times so many proofs in both ways, and compares them.
fn compare<C: Circuit<Scalar> + Clone>(
    name: &str,
    circuit: &C,
    repetitions: usize,
    prover: &Prover,
    bellman: impl Fn(C, &mut ChaCha8Rng) -> groth16::Proof<Bls12>,
) -> Result<(), Box<dyn Error>> {
    for seed in 0..repetitions as u64 {
        let begin = Instant::now();
        let theirs = bellman(circuit.clone(), &mut rng(seed));
        let by_bellman = begin.elapsed();
        let begin = Instant::now();
        let ours = prover.prove(circuit.clone(), &mut rng(seed))?;
        println!("{name}: bellman {by_bellman:.2?}, on the device {:.2?}", begin.elapsed());
        assert!(ours == theirs, "the same randomness gives the same proof");
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let repetitions = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(3);
    let (name, device) = match Gpu::new() {
        Ok(gpu) if !arguments.iter().any(|argument| argument == "cpu") => {
            (gpu.adapter().name.clone(), Device::Gpu(gpu))
        }
        _ => ("the CPU engine".to_owned(), Device::Cpu(Cpu::default())),
    };
    let (spend, output) = wagyu_zcash_parameters::load_sapling_parameters();
    let begin = Instant::now();
    let spend_parameters = SpendParameters::read(&spend[..], true)?;
    let output_parameters = OutputParameters::read(&output[..], true)?;
    println!("bellman: both keys read and checked in {:.2?}", begin.elapsed());
    let begin = Instant::now();
    let (spend_prover, output_prover) = from_ceremony(&device)?;
    println!("{name}: both keys read, checked and prepared in {:.2?}", begin.elapsed());
    let (spend, output) = circuits()?;
    compare("Spend", &spend, repetitions, spend_prover.prover(), |circuit, rng| {
        spend_parameters.create_proof(circuit, rng)
    })?;
    compare("Output", &output, repetitions, output_prover.prover(), |circuit, rng| {
        output_parameters.create_proof(circuit, rng)
    })
}

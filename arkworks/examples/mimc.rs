//! Proves the knowledge of a preimage of a MiMC hash, as the test `tests/mimc.rs` of ark-groth16 does: first with
//! arkworks' prover, then with the same key on a device. The random numbers are the same, and so are the proofs.
//!
//!     cargo run --release -p wgalois-arkworks --example mimc [hashes]
//!
//! With more than one hash the circuit is a chain, in which each hash replaces the left half of the next one's input.

use std::error::Error;
use std::time::Instant;

use ark_bls12_377::{Bls12_377, Fr};
use ark_ff::{Field, PrimeField, UniformRand};
use ark_groth16::Groth16;
use ark_r1cs_std::alloc::AllocVar;
use ark_r1cs_std::eq::EqGadget;
use ark_r1cs_std::fields::FieldVar;
use ark_r1cs_std::fields::fp::FpVar;
use ark_relations::gr1cs::{ConstraintSynthesizer, ConstraintSystemRef, SynthesisError};
use ark_snark::{CircuitSpecificSetupSNARK, SNARK};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use wgalois_arkworks::Prover;
use wgalois_arkworks::wgalois::gpu::Gpu;
use wgalois_arkworks::wgalois::{Cpu, Device};

/// The rounds of ark-groth16's test, 2 * 255 / log2 3: those of the Feistel form with the exponent 3 over fields of 255
/// bits (Albrecht, Grassi, Rechberger, Roy, Tiessen: "MiMC: Efficient Encryption and Cryptographic Hashing with Minimal
/// Multiplicative Complexity", ASIACRYPT 2016).
const ROUNDS: usize = 322;

/// A round replaces (left, right) by (right + (left + constant)^3, left). The hash is the left half after all rounds.
fn mimc<F: Field>(left: F, right: F, constants: &[F]) -> F {
    let round = |(left, right): (F, F), constant: &F| {
        let sum = left + constant;
        (right + sum.square() * sum, left)
    };
    constants.iter().fold((left, right), round).0
}

/// The statement: the prover knows an input that the chain of hashes takes to the public output.
#[derive(Clone)]
struct Preimage<'c, F: Field> {
    input: Option<(F, F)>,
    output: Option<F>,
    constants: &'c [F],
    hashes: usize,
}

impl<F: PrimeField> ConstraintSynthesizer<F> for Preimage<'_, F> {
    fn generate_constraints(self, cs: ConstraintSystemRef<F>) -> Result<(), SynthesisError> {
        let known = |value: Option<F>| value.ok_or(SynthesisError::AssignmentMissing);
        let mut hash = FpVar::new_witness(cs.clone(), || known(self.input.map(|input| input.0)))?;
        let other = FpVar::new_witness(cs.clone(), || known(self.input.map(|input| input.1)))?;
        let output = FpVar::new_input(cs, || known(self.output))?;
        for _ in 0..self.hashes {
            let (mut left, mut right) = (hash, other.clone());
            for &constant in self.constants {
                let sum = &left + constant;
                let next = right + sum.square()? * &sum;
                (left, right) = (next, left);
            }
            hash = left;
        }
        hash.enforce_equal(&output)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let hashes: usize = std::env::args().nth(1).map_or(Ok(1), |hashes| hashes.parse())?;
    let mut rng = StdRng::seed_from_u64(1);
    let constants: Vec<Fr> = (0..ROUNDS).map(|_| Fr::rand(&mut rng)).collect();
    let blank = Preimage { input: None, output: None, constants: &constants, hashes };
    let (pk, vk) = Groth16::<Bls12_377>::setup(blank.clone(), &mut rng)?;
    let pvk = Groth16::<Bls12_377>::process_vk(&vk)?;

    let (left, right) = (Fr::rand(&mut rng), Fr::rand(&mut rng));
    let output = (0..hashes).fold(left, |hash, _| mimc(hash, right, &constants));
    let circuit = Preimage { input: Some((left, right)), output: Some(output), ..blank.clone() };
    println!("{hashes} hashes of {ROUNDS} rounds, a key of {} variables", pk.a_query.len());

    // Before.
    let begin = Instant::now();
    let before = Groth16::<Bls12_377>::prove(&pk, circuit.clone(), &mut StdRng::seed_from_u64(2))?;
    println!("arkworks: a proof in {:.1?}", begin.elapsed());

    // After: the key goes to the device once, which takes the constraints from the circuit ...
    let (name, device) = match Gpu::new() {
        Ok(gpu) => (gpu.adapter().name.clone(), Device::Gpu(gpu)),
        Err(_) => ("the CPU engine".to_owned(), Device::Cpu(Cpu::default())),
    };
    let begin = Instant::now();
    let prover = Prover::<Bls12_377>::new(&device, &pk, blank)?;
    println!("{name}: the key prepared in {:.1?}", begin.elapsed());
    // ... and makes any number of proofs there.
    let begin = Instant::now();
    let after = prover.prove(circuit.clone(), &mut StdRng::seed_from_u64(2))?;
    println!("{name}: a first proof in {:.1?}", begin.elapsed());
    let begin = Instant::now();
    let again = prover.prove(circuit, &mut StdRng::seed_from_u64(3))?;
    println!("{name}: another proof in {:.1?}", begin.elapsed());

    assert_eq!(before, after, "the same randomness gives the same proof");
    for proof in [before, after, again] {
        assert!(Groth16::<Bls12_377>::verify_with_processed_vk(&pvk, &[output], &proof)?);
        assert!(!Groth16::<Bls12_377>::verify_with_processed_vk(&pvk, &[output + Fr::ONE], &proof)?);
    }
    println!("arkworks' verifier accepts all three for the hash, and refuses them for another value.");
    Ok(())
}

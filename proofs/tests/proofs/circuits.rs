//! Circuits, keys, witnesses and proofs that circom and snarkjs made, beside ark-groth16.
#![cfg(feature = "ark-groth16")]

use std::path::{Path, PathBuf};

use ark_bls12_381::Bls12_381;
use ark_bn254::Bn254;
use ark_ff::Field;
use ark_groth16::{Groth16, prepare_verifying_key};
use wgalois::curve::{CurveName, PairingCurve};
use wgalois::task::Problem;
use wgalois::{Cpu, Device};
use wgalois_io::Source;
use wgalois_io::points::Trust;
use wgalois_proofs::groth16::{
    Basis, Circuit, Proof, Prover, Proving, ProvingKey, Setup, VerifyingKey, Witness,
};
use wgalois_proofs::snarkjs;

/// The files of `examples/data/groth16`, as its README describes them.
fn example(curve: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/data/groth16").join(curve)
}

fn open(folder: &Path, name: &str) -> Source {
    Source::open(&folder.join(name), u64::MAX).unwrap()
}

fn prover<E: PairingCurve>(key: ProvingKey<E>) -> Prover<E> {
    let device = Device::Cpu(Cpu::default());
    Prover::new(&device, &Proving::of(&key).plan(&device).unwrap(), key).unwrap()
}

/// Whether ark-groth16 accepts a proof.
fn accepted<E: PairingCurve>(key: &VerifyingKey<E>, public: &[E::Scalar], proof: &Proof<E>) -> bool {
    let key = prepare_verifying_key(&key.to_arkworks());
    Groth16::<E::Pairing>::verify_proof(&key, &proof.to_arkworks(), public).unwrap()
}

/// ark-groth16 accepts a proof by the key, and none of another public value.
fn proves<E: PairingCurve>(key: ProvingKey<E>, witness: &Witness<E::Scalar>) {
    let prover = prover(key);
    let proof = prover.prove(witness).unwrap();
    let mut public = prover.public(witness).unwrap().to_vec();
    assert!(accepted(prover.verifying(), &public, &proof));
    public[0] += E::Scalar::ONE;
    assert!(!accepted(prover.verifying(), &public, &proof));
}

fn the_multiplier<E: PairingCurve>(folder: &Path) {
    let source = open(folder, "multiplier.r1cs");
    assert_eq!(snarkjs::curve_of(&source).unwrap(), E::NAME);
    let circuit: Circuit<E::Scalar> = snarkjs::read_circuit(&source, u64::MAX).unwrap();
    let witness = snarkjs::read_witness::<E::Scalar>(&open(folder, "witness.wtns"), u64::MAX).unwrap();
    // c = a b + a, d = c^4 of a = 3, b = 11: the outputs c and d, then the public b, then the secret a and c^2.
    assert_eq!((circuit.variables, circuit.public, circuit.constraints.len()), (6, 3, 3));
    let expected = [1u64, 36, 36 * 36 * 36 * 36, 11, 3, 36 * 36].map(E::Scalar::from);
    assert_eq!(*witness, expected);
    assert_eq!(circuit.first_violated(&witness).unwrap(), None);
    for i in 1..witness.len() {
        let mut changed = witness.to_vec();
        changed[i] += E::Scalar::ONE;
        assert!(circuit.first_violated(&changed).unwrap().is_some(), "value {i}");
    }
    // The key that this setup makes has the constraints of the one that snarkjs made.
    let device = Device::Cpu(Cpu::default());
    let source = open(folder, "circuit.zkey");
    let theirs = snarkjs::read_key::<E>(&source, &device, Trust::Nothing, u64::MAX).unwrap();
    let ours = Setup::<E>::of_seed(1).key(&circuit, Basis::OddRoots).unwrap();
    assert_eq!((&ours.constraints, ours.domain), (&theirs.constraints, theirs.domain));
    proves(ours, &witness);
    proves(theirs, &witness);
}

#[test]
fn circuits_of_circom_are_proved_by_keys_of_both() {
    the_multiplier::<Bn254>(&example("bn128"));
    the_multiplier::<Bls12_381>(&example("bls12381"));
}

/// ark-groth16 decides about the proofs of a folder, snarkjs' and this project's, as the program does.
fn the_proofs<E: PairingCurve>(folder: &Path) {
    let key = open(folder, "verification_key.json");
    let key = snarkjs::read_verifying_key::<E>(&key, u64::MAX).unwrap();
    let read = |names: [&str; 2]| {
        let public = snarkjs::read_public::<E::Scalar>(&open(folder, names[0]), u64::MAX).unwrap();
        (public, snarkjs::read_proof::<E>(&open(folder, names[1]), u64::MAX).unwrap())
    };
    let mut proofs =
        vec![read(["their_public.json", "their_proof.json"]), read(["public.json", "proof.json"])];
    for name in ["witness.json", "other.json"] {
        if folder.join("proofs").join(name).exists() {
            proofs.push(read([&format!("publics/{name}"), &format!("proofs/{name}")]));
        }
    }
    for (public, proof) in &proofs {
        assert!(accepted(&key, public, proof));
        let mut public = public.clone();
        public[0] += E::Scalar::ONE;
        assert!(!accepted(&key, &public, proof));
    }
    println!("{}: ark-groth16 accepts {} proofs", folder.display(), proofs.len());
}

/// Of the example files, or of the folders in `WGALOIS_CIRCUITS`, which `.ci/groth16` makes.
#[test]
fn the_proofs_of_a_folder_are_accepted_by_ark_groth16() {
    let folders = match std::env::var_os("WGALOIS_CIRCUITS") {
        Some(folder) => {
            let folders = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            folders.filter(|folder| folder.is_dir()).collect()
        }
        None => vec![example("bn128"), example("bls12381")],
    };
    assert!(!folders.is_empty());
    for folder in folders {
        let key = open(&folder, "verification_key.json");
        match snarkjs::curve_of_verifying_key(&key, u64::MAX).unwrap() {
            CurveName::Bn254 => the_proofs::<Bn254>(&folder),
            CurveName::Bls12_381 => the_proofs::<Bls12_381>(&folder),
            other => panic!("{other}"),
        }
    }
}

//! Groth16 proofs over BN254 and BLS12-381.

use std::io;

use ark_ff::PrimeField;
use rand::TryRng;
use rand::rngs::SysRng;
use wgalois::curve::{CurveName, PairingCurve};
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error, Result};
use wgalois_io::Source;
use wgalois_io::points::Trust;
use wgalois_proofs::groth16::{Basis, Proof, Prover, Proving, ProvingKey, Setup, Witness, chain};
use wgalois_proofs::snarkjs;

use crate::MEMORY;
use crate::job::{Job, Task};

/// The largest number of constraints that the page generates, as a logarithm.
const MAX_LOG: u32 = 14;

pub struct Prove<E: PairingCurve> {
    key: ProvingKey<E>,
    witness: Witness<E::Scalar>,
    /// The randomness of the proof, which both engines make: so they make the same one.
    random: (E::Scalar, E::Scalar),
}

/// Generates a circuit with 2^`log_constraints` constraints over BN254, a key by one party, and a witness.
pub fn generate(log_constraints: u32) -> Result<Job> {
    if log_constraints > MAX_LOG {
        return Err(Error::Usage(format!("2^{log_constraints} constraints: at most 2^{MAX_LOG}")));
    }
    let (circuit, witness) = chain(1 << log_constraints, 1);
    let key = Setup::<ark_bn254::Bn254>::random()?.key(&circuit, Basis::OddRoots)?;
    Ok(Prove { key, witness, random: random_pair()? }.into_job())
}

/// Reads a key and a witness of snarkjs.
pub fn read(key: (String, Vec<u8>), witness: (String, Vec<u8>)) -> Result<Job> {
    let [key, witness] = [key, witness].map(|(name, bytes)| Source::from_bytes(name, bytes));
    match snarkjs::curve_of(&key)? {
        CurveName::Bls12_381 => read_over::<ark_bls12_381::Bls12_381>(&key, &witness),
        _ => read_over::<ark_bn254::Bn254>(&key, &witness),
    }
}

fn read_over<E: PairingCurve>(key: &Source, witness: &Source) -> Result<Job> {
    let key = snarkjs::read_key(key, &Device::Cpu(Cpu::default()), Trust::Nothing, MEMORY)?;
    let job = Prove::<E> { key, witness: snarkjs::read_witness(witness, MEMORY)?, random: random_pair()? };
    // The lengths are compared before anything is computed.
    let (found, expected) = (job.witness.len(), job.key.variables());
    if found != expected {
        let message =
            format!("{found} values for a key of {expected} variables: it belongs to another circuit");
        return Err(witness.error(message));
    }
    Ok(job.into_job())
}

/// Two uniform scalars from the browser.
fn random_pair<F: PrimeField>() -> Result<(F, F)> {
    let mut bytes = [0; 128];
    let filled = SysRng.try_fill_bytes(&mut bytes);
    filled.map_err(|error| Error::Device(format!("no randomness from the browser: {error}")))?;
    let (r, s) = bytes.split_at(64);
    Ok((F::from_le_bytes_mod_order(r), F::from_le_bytes_mod_order(s)))
}

impl<E: PairingCurve> Prove<E> {
    fn public(&self) -> &[E::Scalar] {
        &self.witness[1..=self.key.public()]
    }
}

impl<E: PairingCurve> Task for Prove<E> {
    type Output = Proof<E>;

    const FILES: &'static [&'static str] = &["proof.json", "public.json"];

    fn describe(&self) -> String {
        let (variables, public) = (self.key.variables(), self.key.public());
        let log = self.key.domain.log2();
        format!(
            "{variables} variables, {public} of them public, at most 2^{log} constraints over {}",
            E::NAME
        )
    }

    async fn run(&self, device: &Device) -> Result<Proof<E>> {
        let plan = Proving::of(&self.key).plan(device)?;
        let prover = Prover::new_async(device, &plan, self.key.clone()).await?;
        let proofs = prover.prove_with_async(&[&self.witness], &[self.random]).await?;
        proofs.into_iter().next().ok_or_else(|| Error::Device("one witness gave no proof".into()))
    }

    fn check(&self, proof: &Proof<E>) -> Result<String> {
        match self.key.verifying.check(proof, self.public()) {
            Ok(guarantee) => Ok(guarantee.to_string()),
            Err(Error::Check(fault)) => Err(Error::Check(
                format!("{fault}: the witness does not satisfy the circuit, or the device computed wrongly")
                    .into(),
            )),
            Err(other) => Err(other),
        }
    }

    fn write(&self, proof: &Proof<E>, file: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let written: io::Result<()> = match file {
            0 => snarkjs::write_proof(&mut bytes, proof),
            _ => snarkjs::write_public(&mut bytes, self.public()),
        };
        written.map_err(|error| Error::file(Self::FILES[file.min(1)], error))?;
        Ok(bytes)
    }
}

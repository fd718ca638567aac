//! `wgalois groth16 verify`.

use super::keys::is_params;
use super::{check_strength, with_pairing};
use crate::prelude::*;
use wgalois::Fault;
use wgalois::curve::PairingCurve;
use wgalois_proofs::groth16::VerifyingKey;
use wgalois_proofs::{bellman, snarkjs};

/// Verify a proof
///
/// The exit code is 0 if the proof proves that someone knows a witness with these public values, and 1 if it does not.
/// It takes the CPU a few milliseconds. A key without the setup's second phase, for which anybody can forge proofs, is refused.
#[derive(clap::Args)]
pub struct Verify {
    /// The verifying key: verification_key.json, the .zkey, or the .params
    key: PathBuf,
    /// The public values, public.json
    public: PathBuf,
    /// The proof, proof.json
    proof: PathBuf,
    /// Take a key for which anybody can forge proofs; a proof then shows no knowledge of a witness
    #[arg(long)]
    allow_insecure_key: bool,
}

impl Run for Verify {
    fn run(&self, context: &Context) -> Result<()> {
        let source = context.source(&self.key)?;
        if is_params(&self.key) {
            context.report("curve", CurveName::Bls12_381.as_str());
            let key = bellman::read_verifying_part(&source, context.memory())?;
            return self.run_on(context, &source, &key);
        }
        let is_zkey = source.bytes().starts_with(b"zkey");
        let curve = match is_zkey {
            true => snarkjs::curve_of(&source)?,
            false => snarkjs::curve_of_verifying_key(&source, context.memory())?,
        };
        context.report("curve", curve.as_str());
        let memory = context.memory();
        with_pairing!(curve, E => {
            let key = match is_zkey {
                true => snarkjs::read_verifying_part::<E>(&source, memory)?,
                false => snarkjs::read_verifying_key::<E>(&source, memory)?,
            };
            self.run_on::<E>(context, &source, &key)
        })
    }

    fn inputs(&self) -> Vec<PathBuf> {
        vec![self.key.clone(), self.public.clone(), self.proof.clone()]
    }

    fn outputs(&self) -> Outputs {
        Outputs { data: Data::None, ..Outputs::default() }
    }
}

impl Verify {
    fn run_on<E: PairingCurve>(
        &self,
        context: &Context,
        source: &Source,
        key: &VerifyingKey<E>,
    ) -> Result<()> {
        let memory = context.memory();
        check_strength(context, source, key.weakness(), self.allow_insecure_key)?;
        let public = context.read(&self.public, |source| {
            let public = snarkjs::read_public::<E::Scalar>(source, memory)?;
            let counts = Fault::expect_count("public values", key.public.len() - 1, public.len());
            counts.map(|()| public).map_err(|fault| source.error(fault))
        })?;
        let proof = context.read(&self.proof, |source| snarkjs::read_proof::<E>(source, memory))?;
        context.verify(|| key.check_equation(&proof, &public))
    }
}

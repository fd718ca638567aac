//! `wgalois gen groth16`: a circuit's key and a witness.

use crate::cli::counts::count;
use crate::cli::groth16::with_pairing;
use crate::cli::outputs::{Data, Outputs};
use crate::cli::{Context, Run};
use std::path::Path;
use wgalois::curve::{CurveName, PairingCurve};
use wgalois::groth16::{Basis, Setup, chain};
use wgalois::io::{snarkjs, write_whole};
use wgalois::timeline::Phase;
use wgalois::{Error, Result};

/// Generate a key of Groth16 and a witness
///
/// Writes circuit.zkey, witness.wtns and verification_key.json to the folder of -o, in the form of snarkjs. The secrets of the
/// setup follow from the seed: the key is for tests and measurements only.
#[derive(clap::Args)]
pub struct Groth16 {
    /// The curve: bn254 or bls12-381
    #[arg(long, value_enum, default_value_t = CurveName::Bls12_381)]
    curve: CurveName,
    /// Number of constraints
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..1 << 26))]
    constraints: u64,
    /// Seed of the random generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

impl Run for Groth16 {
    fn run(&self, context: &Context) -> Result<()> {
        let Some(folder) = context.output_path() else {
            return Err(Error::Usage("gen groth16 writes several files: -o FOLDER is needed".to_owned()));
        };
        // The circuit's rows, the points by one and by several coordinates, and scalars.
        context.need(self.constraints.saturating_mul(4096), "so many constraints")?;
        with_pairing!(self.curve, E => self.generate::<E>(context, folder))
    }

    fn outputs(&self) -> Outputs {
        Outputs { data: Data::Folder(NAMES.map(str::to_owned).into()), ..Outputs::default() }
    }
}

const NAMES: [&str; 3] = ["circuit.zkey", "witness.wtns", "verification_key.json"];

impl Groth16 {
    fn generate<E: PairingCurve>(&self, context: &Context, folder: &Path) -> Result<()> {
        let (key, witness) = context.step(Phase::Host, "generate", || -> Result<_> {
            let (circuit, witness) = chain::<E::Scalar>(self.constraints as usize, self.seed);
            Ok((Setup::<E>::of_seed(self.seed).key(&circuit, Basis::OddRoots)?, witness))
        })?;
        std::fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
        let [to_key, to_witness, to_verifying] = NAMES.map(|name| folder.join(name));
        context.step(Phase::Writing, "write", || {
            write_whole(&to_key, |out| snarkjs::write_key(out, &key))?;
            write_whole(&to_witness, |out| snarkjs::write_witness::<E::Scalar>(out, &witness))?;
            write_whole(&to_verifying, |out| snarkjs::write_verifying_key(out, &key.verifying))
        })
    }
}

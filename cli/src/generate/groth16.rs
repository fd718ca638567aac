//! `wgalois gen groth16`: a circuit's key and a witness.

use crate::groth16::with_pairing;
use crate::prelude::*;
use wgalois::curve::PairingCurve;
use wgalois_proofs::groth16::{Basis, Circuit, ProvingKey, Setup, chain};
use wgalois_proofs::snarkjs;

/// Generate a key of Groth16, for a circuit of circom or for a generated one with its witness
///
/// Writes circuit.zkey and verification_key.json to the folder of -o, in the form of snarkjs; with --constraints also
/// witness.wtns. A key from this setup is for tests and measurements only: its secrets follow from the seed, and whoever
/// knows them can forge proofs. Keys that others are to trust come from a ceremony, as snarkjs runs it.
#[derive(clap::Args)]
pub struct Groth16 {
    /// The circuit, .r1cs; its curve is that of its field
    #[arg(long, value_name = "FILE", conflicts_with_all = ["curve", "constraints"])]
    circuit: Option<PathBuf>,
    /// The curve of a generated circuit: bn254 or bls12-381
    #[arg(long, value_parser = crate::names::curves(), default_value_t = CurveName::Bls12_381)]
    curve: CurveName,
    /// Generate a circuit with so many constraints
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..1 << 26), required_unless_present = "circuit")]
    constraints: Option<u64>,
    /// Seed of the random generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

impl Run for Groth16 {
    fn run(&self, context: &Context) -> Result<()> {
        let Some(folder) = context.output_path() else {
            return Err(Error::needs("gen groth16, which writes several files,", "-o FOLDER"));
        };
        match &self.circuit {
            Some(path) => {
                let source = context.source(path)?;
                let curve = snarkjs::curve_of(&source)?;
                with_pairing!(curve, E => self.of_file::<E>(context, &source, folder))
            }
            None => with_pairing!(self.curve, E => self.generate::<E>(context, folder)),
        }
    }

    fn inputs(&self) -> Vec<PathBuf> {
        self.circuit.iter().cloned().collect()
    }

    fn outputs(&self) -> Outputs {
        let names = [Some(KEY), self.constraints.and(Some(WITNESS)), Some(VERIFYING)];
        let names = names.into_iter().flatten().map(str::to_owned);
        Outputs { data: Data::Folder(names.collect()), ..Outputs::default() }
    }
}

const KEY: &str = "circuit.zkey";
const WITNESS: &str = "witness.wtns";
const VERIFYING: &str = "verification_key.json";

impl Groth16 {
    fn generate<E: PairingCurve>(&self, context: &Context, folder: &Path) -> Result<()> {
        let constraints = self.constraints.unwrap_or_default() as usize;
        // The circuit's rows, the points by one and by several coordinates, and scalars.
        context.need((constraints as u64).saturating_mul(4096), "so many constraints")?;
        let (key, witness) = context.step(Phase::Host, "generate", || -> Result<_> {
            let (circuit, witness) = chain::<E::Scalar>(constraints, self.seed);
            Ok((self.key::<E>(&circuit)?, witness))
        })?;
        write(context, folder, &key)?;
        let path = folder.join(WITNESS);
        context.step(Phase::Writing, WITNESS, || {
            write_whole(&path, |out| snarkjs::write_witness::<E::Scalar>(out, &witness))
        })
    }

    fn of_file<E: PairingCurve>(&self, context: &Context, source: &Source, folder: &Path) -> Result<()> {
        let read = || snarkjs::read_circuit::<E::Scalar>(source, context.memory());
        let circuit = context.step(Phase::Reading, "read the circuit", read)?;
        let (variables, constraints) = (circuit.variables, circuit.constraints.len());
        context.report("curve", E::NAME.as_str());
        context.report("variables", variables);
        context.report("public", circuit.public);
        context.report("constraints", constraints);
        let size = (variables as u64).saturating_add(constraints as u64);
        context.need(size.saturating_mul(2048), "the setup of this circuit")?;
        let key = context.step(Phase::Host, "generate", || self.key::<E>(&circuit))?;
        write(context, folder, &key)
    }

    fn key<E: PairingCurve>(&self, circuit: &Circuit<E::Scalar>) -> Result<ProvingKey<E>> {
        Setup::<E>::of_seed(self.seed).key(circuit, Basis::OddRoots)
    }
}

fn write<E: PairingCurve>(context: &Context, folder: &Path, key: &ProvingKey<E>) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
    let [to_key, to_verifying] = [KEY, VERIFYING].map(|name| folder.join(name));
    context.step(Phase::Writing, KEY, || write_whole(&to_key, |out| snarkjs::write_key(out, key)))?;
    context.step(Phase::Writing, VERIFYING, || {
        write_whole(&to_verifying, |out| snarkjs::write_verifying_key(out, &key.verifying))
    })
}

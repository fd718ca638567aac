//! `wgalois gen groth16`: a circuit's key and a witness.

mod names;

use super::super::counts;
use crate::groth16::with_pairing;
use crate::prelude::*;
use names::{BESIDE, Form, IN_FOLDER, KEYS, Names};
use std::io::{self, Write};
use wgalois::curve::PairingCurve;
use wgalois_proofs::groth16::{Basis, Constraints, Domain, NewKey, Setup, Shaped, chain};
use wgalois_proofs::{bellman, snarkjs};

/// Generate a key of Groth16, for a circuit of circom or for a generated one with its witness
///
/// Writes circuit.zkey and verification_key.json to the folder of -o, in the form of snarkjs; for a generated circuit also
/// witness.wtns. If -o names a file KEY.zkey or KEY.params, the key has that name, the others are KEY.json and KEY.wtns, and the format is
/// snarkjs' or bellman's, which is over BLS12-381 and has no constraints: those of a generated circuit are written to
/// KEY.r1cs. A key from this setup is for tests and measurements only: its secrets follow from the seed, and whoever
/// knows them can forge proofs. Keys that others are to trust come from a ceremony, as snarkjs runs it.
///
/// The points are made on the device while those before them are written, so that a key of any size takes the memory of
/// four scalars for each variable and 0.5 GB. A circuit of circom, and that of --constraints, is in memory as well.
#[derive(clap::Args)]
pub struct Groth16 {
    /// The circuit, .r1cs; its curve is that of its field
    #[arg(long, value_name = "FILE", conflicts_with_all = ["curve", "constraints", "domain"])]
    circuit: Option<PathBuf>,
    /// The curve of a generated circuit: bn254 or bls12-381
    #[arg(long, value_parser = crate::names::curves(), default_value_t = CurveName::Bls12_381)]
    curve: CurveName,
    /// Generate a circuit with so many constraints. Its public values take three more roots of the domain, which has a power of
    /// two of them: 2^20 constraints have a domain of 2^21
    #[arg(
        long,
        value_name = "N",
        value_parser = count::<u64>(1..1 << 26),
        required_unless_present_any = ["circuit", "domain"],
        conflicts_with = "domain",
    )]
    constraints: Option<u64>,
    /// Generate a circuit whose constraints and public values fill a domain of exactly so many roots, a power of two from 8 to
    /// 2^28
    #[arg(long, value_name = "N", value_parser = roots)]
    domain: Option<u64>,
    /// With --domain, the share of the values of a witness that are 0 or 1, from 0 to 1 [default: 0]
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "domain", conflicts_with_all = ["circuit", "constraints"])]
    bits: Option<f64>,
    /// With --domain, the share of the variables that have a polynomial in B, from 0 to 1 [default: 1]
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "domain", conflicts_with_all = ["circuit", "constraints"])]
    density_b: Option<f64>,
    /// With --domain, the number of witnesses. Several are witness.1.wtns and so on, or KEY.1.wtns [default: 1]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..=1000), requires = "domain", conflicts_with_all = ["circuit", "constraints"])]
    witnesses: Option<u64>,
    /// Seed of the random generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

/// A number of roots of unity.
fn roots(text: &str) -> Result<u64, String> {
    let roots = counts::count::<u64>(8..=1 << 28)(text)?;
    if roots.is_power_of_two() { Ok(roots) } else { Err(format!("{roots} is no power of two")) }
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

impl Run for Groth16 {
    fn run(&self, context: &Context) -> Result<()> {
        let Some(output) = context.output_path() else {
            return Err(Error::needs("gen groth16, which writes several files,", "-o FOLDER or -o KEY.zkey"));
        };
        let names = Names::of(output);
        match &self.circuit {
            Some(path) => {
                let source = context.source(path)?;
                let curve = snarkjs::curve_of(&source)?;
                with_pairing!(curve, E => self.of_file::<E>(context, &source, &names))
            }
            None => with_pairing!(self.curve, E => self.generate::<E>(context, &names)),
        }
    }

    fn is_brief(&self) -> bool {
        true
    }

    fn inputs(&self) -> Vec<PathBuf> {
        self.circuit.iter().cloned().collect()
    }

    fn outputs(&self) -> Outputs {
        let is_generated = self.circuit.is_none();
        let of = |list: &[(&str, bool)]| -> Vec<String> {
            let written = list.iter().filter(|(_, of_generated)| is_generated || !of_generated);
            written.map(|(name, _)| (*name).to_owned()).collect()
        };
        let data = Data::FolderOrFile { names: of(IN_FOLDER), endings: KEYS, beside: of(BESIDE) };
        Outputs { data, ..Outputs::default() }
    }
}

/// A pairing with the formats of its keys.
trait KeyFiles: PairingCurve {
    /// Writes a key of bellman.
    fn write_params(out: &mut dyn Write, key: &NewKey<Self>) -> io::Result<()>;
}

impl KeyFiles for ark_bn254::Bn254 {
    fn write_params(_: &mut dyn Write, _: &NewKey<Self>) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl KeyFiles for ark_bls12_381::Bls12_381 {
    fn write_params(out: &mut dyn Write, key: &NewKey<Self>) -> io::Result<()> {
        bellman::write_key(out, key)
    }
}

impl Groth16 {
    fn generate<E: KeyFiles>(&self, context: &Context, names: &Names) -> Result<()> {
        let Some(domain) = self.domain else {
            let constraints = self.constraints.unwrap_or_default() as usize;
            // The circuit's rows, and scalars.
            context.need((constraints as u64).saturating_mul(4096), "so many constraints")?;
            let (circuit, witness) =
                context.step(Phase::Host, "generate", || chain::<E::Scalar>(constraints, self.seed));
            self.write::<E>(context, names, &circuit, true)?;
            return write_witness::<E>(context, &names.witness(None), &witness);
        };
        let (bits, density) = (self.bits.unwrap_or(0.0), self.density_b.unwrap_or(1.0));
        let circuit = Shaped::<E::Scalar>::new(domain as usize, bits, density, self.seed)?;
        let sizes: &dyn Constraints<E::Scalar> = &circuit;
        context.report("variables", sizes.variables());
        context.report("public", sizes.public());
        context.report("constraints", sizes.constraints());
        self.write::<E>(context, names, &circuit, true)?;
        let count = self.witnesses.unwrap_or(1);
        for number in 1..=count {
            let witness = context.step(Phase::Host, "witness", || circuit.witness(number));
            write_witness::<E>(context, &names.witness((count > 1).then_some(number)), &witness)?;
        }
        Ok(())
    }

    fn of_file<E: KeyFiles>(&self, context: &Context, source: &Source, names: &Names) -> Result<()> {
        let read = || snarkjs::read_circuit::<E::Scalar>(source, context.memory());
        let circuit = context.step(Phase::Reading, "read the circuit", read)?;
        let (variables, constraints) = (circuit.variables, circuit.constraints.len());
        context.report("curve", E::NAME.as_str());
        context.report("variables", variables);
        context.report("public", circuit.public);
        context.report("constraints", constraints);
        let size = (variables as u64).saturating_add(constraints as u64);
        context.need(size.saturating_mul(2048), "the setup of this circuit")?;
        self.write::<E>(context, names, &circuit, false)
    }

    /// Writes the key of a circuit, and the circuit if it is new and the key does not have it.
    fn write<E: KeyFiles>(
        &self,
        context: &Context,
        names: &Names,
        circuit: &dyn Constraints<E::Scalar>,
        is_new: bool,
    ) -> Result<()> {
        if names.form == Form::Params && E::NAME != CurveName::Bls12_381 {
            return Err(Error::only_for("a key of bellman, .params,", "bls12-381"));
        }
        let (variables, known) = (circuit.variables(), circuit.public() + 1);
        let roots = (circuit.constraints() + known).next_power_of_two();
        // A field without these roots is refused before memory is asked for.
        Domain::new::<E::Scalar>(roots.ilog2())?;
        let (multiples, _) = NewKey::<E>::multiples(variables, roots);
        let demands = Demands { beside: NewKey::<E>::host_bytes(variables, roots), ..Demands::default() };
        let Some((device, _)) = context.plan_with(&multiples, demands)? else { return Ok(()) };
        names.create_folder()?;
        let key = |basis| {
            let setup = || Setup::<E>::of_seed(self.seed).new_key(&device, circuit, basis);
            context.step(Phase::Host, "polynomials", setup)
        };
        let key = match names.form {
            Form::Zkey => {
                let key = key(Basis::OddRoots)?;
                write_file(context, &names.key, |out| snarkjs::write_key(out, &key))?;
                key
            }
            Form::Params => {
                let key = key(Basis::Powers)?.without_zeros();
                write_file(context, &names.key, |out| E::write_params(out, &key))?;
                if is_new {
                    write_file(context, &names.circuit, |out| snarkjs::write_circuit(out, circuit))?;
                }
                key
            }
        };
        let verifying = key.verifying()?;
        write_file(context, &names.verifying, |out| snarkjs::write_verifying_key(out, &verifying))
    }
}

fn write_witness<E: PairingCurve>(context: &Context, path: &Path, witness: &[E::Scalar]) -> Result<()> {
    write_file(context, path, |out| snarkjs::write_witness::<E::Scalar>(out, witness))
}

/// Writes a file, timed under its name.
fn write_file(
    context: &Context,
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    context.step(Phase::Writing, &name, || write_whole(path, write))
}

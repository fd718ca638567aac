//! A key of the server, over any curve.

use super::super::keys::{KeyForm, Sizes, Zkey};
use super::super::point_check::{CheckOptions, PointCheck};
use super::super::prepare::{explained, prepared, read_fitting};
use super::super::{check_strength, with_pairing};
use super::Serve;
use super::body::Form;
use crate::prelude::*;
use serde_json::{Value, json};
use std::any::Any;
use std::sync::Arc;
use wgalois::curve::PairingCurve;
use wgalois::task::{Cost, Planned, Profile};
use wgalois_proofs::groth16::{Proof, Prover, Proving, Verifier, Witness};
use wgalois_proofs::snarkjs;

/// A witness or a proof, whose type is that of the key's curve.
pub type Data = Box<dyn Any + Send>;

/// What the threads of requests know of a key.
pub trait Circuit: Send + Sync {
    fn name(&self) -> &str;
    /// The sizes of the circuit, as JSON.
    fn describe(&self) -> Value;
    /// The longest body that a witness can have.
    fn longest(&self) -> u64;
    /// Reads a witness.
    fn read(&self, source: &Source, form: Form) -> Result<Data>;
    /// Checks a proof, and writes it with the public values: proof.json and public.json of snarkjs.
    fn answer(&self, witness: &Data, proof: &Data) -> Result<[Vec<u8>; 2]>;
}

/// What the thread with the device knows of a key.
pub trait Key {
    fn circuit(&self) -> Arc<dyn Circuit>;
    /// Opens the device that is the best for many proofs, or that the user named.
    fn open(&self, context: &Context) -> Result<Device>;
    fn cost(&self, profile: &Profile) -> Result<Cost>;
    /// Prints the plan with `--plan`, and then returns `None`.
    fn show(&self, context: &Context, profile: &Profile) -> Result<Option<()>>;
    /// Reads the file and checks it.
    fn prepare(&self, context: &Context, device: &Device, profile: &Profile) -> Result<Box<dyn Proves>>;
}

/// A key on the device.
pub trait Proves {
    /// A proof for each witness.
    fn prove(&self, witnesses: &[&Data]) -> Result<Vec<Data>>;
}

/// Reads the sizes of a key and its verifying part.
pub fn read(args: &Serve, context: &Context, path: &Path) -> Result<Box<dyn Key>> {
    let source = context.source(path)?;
    context.hold(source.owned_bytes());
    let curve = snarkjs::curve_of(&source)?;
    with_pairing!(curve, E => Ok(Box::new(KeyOver::<E>::new(args, context, source)?)))
}

struct KeyOver<E: PairingCurve> {
    source: Source,
    circuit: Arc<CircuitOver<E>>,
    check: CheckOptions,
}

struct CircuitOver<E: PairingCurve> {
    name: String,
    problem: Proving<E>,
    sizes: Sizes,
    verifier: Verifier<E>,
    checks: bool,
}

/// Proofs by which the device is chosen: a server makes many.
const MANY: usize = 64;

impl<E: PairingCurve> KeyOver<E> {
    fn new(args: &Serve, context: &Context, source: Source) -> Result<Self> {
        let sizes = KeyForm::<E>::sizes(&Zkey, &source)?;
        check_strength(context, &source, sizes.weakness, args.allow_insecure_key)?;
        let problem = Proving::<E>::new(sizes.variables, sizes.public, sizes.log2)
            .with_basis(sizes.basis)
            .with_coefficients(sizes.coefficients)
            .with_proofs(args.batch)
            .with_precompute(args.precompute);
        let verifier = Verifier::new(snarkjs::read_verifying_part(&source, context.memory())?);
        let name = source.path().file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let circuit = CircuitOver { name, problem, sizes, verifier, checks: !args.no_check };
        Ok(KeyOver { source, circuit: Arc::new(circuit), check: args.check })
    }

    fn plan(&self, profile: &Profile) -> Result<Planned<Proving<E>>> {
        self.circuit.problem.plan_for(profile)
    }
}

impl<E: PairingCurve> Key for KeyOver<E> {
    fn circuit(&self) -> Arc<dyn Circuit> {
        Arc::clone(&self.circuit) as _
    }

    fn open(&self, context: &Context) -> Result<Device> {
        let choose = |problem: &Proving<E>| Ok(context.choose(problem, Demands::default())?.device);
        let problem = &self.circuit.problem;
        match choose(&problem.with_proofs(MANY)) {
            Err(Error::OutOfMemory(_)) => choose(problem),
            chosen => chosen,
        }
    }

    fn cost(&self, profile: &Profile) -> Result<Cost> {
        Ok(self.plan(profile)?.cost())
    }

    fn show(&self, context: &Context, profile: &Profile) -> Result<Option<()>> {
        context.take(&self.plan(profile)?)
    }

    fn prepare(&self, context: &Context, device: &Device, profile: &Profile) -> Result<Box<dyn Proves>> {
        let check = PointCheck::look_up::<E, _>(context, self.check, &self.source, &Zkey);
        let trust = check.trust();
        let read = || KeyForm::<E>::read(&Zkey, &self.source, trust, context.memory());
        let read = || context.watch("read the key", read);
        let plan = self.plan(profile)?;
        Ok(Box::new(prepared(context, (device, &plan), (&self.source, &Zkey), check, read)?))
    }
}

impl<E: PairingCurve> Circuit for CircuitOver<E> {
    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> Value {
        let Sizes { variables, public, log2, .. } = self.sizes;
        json!({
            "name": self.name,
            "curve": E::NAME.as_str(),
            "variables": variables,
            "public": public,
            "log2_constraints": log2,
        })
    }

    fn longest(&self) -> u64 {
        // In JSON, r has 77 digits, with quotation marks, a comma, and white space as `JSON.stringify` makes it; .wtns is shorter.
        const VALUE: u64 = 84;
        const REST: u64 = 1024;
        (self.sizes.variables as u64).saturating_mul(VALUE).saturating_add(REST)
    }

    fn read(&self, source: &Source, form: Form) -> Result<Data> {
        // The length of the body bounds what is read.
        let witness = match form {
            Form::Wtns => read_fitting(&self.problem, source, u64::MAX)?,
            Form::Json => {
                let witness = snarkjs::read_witness_json::<E::Scalar>(source, u64::MAX)?;
                self.problem.expect(&witness).map_err(|error| source.error(error.to_string()))?;
                witness
            }
        };
        Ok(Box::new(witness))
    }

    fn answer(&self, witness: &Data, proof: &Data) -> Result<[Vec<u8>; 2]> {
        let witness: &Witness<E::Scalar> = typed(witness)?;
        let proof: &Proof<E> = typed(proof)?;
        let public = &witness[1..=self.sizes.public];
        if self.checks {
            explained(Path::new(super::body::NAME), self.verifier.check_equation(proof, public))?;
        }
        let (mut of_proof, mut of_public) = (Vec::new(), Vec::new());
        let written = snarkjs::write_proof(&mut of_proof, proof);
        let written = written.and(snarkjs::write_public(&mut of_public, public));
        written.map_err(|error| Error::file(super::body::NAME, error))?;
        Ok([of_proof, of_public])
    }
}

impl<E: PairingCurve> Proves for Prover<E> {
    fn prove(&self, witnesses: &[&Data]) -> Result<Vec<Data>> {
        let values = witnesses.iter().map(|witness| Ok(&**typed::<Witness<E::Scalar>>(witness)?));
        let values = values.collect::<Result<Vec<_>>>()?;
        let proofs = self.prove_many(&values)?;
        Ok(proofs.into_iter().map(|proof| Box::new(proof) as Data).collect())
    }
}

/// The data of a key's own type. Those of another key cannot come here.
fn typed<T: 'static>(data: &Data) -> Result<&T> {
    data.downcast_ref().ok_or(Error::OtherPlan { what: "key" })
}

//! `wgalois groth16 prove`.

use super::keys::{KeyForm, Params, Zkey, is_params};
use super::point_check::{CheckOptions, PointCheck};
use super::prepare::{explained, prepared, read_fitting};
use super::times::Times;
use super::{check_strength, with_pairing};
use crate::prelude::*;
use std::collections::HashSet;
use std::fs;
use std::mem::ManuallyDrop;
use wgalois::curve::PairingCurve;
use wgalois::msm::Precompute;
use wgalois::parallel::*;
use wgalois_proofs::groth16::{Proof, Prover, Proving, ProvingPlan, Witness};
use wgalois_proofs::snarkjs;

/// The share of bits from which on a witness is planned for by it.
const MOSTLY: f64 = 0.5;

/// Prove that a witness satisfies a circuit
///
/// Writes proof.json and public.json as snarkjs does. Every proof is checked by pairing before it is written; a witness that
/// does not satisfy the circuit ends with exit code 1. Several witnesses are proved by the same prepared key; --proof and
/// --public then name folders, which get a file of the name of each witness, with the ending .json. Nothing is written before
/// all witnesses are proved.
///
/// All points of the key are checked to be on their curves and in the subgroups of order r. A file that passed is remembered by its
/// digest in the user's cache folder. A key without the setup's second phase, for which anybody can forge proofs, is refused.
#[derive(clap::Args)]
pub struct Prove {
    /// The key of the circuit, .zkey, or with --circuit .params
    key: PathBuf,
    /// The witnesses, .wtns
    #[arg(required_unless_present = "warm")]
    witnesses: Vec<PathBuf>,
    /// The file of the proof, or the folder of several [default: proof.json]
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
    /// The file of the public values, or the folder of several [default: public.json]
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,
    /// Do not check the proofs
    #[arg(long)]
    no_check: bool,
    #[command(flatten)]
    check: CheckOptions,
    /// Take a key for which anybody can forge proofs
    #[arg(long)]
    allow_insecure_key: bool,
    /// The multiples of every point of the key that a GPU stores: none; one, which divides scalars into halves, where that is
    /// expected to be faster; its doublings up to 2^T; or those for all windows. Preparing more of them takes longer, and
    /// each proof less time
    #[arg(long, value_name = "none|halves|doublings:T|windows", default_value_t)]
    precompute: Precompute,
    /// The circuit, .r1cs, for a key of bellman (.params), which has no constraints
    #[arg(long, value_name = "FILE")]
    circuit: Option<PathBuf>,
    /// Only compile the kernels for this key, which are kept for later runs
    #[arg(long, conflicts_with_all = ["witnesses", "proof", "public", "no_check"])]
    warm: bool,
}

impl Run for Prove {
    fn run(&self, context: &Context) -> Result<()> {
        self.check_names()?;
        let source = context.source(&self.key)?;
        context.hold(source.owned_bytes());
        if let Some(circuit) = &self.circuit {
            // The end of the process frees its rows at once.
            let params = ManuallyDrop::new(Params::with_circuit(context, circuit)?);
            context.report("curve", CurveName::Bls12_381.as_str());
            return self.run_on(context, source, &*params);
        }
        if is_params(&self.key) {
            return Err(Error::needs("a key of bellman", "its circuit: --circuit FILE"));
        }
        let curve = snarkjs::curve_of(&source)?;
        context.report("curve", curve.as_str());
        with_pairing!(curve, E => self.run_on::<E>(context, source, &Zkey))
    }

    fn is_brief(&self) -> bool {
        true
    }

    fn inputs(&self) -> Vec<PathBuf> {
        std::iter::once(&self.key).chain(&self.circuit).chain(&self.witnesses).cloned().collect()
    }

    fn outputs(&self) -> Outputs {
        let outputs = Outputs { data: Data::None, ..Outputs::default() };
        let named = [("--proof", self.proof()), ("--public", self.public())];
        match &self.witnesses[..] {
            _ if self.warm => outputs,
            [_, _, ..] => {
                let within =
                    |(option, folder)| self.witnesses.iter().map(move |own| (option, named_as(folder, own)));
                let files = named.into_iter().flat_map(within);
                // Two witnesses of one name are refused by `check_names`, which names them.
                let mut seen = HashSet::new();
                let files = files.filter(|(option, file)| {
                    file.parent().is_some_and(Path::is_dir) && seen.insert((*option, file.clone()))
                });
                let folders = named.map(|(option, folder)| (option, folder.to_owned(), &[][..]));
                Outputs { files: files.collect(), folders: folders.into(), ..outputs }
            }
            _ => Outputs { files: named.map(|(option, file)| (option, file.to_owned())).into(), ..outputs },
        }
    }
}

impl Prove {
    fn proof(&self) -> &Path {
        self.proof.as_deref().unwrap_or(Path::new("proof.json"))
    }

    fn public(&self) -> &Path {
        self.public.as_deref().unwrap_or(Path::new("public.json"))
    }

    /// Refuses several witnesses without folders for their proofs, and two whose proofs would have the same name.
    fn check_names(&self) -> Result<()> {
        if self.witnesses.len() > 1 && (self.proof.is_none() || self.public.is_none()) {
            return Err(Error::needs("each of several witnesses", "folders: --proof FOLDER --public FOLDER"));
        }
        for (i, witness) in self.witnesses.iter().enumerate() {
            let same = |other: &&PathBuf| other.file_stem() == witness.file_stem();
            if let Some(other) = self.witnesses[..i].iter().find(same) {
                let [first, second] =
                    [other, witness].map(|path| format!("the proof of {}", text::name(path)));
                return Err(Error::SameFile { first, second });
            }
        }
        Ok(())
    }

    fn run_on<E: PairingCurve>(
        &self,
        context: &Context,
        source: Source,
        form: &impl KeyForm<E>,
    ) -> Result<()> {
        let sizes = form.sizes(&source)?;
        context.report("variables", sizes.variables);
        context.report("public", sizes.public);
        context.report("log2_constraints", sizes.log2);
        check_strength(context, &source, sizes.weakness, self.allow_insecure_key)?;
        let problem = Proving::<E>::new(sizes.variables, sizes.public, sizes.log2);
        let problem = problem
            .with_basis(sizes.basis)
            .with_bases(sizes.bases)
            .with_coefficients(sizes.coefficients)
            .with_proofs(self.witnesses.len())
            .with_bits(self.share_of_bits(context))
            .with_precompute(self.precompute);
        // Of several witnesses the memory that they share is worth its allocation.
        let problem = if self.witnesses.len() > 1 { problem } else { problem.for_one_run() };
        let Some((device, prover)) = self.prepare(context, &problem, source, form)? else { return Ok(()) };
        context.note_of_gpus(&device, "--precompute", self.precompute != Precompute::default());
        let mut outputs = Vec::with_capacity(self.witnesses.len());
        let mut times = Times::of(&device);
        for paths in self.witnesses.chunks(prover.together()) {
            let witnesses = self.read_witnesses(context, &prover, paths)?;
            let values: Vec<&[E::Scalar]> = witnesses.iter().map(|witness| &**witness).collect();
            let proofs = times.around(|| context.watch("prove", || prover.prove_many(&values)))?;
            if !self.no_check {
                self.check(context, &prover, (paths, &witnesses), &proofs)?;
            }
            for (witness, proof) in witnesses.iter().zip(&proofs) {
                let (mut of_proof, mut of_public) = (Vec::new(), Vec::new());
                let written = snarkjs::write_proof(&mut of_proof, proof);
                let public = prover.public(witness)?;
                let written = written.and(snarkjs::write_public(&mut of_public, public));
                written.map_err(|error| Error::file(self.proof(), error))?;
                outputs.push([of_proof, of_public]);
            }
        }
        self.write(context, outputs)?;
        prover.leave(&device);
        context.report("proving", times.report());
        context.report("proofs", self.witnesses.len());
        context.report("checked", !self.no_check);
        Ok(())
    }

    /// The share of the first witness's values that are 0 or 1, for the plan, if most are. Faults of the witness are found when it is
    /// read; a pipe can be read only once.
    fn share_of_bits(&self, context: &Context) -> f64 {
        let Some(path) = self.witnesses.first().filter(|path| path.is_file()) else { return 0.0 };
        let share = context.step(Phase::Reading, "look at a witness", || {
            context.source(path).and_then(|source| snarkjs::share_of_bits(&source))
        });
        let share = share.unwrap_or(0.0);
        if share < MOSTLY { 0.0 } else { share }
    }

    /// Writes a proof and the public values for each witness.
    fn write(&self, context: &Context, outputs: Vec<[Vec<u8>; 2]>) -> Result<()> {
        let is_one = self.witnesses.len() == 1;
        if !is_one {
            for folder in [self.proof(), self.public()] {
                fs::create_dir_all(folder).map_err(|error| Error::file(folder, error))?;
            }
        }
        for (witness, [proof, public]) in self.witnesses.iter().zip(outputs) {
            let (to_proof, to_public) = match is_one {
                true => (self.proof().to_owned(), self.public().to_owned()),
                false => (named_as(self.proof(), witness), named_as(self.public(), witness)),
            };
            context.write_together(&[(&to_proof, proof), (&to_public, public)])?;
        }
        Ok(())
    }

    /// The prover of the key, and its device; `None` with `--plan` or `--warm`. The key is read while a GPU opens, and its
    /// points are checked while the kernels are compiled.
    fn prepare<E: PairingCurve>(
        &self,
        context: &Context,
        problem: &Proving<E>,
        source: Source,
        form: &impl KeyForm<E>,
    ) -> Result<Option<(Device, Prover<E>)>> {
        let (timeline, memory) = (context.timeline(), context.memory());
        let check = match self.warm || context.only_plans() {
            true => PointCheck::none(),
            false => PointCheck::look_up(context, self.check, &source, form),
        };
        let trust = check.trust();
        let read = || timeline.time(Phase::Reading, "read the key", || form.read(&source, trust, memory));
        ahead(context.is_opening() && !self.warm, read, |reading| {
            let checks = if self.warm { !self.check.unchecked } else { check.is_due() };
            let compile = move |device: &Device, plan: &ProvingPlan<E>| Prover::compile(device, plan, checks);
            let planned = context.plan_compiling(problem, Demands::default(), compile)?;
            let Some((device, plan)) = planned else { return Ok(None) };
            if self.warm {
                let compile = || compile(&device, &plan);
                context.step(Phase::Preparing, "compile", compile)?;
                return Ok(None);
            }
            let read = || context.watch("read the key", || reading.wait());
            let prover = prepared(context, (&device, &plan), (&source, form), check, read)?;
            Ok(Some((device, prover)))
        })
    }

    /// Reads some witnesses, all at the same time.
    fn read_witnesses<E: PairingCurve>(
        &self,
        context: &Context,
        prover: &Prover<E>,
        paths: &[PathBuf],
    ) -> Result<Vec<Witness<E::Scalar>>> {
        let sources = paths.iter().map(|path| context.source(path)).collect::<Result<Vec<_>>>()?;
        let memory = context.memory();
        let problem = prover.plan().problem();
        let read = |source: &Source| read_fitting(problem, source, memory);
        let all = || sources.par_iter().map(read).collect();
        // The first error, not that of any thread.
        context.step(Phase::Reading, "read the witnesses", all).into_iter().collect()
    }

    /// Checks some proofs, all at the same time.
    fn check<E: PairingCurve>(
        &self,
        context: &Context,
        prover: &Prover<E>,
        (paths, witnesses): (&[PathBuf], &[Witness<E::Scalar>]),
        proofs: &[Proof<E>],
    ) -> Result<()> {
        let check = |((path, witness), proof): ((&PathBuf, &Witness<E::Scalar>), &Proof<E>)| {
            explained(path, prover.verifier().check_equation(proof, prover.public(witness)?))
        };
        let all = || paths.par_iter().zip(witnesses).zip(proofs).map(check).collect();
        context.step(Phase::Checking, "check the proofs", all).into_iter().collect()
    }
}

/// The file in a folder that belongs to a witness.
fn named_as(folder: &Path, witness: &Path) -> PathBuf {
    let mut name = witness.file_stem().unwrap_or_default().to_owned();
    name.push(".json");
    folder.join(name)
}

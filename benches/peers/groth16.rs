//! Groth16 proofs on the CPU engine or on a GPU beside ark-groth16's parallel prover and `snarkjs groth16 prove`, in one run.
//!
//!     npm ci --prefix .ci/circuits
//!     cargo build --release
//!     cargo bench -p wgalois-peers --bench groth16 -- [--device=cpu] [--precompute=halves] [--samples=5] [--commands=3] 16 FOLDER
//!
//! A number asks for generated circuits of a little less than 2^number constraints over BN254 and BLS12-381; a folder has a circuit and a
//! witness of circom over BN254, `*.r1cs` and `witness.wtns`. The keys of all three come from one setup by one party: snarkjs'
//! and ours from the same file, ark-groth16's in its own form. Provers take turns. Every proof is verified by ark-groth16 before its
//! time counts. Of proofs with the key resident, ours reads the witness from memory, as ark-groth16's does; neither checks
//! the proof, but where the row says so. The device is one of the program's `--device`, and `--precompute` is that of `groth16 prove`. The whole commands are `wgalois groth16 prove`, which checks the key's points and the proof, the same without these checks, and
//! `snarkjs groth16 prove`, which has no such checks. Times are medians. Without Node.js or the program, commands are left out.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ark_bls12_381::Bls12_381;
use ark_bn254::Bn254;
use ark_ff::UniformRand;
use ark_groth16::{Groth16, prepare_verifying_key};
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use wgalois::curve::PairingCurve;
use wgalois::msm::Precompute;
use wgalois::task::Problem;
use wgalois::{Device, Select};
use wgalois_io::Source;
use wgalois_proofs::groth16::{
    Basis, Circuit, Proof, Prover, Proving, ProvingKey, Setup, VerifyingKey, Witness, chain,
};
use wgalois_proofs::snarkjs;

/// How long a GPU works before a round is timed.
const WARM_UP: Duration = Duration::from_millis(500);

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The runs that are counted.
#[derive(Clone, Copy)]
struct Runs {
    /// Of each prover with its key resident.
    samples: usize,
    /// Of each command.
    commands: usize,
}

/// The device of our provers, by the name that the program takes.
fn device_name() -> String {
    text_option("--device=").unwrap_or("cpu".into())
}

/// The value of an option.
fn text_option(name: &str) -> Option<String> {
    std::env::args().find_map(|argument| Some(argument.strip_prefix(name)?.to_owned()))
}

fn main() -> Outcome<()> {
    let number = |name: &str| std::env::args().find_map(|argument| argument.strip_prefix(name)?.parse().ok());
    let runs = Runs {
        samples: number("--samples=").unwrap_or(5).max(1),
        commands: number("--commands=").unwrap_or(3),
    };
    println!("| circuit | prover | key resident | whole command |\n|---|---|---|---|");
    for argument in std::env::args().skip(1).filter(|argument| !argument.starts_with('-')) {
        match argument.parse::<u32>() {
            Ok(log2) => {
                // The constant and two public values have rows of their own.
                let constraints = (1 << log2) - 3;
                compare::<Bn254>(&format!("2^{log2}, BN254"), runs, &chain(constraints, 1))?;
                compare::<Bls12_381>(&format!("2^{log2}, BLS12-381"), runs, &chain(constraints, 1))?;
            }
            Err(_) => {
                let folder = Path::new(&argument);
                let files = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
                let files = files.collect::<std::io::Result<Vec<_>>>()?;
                let circuit = files.iter().find(|path| path.extension().is_some_and(|end| end == "r1cs"));
                let source = Source::open(circuit.ok_or("no circuit in the folder")?, u64::MAX)?;
                let circuit = snarkjs::read_circuit(&source, u64::MAX)?;
                let source = Source::open(&folder.join("witness.wtns"), u64::MAX)?;
                let witness = snarkjs::read_witness(&source, u64::MAX)?;
                let name = folder.file_name().unwrap_or_default().to_string_lossy();
                compare::<Bn254>(&name, runs, &(circuit, witness))?;
            }
        }
    }
    Ok(())
}

fn compare<E: PairingCurve>(
    name: &str,
    runs: Runs,
    (circuit, witness): &(Circuit<E::Scalar>, Witness<E::Scalar>),
) -> Outcome<()> {
    let name = format!("{name}: {} constraints", circuit.constraints.len());
    if circuit.first_violated(witness)?.is_some() {
        return Err("the witness does not satisfy the circuit".into());
    }
    let setup = Setup::<E>::of_seed(1);
    let ours = setup.key(circuit, Basis::OddRoots)?;
    let commands = commands(&ours, witness, runs.commands)?;
    let theirs = setup.key(circuit, Basis::Powers)?;
    let resident = resident((circuit, witness), runs.samples, ours, theirs)?;
    let rows = [
        ("wgalois, a key of snarkjs", Some(resident[0]), commands[0]),
        ("the same with its check of the proof", Some(resident[2]), None),
        ("the command without checks", None, commands[1]),
        ("wgalois, a key of ark-groth16", Some(resident[1]), None),
        ("ark-groth16", Some(resident[3]), None),
        ("snarkjs", None, commands[2]),
    ];
    let shown = |time: Option<Duration>| time.map_or(String::new(), |time| format!("{time:.3?}"));
    for (who, resident, command) in rows {
        println!("| {name} | {who} | {} | {} |", shown(resident), shown(command));
    }
    Ok(())
}

/// Fails if ark-groth16 does not accept a proof.
fn accept<E: PairingCurve>(
    key: &VerifyingKey<E>,
    public: &[E::Scalar],
    proof: &ark_groth16::Proof<E::Pairing>,
) -> Outcome<()> {
    let key = prepare_verifying_key(&key.to_arkworks());
    match Groth16::<E::Pairing>::verify_proof(&key, proof, public)? {
        true => Ok(()),
        false => Err("ark-groth16 refuses a proof".into()),
    }
}

/// Times of proofs by our two forms of the key, of one with its check, and by ark-groth16.
fn resident<E: PairingCurve>(
    (circuit, witness): (&Circuit<E::Scalar>, &Witness<E::Scalar>),
    samples: usize,
    of_snarkjs: ProvingKey<E>,
    of_arkworks: ProvingKey<E>,
) -> Outcome<[Duration; 4]> {
    let key = ark_groth16::ProvingKey {
        vk: of_arkworks.verifying.to_arkworks(),
        beta_g1: of_arkworks.beta,
        delta_g1: of_arkworks.delta,
        a_query: of_arkworks.queries.a.clone(),
        b_g1_query: of_arkworks.queries.b.clone(),
        b_g2_query: of_arkworks.queries.b2.clone(),
        h_query: of_arkworks.queries.quotient.clone(),
        l_query: of_arkworks.queries.secret.clone(),
    };
    let matrices = [0, 1, 2].map(|part| {
        let entry = |(factor, variable): &(E::Scalar, u32)| (*factor, *variable as usize);
        circuit
            .constraints
            .iter()
            .map(|rows| rows[part].iter().map(entry).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    });
    let (known, constraints) = (circuit.public + 1, circuit.constraints.len());
    let Ok(select) = device_name().parse::<Select>();
    let problem = Proving::of(&of_snarkjs);
    let device = Device::select(&select, &problem, wgalois::Setup::default())?.device;
    let precompute: Option<Precompute> = text_option("--precompute=").map(|text| text.parse()).transpose()?;
    let prover = |key: ProvingKey<E>| {
        let problem = Proving::of(&key).with_precompute(precompute.unwrap_or_default());
        Prover::new(&device, &problem.plan(&device)?, key)
    };
    // Over BLS12-381 the two number the roots of unity differently, so that the points of public values differ.
    let verifying = [of_snarkjs.verifying.clone(), of_arkworks.verifying.clone()];
    let provers = [prover(of_snarkjs)?, prover(of_arkworks)?];
    let public = provers[0].public(witness)?;
    let mut times = [(); 4].map(|()| Vec::new());
    let mut rng = StdRng::seed_from_u64(1);
    // The first round is not counted.
    for round in 0..=samples {
        if !matches!(device, Device::Cpu(_)) {
            // The clock of a GPU falls while ark-groth16 works on the CPU.
            let begin = Instant::now();
            while begin.elapsed() < WARM_UP {
                provers[0].prove(witness)?;
                provers[1].prove(witness)?;
            }
        }
        let mut took = Vec::new();
        let first = timed(&mut took, || provers[0].prove(witness))?;
        let second = timed(&mut took, || provers[1].prove(witness))?;
        let checked = timed(&mut took, || {
            let proof = provers[0].prove(witness)?;
            provers[0].verifier().check(&proof, public).map(|_| proof)
        })?;
        let theirs = timed(&mut took, || {
            let (r, s) = (E::Scalar::rand(&mut rng), E::Scalar::rand(&mut rng));
            Groth16::<E::Pairing>::create_proof_with_reduction_and_matrices(
                &key,
                r,
                s,
                &matrices,
                known,
                constraints,
                witness,
            )
        })?;
        accept(&verifying[0], public, &first.to_arkworks())?;
        accept(&verifying[0], public, &checked.to_arkworks())?;
        accept(&verifying[1], public, &second.to_arkworks())?;
        accept(&verifying[1], public, &theirs)?;
        if round > 0 {
            times.iter_mut().zip(took).for_each(|(times, time)| times.push(time));
        }
    }
    Ok(times.map(median))
}

/// Adds the time of `work` to those that others took.
fn timed<T, F>(took: &mut Vec<Duration>, work: impl FnOnce() -> Result<T, F>) -> Result<T, F> {
    let begin = Instant::now();
    let result = work()?;
    took.push(begin.elapsed());
    Ok(result)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Times of the program with and without its checks, and of snarkjs, on the same files.
fn commands<E: PairingCurve>(
    key: &ProvingKey<E>,
    witness: &Witness<E::Scalar>,
    count: usize,
) -> Outcome<[Option<Duration>; 3]> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let program = target.join("release/wgalois");
    let snarkjs = root.join(".ci/circuits/node_modules/snarkjs/build/cli.cjs");
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    let create = |name: &str| File::create(at(name)).map(BufWriter::new);
    snarkjs::write_key(&mut create("circuit.zkey")?, key)?;
    snarkjs::write_witness::<E::Scalar>(&mut create("witness.wtns")?, witness)?;
    let ours = |options: &[&str]| {
        let mut command = Command::new(&program);
        command.args(["--device", &device_name(), "groth16", "prove", "circuit.zkey", "witness.wtns"]);
        command.args(options);
        command
    };
    let mut theirs = Command::new("node");
    theirs.arg(&snarkjs).args(["groth16", "prove", "circuit.zkey", "witness.wtns"]);
    theirs.args(["proof.json", "public.json"]);
    let mut commands = [
        (program.exists(), ours(&[])),
        (program.exists(), ours(&["--no-check", "--unchecked"])),
        (snarkjs.exists(), theirs),
    ];
    let mut times = [(); 3].map(|()| Vec::new());
    for _ in 0..count {
        for ((present, command), times) in commands.iter_mut().zip(&mut times) {
            if !*present {
                continue;
            }
            let begin = Instant::now();
            let status = command.current_dir(&folder).stdout(Stdio::null()).status()?;
            let time = begin.elapsed();
            if !status.success() {
                return Err(format!("{command:?}: {status}").into());
            }
            let proof: Proof<E> = snarkjs::read_proof(&Source::open(&at("proof.json"), u64::MAX)?, u64::MAX)?;
            let public = snarkjs::read_public(&Source::open(&at("public.json"), u64::MAX)?, u64::MAX)?;
            accept(&key.verifying, &public, &proof.to_arkworks())?;
            std::fs::remove_file(at("proof.json"))?;
            times.push(time);
        }
    }
    Ok(times.map(|times| (!times.is_empty()).then(|| median(times))))
}

//! `wgalois kzg`: commitments to blobs by Ethereum's trusted setup.

use crate::prelude::*;
use ark_bls12_381::{Fr, G1Affine};
use wgalois_proofs::ethereum;
use wgalois_proofs::kzg::{
    Blob, Blobs, Claim, Committing, TrustedSetup, decode_point, decode_scalar, encode_point, encode_scalar,
};

use super::msm::hexadecimal;
use super::report::checked;

const GUARANTEE: &str = "Guarantee of --verify: commit computes a random sum of the commitments on the host, by an algorithm that no engine \
                         uses; open checks proofs by the equation of pairings, with commitments that are checked, or computed on the \
                         host, in that way. A wrong commitment, value or proof is missed with a chance of at most 2^-126.\n\n\
                         A setup is checked when it is opened: every Lagrange point and every power of tau is the right one, \
                         in the right place, for the tau of its points in G2; a wrong one is missed with a chance of at most \
                         2^-128. A file that passed is remembered by its digest in the user's cache folder.";

/// Commitments to blobs by Ethereum's trusted setup, as EIP-4844 has them
///
/// A blob is 4096 big-endian integers of 32 bytes below r, as bytes or as hexadecimal digits. Commitments, proofs and values
/// are hexadecimal digits, a blob a line. Nothing runs in constant time, and nothing is audited.
#[derive(clap::Args)]
#[command(after_long_help = GUARANTEE)]
pub struct Kzg {
    #[command(subcommand)]
    operation: Operation,
}

#[derive(clap::Subcommand)]
enum Operation {
    /// Commit to blobs: a commitment a line
    Commit(Commit),
    /// Prove that commitments are to blobs, or the values of their polynomials at a point
    ///
    /// Without --at, a line has the proof of blob and commitment (compute_blob_kzg_proof); the commitment is computed. With
    /// --at, a line has the proof and the value (compute_kzg_proof).
    Open(Open),
    /// Verify proofs, all at once
    ///
    /// With blobs, it verifies that the commitments are to them (verify_blob_kzg_proof_batch); without, that the committed
    /// polynomials have the values that stand after the proofs, at the point of --at (verify_kzg_proof). The exit code is 1 if a proof
    /// does not hold.
    Verify(Verify),
}

#[derive(clap::Args)]
struct Commit {
    #[command(flatten)]
    setup: Setup,
    /// The blobs
    #[arg(required = true)]
    blobs: Vec<PathBuf>,
}

#[derive(clap::Args)]
struct Open {
    #[command(flatten)]
    commit: Commit,
    /// The point at which the polynomials are opened, 32 big-endian bytes below r in hexadecimal digits
    #[arg(long, value_name = "Z", value_parser = parse_scalar)]
    at: Option<Fr>,
}

#[derive(clap::Args)]
struct Verify {
    #[command(flatten)]
    setup: Setup,
    /// The blobs
    #[arg(required_unless_present = "at", conflicts_with = "at")]
    blobs: Vec<PathBuf>,
    /// The commitments, a line each
    #[arg(long, value_name = "FILE")]
    commitments: PathBuf,
    /// The proofs, a line each; with --at each with its value
    #[arg(long, value_name = "FILE")]
    proofs: PathBuf,
    /// The point at which the polynomials were opened
    #[arg(long, value_name = "Z", value_parser = parse_scalar)]
    at: Option<Fr>,
}

#[derive(clap::Args)]
struct Setup {
    /// The trusted setup, trusted_setup.txt
    #[arg(long, value_name = "FILE")]
    setup: PathBuf,
    /// Check the setup although the file passed in an earlier run
    #[arg(long)]
    recheck: bool,
}

fn parse_scalar(text: &str) -> Result<Fr, String> {
    let bytes = ethereum::hexadecimal(text.as_bytes());
    let scalar = bytes.and_then(|bytes| decode_scalar(&bytes).ok());
    scalar.ok_or_else(|| "expected 64 hexadecimal digits of a number below r".to_owned())
}

impl Run for Kzg {
    fn run(&self, context: &Context) -> Result<()> {
        match &self.operation {
            Operation::Commit(commit) => {
                let Some((prepared, blobs, setup)) = commit.prepare(context, 1)? else { return Ok(()) };
                let commitments = context.watch("commit", || prepared.commit(&blobs))?;
                if let Some(setup) = setup {
                    context.verify(|| setup.check_commitments(&blobs, &commitments))?;
                }
                let lines = commitments.iter().map(|point| hexadecimal(&encode_point(point)));
                write(context, &lines.collect::<Vec<_>>())
            }
            Operation::Open(open) => open.run(context),
            Operation::Verify(verify) => verify.run(context),
        }
    }

    fn is_brief(&self) -> bool {
        true
    }

    fn inputs(&self) -> Vec<PathBuf> {
        let (setup, blobs, others) = match &self.operation {
            Operation::Commit(commit) | Operation::Open(Open { commit, .. }) => {
                (&commit.setup, &commit.blobs, vec![])
            }
            Operation::Verify(verify) => {
                (&verify.setup, &verify.blobs, vec![&verify.commitments, &verify.proofs])
            }
        };
        std::iter::once(&setup.setup).chain(blobs).chain(others).cloned().collect()
    }

    fn outputs(&self) -> Outputs {
        match &self.operation {
            Operation::Verify(_) => Outputs { data: Data::None, ..Outputs::default() },
            _ => Outputs { endings: Some(TEXT), ..Outputs::default() },
        }
    }
}

/// Writes lines of data, and into the report.
fn write(context: &Context, lines: &[String]) -> Result<()> {
    context.report("results", lines);
    match context.has_output() {
        true => context.write(|out| lines.iter().try_for_each(|line| writeln!(out, "{line}"))),
        false => Ok(()),
    }
}

impl Setup {
    fn read(&self, context: &Context, device: &Device) -> Result<TrustedSetup> {
        let read =
            |source: &Source| ethereum::read_setup_once(source, device, self.recheck, context.memory());
        let (setup, is_known) = context.read(&self.setup, read)?;
        context.report("setup_checked", checked(true, is_known));
        Ok(setup)
    }
}

fn read_blobs(context: &Context, paths: &[PathBuf], count: usize) -> Result<Vec<Blob>> {
    let read =
        |path: &PathBuf| context.read(path, |source| ethereum::read_blob(source, count, context.memory()));
    let blobs = paths.iter().map(read).collect::<Result<Vec<_>>>()?;
    context.report("blobs", blobs.len());
    Ok(blobs)
}

/// The number of values of Ethereum's blobs.
const VALUES: usize = 4096;

/// A prepared setup, the blobs, and the setup itself if the result is to be verified.
type Prepared = (Blobs, Vec<Blob>, Option<TrustedSetup>);

impl Commit {
    /// What a computation takes; `None` with `--plan`. Every blob takes `runs` multiplications.
    fn prepare(&self, context: &Context, runs: usize) -> Result<Option<Prepared>> {
        let problem = Committing::new(VALUES).with_vectors(runs * self.blobs.len());
        let Some((device, plan)) = context.plan_with(&problem, Demands::default())? else { return Ok(None) };
        let setup = self.setup.read(context, &device)?;
        // A setup of another size takes another plan.
        let plan = if setup.len() == VALUES { plan } else { Committing::new(setup.len()).plan(&device)? };
        let blobs = read_blobs(context, &self.blobs, setup.len())?;
        let of_check = context.verifies().then(|| setup.clone());
        let prepare = || Blobs::new(&device, &plan, setup);
        Ok(Some((context.step(Phase::Preparing, "prepare", prepare)?, blobs, of_check)))
    }
}

impl Open {
    fn run(&self, context: &Context) -> Result<()> {
        let runs = if self.at.is_some() { 1 } else { 2 };
        let Some((prepared, blobs, setup)) = self.commit.prepare(context, runs)? else { return Ok(()) };
        let lines: Vec<String> = match self.at {
            Some(z) => {
                let points = vec![z; blobs.len()];
                let openings = context.watch("open", || prepared.open(&blobs, &points))?;
                if let Some(setup) = setup {
                    context.verify(|| setup.check_openings(&blobs, &points, &openings))?;
                }
                let line = |proof: &G1Affine, value: &Fr| {
                    [hexadecimal(&encode_point(proof)), hexadecimal(&encode_scalar(value))].join(" ")
                };
                openings.iter().map(|opening| line(&opening.proof, &opening.value)).collect()
            }
            None => {
                let commitments = context.watch("commit", || prepared.commit(&blobs))?;
                let proofs = context.watch("open", || prepared.prove(&blobs, &commitments))?;
                if let Some(setup) = setup {
                    context.verify(|| {
                        setup.check_commitments(&blobs, &commitments)?;
                        setup.check_blobs(&blobs, &commitments, &proofs)
                    })?;
                }
                proofs.iter().map(|proof| hexadecimal(&encode_point(proof))).collect()
            }
        };
        write(context, &lines)
    }
}

impl Verify {
    fn run(&self, context: &Context) -> Result<()> {
        let host = context.host();
        let setup = self.setup.read(context, &host)?;
        let commitments: Vec<G1Affine> =
            read_lines(context, &self.commitments, 1, |fields| decode_point(&fields[0]))?;
        let some = Error::expect_at_least("commitments", 1, commitments.len() as u64);
        some.map_err(|error| error.of(text::name(&self.commitments)))?;
        match self.at {
            Some(z) => {
                let opened = |fields: &[Vec<u8>]| Ok((decode_point(&fields[0])?, decode_scalar(&fields[1])?));
                let opened: Vec<(G1Affine, Fr)> = read_lines(context, &self.proofs, 2, opened)?;
                expect_one_each(&self.proofs, opened.len(), commitments.len(), "commitments")?;
                let claims = commitments.iter().zip(&opened);
                let claims = claims.map(|(commitment, (_, y))| Claim { commitment: *commitment, z, y: *y });
                let claims: Vec<Claim> = claims.collect();
                let proofs: Vec<G1Affine> = opened.iter().map(|(proof, _)| *proof).collect();
                context.verify(|| setup.check(&claims, &proofs))
            }
            None => {
                let proofs: Vec<G1Affine> =
                    read_lines(context, &self.proofs, 1, |fields| decode_point(&fields[0]))?;
                expect_one_each(&self.commitments, commitments.len(), self.blobs.len(), "blobs")?;
                expect_one_each(&self.proofs, proofs.len(), self.blobs.len(), "blobs")?;
                let blobs = read_blobs(context, &self.blobs, setup.len())?;
                context.verify(|| setup.check_blobs(&blobs, &commitments, &proofs))
            }
        }
    }
}

fn expect_one_each(path: &Path, found: usize, expected: usize, of: &str) -> Result<()> {
    let lengths = Error::expect_length(format!("lines for the {of}"), expected, found);
    lengths.map_err(|error| error.of(text::name(path)))
}

/// Reads values of `width` numbers each, in hexadecimal digits between white space.
fn read_lines<T>(
    context: &Context,
    path: &Path,
    width: usize,
    value: impl Fn(&[Vec<u8>]) -> Result<T>,
) -> Result<Vec<T>> {
    context.read(path, |source: &Source| {
        let tokens: Vec<text::Token> = text::tokens(source.bytes(), 0).collect();
        let fields = |tokens: &[text::Token]| {
            let place = tokens.first().map_or(0, |token| token.offset);
            let bytes =
                tokens.iter().map(|token| ethereum::hexadecimal(token.text)).collect::<Option<Vec<_>>>();
            let bytes = bytes.ok_or_else(|| source.text_error(place, "expected hexadecimal digits"))?;
            if bytes.len() != width {
                return Err(source.text_error(place, format!("expected {width} numbers a line")));
            }
            value(&bytes).map_err(|error| source.text_error(place, error.to_string()))
        };
        tokens.chunks(width).map(fields).collect()
    })
}

//! `wgalois groth16`: proofs of circuits from snarkjs' files and bellman's keys. Each operation has a file.

mod info;
mod keys;
mod point_check;
mod prepare;
mod prove;
mod serve;
mod times;
mod verify;

use crate::prelude::*;
use wgalois_proofs::groth16::Weakness;

const CAUTIONS: &str = "Nothing runs in constant time, and nothing is audited: do not prove secrets on hardware that you share \
                        with others. The witness is not written to any file or log. Its copies on the host and on a GPU are \
                        overwritten before they are given back, except the bytes of its file and those that the CPU \
                        engine's multiplications, the driver, and the GPUs of a group make.";

/// Groth16 proofs of circom's circuits, with snarkjs' files, over BN254 and BLS12-381
///
/// The key (.zkey), the witness (.wtns), verification_key.json, proof.json and public.json are those of snarkjs. A key may also be one of
/// bellman, bellperson or Zcash (.params), over BLS12-381.
#[derive(clap::Args)]
#[command(after_long_help = CAUTIONS)]
pub struct Groth16 {
    #[command(subcommand)]
    operation: Operation,
}

verbs! {
    Operation {
        Prove(prove::Prove),
        Serve(serve::Serve),
        Verify(verify::Verify),
        Info(info::Info),
    }
}

impl Choice for Groth16 {
    fn chosen(&self) -> &dyn Run {
        self.operation.chosen()
    }
}

/// Refuses a key for which anybody can forge proofs, unless the user allows it, and reports it.
fn check_strength(
    context: &Context,
    source: &Source,
    weakness: Option<Weakness>,
    allowed: bool,
) -> Result<()> {
    let Some(weakness) = weakness else { return Ok(()) };
    context.report("insecure_key", weakness.to_string());
    let message = format!(
        "the key lacks the setup's second phase ({weakness}): anybody can forge proofs for it, so that they show nothing"
    );
    match allowed {
        true => {
            context.note(&format!("{}: {message}", text::name(source.path())));
            Ok(())
        }
        false => Err(source.error(format!("{message}; --allow-insecure-key takes it all the same"))),
    }
}

/// Evaluates `$body` with the type `$pairing` bound to the pairing of the curve that `$name` names.
macro_rules! with_pairing {
    ($name:expr, $pairing:ident => $body:expr) => {
        match $name {
            wgalois::curve::CurveName::Bn254 => {
                type $pairing = ark_bn254::Bn254;
                $body
            }
            wgalois::curve::CurveName::Bls12_381 => {
                type $pairing = ark_bls12_381::Bls12_381;
                $body
            }
            #[allow(unreachable_patterns, reason = "other curves are features")]
            other => Err(wgalois::Error::unsuited("groth16", format!("no proofs over {other}"))),
        }
    };
}
pub(super) use with_pairing;

//! `wgalois gen`: reproducible inputs. Each kind has a file.

mod boolean;
mod eliminate;
mod gf2;
mod groth16;
mod msm;
mod poly;

pub use msm::DISTRIBUTIONS;

use crate::{Choice, Run, verbs};

/// Generate reproducible inputs
///
/// The same arguments and seed give the same bytes on every machine.
#[derive(clap::Args)]
pub struct Generate {
    #[command(subcommand)]
    kind: Kind,
}

verbs! {
    Kind {
        Poly(poly::Poly),
        Msm(msm::Msm),
        Gf2(gf2::Gf2),
        Eliminate(eliminate::Eliminate),
        Boolean(boolean::Boolean),
        Groth16(groth16::Groth16),
    }
}

impl Choice for Generate {
    fn chosen(&self) -> &dyn Run {
        self.kind.chosen()
    }
}

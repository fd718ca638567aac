//! `wgalois gen`: reproducible inputs. Each kind has a file.

mod boolean;
mod eliminate;
mod gf2;
mod groth16;
mod msm;
mod poly;

pub use msm::DistributionName;

use super::outputs::Outputs;
use super::{Context, Run};
use std::path::PathBuf;
use wgalois::Result;

/// Generate reproducible inputs
///
/// The same arguments and seed give the same bytes on every machine.
#[derive(clap::Args)]
pub struct Generate {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(clap::Subcommand)]
enum Kind {
    Poly(poly::Poly),
    Msm(msm::Msm),
    Gf2(gf2::Gf2),
    Eliminate(eliminate::Eliminate),
    Boolean(boolean::Boolean),
    Groth16(groth16::Groth16),
}

impl Run for Generate {
    fn run(&self, context: &Context) -> Result<()> {
        match &self.kind {
            Kind::Poly(poly) => poly.run(context),
            Kind::Msm(msm) => msm.run(context),
            Kind::Gf2(gf2) => gf2.run(context),
            Kind::Eliminate(eliminate) => eliminate.run(context),
            Kind::Boolean(boolean) => boolean.run(context),
            Kind::Groth16(groth16) => groth16.run(context),
        }
    }

    fn inputs(&self) -> Vec<PathBuf> {
        match &self.kind {
            Kind::Groth16(groth16) => groth16.inputs(),
            Kind::Poly(_) | Kind::Msm(_) | Kind::Gf2(_) | Kind::Eliminate(_) | Kind::Boolean(_) => Vec::new(),
        }
    }

    fn outputs(&self) -> Outputs {
        match &self.kind {
            Kind::Poly(poly) => poly.outputs(),
            Kind::Msm(msm) => msm.outputs(),
            Kind::Gf2(gf2) => gf2.outputs(),
            Kind::Eliminate(eliminate) => eliminate.outputs(),
            Kind::Boolean(boolean) => boolean.outputs(),
            Kind::Groth16(groth16) => groth16.outputs(),
        }
    }
}

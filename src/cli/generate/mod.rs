//! `wgalois gen`: reproducible inputs. One file a kind.

mod msm;
mod poly;

pub use msm::DistributionName;

use super::{Context, Run};
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
}

impl Run for Generate {
    fn run(&self, context: &Context) -> Result<()> {
        match &self.kind {
            Kind::Poly(poly) => poly.run(context),
            Kind::Msm(msm) => msm.run(context),
        }
    }
}

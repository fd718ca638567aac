//! `wgalois bench`: measurements on the selected device. Each task has a file or folder.

mod calls;
mod charts;
mod csv;
mod gf2;
mod group;
mod msm;
mod ntt;
mod pixels;
pub mod plans;
mod plot;
mod prelude;
mod published;
mod sizes;
mod stream;
mod table;
mod transfers;
mod units;

use crate::{Choice, Run, verbs};

/// Measure on the selected device; every result is checked before it is timed
#[derive(clap::Args)]
pub struct Bench {
    #[command(subcommand)]
    task: Task,
}

verbs! {
    Task {
        Ntt(ntt::Ntt),
        Gf2(gf2::Gf2),
        Msm(msm::Msm),
        Published(published::Published),
        Transfers(transfers::Transfers),
        Group(group::Group),
        Calls(calls::Calls),
        Plans(plans::Plans),
    }
}

impl Choice for Bench {
    fn chosen(&self) -> &dyn Run {
        self.task.chosen()
    }
}

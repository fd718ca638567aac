//! `wgalois bench`: measurements on the device at hand. One file a task.

mod msm;
mod ntt;
mod plot;
mod sizes;

use super::{Context, Run};
use wgalois::Result;

/// Measure on the device at hand; every result is checked before it is timed
#[derive(clap::Args)]
pub struct Bench {
    #[command(subcommand)]
    task: Task,
}

#[derive(clap::Subcommand)]
enum Task {
    Ntt(ntt::Ntt),
    Msm(msm::Msm),
}

impl Run for Bench {
    fn run(&self, context: &Context) -> Result<()> {
        match &self.task {
            Task::Ntt(ntt) => ntt.run(context),
            Task::Msm(msm) => msm.run(context),
        }
    }
}

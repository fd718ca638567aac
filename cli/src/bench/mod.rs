//! `wgalois bench`: measurements on the selected device. Each task has a file or folder.

mod calls;
mod charts;
mod csv;
mod gf2;
mod group;
mod msm;
mod ntt;
mod pixels;
mod plot;
mod published;
mod sizes;
mod stream;
mod table;
mod transfers;
mod units;

use super::outputs::Outputs;
use super::processes::Member;
use super::{Context, Run};
use std::path::PathBuf;
use wgalois::Result;

/// Measure on the selected device; every result is checked before it is timed
#[derive(clap::Args)]
pub struct Bench {
    #[command(subcommand)]
    task: Task,
}

#[derive(clap::Subcommand)]
enum Task {
    Ntt(ntt::Ntt),
    Gf2(gf2::Gf2),
    Msm(msm::Msm),
    Published(published::Published),
    Transfers(transfers::Transfers),
    Group(group::Group),
    Calls(calls::Calls),
}

impl Run for Bench {
    fn run(&self, context: &Context) -> Result<()> {
        match &self.task {
            Task::Ntt(ntt) => ntt.run(context),
            Task::Gf2(gf2) => gf2.run(context),
            Task::Msm(msm) => msm.run(context),
            Task::Published(published) => published.run(context),
            Task::Transfers(transfers) => transfers.run(context),
            Task::Group(group) => group.run(context),
            Task::Calls(calls) => calls.run(context),
        }
    }

    fn member(&self) -> Result<Option<Member>> {
        // One row of the table gf2 is of several processes; the other rows run in process 0.
        Ok(matches!(self.task, Task::Published(_)).then(Member::default))
    }

    fn inputs(&self) -> Vec<PathBuf> {
        match &self.task {
            Task::Gf2(gf2) => gf2.inputs(),
            Task::Published(published) => published.inputs(),
            Task::Ntt(_) | Task::Msm(_) | Task::Transfers(_) | Task::Group(_) | Task::Calls(_) => Vec::new(),
        }
    }

    fn outputs(&self) -> Outputs {
        match &self.task {
            Task::Ntt(ntt) => ntt.outputs(),
            Task::Gf2(gf2) => gf2.outputs(),
            Task::Msm(msm) => msm.outputs(),
            Task::Published(published) => published.outputs(),
            Task::Transfers(transfers) => transfers.outputs(),
            Task::Group(group) => group.outputs(),
            Task::Calls(calls) => calls.outputs(),
        }
    }
}

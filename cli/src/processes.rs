//! The program as one of several processes that `mpirun` has started.

use super::context::NO_ANSWER;
use super::ending;
use super::streams::complain_of;
use crate::prelude::*;
use std::process::ExitCode;
use std::sync::Arc;
use wgalois::Simd;
use wgalois::processes::{self, Kind, Transport};

/// How a process computes its share of the work on the CPU engine.
pub struct Member {
    /// The number of threads; 0 is one for each of the process's cores.
    pub threads: usize,
    pub simd: Simd,
}

impl Default for Member {
    fn default() -> Self {
        Member { threads: 0, simd: Simd::best() }
    }
}

/// Joins the other processes, if `mpirun` has started this one.
pub fn join() -> Result<Option<Arc<dyn Transport>>> {
    #[cfg(feature = "mpi")]
    if wgalois_mpi::Mpi::is_started() {
        return Ok(Some(Arc::new(wgalois_mpi::Mpi::start()?)));
    }
    Ok(None)
}

/// Returns how this process computes its share of a verb's work; `None` if one process does all of it. Several
/// processes refuse a verb whose work they cannot share, and a group of devices.
pub fn member(context: &Context, verb: &impl Run) -> Result<Option<Member>> {
    let member = verb.member()?;
    if context.processes().is_some() && context.names_a_group() {
        return Err(Error::needs("each of several processes", "one GPU, in turn: --device gpu, or a name"));
    }
    match (context.processes(), &member) {
        (Some(_), None) => {
            let scope = "eliminate, gf2, msm and a row of bench published: run this verb without mpirun";
            Err(Error::only_for("several processes", scope))
        }
        (None, Some(_)) if cfg!(not(feature = "mpi")) && starter_counts_several() => Err(Error::needs(
            "mpirun with several processes",
            "a program that was built with the feature mpi",
        )),
        _ => Ok(member),
    }
}

/// True if the environment says that this is one of several processes of an MPI program.
fn starter_counts_several() -> bool {
    let count = |name| std::env::var(name).ok().and_then(|count| count.parse::<usize>().ok());
    ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"]
        .iter()
        .any(|name| count(name).unwrap_or(1) > 1)
}

/// Computes this process's shares of process 0's jobs until there are no more.
pub fn serve(context: &Context, member: &Member) -> Result<()> {
    let Some(processes) = context.processes() else { return Ok(()) };
    // A GPU that the user named opens while process 0 reads.
    let early = context.names_gpu().then(|| context.device_of_share(Kind::Gpu, member.threads, member.simd));
    let early = early.transpose()?;
    wgalois::serve(&**processes, |kind| match &early {
        Some(device) if kind == Kind::Gpu => Ok(device.clone()),
        _ => context.device_of_share(kind, member.threads, member.simd),
    })
}

/// Prints the error if there is one, and returns the exit code. A process that fails ends all others with its exit
/// code; process 0 tells them if all went well.
pub fn leave(mut context: Context, outcome: Result<()>) -> ExitCode {
    let rank = context.processes().map_or(0, |processes| processes.rank());
    let code = match (rank, outcome) {
        (0, outcome) => context.finish(outcome),
        (_, Ok(())) => 0,
        (_, Err(error)) => {
            complain_of(&error);
            error.exit_code()
        }
    };
    let Some(processes) = context.processes() else {
        if context.has_open_gpus() {
            ending::end_now(code);
        }
        return ExitCode::from(code);
    };
    let went_well = code == 0 || code == NO_ANSWER;
    let ended = if went_well && rank == 0 { processes::end(&**processes) } else { Ok(()) };
    let failed = ended.is_err() || !went_well;
    let code = ended.map_or_else(|error| error.exit_code(), |()| code);
    if failed {
        processes.abort(code);
    }
    ExitCode::from(code)
}

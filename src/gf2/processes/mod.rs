//! Elimination and linear algebra on several processes: the jobs that process 0 gives the others.

pub(super) mod lists;

use crate::processes::{Job, Kind, Task, Transport};
use crate::{Device, Result};

/// The jobs, by the first word of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobKind {
    Rounds,
    Blocked,
    TwoStage,
    Echelon,
    Multiply,
}

impl JobKind {
    pub const ALL: [JobKind; 5] =
        [JobKind::Rounds, JobKind::Blocked, JobKind::TwoStage, JobKind::Echelon, JobKind::Multiply];

    /// Announces the job with its parameters.
    pub fn announce(self, processes: &dyn Transport, device: &Device, parameters: &[u64]) -> Result<()> {
        let words = [&[self as u64], parameters].concat();
        Job { task: Task::Gf2, kind: Kind::of(device), words }.announce(processes)
    }
}

/// The lines of a plan that say what each process does; not more than eight of them.
pub(super) fn write_shares(
    f: &mut std::fmt::Formatter<'_>,
    processes: usize,
    share: impl Fn(usize) -> String,
) -> std::fmt::Result {
    const MOST: usize = 8;
    writeln!(f, "processes      {processes}")?;
    for rank in (0..processes).filter(|&rank| processes <= MOST || rank < MOST - 1 || rank + 1 == processes) {
        writeln!(f, "{:15}{}", format!("process {rank}"), share(rank))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;

//! The part of the processes that wait for jobs.

use super::processes::Work;
use super::{product, reduction, system};
use crate::processes::{Transport, malformed};
use crate::{Device, Result};

/// Computes this process's share of a job that process 0 has announced.
pub(crate) fn serve(processes: &dyn Transport, device: &Device, words: &[u64]) -> Result<()> {
    let Some((&work, parameters)) = words.split_first() else { return Err(malformed()) };
    match Work::ALL.into_iter().find(|&known| known as u64 == work) {
        Some(Work::Rounds) => system::rounds::share(processes, device, parameters),
        Some(Work::Echelon) => reduction::among::share(processes, device, parameters),
        Some(Work::Multiply) => product::among::share(processes, device),
        Some(work) => system::among::share(processes, device, work),
        None => Err(malformed()),
    }
}

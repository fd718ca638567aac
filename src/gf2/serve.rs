//! The part of the processes that wait for jobs.

use super::processes::JobKind;
use super::{f4_elimination, product, reduction};
use crate::processes::{Transport, malformed};
use crate::{Device, Result};

/// Computes this process's share of a job that process 0 has announced.
pub(crate) fn serve(processes: &dyn Transport, device: &Device, words: &[u64]) -> Result<()> {
    let Some((&kind, parameters)) = words.split_first() else { return Err(malformed()) };
    match JobKind::ALL.into_iter().find(|&known| known as u64 == kind) {
        Some(JobKind::Rounds) => f4_elimination::rounds::share(processes, device, parameters),
        Some(JobKind::Echelon) => reduction::among::share(processes, device, parameters),
        Some(JobKind::Multiply) => product::among::share(processes, device),
        Some(kind) => f4_elimination::among::share(processes, device, kind),
        None => Err(malformed()),
    }
}

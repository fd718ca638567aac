//! The members of a group of GPUs that work on one elimination: each on a thread, as one of several processes.

use std::sync::{Mutex, PoisonError};

use crate::gpu::Gpu;
use crate::processes::{Threads, Transport};
use crate::{Error, Group, Result};

/// Runs `work` on the members with these numbers, all at the same time. None if one was lost, and the group goes on
/// without it: then the work is to begin again. The error is that of the member that failed first, which names it if
/// it was lost.
pub(super) fn run<T: Send>(
    group: &Group,
    numbers: &[usize],
    work: impl Fn(&dyn Transport, &Gpu) -> Result<T> + Sync,
) -> Result<Option<Vec<T>>> {
    let first: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    let parts = Threads::run(numbers.len(), |processes| {
        let number = numbers[processes.rank()];
        let part = match group.is_lost(number) {
            true => Err(Error::DeviceLost("the device was lost earlier".into())),
            false => work(&**processes, &group.members()[number]),
        };
        // Noted before the channels close, which makes the others fail.
        part.map_err(|error| {
            first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert((number, error));
            Error::Device("a device of the group failed".into())
        })
    });
    match first.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((number, error)) => group.note_loss(number, error).map(|()| None),
        None => parts.map(Some),
    }
}

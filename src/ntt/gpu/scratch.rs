//! A scratch vector of a prepared transform, kept between its runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Result;
use crate::gpu::{DeviceVec, Gpu};

/// A vector on the device that is allocated on first use. Clones share it.
#[derive(Clone, Debug, Default)]
pub(in crate::ntt) struct Scratch {
    kept: Arc<Mutex<Option<DeviceVec<u32>>>>,
    turn: Arc<Mutex<()>>,
}

impl Scratch {
    /// Waits until no other run is between recording and submitting. Work of another thread that is submitted in
    /// between would write to the vector before this run's work reads it.
    pub(super) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets `work` use the vector, one caller at a time. All callers pass the same `len`, in words. The
    /// vector that `work` leaves in its place is kept.
    ///
    /// # Errors
    /// Those of `work`, and the device's if it has no room.
    pub(super) fn with(
        &self,
        gpu: &Gpu,
        len: usize,
        work: impl FnOnce(&mut DeviceVec<u32>) -> Result<()>,
    ) -> Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut vector = match kept.take() {
            Some(vector) => vector,
            None => gpu.zeros(len)?,
        };
        work(&mut vector)?;
        *kept = Some(vector);
        Ok(())
    }
}

//! A scratch vector of a prepared transform, kept between its runs.

use std::sync::{Arc, Mutex, PoisonError};

use crate::Result;
use crate::gpu::{DeviceVec, Gpu};

/// A vector on the device that is allocated on first use. Clones share it.
#[derive(Clone, Debug, Default)]
pub(in crate::ntt) struct Scratch(Arc<Mutex<Option<DeviceVec<u32>>>>);

impl Scratch {
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
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut vector = match kept.take() {
            Some(vector) => vector,
            None => gpu.zeros(len)?,
        };
        work(&mut vector)?;
        *kept = Some(vector);
        Ok(())
    }
}

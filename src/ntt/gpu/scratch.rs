//! A vector of a plan's own, kept between its runs.

use std::sync::{Mutex, PoisonError};

use crate::Result;
use crate::gpu::{DeviceVec, Gpu};

/// A vector on the device that is made when it is first needed.
#[derive(Debug, Default)]
pub(super) struct Scratch(Mutex<Option<DeviceVec<u32>>>);

impl Scratch {
    /// Lets `work` use the vector, of `len` words whenever it is asked for, one caller at a time.
    /// What it leaves in its place is kept.
    ///
    /// # Errors
    /// Those of `work`, and the device's where it has no room.
    pub fn with(
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

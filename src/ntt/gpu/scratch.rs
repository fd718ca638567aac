//! A scratch vector of a prepared transform, kept between its runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Result;
use crate::gpu::{DeviceVec, Gpu};

/// A vector on the device that is allocated on first use. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    kept: Arc<Mutex<Option<DeviceVec<u32>>>>,
    turn: Arc<Mutex<()>>,
}

impl Scratch {
    /// Waits until no other run is between recording and submitting. Work of another thread that is submitted in
    /// between would write to the vector before this run's work reads it.
    pub fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets `work` use the vector, of `len` words, one caller at a time. The vector that `work` leaves in its place is kept,
    /// also after an error: [`clear`](Self::clear) finds what was written there.
    pub fn with(
        &self,
        gpu: &Gpu,
        len: usize,
        work: impl FnOnce(&mut DeviceVec<u32>) -> Result<()>,
    ) -> Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut vector = match kept.take().filter(|kept| kept.len() == len) {
            Some(vector) => vector,
            None => gpu.zeros(len)?,
        };
        let done = work(&mut vector);
        *kept = Some(vector);
        done
    }

    /// Lets `work` write from `data` to the vector, which then replaces it.
    pub fn exchange(
        &self,
        data: &mut DeviceVec<u32>,
        work: impl FnOnce(&DeviceVec<u32>, &DeviceVec<u32>) -> Result<()>,
    ) -> Result<()> {
        let (gpu, len) = (data.gpu().clone(), data.len());
        self.with(&gpu, len, |other| {
            work(data, other)?;
            std::mem::swap(data, other);
            Ok(())
        })
    }

    /// Overwrites the vector with zeros.
    pub fn clear(&self) -> Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_mut().map_or(Ok(()), DeviceVec::clear)
    }
}

//! Errors that the driver reported outside of calls by this crate.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::lock::lock;
use crate::{Error, Result};

/// The first error since the last [`check`](Self::check), and whether the device is lost.
#[derive(Default)]
pub(super) struct Faults {
    is_lost: AtomicBool,
    first: Mutex<Option<Error>>,
}

impl Faults {
    /// The driver has lost the device.
    pub fn lose(&self, message: String) {
        self.destroyed();
        self.keep(Error::DeviceLost(message));
    }

    /// This crate has destroyed the device.
    pub fn destroyed(&self) {
        self.is_lost.store(true, Ordering::SeqCst);
    }

    /// True once the device is lost.
    pub fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::SeqCst)
    }

    /// Returns the first error since the last call; every call fails once the device is lost.
    pub fn check(&self) -> Result<()> {
        let first = lock(&self.first).take();
        match (first, self.is_lost()) {
            (None, false) => Ok(()),
            // After a loss every call is invalid, which says less.
            (Some(fault @ Error::DeviceLost(_)), _) | (Some(fault), false) => Err(fault),
            (_, true) => Err(Error::DeviceLost("the device was lost earlier".into())),
        }
    }

    /// Keeps an error if it is the first.
    pub fn keep(&self, fault: Error) {
        lock(&self.first).get_or_insert(fault);
    }
}

pub(super) fn from_wgpu(error: wgpu::Error) -> Error {
    match error {
        wgpu::Error::OutOfMemory { source } => Error::OutOfMemory(format!("on the device: {source}").into()),
        wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
            Error::Device(description)
        }
    }
}

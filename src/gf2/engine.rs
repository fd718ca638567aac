//! What eliminates: a device, and how it is to be used.

use std::time::Duration;

use super::cpu::{self, Simd};
use super::gpu;
use super::{BitMatrix, Echelon, Elimination, Method, System};
use crate::gpu::block_on;
use crate::{Device, Error, Result};

/// Linear algebra over GF(2) on a device.
#[derive(Clone, Debug)]
pub struct Engine {
    device: Device,
    simd: Simd,
}

/// Eliminates a system on a device; see [`Engine::eliminate`].
///
/// # Errors
/// Those of [`Engine::eliminate`].
pub fn eliminate(device: &Device, system: &System, method: Method) -> Result<Elimination> {
    Engine::new(device).eliminate(system, method)
}

/// [`eliminate`] for the browser.
pub async fn eliminate_async(device: &Device, system: &System, method: Method) -> Result<Elimination> {
    Engine::new(device).eliminate_async(system, method).await
}

impl Engine {
    /// An engine on `device`; on the CPU with the widest vector instructions that it has.
    pub fn new(device: &Device) -> Self {
        Engine { device: device.clone(), simd: Simd::best() }
    }

    /// The same with other vector instructions on the CPU.
    ///
    /// # Errors
    /// [`Error::NoDevice`] where the processor does not have them.
    pub fn with_simd(self, simd: Simd) -> Result<Self> {
        Ok(Engine { simd: simd.checked()?, ..self })
    }

    /// The method by which this engine eliminates a system when asked for `method`: itself, or
    /// what [`Method::Auto`] stands for.
    pub fn method_for(&self, system: &System, method: Method) -> Method {
        match &self.device {
            Device::Cpu(_) => cpu::resolve(system, method),
            Device::Gpu(gpu) => gpu::resolve(gpu, system, method),
        }
    }

    /// Bytes of host memory that eliminating a system takes.
    pub fn elimination_bytes(&self, system: &System, method: Method) -> u64 {
        match (&self.device, self.method_for(system, method)) {
            (Device::Gpu(_), Method::Blocked | Method::TwoStage) => gpu::host_bytes(system),
            (_, method) => cpu::elimination_bytes(system, method),
        }
    }

    /// What eliminating a system takes the CPU, roughly, on one thread.
    pub fn elimination_time(system: &System) -> Duration {
        cpu::elimination_time(system)
    }

    /// What an echelon form of a matrix takes the CPU, roughly, on one thread.
    pub fn echelon_time(rows: usize, columns: usize) -> Duration {
        cpu::echelon_time(rows, columns)
    }

    /// Eliminates a system: the rows in the end, by the rule that [`System`] states; by
    /// [`Method::Rounds`] another choice of promoted rows with the same leads.
    ///
    /// # Errors
    /// [`Error::Usage`] for a method that the device does not have; [`Error::OutOfMemory`]; those
    /// of the device.
    pub fn eliminate(&self, system: &System, method: Method) -> Result<Elimination> {
        block_on(self.eliminate_async(system, method))
    }

    /// [`Engine::eliminate`] for the browser.
    pub async fn eliminate_async(&self, system: &System, method: Method) -> Result<Elimination> {
        match &self.device {
            Device::Cpu(device) => cpu::eliminate(device, self.simd, system, method),
            Device::Gpu(gpu) => gpu::eliminate(gpu, system, method).await,
        }
    }

    /// A row echelon form with pivots in the first `limit` columns only, reduced if `full`. Rows
    /// without a pivot come last, zero in those columns; the columns after them are changed by the
    /// same row operations.
    ///
    /// # Errors
    /// [`Error::Input`] where the matrix has fewer columns; those of the device;
    /// [`Error::OutOfMemory`].
    pub fn echelon_within(&self, matrix: &BitMatrix, limit: usize, full: bool) -> Result<Echelon> {
        block_on(self.echelon_within_async(matrix, limit, full))
    }

    /// [`Engine::echelon_within`] for the browser.
    pub async fn echelon_within_async(
        &self,
        matrix: &BitMatrix,
        limit: usize,
        full: bool,
    ) -> Result<Echelon> {
        if limit > matrix.columns() {
            let columns = matrix.columns();
            return Err(Error::Input(format!("pivots in {limit} columns of a matrix that has {columns}")));
        }
        match &self.device {
            Device::Cpu(device) => cpu::echelon(device, self.simd, matrix, limit, full),
            Device::Gpu(gpu) => gpu::echelon(gpu, matrix, limit, full).await,
        }
    }

    /// The product of matrices that fit.
    pub(super) async fn multiply(&self, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
        match &self.device {
            Device::Cpu(device) => cpu::multiply(device, self.simd, a, b),
            Device::Gpu(gpu) => gpu::multiply(gpu, a, b).await,
        }
    }
}

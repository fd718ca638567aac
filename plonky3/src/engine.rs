//! A device that transforms matrices, with the transforms that it has prepared.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use p3_matrix::dense::{RowMajorMatrix, RowMajorMatrixView};
use wgalois::gpu::{DeviceVec, Gpu};
use wgalois::ntt::{PreparedTransform, Transform, TransformPlan, transposed};
use wgalois::task::Problem;
use wgalois::{Device, Error, Result};

use crate::crossover::Measurement;
use crate::job::Job;

/// Prepared transforms that are kept, with their tables and scratch vectors. A proof takes about ten.
const KEPT: usize = 16;

/// A device, shared by the clones of a [`WgaloisDft`](crate::WgaloisDft).
#[derive(Debug)]
pub(crate) struct Engine {
    device: Device,
    /// The least recently used first.
    prepared: Mutex<Vec<Arc<PreparedTransform>>>,
    is_lost: AtomicBool,
    pub measurement: Measurement,
}

impl Engine {
    pub fn new(device: Device) -> Self {
        Engine {
            device,
            prepared: Mutex::default(),
            is_lost: AtomicBool::new(false),
            measurement: Measurement::default(),
        }
    }

    pub fn device(&self) -> &Device {
        &self.device
    }

    /// True once the device was lost: it computes nothing any more.
    pub fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    /// Does `job` to a matrix on the host, one row after the other.
    ///
    /// # Errors
    /// The device's.
    pub fn run(&self, matrix: &[u32], job: &Job) -> Result<Vec<u32>> {
        let result = match &self.device {
            Device::Gpu(gpu) => self.run_through(gpu, matrix, job),
            Device::Cpu(_) | Device::Group(_) => self.run_on_host(matrix, job),
        };
        if let Err(Error::DeviceLost(_)) = result {
            self.is_lost.store(true, Ordering::Relaxed);
        }
        result
    }

    /// Does `job` to a matrix on the device.
    ///
    /// # Errors
    /// The device's.
    pub fn run_on_device(&self, matrix: &DeviceVec<u32>, job: &Job) -> Result<DeviceVec<u32>> {
        self.run_on_columns(transposed(matrix, job.rows, job.width)?, job)
    }

    /// Uploads the matrix and downloads the result. If the device's memory does not hold all columns, it does one
    /// half of them after the other.
    fn run_through(&self, gpu: &Gpu, matrix: &[u32], job: &Job) -> Result<Vec<u32>> {
        let whole = || {
            let columns = transposed(&gpu.upload(matrix)?, job.rows, job.width)?;
            self.run_on_columns(columns, job)?.download()
        };
        match whole() {
            Err(Error::OutOfMemory(shortage)) if job.width > 1 => {
                log::debug!("{} columns are halved: {shortage}", job.width);
                lock(&self.prepared).clear();
                let mut result = vec![0; job.words_after()];
                let half = job.width / 2;
                for columns in [0..half, half..job.width] {
                    let rows = matrix.chunks_exact(job.width);
                    let part: Vec<u32> = rows.flat_map(|row| &row[columns.clone()]).copied().collect();
                    let part = self.run_through(gpu, &part, &job.with_width(columns.len()))?;
                    let parts = part.chunks_exact(columns.len());
                    for (row, part) in result.chunks_exact_mut(job.width).zip(parts) {
                        row[columns.clone()].copy_from_slice(part);
                    }
                }
                Ok(result)
            }
            outcome => outcome,
        }
    }

    /// Takes the columns one after the other, and returns the rows one after the other.
    fn run_on_columns(&self, mut columns: DeviceVec<u32>, job: &Job) -> Result<DeviceVec<u32>> {
        if let Some(inverse) = job.inverse {
            self.submit(&inverse, &mut columns)?;
        }
        if let Some(forward) = job.forward {
            if forward.len() > columns.len() {
                let mut padded = columns.gpu().zeros(forward.len())?;
                padded.assign_padded(&columns, job.rows, forward.n())?;
                columns = padded;
            }
            self.submit(&forward, &mut columns)?;
        }
        match job.width {
            1 => Ok(columns),
            width => transposed(&columns, width, job.rows_after()),
        }
    }

    fn submit(&self, transform: &Transform, columns: &mut DeviceVec<u32>) -> Result<()> {
        self.prepared(transform)?.run_on_device(columns)
    }

    /// The CPU engine, and groups, take vectors from the host. Their rows are transposed there.
    fn run_on_host(&self, matrix: &[u32], job: &Job) -> Result<Vec<u32>> {
        let mut columns = RowMajorMatrixView::new(matrix, job.width).transpose().values;
        if let Some(inverse) = job.inverse {
            self.prepared(&inverse)?.run(&mut columns)?;
        }
        if let Some(forward) = job.forward {
            if forward.len() > columns.len() {
                let mut padded = vec![0; forward.len()];
                let places = padded.chunks_exact_mut(forward.n());
                for (place, column) in places.zip(columns.chunks_exact(job.rows)) {
                    place[..job.rows].copy_from_slice(column);
                }
                columns = padded;
            }
            self.prepared(&forward)?.run(&mut columns)?;
        }
        Ok(RowMajorMatrix::new(columns, job.rows_after()).transpose().values)
    }

    fn prepared(&self, transform: &Transform) -> Result<Arc<PreparedTransform>> {
        let is_it = |prepared: &Arc<PreparedTransform>| prepared.plan().transform() == transform;
        let mut kept = lock(&self.prepared);
        if let Some(i) = kept.iter().position(is_it) {
            let prepared = kept.remove(i);
            kept.push(Arc::clone(&prepared));
            return Ok(prepared);
        }
        // Compiling takes a while. If two threads prepare the same transform, both get theirs and one is kept.
        drop(kept);
        let plan = transform.plan(&self.device)?;
        self.refuse_parts(&plan)?;
        let prepared = Arc::new(plan.prepare(&self.device)?);
        let mut kept = lock(&self.prepared);
        if !kept.iter().any(is_it) {
            kept.push(Arc::clone(&prepared));
        }
        let surplus = kept.len().saturating_sub(KEPT);
        kept.drain(..surplus);
        Ok(prepared)
    }

    /// A plan of several parts takes its vectors from the host.
    fn refuse_parts(&self, plan: &TransformPlan) -> Result<()> {
        match (&self.device, plan.parts()) {
            (Device::Gpu(_), 2..) => {
                Err(Error::OutOfMemory("the device does not hold all columns at once".into()))
            }
            _ => Ok(()),
        }
    }
}

/// Locks the data, also after a thread panicked with the lock: every change leaves them whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! A device that transforms matrices, with the transforms that it has prepared.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use p3_matrix::dense::{RowMajorMatrix, RowMajorMatrixView};
use wgalois::gpu::{DeviceVec, Gpu};
use wgalois::ntt::{
    ColumnTransform, PreparedColumnTransform, PreparedTransform, Transform, TransformPlan, transposed,
};
use wgalois::task::{Kept, Problem};
use wgalois::{Device, Error, Result};

use crate::crossover::Measurement;
use crate::job::Job;

/// Matrices of fewer columns are transposed on the device: pieces of their rows are too short to be read one by one.
const NARROW: usize = 4;

/// A device, shared by the clones of a [`WgaloisDft`](crate::WgaloisDft).
#[derive(Debug)]
pub(crate) struct TransformDevice {
    device: Device,
    /// Transforms of columns that stand one after the other, and of columns where they are.
    prepared: Kept<PreparedTransform>,
    prepared_columns: Kept<PreparedColumnTransform>,
    is_lost: AtomicBool,
    pub measurement: Measurement,
}

impl TransformDevice {
    pub fn new(device: Device) -> Self {
        TransformDevice {
            device,
            prepared: Kept::default(),
            prepared_columns: Kept::default(),
            is_lost: AtomicBool::new(false),
            measurement: Measurement::default(),
        }
    }

    /// The program's first GPU, which all default values share.
    pub fn first_gpu() -> Option<Arc<TransformDevice>> {
        static FIRST: OnceLock<Option<Arc<TransformDevice>>> = OnceLock::new();
        let open = || {
            let gpu = Gpu::new().inspect_err(|error| log::info!("no GPU: {error}")).ok()?;
            let is_named = std::env::var_os("WGPU_ADAPTER_NAME").is_some();
            let is_wanted = is_named || !gpu.adapter().is_software();
            is_wanted.then(|| Arc::new(TransformDevice::new(Device::Gpu(gpu))))
        };
        FIRST.get_or_init(open).clone()
    }

    pub fn device(&self) -> &Device {
        &self.device
    }

    /// True once the device was lost: it computes nothing any more.
    pub fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    /// Does `job` to a matrix on the host, one row after the other.
    pub fn run(&self, matrix: &[u32], job: &Job) -> Result<Vec<u32>> {
        let result = match &self.device {
            Device::Gpu(gpu) => self.run_through(gpu, matrix, job),
            Device::Cpu(_) | Device::Group(_) | Device::Processes(_) => self.run_on_host(matrix, job),
        };
        self.note(result)
    }

    /// Does `job`, an extension, to a matrix on the host, whose memory the result takes, too. If it fails, `values` is as
    /// it was, or it is as long as the result and only its first block is not right.
    pub fn extend(&self, values: &mut Vec<u32>, job: &Job) -> Result<()> {
        match &self.device {
            Device::Gpu(gpu) if job.words_after() > values.len() => {
                self.note(self.extend_through(gpu, values, job))
            }
            _ => {
                *values = self.run(values, job)?;
                Ok(())
            }
        }
    }

    fn extend_through(&self, gpu: &Gpu, values: &mut Vec<u32>, job: &Job) -> Result<()> {
        let before = values.len();
        let extended = self.where_they_are(job, |columns| {
            let extended = columns.run_on_device(&gpu.upload(values)?)?;
            // What was there remains until all the rest is there.
            extended.append_to(before..job.words_after(), values)?;
            Ok(extended)
        })?;
        match extended {
            Some(extended) => extended.read_into(0, &mut values[..before])?,
            None => *values = self.run_in_parts(gpu, values, job)?,
        }
        Ok(())
    }

    /// Remembers that the device was lost.
    fn note<T>(&self, outcome: Result<T>) -> Result<T> {
        if let Err(Error::DeviceLost(_)) = outcome {
            self.is_lost.store(true, Ordering::Relaxed);
        }
        outcome
    }

    /// Does `job` to a matrix on the device.
    pub fn run_on_device(&self, matrix: &DeviceVec<u32>, job: &Job) -> Result<DeviceVec<u32>> {
        let run = || match self.where_they_are(job, |columns| columns.run_on_device(matrix))? {
            Some(result) => Ok(result),
            None => self.run_on_columns(transposed(matrix, job.rows, job.width)?, job),
        };
        self.note(run())
    }

    /// Uploads the matrix and downloads the result.
    fn run_through(&self, gpu: &Gpu, matrix: &[u32], job: &Job) -> Result<Vec<u32>> {
        match self.where_they_are(job, |columns| columns.run(matrix))? {
            Some(result) => Ok(result),
            None => self.run_in_parts(gpu, matrix, job),
        }
    }

    /// Does `run` with the transforms of columns where they are. `None` if these are to be transposed: they are too few,
    /// or memory did not suffice, and what was prepared so is freed.
    fn where_they_are<T>(
        &self,
        job: &Job,
        run: impl FnOnce(&PreparedColumnTransform) -> Result<T>,
    ) -> Result<Option<T>> {
        if job.width < NARROW {
            return Ok(None);
        }
        match self.prepared_columns(job).and_then(|columns| run(&columns)) {
            Err(Error::OutOfMemory(shortage)) => {
                log::debug!("{} columns are transposed: {shortage}", job.width);
                self.prepared_columns.clear();
                Ok(None)
            }
            outcome => outcome.map(Some),
        }
    }

    /// Transposes the matrix on the device. If its memory does not hold all columns, it does one half of them after the
    /// other.
    fn run_in_parts(&self, gpu: &Gpu, matrix: &[u32], job: &Job) -> Result<Vec<u32>> {
        match self.run_transposed(gpu, matrix, job) {
            Err(Error::OutOfMemory(shortage)) if job.width > 1 => {
                log::debug!("{} columns are halved: {shortage}", job.width);
                self.prepared.clear();
            }
            outcome => return outcome,
        }
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

    /// Uploads the matrix, transposes it there, and downloads the result.
    fn run_transposed(&self, gpu: &Gpu, matrix: &[u32], job: &Job) -> Result<Vec<u32>> {
        let columns = transposed(&gpu.upload(matrix)?, job.rows, job.width)?;
        self.run_on_columns(columns, job)?.download()
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
        let is_it = |prepared: &PreparedTransform| prepared.plan().transform() == transform;
        self.prepared.get(is_it, || {
            let plan = transform.plan(&self.device)?;
            self.refuse_parts(&plan)?;
            plan.prepare(&self.device)
        })
    }

    fn prepared_columns(&self, job: &Job) -> Result<Arc<PreparedColumnTransform>> {
        let columns = match (job.inverse, job.forward) {
            (Some(inverse), Some(forward)) => ColumnTransform::extension(inverse, forward),
            (Some(transform), None) | (None, Some(transform)) => {
                ColumnTransform::new(transform).with_rows(job.rows)
            }
            (None, None) => return Err(Error::Usage("there is nothing to transform".into())),
        };
        let is_it = |prepared: &PreparedColumnTransform| *prepared.plan().problem() == columns;
        self.prepared_columns.get(is_it, || columns.plan(&self.device)?.prepare(&self.device))
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

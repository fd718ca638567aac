//! Prepared dense linear algebra.

use super::dense_answer::{DenseAnswer, Evidence, by_carrying_elimination, by_elimination};
use super::gpu::DeviceMatrix;
use super::{BitMatrix, Dense, DensePlan, Echelon, Operation, cpu, dense_group, gpu};
use crate::gpu::{Gpu, block_on};
use crate::task::Plan;
use crate::timeline::Phase;
use crate::{Device, Error, One, Result};

/// A [`DensePlan`] that is ready to run on a device, as often as you like. Matrices of other shapes than
/// planned are [`Error::Input`].
#[derive(Clone, Debug)]
pub struct PreparedDense {
    device: Device,
    plan: DensePlan,
}

/// The answer of a run over matrices on the device.
#[derive(Debug)]
pub enum DeviceAnswer {
    /// The columns of the pivots, ascending; the form replaces the matrix.
    Pivots(Vec<u32>),
    /// The product.
    Matrix(DeviceMatrix),
}

impl PreparedDense {
    pub(super) fn new(device: Device, plan: DensePlan) -> Self {
        PreparedDense { device, plan }
    }

    /// The plan.
    pub fn plan(&self) -> &DensePlan {
        &self.plan
    }

    /// Computes the problem for the matrix `a` and, if it has two matrices, `b`.
    ///
    /// # Errors
    /// [`Error::Input`] for other shapes than planned; those of the device.
    pub fn run(&self, a: &BitMatrix, b: Option<&BitMatrix>) -> Result<DenseAnswer> {
        block_on(self.run_async(a, b))
    }

    /// The asynchronous form of [`run`](Self::run), for browsers.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub async fn run_async(&self, a: &BitMatrix, b: Option<&BitMatrix>) -> Result<DenseAnswer> {
        let problem = self.plan.problem();
        problem.expect_input(a, b)?;
        match (problem.operation(), b) {
            (Operation::Transpose, _) => {
                let transpose = || a.transposed();
                self.device.timeline().time(Phase::Host, "transpose", transpose).map(DenseAnswer::Matrix)
            }
            (Operation::Multiply, Some(b)) => self.multiply(a, b).await.map(DenseAnswer::Matrix),
            (Operation::Rank, _) => self.pivots(a).await.map(DenseAnswer::Pivots),
            (Operation::Echelon, _) if problem.from > 0 => self.form_from(a).await.map(DenseAnswer::Form),
            (operation, _) => {
                if let (Operation::Kernel, Some(gpu)) = (operation, self.whole_on_gpu()) {
                    let (basis, pivots) = gpu::kernel(gpu, a).await?;
                    return Ok(DenseAnswer::Kernel { basis, pivots });
                }
                let eliminate =
                    async |a: &BitMatrix, limit: usize, full: bool| self.eliminate(a, limit, full).await;
                by_elimination(problem, a, b, eliminate).await
            }
        }
    }

    /// [`run`](Self::run), which also carries 64 random columns through the elimination and returns the evidence
    /// that [`Dense::check_carried`](super::Dense::check_carried) takes. For a problem
    /// [with carried columns](super::Dense::with_carried_columns), and those that eliminate nothing, whose check
    /// needs no evidence.
    ///
    /// # Errors
    /// Those of [`run`](Self::run); [`Error::Usage`] for an elimination that was planned without carried columns;
    /// [`Error::Input`] for more than 2^32 - 129 columns.
    pub fn run_carrying(&self, a: &BitMatrix, b: Option<&BitMatrix>) -> Result<(DenseAnswer, Evidence)> {
        block_on(self.run_carrying_async(a, b))
    }

    /// The asynchronous form of [`run_carrying`](Self::run_carrying), for browsers.
    ///
    /// # Errors
    /// Those of [`run_carrying`](Self::run_carrying).
    pub async fn run_carrying_async(
        &self,
        a: &BitMatrix,
        b: Option<&BitMatrix>,
    ) -> Result<(DenseAnswer, Evidence)> {
        let problem = self.plan.problem();
        if !problem.eliminates() {
            return Ok((self.run_async(a, b).await?, Evidence { carried: None, form: None }));
        }
        problem.expect_input(a, b)?;
        problem.expect_carried()?;
        let eliminate = async |a: &BitMatrix, limit: usize, full: bool| self.eliminate(a, limit, full).await;
        by_carrying_elimination(problem, a, b, eliminate).await
    }

    /// Brings a matrix on the device to an echelon form, or the reduced one, as the plan says, and returns the
    /// columns of the pivots, ascending; or multiplies `a` by `b`, which changes neither. See
    /// [`DeviceMatrix::reduce_to_echelon`] for the form that is left.
    /// For [`Operation::Rank`], [`Operation::Echelon`], [`Operation::Rref`] and [`Operation::Multiply`].
    ///
    /// A product is submitted, and the next download waits for it. An elimination waits for the device: the host
    /// reads after each 256 blocks whether a panel may have missed pivots, and decides how to go on. So its work
    /// cannot be recorded into another submission, and there is no `record`.
    ///
    /// # Errors
    /// [`Error::Usage`] on the CPU engine, for matrices on another device, for a plan of several parts and for another
    /// operation;
    /// [`Error::Input`] for another shape than planned; those of the device.
    pub fn run_on_device(&self, a: &mut DeviceMatrix, b: Option<&DeviceMatrix>) -> Result<DeviceAnswer> {
        block_on(self.run_on_device_async(a, b))
    }

    /// The asynchronous form of [`run_on_device`](Self::run_on_device), for browsers.
    ///
    /// # Errors
    /// Those of [`run_on_device`](Self::run_on_device).
    pub async fn run_on_device_async(
        &self,
        a: &mut DeviceMatrix,
        b: Option<&DeviceMatrix>,
    ) -> Result<DeviceAnswer> {
        let (problem, operation) = (self.plan.problem(), self.plan.problem().operation());
        match operation {
            Operation::Rank | Operation::Echelon | Operation::Rref | Operation::Multiply => {}
            _ => {
                return Err(Error::Usage(format!("{operation:?} takes its matrices from the host")));
            }
        }
        self.expect_on_device(a)?;
        let shape = |matrix: &DeviceMatrix| (matrix.rows(), matrix.columns());
        problem.expect_shapes(shape(a), b.map(shape))?;
        match (operation, b) {
            (Operation::Multiply, Some(b)) => {
                a.multiply_within(b, self.plan.cost().device_bytes).map(DeviceAnswer::Matrix)
            }
            _ => {
                let full = operation == Operation::Rref;
                a.reduce_to_echelon_async(problem.limit(), full).await.map(DeviceAnswer::Pivots)
            }
        }
    }

    /// Returns an error for a device or a plan that takes no matrices on the device, and for a matrix on another one.
    fn expect_on_device(&self, matrix: &DeviceMatrix) -> Result<()> {
        let why = match self.device.one() {
            One::Cpu(_) => "the CPU engine has no matrices on a device",
            One::Gpu(_) if matches!(self.device, Device::Group(_)) && self.plan.is_shared() => {
                "a group that shares the work takes its matrices from the host"
            }
            One::Gpu(_) if self.plan.parts() > 1 => "a plan of several parts takes matrices from the host",
            One::Gpu(gpu) => return gpu.expect_same_device([matrix.gpu()]),
        };
        Err(Error::Usage(why.into()))
    }

    async fn multiply(&self, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
        if let (Some(shares), Device::Group(group)) = (self.plan.shares(), &self.device) {
            return dense_group::multiply(shares, group, a, b);
        }
        match self.device.one() {
            One::Cpu(cpu) => cpu::multiply(cpu, a, b),
            One::Gpu(gpu) => {
                let memory = self.plan.cost().device_bytes;
                gpu::multiply(gpu, a, b, (self.plan.rows_at_a_time(), memory)).await
            }
        }
    }

    /// Computes the columns of the pivots, without the form.
    async fn pivots(&self, a: &BitMatrix) -> Result<Vec<u32>> {
        if let Some(form) = self.plan.eliminate_across(&self.device, a, (a.columns(), false, true))? {
            return Ok(form.pivots);
        }
        match self.device.one() {
            One::Cpu(cpu) => cpu::pivots(cpu, a),
            One::Gpu(gpu) => gpu::pivots(gpu, a, self.plan.rows_at_a_time()).await,
        }
    }

    /// The GPU that computes an echelon form alone, with all rows at a time.
    fn whole_on_gpu(&self) -> Option<&Gpu> {
        match self.device.one() {
            One::Gpu(gpu) if self.plan.parts() == 1 && !self.plan.is_shared() => Some(gpu),
            _ => None,
        }
    }

    /// Computes the rows of an echelon form from the problem's column on.
    async fn form_from(&self, a: &BitMatrix) -> Result<Echelon> {
        let Dense { limit, from, .. } = *self.plan.problem();
        match self.whole_on_gpu() {
            Some(gpu) => gpu::form_from(gpu, a, limit, from).await,
            None => self.eliminate(a, limit, false).await?.starting_at(from),
        }
    }

    /// Computes an echelon form with pivots in the first `limit` columns, reduced if `full`.
    async fn eliminate(&self, a: &BitMatrix, limit: usize, full: bool) -> Result<Echelon> {
        if let Some(form) = self.plan.eliminate_across(&self.device, a, (limit, full, false))? {
            return Ok(form);
        }
        match self.device.one() {
            One::Cpu(cpu) => cpu::echelon(cpu, a, limit, full),
            One::Gpu(gpu) => gpu::echelon(gpu, a, limit, full, self.plan.rows_at_a_time()).await,
        }
    }
}

//! Prepared dense linear algebra.

use super::dense::beside;
use super::gpu::DeviceMatrix;
use super::{BitMatrix, DensePlan, Echelon, Inverse, Operation, Solution, cpu, dense_group, gpu};
use crate::gpu::block_on;
use crate::{Device, Error, One, Result};

/// A [`DensePlan`] that is ready to run on a device, as often as you like. Each operation has its
/// method; matrices of other shapes than planned are [`Error::Input`].
#[derive(Clone, Debug)]
pub struct PreparedDense {
    device: Device,
    plan: DensePlan,
}

/// Defines a blocking method and its asynchronous counterpart for browsers.
macro_rules! both {
    ($(#[$doc:meta])* fn $name:ident, $name_async:ident($a:ident $(, $b:ident)?) -> $answer:ty { $body:expr }) => {
        $(#[$doc])*
        pub fn $name(&self, $a: &BitMatrix $(, $b: &BitMatrix)?) -> Result<$answer> {
            block_on(self.$name_async($a $(, $b)?))
        }

        #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") for the browser.")]
        #[doc = ""]
        #[doc = "# Errors"]
        #[doc = "The same."]
        pub async fn $name_async(&self, $a: &BitMatrix $(, $b: &BitMatrix)?) -> Result<$answer> {
            let this = self;
            ($body)(this).await
        }
    };
}

impl PreparedDense {
    pub(super) fn new(device: Device, plan: DensePlan) -> Self {
        PreparedDense { device, plan }
    }

    /// The plan.
    pub fn plan(&self) -> &DensePlan {
        &self.plan
    }

    both! {
        /// The columns of the pivots, ascending: as many as the rank. For [`Operation::Rank`].
        ///
        /// # Errors
        /// Those of the device.
        fn pivots, pivots_async(a) -> Vec<u32> { async |this: &Self| {
            this.expect(&[Operation::Rank], a, None)?;
            match this.device.one() {
                One::Cpu(cpu) => cpu::pivots(cpu, a),
                One::Gpu(gpu) => gpu::pivots(gpu, a, this.plan.rows_at_a_time()).await,
            }
        } }
    }

    both! {
        /// The echelon form, for [`Operation::Echelon`], or the reduced one, for [`Operation::Rref`].
        ///
        /// # Errors
        /// Those of the device.
        fn echelon, echelon_async(a) -> Echelon { async |this: &Self| {
            this.expect(&[Operation::Echelon, Operation::Rref], a, None)?;
            let full = this.plan.problem().operation() == Operation::Rref;
            this.eliminate(a, this.plan.problem().limit(), full).await
        } }
    }

    both! {
        /// The solutions of a x = b, for [`Operation::Solve`].
        ///
        /// # Errors
        /// Those of the device.
        fn solve, solve_async(a, b) -> Solution { async |this: &Self| {
            this.expect(&[Operation::Solve], a, Some(b))?;
            this.solution(a, b).await
        } }
    }

    both! {
        /// A basis of the kernel, for [`Operation::Kernel`].
        ///
        /// # Errors
        /// Those of the device.
        fn kernel, kernel_async(a) -> BitMatrix { async |this: &Self| {
            this.expect(&[Operation::Kernel], a, None)?;
            this.eliminate(a, a.columns(), true).await?.kernel()
        } }
    }

    both! {
        /// The inverse, for [`Operation::Inverse`].
        ///
        /// # Errors
        /// Those of the device.
        fn inverse, inverse_async(a) -> Inverse { async |this: &Self| {
            this.expect(&[Operation::Inverse], a, None)?;
            let solution = this.solution(a, &BitMatrix::identity(a.rows())?).await?;
            Ok(Inverse::from_solution(solution, a.rows()))
        } }
    }

    both! {
        /// The product a b, for [`Operation::Multiply`].
        ///
        /// # Errors
        /// Those of the device.
        fn multiply, multiply_async(a, b) -> BitMatrix { async |this: &Self| {
            this.expect(&[Operation::Multiply], a, Some(b))?;
            if let (Some(shares), Device::Group(group)) = (this.plan.shares(), &this.device) {
                return dense_group::multiply(shares, group, a, b);
            }
            match this.device.one() {
                One::Cpu(cpu) => cpu::multiply(cpu, a, b),
                One::Gpu(gpu) => gpu::multiply(gpu, a, b, this.plan.rows_at_a_time()).await,
            }
        } }
    }

    both! {
        /// The transpose, for [`Operation::Transpose`].
        ///
        /// # Errors
        /// [`Error::OutOfMemory`].
        fn transpose, transpose_async(a) -> BitMatrix { async |this: &Self| {
            this.expect(&[Operation::Transpose], a, None)?;
            a.transposed()
        } }
    }

    /// Brings a matrix on the device to an echelon form, or the reduced one, as the plan says, and returns the
    /// columns of the pivots, ascending. See [`DeviceMatrix::reduce_to_echelon`] for the form that is left.
    /// For [`Operation::Rank`], [`Operation::Echelon`] and [`Operation::Rref`].
    ///
    /// It waits for the device: the host reads after each 256 blocks whether a panel may have missed pivots,
    /// and decides how to go on. So the work cannot be recorded into another submission.
    ///
    /// # Errors
    /// [`Error::Usage`] on the CPU engine, for a plan of several parts and for another operation;
    /// [`Error::Input`] for another shape than planned; those of the device.
    pub fn run_on_device(&self, a: &mut DeviceMatrix) -> Result<Vec<u32>> {
        block_on(self.run_on_device_async(a))
    }

    /// The asynchronous form of [`run_on_device`](Self::run_on_device), for browsers.
    ///
    /// # Errors
    /// Those of [`run_on_device`](Self::run_on_device).
    pub async fn run_on_device_async(&self, a: &mut DeviceMatrix) -> Result<Vec<u32>> {
        let problem = self.plan.problem();
        self.expect_operation(&[Operation::Rank, Operation::Echelon, Operation::Rref])?;
        self.expect_on_device(a, problem.shape())?;
        a.reduce_to_echelon_async(problem.limit(), problem.operation() == Operation::Rref).await
    }

    /// The product of two matrices on the device, for [`Operation::Multiply`].
    ///
    /// It returns when the work is submitted; the next download waits for it.
    ///
    /// # Errors
    /// Those of [`run_on_device`](Self::run_on_device).
    pub fn multiply_on_device(&self, a: &DeviceMatrix, b: &DeviceMatrix) -> Result<DeviceMatrix> {
        let problem = self.plan.problem();
        self.expect_operation(&[Operation::Multiply])?;
        self.expect_on_device(a, problem.shape())?;
        self.expect_on_device(b, (problem.shape().1, problem.other_columns()))?;
        a.multiply(b)
    }

    /// Returns an error for a matrix on the device that the plan is not for.
    fn expect_on_device(&self, matrix: &DeviceMatrix, (rows, columns): (usize, usize)) -> Result<()> {
        if matches!(self.device, Device::Group(_)) && self.plan.shares().is_some() {
            return Err(Error::Usage("a group takes the factors of a product from the host".into()));
        }
        if matches!(self.device.one(), One::Cpu(_)) {
            return Err(Error::Usage("the CPU engine has no matrices on a device".into()));
        }
        if self.plan.parts() > 1 {
            return Err(Error::Usage("a plan of several parts takes matrices from the host".into()));
        }
        match (matrix.rows(), matrix.columns()) == (rows, columns) {
            true => Ok(()),
            false => Err(Error::Input(format!("the plan is for a matrix of {rows} x {columns}"))),
        }
    }

    /// Solves a x = b; the memory of A and B side by side is freed before the solution is made.
    async fn solution(&self, a: &BitMatrix, b: &BitMatrix) -> Result<Solution> {
        let both = beside(a, b)?;
        let reduced = self.eliminate(&both, a.columns(), true).await?;
        drop(both);
        Solution::from_reduced(&reduced, a.columns(), b.columns())
    }

    /// Computes an echelon form with pivots in the first `limit` columns, reduced if `full`.
    async fn eliminate(&self, a: &BitMatrix, limit: usize, full: bool) -> Result<Echelon> {
        match self.device.one() {
            One::Cpu(cpu) => cpu::echelon(cpu, a, limit, full),
            One::Gpu(gpu) => gpu::echelon(gpu, a, limit, full, self.plan.rows_at_a_time()).await,
        }
    }

    /// Returns an error for an operation or shape other than planned.
    fn expect(&self, operations: &[Operation], a: &BitMatrix, b: Option<&BitMatrix>) -> Result<()> {
        self.expect_operation(operations)?;
        self.plan.problem().expect_input(a, b)
    }

    /// Returns an error for an operation other than planned.
    fn expect_operation(&self, operations: &[Operation]) -> Result<()> {
        let problem = self.plan.problem();
        if !operations.contains(&problem.operation()) {
            return Err(Error::Usage(format!(
                "the plan is for another operation: {:?}",
                problem.operation()
            )));
        }
        Ok(())
    }
}

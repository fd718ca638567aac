//! Prepared dense linear algebra, and functions that plan, prepare and run in one call.

use super::dense::beside;
use super::{BitMatrix, Dense, DensePlan, Echelon, Inverse, Operation, Solution, cpu, gpu};
use crate::gpu::block_on;
use crate::task::{Problem, within_memory};
use crate::{Device, Error, Result};

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
            match &this.device {
                Device::Cpu(cpu) => cpu::pivots(cpu, a),
                Device::Gpu(gpu) => gpu::pivots(gpu, a, this.plan.rows_at_a_time()).await,
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
            match &this.device {
                Device::Cpu(cpu) => cpu::multiply(cpu, a, b),
                Device::Gpu(gpu) => gpu::multiply(gpu, a, b, this.plan.rows_at_a_time()).await,
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

    /// Solves a x = b; the memory of A and B side by side is freed before the solution is made.
    async fn solution(&self, a: &BitMatrix, b: &BitMatrix) -> Result<Solution> {
        let both = beside(a, b)?;
        let reduced = self.eliminate(&both, a.columns(), true).await?;
        drop(both);
        Solution::from_reduced(&reduced, a.columns(), b.columns())
    }

    /// Computes an echelon form with pivots in the first `limit` columns, reduced if `full`.
    async fn eliminate(&self, a: &BitMatrix, limit: usize, full: bool) -> Result<Echelon> {
        match &self.device {
            Device::Cpu(cpu) => cpu::echelon(cpu, a, limit, full),
            Device::Gpu(gpu) => gpu::echelon(gpu, a, limit, full, self.plan.rows_at_a_time()).await,
        }
    }

    /// Returns an error for an operation or shape other than planned.
    fn expect(&self, operations: &[Operation], a: &BitMatrix, b: Option<&BitMatrix>) -> Result<()> {
        let problem = self.plan.problem();
        if !operations.contains(&problem.operation()) {
            return Err(Error::Usage(format!(
                "the plan is for another operation: {:?}",
                problem.operation()
            )));
        }
        let other_columns = b.map_or(problem.other_columns(), BitMatrix::columns);
        if (a.rows(), a.columns()) != problem.shape() || other_columns != problem.other_columns() {
            let (rows, columns) = problem.shape();
            return Err(Error::Input(format!("the plan is for a matrix of {rows} x {columns}")));
        }
        Ok(())
    }
}

/// Plans, prepares and runs a problem on `device` within its memory.
async fn run<T>(
    device: &Device,
    problem: Dense,
    work: impl AsyncFn(PreparedDense) -> Result<T>,
) -> Result<T> {
    within_memory(device.profile(), async |profile| work(problem.plan_for(profile)?.prepare(device)?).await)
        .await
}

/// The rank of a matrix.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{self, BitMatrix}};
///
/// let device = Device::Cpu(Cpu::default());
/// assert_eq!(gf2::rank(&device, &BitMatrix::identity(70)?)?, 70);
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// [`Error::OutOfMemory`]; those of the device.
pub fn rank(device: &Device, a: &BitMatrix) -> Result<usize> {
    block_on(rank_async(device, a))
}

/// The asynchronous form of [`rank`], for browsers.
///
/// # Errors
/// Those of [`rank`].
pub async fn rank_async(device: &Device, a: &BitMatrix) -> Result<usize> {
    Ok(pivots_async(device, a).await?.len())
}

/// The columns of the pivots of a matrix's echelon forms, ascending: as many as the rank.
///
/// # Errors
/// Those of [`rank`].
pub fn pivots(device: &Device, a: &BitMatrix) -> Result<Vec<u32>> {
    block_on(pivots_async(device, a))
}

/// The asynchronous form of [`pivots`], for browsers.
///
/// # Errors
/// Those of [`pivots`].
pub async fn pivots_async(device: &Device, a: &BitMatrix) -> Result<Vec<u32>> {
    run(device, Dense::rank(a.rows(), a.columns())?, async |ready| ready.pivots_async(a).await).await
}

/// A row echelon form of `a`: its rows have the same span as those of `a`, and the first one of each row
/// is to the right of the first one of the row above. Rows of zeros come last.
///
/// # Errors
/// Those of [`rank`].
pub fn echelon(device: &Device, a: &BitMatrix) -> Result<Echelon> {
    block_on(echelon_async(device, a))
}

/// The asynchronous form of [`echelon`], for browsers.
///
/// # Errors
/// Those of [`echelon`].
pub async fn echelon_async(device: &Device, a: &BitMatrix) -> Result<Echelon> {
    echelon_within_async(device, a, a.columns(), false).await
}

/// The reduced row echelon form: each pivot is the only one in its column. It is unique.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{self, BitMatrix}};
///
/// let mut a = BitMatrix::zeros(2, 2)?; // rows 11, 01
/// [(0, 0), (0, 1), (1, 1)].into_iter().for_each(|(row, column)| a.set(row, column, true));
/// let form = gf2::rref(&Device::Cpu(Cpu::default()), &a)?;
/// assert_eq!(form.matrix, BitMatrix::identity(2)?);
/// assert_eq!(form.pivots, [0, 1]);
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// Those of [`rank`].
pub fn rref(device: &Device, a: &BitMatrix) -> Result<Echelon> {
    block_on(rref_async(device, a))
}

/// The asynchronous form of [`rref`], for browsers.
///
/// # Errors
/// Those of [`rref`].
pub async fn rref_async(device: &Device, a: &BitMatrix) -> Result<Echelon> {
    echelon_within_async(device, a, a.columns(), true).await
}

/// A row echelon form with pivots in the first `limit` columns only, reduced if `full`. Rows without a
/// pivot come last, zero in those columns; the columns after them are changed by the same row operations.
///
/// # Errors
/// [`Error::Input`] if the matrix has fewer columns; those of [`rank`].
pub fn echelon_within(device: &Device, a: &BitMatrix, limit: usize, full: bool) -> Result<Echelon> {
    block_on(echelon_within_async(device, a, limit, full))
}

/// The asynchronous form of [`echelon_within`], for browsers.
///
/// # Errors
/// Those of [`echelon_within`].
pub async fn echelon_within_async(
    device: &Device,
    a: &BitMatrix,
    limit: usize,
    full: bool,
) -> Result<Echelon> {
    let (rows, columns) = (a.rows(), a.columns());
    if limit > columns {
        return Err(Error::Input(format!("pivots in {limit} columns of a matrix that has {columns}")));
    }
    let problem = if full { Dense::rref(rows, columns)? } else { Dense::echelon(rows, columns)? };
    run(device, problem.with_pivots_within(limit), async |ready| ready.echelon_async(a).await).await
}

/// Solves a x = b for every column of b.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{self, BitMatrix}};
///
/// let (a, b) = (BitMatrix::identity(3)?, BitMatrix::identity(3)?);
/// let solution = gf2::solve(&Device::Cpu(Cpu::default()), &a, &b)?;
/// assert_eq!(solution.x, b);
/// assert!(solution.inconsistent.is_empty());
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// [`Error::Input`] if a and b differ in rows; those of [`rank`].
pub fn solve(device: &Device, a: &BitMatrix, b: &BitMatrix) -> Result<Solution> {
    block_on(solve_async(device, a, b))
}

/// The asynchronous form of [`solve`], for browsers.
///
/// # Errors
/// Those of [`solve`].
pub async fn solve_async(device: &Device, a: &BitMatrix, b: &BitMatrix) -> Result<Solution> {
    let problem = Dense::solve(a.rows(), a.columns(), b.columns())?;
    run(device, problem, async |ready| ready.solve_async(a, b).await).await
}

/// A basis of the kernel { x : a x = 0 }, one vector per row. Among the columns without a pivot, row k
/// has a one in the k-th only.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{self, BitMatrix}};
///
/// let kernel = gf2::kernel(&Device::Cpu(Cpu::default()), &BitMatrix::zeros(1, 3)?)?;
/// assert_eq!(kernel, BitMatrix::identity(3)?);
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// Those of [`rank`].
pub fn kernel(device: &Device, a: &BitMatrix) -> Result<BitMatrix> {
    block_on(kernel_async(device, a))
}

/// The asynchronous form of [`kernel`], for browsers.
///
/// # Errors
/// Those of [`kernel`].
pub async fn kernel_async(device: &Device, a: &BitMatrix) -> Result<BitMatrix> {
    let problem = Dense::kernel(a.rows(), a.columns())?;
    run(device, problem, async |ready| ready.kernel_async(a).await).await
}

/// The inverse of a square matrix, or its rank if it has no inverse.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{self, BitMatrix, Inverse}};
///
/// let device = Device::Cpu(Cpu::default());
/// let identity = BitMatrix::identity(3)?;
/// assert_eq!(gf2::inverse(&device, &identity)?, Inverse::Regular(identity));
/// assert_eq!(gf2::inverse(&device, &BitMatrix::zeros(3, 3)?)?, Inverse::Singular { rank: 0 });
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// [`Error::Input`] if the matrix is not square; those of [`rank`].
pub fn inverse(device: &Device, a: &BitMatrix) -> Result<Inverse> {
    block_on(inverse_async(device, a))
}

/// The asynchronous form of [`inverse`], for browsers.
///
/// # Errors
/// Those of [`inverse`].
pub async fn inverse_async(device: &Device, a: &BitMatrix) -> Result<Inverse> {
    Inverse::expect_square(a)?;
    run(device, Dense::inverse(a.rows())?, async |ready| ready.inverse_async(a).await).await
}

/// The product a b.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{self, generate}};
///
/// let device = Device::Cpu(Cpu::default());
/// let (a, b) = (generate::matrix(40, 70, 0.5, 1)?, generate::matrix(70, 9, 0.5, 2)?);
/// let product = gf2::multiply(&device, &a, &b)?;
/// let entry = a.ones(3).filter(|&k| b.get(k, 5)).count() % 2 == 1;
/// assert_eq!(product.get(3, 5), entry);
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// [`Error::Input`] if the number of columns of a is not that of rows of b; those of [`rank`].
pub fn multiply(device: &Device, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
    block_on(multiply_async(device, a, b))
}

/// The asynchronous form of [`multiply`], for browsers.
///
/// # Errors
/// Those of [`multiply`].
pub async fn multiply_async(device: &Device, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
    if a.columns() != b.rows() {
        let message = format!("a factor of {} columns and one of {} rows", a.columns(), b.rows());
        return Err(Error::Input(message));
    }
    let problem = Dense::multiply(a.rows(), a.columns(), b.columns())?;
    run(device, problem, async |ready| ready.multiply_async(a, b).await).await
}

/// The transpose of a matrix. The host computes it.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn transpose(device: &Device, a: &BitMatrix) -> Result<BitMatrix> {
    block_on(transpose_async(device, a))
}

/// The asynchronous form of [`transpose`], for browsers.
///
/// # Errors
/// Those of [`transpose`].
pub async fn transpose_async(device: &Device, a: &BitMatrix) -> Result<BitMatrix> {
    let problem = Dense::transpose(a.rows(), a.columns())?;
    run(device, problem, async |ready| ready.transpose_async(a).await).await
}

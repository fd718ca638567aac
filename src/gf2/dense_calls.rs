//! Dense linear algebra in one call: each function plans, prepares and runs.

use super::dense_answer::{DenseAnswer, Evidence};
use super::{BitMatrix, Dense, Echelon, Inverse, Operation, PreparedDense, Solution};
use crate::gpu::block_on;
use crate::task::{Problem, within_memory};
use crate::{Device, Error, Result};

/// Plans, prepares and runs a problem on `device` within its memory, for the matrix `a` and, if it has two
/// matrices, `b`. The other functions here do so for one operation each.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{self, BitMatrix, Dense}};
///
/// let device = Device::Cpu(Cpu::default());
/// let answer = gf2::compute(&device, &Dense::rank(70, 70)?, &BitMatrix::identity(70)?, None)?;
/// assert_eq!(answer.into_pivots()?.len(), 70);
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// [`Error::Input`] for matrices of other shapes than the problem's; [`Error::OutOfMemory`]; those of the device.
pub fn compute(
    device: &Device,
    problem: &Dense,
    a: &BitMatrix,
    b: Option<&BitMatrix>,
) -> Result<DenseAnswer> {
    block_on(compute_async(device, problem, a, b))
}

/// The asynchronous form of [`compute`], for browsers.
///
/// # Errors
/// Those of [`compute`].
pub async fn compute_async(
    device: &Device,
    problem: &Dense,
    a: &BitMatrix,
    b: Option<&BitMatrix>,
) -> Result<DenseAnswer> {
    within(device, problem, async |ready| ready.run_async(a, b).await).await
}

/// [`compute`] that carries random columns, as [`PreparedDense::run_carrying`] does, whether or not `problem` says
/// so.
///
/// # Errors
/// Those of [`compute`] and [`PreparedDense::run_carrying`].
pub fn compute_carrying(
    device: &Device,
    problem: &Dense,
    a: &BitMatrix,
    b: Option<&BitMatrix>,
) -> Result<(DenseAnswer, Evidence)> {
    block_on(compute_carrying_async(device, problem, a, b))
}

/// The asynchronous form of [`compute_carrying`], for browsers.
///
/// # Errors
/// Those of [`compute_carrying`].
pub async fn compute_carrying_async(
    device: &Device,
    problem: &Dense,
    a: &BitMatrix,
    b: Option<&BitMatrix>,
) -> Result<(DenseAnswer, Evidence)> {
    let problem = problem.with_carried_columns(true);
    let run = async |ready: PreparedDense| ready.run_carrying_async(a, b).await;
    within(device, &problem, run).await
}

async fn within<T>(
    device: &Device,
    problem: &Dense,
    work: impl AsyncFn(PreparedDense) -> Result<T>,
) -> Result<T> {
    let run = async |device: &Device| {
        let run = async |profile: &_| work(problem.plan_for(profile)?.prepare(device)?).await;
        within_memory(device.profile(), run).await
    };
    let is_shared = || problem.plan_for(&device.profile()).is_ok_and(|plan| plan.is_shared());
    match (problem.operation(), device) {
        // A group shares a product, and an elimination if the plan says so.
        (Operation::Multiply, _) => run(device).await,
        (_, Device::Group(_)) if is_shared() => run(device).await,
        _ => device.on_one(run).await,
    }
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
    compute_async(device, &Dense::rank(a.rows(), a.columns())?, a, None).await?.into_pivots()
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
    compute_async(device, &problem.with_pivots_within(limit), a, None).await?.into_form()
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
    compute_async(device, &problem, a, Some(b)).await?.into_solution()
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
    compute_async(device, &problem, a, None).await?.into_matrix()
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
    compute_async(device, &Dense::inverse(a.rows())?, a, None).await?.into_inverse()
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
    compute_async(device, &problem, a, Some(b)).await?.into_matrix()
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
    compute_async(device, &problem, a, None).await?.into_matrix()
}

//! Dense linear algebra in one call: each function plans, prepares and runs.
//!
//! # Errors
//! [`Error::Input`] for matrices whose shapes do not fit; [`Error::OutOfMemory`]; those of the device.

use super::{
    BitMatrix, Echelon, EchelonForm, Inverse, Invert, Kernel, OnElimination, Product, Rank, Solution, Solve,
    Transpose, product,
};
#[cfg(doc)]
use crate::Error;
use crate::gpu::block_on;
use crate::task::{Problem, Solvable};
use crate::{Device, Result};

/// Plans, prepares and runs a question on `device` within its memory, for the matrix `a` and, if it has right sides, `b`. The
/// other functions here do so for one question each.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{self, BitMatrix, Rank}};
///
/// let device = Device::Cpu(Cpu::default());
/// let pivots = gf2::compute(&device, &Rank::new(70, 70)?, &BitMatrix::identity(70)?, None)?;
/// assert_eq!(pivots.len(), 70);
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// [`Error::Input`] for matrices of other shapes than the problem's; [`Error::OutOfMemory`]; those of the device.
pub fn compute<Q: OnElimination>(
    device: &Device,
    problem: &Q,
    a: &BitMatrix,
    b: Option<&BitMatrix>,
) -> Result<<Q as OnElimination>::Answer> {
    block_on(compute_async(device, problem, a, b))
}

/// The asynchronous form of [`compute`], for browsers.
pub async fn compute_async<Q: OnElimination>(
    device: &Device,
    problem: &Q,
    a: &BitMatrix,
    b: Option<&BitMatrix>,
) -> Result<<Q as OnElimination>::Answer> {
    problem.check_input(&(a, b))?;
    Ok(problem.plan(device)?.compute_async(device, (a, b)).await?.0)
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
pub async fn rank_async(device: &Device, a: &BitMatrix) -> Result<usize> {
    Ok(pivots_async(device, a).await?.len())
}

/// The columns of the pivots of a matrix's echelon forms, ascending: as many as the rank.
pub fn pivots(device: &Device, a: &BitMatrix) -> Result<Vec<u32>> {
    block_on(pivots_async(device, a))
}

/// The asynchronous form of [`pivots`], for browsers.
pub async fn pivots_async(device: &Device, a: &BitMatrix) -> Result<Vec<u32>> {
    compute_async(device, &Rank::new(a.rows(), a.columns())?, a, None).await
}

/// A row echelon form of `a`: its rows have the same span as those of `a`, and the first one of each row
/// is to the right of the first one of the row above. Rows of zeros come last.
pub fn echelon(device: &Device, a: &BitMatrix) -> Result<Echelon> {
    block_on(echelon_async(device, a))
}

/// The asynchronous form of [`echelon`], for browsers.
pub async fn echelon_async(device: &Device, a: &BitMatrix) -> Result<Echelon> {
    compute_async(device, &EchelonForm::new(a.rows(), a.columns())?, a, None).await
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
pub fn rref(device: &Device, a: &BitMatrix) -> Result<Echelon> {
    block_on(rref_async(device, a))
}

/// The asynchronous form of [`rref`], for browsers.
pub async fn rref_async(device: &Device, a: &BitMatrix) -> Result<Echelon> {
    compute_async(device, &EchelonForm::reduced(a.rows(), a.columns())?, a, None).await
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
pub async fn solve_async(device: &Device, a: &BitMatrix, b: &BitMatrix) -> Result<Solution> {
    let problem = Solve::new(a.rows(), a.columns(), b.columns())?;
    compute_async(device, &problem, a, Some(b)).await
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
pub fn kernel(device: &Device, a: &BitMatrix) -> Result<BitMatrix> {
    block_on(kernel_async(device, a))
}

/// The asynchronous form of [`kernel`], for browsers.
pub async fn kernel_async(device: &Device, a: &BitMatrix) -> Result<BitMatrix> {
    let problem = Kernel::new(a.rows(), a.columns())?;
    Ok(compute_async(device, &problem, a, None).await?.0)
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
pub async fn inverse_async(device: &Device, a: &BitMatrix) -> Result<Inverse> {
    Inverse::expect_square(a)?;
    compute_async(device, &Invert::new(a.rows())?, a, None).await
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
pub async fn multiply_async(device: &Device, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
    if a.columns() != b.rows() {
        return Err(product::mismatch(a.columns(), b.rows()));
    }
    let problem = Product::new(a.rows(), a.columns(), b.columns())?;
    Ok(problem.plan(device)?.compute_async(device, (a, b).into()).await?.0)
}

/// The transpose of a matrix. The host computes it.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn transpose(device: &Device, a: &BitMatrix) -> Result<BitMatrix> {
    block_on(transpose_async(device, a))
}

/// The asynchronous form of [`transpose`], for browsers.
pub async fn transpose_async(device: &Device, a: &BitMatrix) -> Result<BitMatrix> {
    let problem = Transpose::new(a.rows(), a.columns())?;
    Ok(problem.plan(device)?.compute_async(device, a).await?.0)
}

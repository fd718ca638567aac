//! Dense linear algebra in one call: each function plans, prepares and runs. [`compute_async`] is for browsers.
//!
//! # Errors
//! [`Error::WrongShape`] and [`Error::ShapeMismatch`] for matrices whose shapes do not fit; [`Error::OutOfMemory`]; those
//! of the device.

use super::{BitMatrix, Dense, Echelon, Inverse, OnElimination, Solution, Transpose};
#[cfg(doc)]
use crate::Error;
use crate::gpu::block_on;
use crate::task::Problem;
use crate::{Device, Result};

/// Plans, prepares and runs a question on `device` within its memory, for the matrix `a` and, if it has right sides, `b`. The
/// other functions here do so for one question each.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{self, BitMatrix, Dense}};
///
/// let device = Device::Cpu(Cpu::default());
/// let pivots = gf2::compute(&device, &Dense::rank(70, 70)?, &BitMatrix::identity(70)?, None)?.into_pivots()?;
/// assert_eq!(pivots.len(), 70);
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// [`Error::WrongShape`] for matrices of other shapes than the problem's; [`Error::OutOfMemory`]; those of the device.
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
    Ok(pivots(device, a)?.len())
}

/// The columns of the pivots of a matrix's echelon forms, ascending: as many as the rank.
pub fn pivots(device: &Device, a: &BitMatrix) -> Result<Vec<u32>> {
    compute(device, &Dense::rank(a.rows(), a.columns())?, a, None)?.into_pivots()
}

/// A row echelon form of `a`: its rows have the same span as those of `a`, and the first one of each row
/// is to the right of the first one of the row above. Rows of zeros come last.
pub fn echelon(device: &Device, a: &BitMatrix) -> Result<Echelon> {
    compute(device, &Dense::echelon(a.rows(), a.columns())?, a, None)?.into_form()
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
    compute(device, &Dense::rref(a.rows(), a.columns())?, a, None)?.into_form()
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
/// [`Error::ShapeMismatch`] if a and b differ in rows; those of [`rank`].
pub fn solve(device: &Device, a: &BitMatrix, b: &BitMatrix) -> Result<Solution> {
    let problem = Dense::solve(a.rows(), a.columns(), b.columns())?;
    compute(device, &problem, a, Some(b))?.into_solution()
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
    let problem = Dense::kernel(a.rows(), a.columns())?;
    Ok(compute(device, &problem, a, None)?.into_kernel()?.0)
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
/// [`Error::NotSquare`] if it is not; those of [`rank`].
pub fn inverse(device: &Device, a: &BitMatrix) -> Result<Inverse> {
    compute(device, &Dense::inverse(a.rows())?, a, None)?.into_inverse()
}

/// The transpose of a matrix. The host computes it.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn transpose(device: &Device, a: &BitMatrix) -> Result<BitMatrix> {
    let problem = Transpose::new(a.rows(), a.columns())?;
    Ok(problem.plan(device)?.compute(device, a)?.0)
}

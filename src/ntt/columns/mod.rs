//! Transforms whose vectors are the columns of a row-major matrix.

mod engines;

use std::fmt;

use super::transform::{Direction, Order};
use super::verify::{self, on_threads};
use super::ways::{OnGpu, ReadyOnGpu, ways};
use super::words::Transform;
use super::{cpu, residues};
use crate::gpu::{DeviceVec, Recorder};
use crate::huge_pages;
use crate::parallel::*;
use crate::task::{Planned, Prepared, Problem, Profile, Ways, no_device_vectors};
use crate::verify::Guarantee;
use crate::{Device, Error, Result, Wrong};

/// Transforms of the columns of a matrix whose rows stand one after the other: word j of row i, at i W + j, is entry i
/// of vector j of W. So do tables of provers, whose columns are vectors of values and whose rows are hashed.
///
/// The matrix becomes another one, whose rows are in the order of the transform's output. A GPU transforms along the
/// rows as they lie, in as few passes over memory as for contiguous vectors; [`transposed`](super::transposed()) is not
/// needed. It holds both matrices, each in one binding. The CPU engine transposes.
///
/// The matrix may have fewer rows than there are coefficients, [`with_rows`](Self::with_rows), or hold values of the
/// polynomials on fewer points: a low-degree [`extension`](Self::extension).
///
/// ```
/// use wgalois::field::BABY_BEAR;
/// use wgalois::ntt::{ColumnTransform, Coset, Direction, Order, Transform};
/// use wgalois::task::Problem;
/// use wgalois::{Cpu, Device};
///
/// // Two polynomials from their values at 1 and -1, and their values on a coset of four points.
/// let device = Device::Cpu(Cpu::default());
/// let inverse = Transform::new(BABY_BEAR, 2)?.with_batch(2).with_direction(Direction::Inverse);
/// let forward = Transform::new(BABY_BEAR, 4)?.with_batch(2).with_coset(Coset::Shift(3));
/// let values = [8, 1, 2, 1]; // 5 + 3 x, and 1
/// let coefficients = ColumnTransform::new(inverse).plan(&device)?.prepare(&device)?.run(&values)?;
/// assert_eq!(coefficients, [5, 1, 3, 0]);
/// let extension = ColumnTransform::extension(inverse, forward.with_output(Order::BitReversed));
/// let extended = extension.plan(&device)?.prepare(&device)?.run(&values)?;
/// assert_eq!(extended[..2], [14, 1]); // at 3
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColumnTransform {
    /// The transform of an extension's values to coefficients.
    inverse: Option<Transform>,
    transform: Transform,
    rows: usize,
}

impl ColumnTransform {
    /// The transforms of a matrix of n rows, of as many columns as `transform` has vectors.
    pub fn new(transform: Transform) -> Self {
        ColumnTransform { inverse: None, transform, rows: transform.n() }
    }

    /// The values of polynomials on the points of `forward`, from their values on the points of `inverse`, of which
    /// there are as many or fewer: the degree stays below the number of these.
    ///
    /// `inverse` goes to coefficients in natural order, `forward` takes them, and both have as many vectors and the same
    /// prime: anything else is an error of the plan. A GPU does the last pass of the one and the first of the other in
    /// one, so that the coefficients are never in memory.
    pub fn extension(inverse: Transform, forward: Transform) -> Self {
        ColumnTransform { inverse: Some(inverse), transform: forward, rows: inverse.n() }
    }

    /// Sets the number of rows that the matrix has; the coefficients after them are zeros. It is a power of two from 2
    /// to n, and n unless the transform is a forward one of coefficients in natural order: other numbers are an error of
    /// the plan.
    #[must_use]
    pub fn with_rows(self, rows: usize) -> Self {
        ColumnTransform { rows, ..self }
    }

    /// The transform of each column; of an extension, that of its coefficients.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// The inverse transform of an extension.
    pub fn inverse(&self) -> Option<&Transform> {
        self.inverse.as_ref()
    }

    /// Rows before.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Rows after: n.
    pub fn rows_after(&self) -> usize {
        self.transform.n()
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.transform.batch
    }

    /// Words before.
    pub fn len_before(&self) -> usize {
        self.rows.saturating_mul(self.width())
    }

    /// Words after.
    pub fn len_after(&self) -> usize {
        self.transform.len()
    }

    /// Checks that this takes `before` to `after`, in linear time: see [`verify::transform`]. The CPU engine computes an
    /// extension's coefficients. A wrong `after` is missed with a chance of at most 2^-64.
    pub fn check(&self, device: &Device, before: &[u32], after: &[u32]) -> Result<Guarantee> {
        self.check_shape()?;
        self.check_len(before)?;
        residues::check(before, self.transform.prime())?;
        Wrong::expect_length("words", self.len_after(), after.len())?;
        let (n, width) = (self.rows_after(), self.width());
        on_threads(device, || {
            let mut before = columns_of(before, width, self.rows)?;
            if let Some(inverse) = &self.inverse {
                cpu::Plan::new(inverse, crate::parallel::threads())?.run(&mut before)?;
            }
            let before = followed_by_zeros(before, self.rows, n)?;
            let after = columns_of(after, width, n)?;
            verify::transform(&self.transform, &before, &after, &mut rand::rng())
        })
    }

    /// Refuses impossible shapes.
    pub(super) fn check_shape(&self) -> Result<()> {
        let Transform { direction, input, .. } = self.transform;
        self.transform.shift()?;
        Error::expect_at_least("columns of the matrix", 1, self.width() as u64)?;
        let (rows, n) = (self.rows, self.rows_after());
        if let Some(inverse) = &self.inverse {
            inverse.shift()?;
            let is_inverse = (inverse.direction, inverse.output) == (Direction::Inverse, Order::Natural);
            let fits =
                (inverse.prime(), inverse.batch, inverse.n()) == (self.transform.prime(), self.width(), rows);
            if !is_inverse || !fits || (direction, input) != (Direction::Forward, Order::Natural) {
                return Err(Error::Input(
                    "an extension is an inverse transform to natural order and a forward one of as many vectors"
                        .into(),
                ));
            }
        }
        if !rows.is_power_of_two() || !(2..=n).contains(&rows) {
            let (value, most) = (rows as u64, n as u64);
            return Err(Error::NotAPowerOfTwo { what: "number of rows", value, least: 2, most });
        }
        match (direction, input) {
            (Direction::Forward, Order::Natural) => Ok(()),
            _ => Error::expect_length("rows (only coefficients in natural order end in zeros)", n, rows),
        }
    }

    /// Refuses another number of words.
    pub(super) fn check_len(&self, matrix: &[u32]) -> Result<()> {
        Error::expect_length("words of the matrix", self.len_before(), matrix.len())
    }
}

/// Groups have no plan: their members take vectors from the host ([`Error::Unsupported`]). A GPU has one if its memory holds
/// both matrices, and each fits one binding ([`Error::OutOfMemory`]); otherwise
/// [`transposed`](super::transposed()) and a [`Transform`](super::Transform) may have one.
impl Problem for ColumnTransform {
    const NAME: &'static str = "this transform";

    type Resident<'a> = ();
    /// The matrix.
    type Input<'a> = &'a [u32];
    /// The rows of the result.
    type Answer = Vec<u32>;
    type Kernels = ReadyOnGpu<Self>;

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        self.check_shape()?;
        ways(self, profile, || {
            let what = "transform columns: a group takes vectors that stand one after the other".into();
            Err(Error::Unsupported { device: "a group", what })
        })
    }

    fn check_input(&self, matrix: &&[u32]) -> Result<()> {
        self.check_len(matrix)
    }

    fn reborrow<'s>(matrix: &'s mut &[u32]) -> &'s [u32] {
        matrix
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.transform.write(f)?;
        let rows = self.rows;
        match self.inverse {
            None => writeln!(f, "vectors        columns of a matrix of {rows} rows"),
            Some(_) => writeln!(f, "vectors        from values in the columns of a matrix of {rows} rows"),
        }
    }
}

/// The plan of a [`ColumnTransform`] on one device.
pub type ColumnTransformPlan = Planned<ColumnTransform>;

impl ColumnTransformPlan {
    /// The passes of a GPU over the matrix; None on the CPU engine.
    pub fn passes(&self) -> Option<usize> {
        self.way::<OnGpu<ColumnTransform>>().map(|way| way.plan.passes())
    }
}

/// Transforms of a matrix's columns, ready to run: tables made, kernels compiled.
pub type PreparedColumnTransform = Prepared<'static, ColumnTransform>;

impl PreparedColumnTransform {
    /// Transforms the columns of a matrix on the device, and returns the result there. The entries must be below p,
    /// which is not checked.
    ///
    /// It returns before the work is done; the next download waits for it.
    pub fn run_on_device(&self, matrix: &DeviceVec<u32>) -> Result<DeviceVec<u32>> {
        self.on_gpu()?.on_device(self.plan().problem(), matrix)
    }

    /// Records the work of [`run_on_device`](Self::run_on_device), from one matrix into another. Work of this prepared
    /// transform shares a vector on the device: no other thread may record or run it until this is submitted.
    pub fn record(
        &self,
        recorder: &mut Recorder,
        matrix: &DeviceVec<u32>,
        result: &mut DeviceVec<u32>,
    ) -> Result<()> {
        self.on_gpu()?.record(self.plan().problem(), recorder, matrix, result)
    }

    fn on_gpu(&self) -> Result<&ReadyOnGpu<ColumnTransform>> {
        self.kernels().ok_or_else(no_device_vectors)
    }
}

/// Words of a cache line: a thread writes whole lines of the target, and reads few words of a line of the source apart.
const LINE: usize = 16;

/// The columns of a matrix of `rows` rows, one after the other.
pub(super) fn columns_of(matrix: &[u32], width: usize, rows: usize) -> Result<Vec<u32>> {
    let mut columns = huge_pages::zeros(matrix.len())?;
    // Each thread has some columns.
    let band = width.div_ceil(threads()).clamp(1, LINE);
    columns.par_chunks_mut(band * rows).enumerate().for_each(|(place, columns)| {
        for top in (0..rows).step_by(LINE) {
            for (column, words) in (place * band..).zip(columns.chunks_exact_mut(rows)) {
                let words = words[top..].iter_mut().take(LINE);
                words.zip(top..).for_each(|(word, row)| *word = matrix[row * width + column]);
            }
        }
    });
    Ok(columns)
}

/// Vectors of `rows` words, each followed by zeros up to `n`.
pub(super) fn followed_by_zeros(vectors: Vec<u32>, rows: usize, n: usize) -> Result<Vec<u32>> {
    if rows == n {
        return Ok(vectors);
    }
    let mut longer = huge_pages::zeros(vectors.len() / rows * n)?;
    for (to, from) in longer.chunks_exact_mut(n).zip(vectors.chunks_exact(rows)) {
        copy(&mut to[..rows], from);
    }
    Ok(longer)
}

/// The rows of a matrix whose columns of `n` words stand one after the other.
pub(super) fn rows_of(columns: &[u32], width: usize, n: usize) -> Result<Vec<u32>> {
    let mut matrix = huge_pages::zeros(columns.len())?;
    // Each thread has some rows.
    matrix.par_chunks_mut(LINE * width).enumerate().for_each(|(place, rows)| {
        for (column, words) in columns.chunks_exact(n).enumerate() {
            let words = words[place * LINE..].iter().take(LINE);
            words.zip(rows.chunks_exact_mut(width)).for_each(|(word, row)| row[column] = *word);
        }
    });
    Ok(matrix)
}

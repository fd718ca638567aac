//! Eliminations that carry 64 random columns along, and the proofs that these give.
//!
//! Let A be the matrix, u a uniform random matrix of 64 columns. The engine gets `[A | A u]`, with
//! pivots in the columns of A only, and returns `[R | s]`. If it used row operations only, s = R u.
//!
//! **If a row x of R is not a sum of rows of A, its word of s equals x u with probability 2^-64.**
//! Given A and A u, which is all that the engine ever sees, u is uniform among u' + K, where the
//! columns of K are any vectors of A's kernel. A row x is a sum of rows of A if and only if it
//! vanishes on that kernel; if it does not, x K and hence x u is uniform among all 64-bit words,
//! whatever word the engine has chosen for s. The only assumption about the engine, its device and
//! the transfers is that the random draw does not come from them.
//!
//! So s = R u implies, except with that probability, that R's rows are sums of rows of A. The rows
//! with a pivot begin in different columns, which proves that **the rank is not smaller** than stated.

use crate::gf2::bit_matrix::SetBits;
use crate::gf2::dense::beside;
use crate::gf2::{BitMatrix, Echelon, RowReduction, Solution, Wanted};
use crate::gpu::block_on;
use crate::task::Problem;
use crate::{Device, Error, Result, Wrong};

use super::bands::Bands;
use super::form::{check_rank, check_structure};
use super::linear::solution;
use super::vectors::{random_vectors, times};
use super::{NO_SUM, expect_room, first_difference};

/// The 64 random columns that an elimination carried along. [`prove`](Self::prove) derives from them
/// that the form's rows are sums of the matrix's rows.
#[derive(Clone, Debug)]
pub struct Carried {
    /// The random columns u.
    vectors: Vec<u64>,
    /// By row of the form: its word of the carried columns after the elimination.
    products: Vec<u64>,
    /// The number of columns in which pivots were sought.
    limit: usize,
    /// Rows and columns of the matrix.
    shape: (usize, usize),
}

/// A proof, up to a chance of 2^-64, that a matrix has at least a given rank: that many sums of its
/// rows begin in different columns. See [`Carried`].
#[derive(Clone, Debug)]
pub struct Proof {
    pub(in crate::gf2) rank: usize,
    /// The right sides, ascending, in which a sum of rows that is zero in all columns of the matrix has a one: these have
    /// no solution.
    pub(in crate::gf2) unsolvable: Vec<u32>,
}

impl Carried {
    /// Computes an echelon form of a matrix, as `reduction` says, by an elimination with 64 to 127 more columns.
    pub fn eliminate(
        device: &Device,
        reduction: &RowReduction,
        matrix: &BitMatrix,
    ) -> Result<(Echelon, Carried)> {
        block_on(Self::eliminate_async(device, reduction, matrix))
    }

    /// The asynchronous form of [`Carried::eliminate`], for browsers.
    pub async fn eliminate_async(
        device: &Device,
        reduction: &RowReduction,
        matrix: &BitMatrix,
    ) -> Result<(Echelon, Carried)> {
        reduction.expect_all_rows()?;
        let echelon = async |wide: &BitMatrix| {
            let reduction = reduction.widened(wide.columns());
            Ok(reduction.plan(device)?.compute_async(device, wide).await?.0)
        };
        Self::eliminate_by_async(matrix, reduction.limit(), echelon).await
    }

    /// [`Carried::eliminate`] by any elimination: `echelon` computes a form with pivots in the first `limit`
    /// columns.
    pub(in crate::gf2) async fn eliminate_by_async(
        matrix: &BitMatrix,
        limit: usize,
        echelon: impl AsyncFn(&BitMatrix) -> Result<Echelon>,
    ) -> Result<(Echelon, Carried)> {
        let shape = (matrix.rows(), matrix.columns());
        if matrix.rows() == 0 {
            // A matrix without rows needs no random columns, however many columns it has.
            let form = echelon(matrix).await?;
            return Ok((form, Carried { vectors: Vec::new(), products: Vec::new(), limit, shape }));
        }
        expect_room(matrix.columns())?;
        let vectors = random_vectors(matrix.columns())?;
        let from = matrix.columns().div_ceil(64);
        let wide = with_word(matrix, from, &times(matrix, &vectors))?;
        let form = echelon(&wide).await?;
        drop(wide);
        if (form.matrix.rows(), form.matrix.columns()) != (matrix.rows(), 64 * from + 64) {
            return Err(Error::Device("an elimination changed the shape of its matrix".into()));
        }
        let products = (0..matrix.rows()).map(|row| form.matrix.row64(row)[from]).collect();
        let matrix = first_columns(&form.matrix, matrix.columns())?;
        Ok((Echelon { matrix, pivots: form.pivots }, Carried { vectors, products, limit, shape }))
    }

    /// Proves that the rows of `form` are sums of the matrix's rows, and that it is in row echelon
    /// form in the columns that pivots were sought in.
    ///
    /// A form for which either is false passes with a chance of at most 2^-64.
    pub fn prove(&self, form: &Echelon) -> Result<Proof> {
        let matrix = &form.matrix;
        Wrong::expect_shape("an echelon form", self.shape, (matrix.rows(), matrix.columns()))?;
        let products = check_structure(form, self.limit, Some(&self.vectors))?;
        Wrong::none("row", first_difference(&products, &self.products), NO_SUM)?;
        let from = self.limit.div_ceil(64);
        let mut any = vec![0; matrix.columns().div_ceil(64).saturating_sub(from)];
        for row in form.rank()..matrix.rows() {
            let right = &matrix.row64(row)[from..];
            any.iter_mut().zip(right).for_each(|(any, word)| *any |= word);
        }
        Ok(Proof { rank: form.rank(), unsolvable: places(&any) })
    }
}

impl Proof {
    /// Determines the rank of a matrix by an elimination on the device and verifies that it is neither
    /// too large nor too small: the proof is of the rank itself.
    pub fn determine(device: &Device, matrix: &BitMatrix) -> Result<Proof> {
        let (rows, columns) = (matrix.rows(), matrix.columns());
        let reduction = RowReduction::new(rows, columns, Wanted::Echelon { from: 0 })?;
        let (form, carried) = Carried::eliminate(device, &reduction, matrix)?;
        of_engine(carried.prove(&form).and_then(|proof| {
            let of_form = (&form.matrix as &dyn Bands, columns);
            check_rank(matrix, None, of_form, (&form.pivots, &vec![0; form.rank()]), false).map(|()| proof)
        }))
    }

    /// Solves a x = b by an elimination on the device and verifies that solution: the right sides without one are proven, and
    /// that all others have one.
    pub(in crate::gf2) fn of_sides(device: &Device, a: &BitMatrix, b: &BitMatrix) -> Result<Proof> {
        let both = beside(a, b)?;
        let reduction = RowReduction::new(a.rows(), a.columns(), Wanted::Reduced)?.widened(both.columns());
        let (form, carried) = Carried::eliminate(device, &reduction, &both)?;
        let own = Solution::from_reduced(&form, a.columns(), b.columns())?;
        of_engine(carried.prove(&form).and_then(|proof| solution(a, b, &own, Some(&proof)).map(|_| proof)))
    }

    /// The proven rank: the matrix's rank is at least this.
    pub fn rank(&self) -> usize {
        self.rank
    }
}

/// The places of the ones, ascending.
pub(in crate::gf2) fn places(words: &[u64]) -> Vec<u32> {
    let of_word = |(w, &word)| SetBits(word).map(move |bit| (64 * w + bit) as u32);
    words.iter().enumerate().flat_map(of_word).collect()
}

/// Makes [`Error::Nonsense`] of a failed check of the engine's own elimination: it says nothing about the
/// result to be checked.
pub(in crate::gf2) fn of_engine<T>(outcome: Result<T>) -> Result<T> {
    outcome.map_err(|error| match error {
        Error::Check(what) => {
            Error::Nonsense(format!("its own elimination for the check is wrong: {what}").into())
        }
        other => other,
    })
}

/// Returns the matrix with 64 more columns, which are word `from` of each row.
fn with_word(matrix: &BitMatrix, from: usize, words: &[u64]) -> Result<BitMatrix> {
    let mut wide = BitMatrix::zeros(matrix.rows(), 64 * from + 64)?;
    for (row, &word) in words.iter().enumerate() {
        let target = wide.row64_mut(row);
        target[..from].copy_from_slice(&matrix.row64(row)[..from]);
        target[from] = word;
    }
    Ok(wide)
}

/// Returns the first `columns` columns of a matrix.
fn first_columns(matrix: &BitMatrix, columns: usize) -> Result<BitMatrix> {
    let mut first = BitMatrix::zeros(matrix.rows(), columns)?;
    let words = columns.div_ceil(64);
    for row in 0..matrix.rows() {
        first.row64_mut(row)[..words].copy_from_slice(&matrix.row64(row)[..words]);
    }
    Ok(first)
}

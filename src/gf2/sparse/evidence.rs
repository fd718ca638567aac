//! The check of a rank: the triangle's pivots, then the form of the remainder.
//!
//! ```text
//! triangle        in its order each pivot's row has, in columns of pivots, its own one and some of those before it: certain
//! remainder       times 64 random vectors, it equals what the triangle and the other rows of A make of these vectors
//! not too large   the elimination carried 64 random columns: the form's rows are sums of the remainder's (`verify::Carried`)
//! not too small   64 random vectors on which the form and the pivots' rows vanish: every row of A vanishes on them
//! ```
//!
//! The rank of A is that of the remainder and the number of pivots, which is algebra. A wrong remainder, a wrong form, and a form
//! that lacks a row are missed with a chance of at most 2^-64 each, and one of these is wrong if the rank is.

use super::remainder::place;
use super::triangle::{Triangle, sum};
use crate::gf2::verify::vectors::{extend_vanishing, padded, random_vectors, times};
use crate::gf2::verify::{Carried, MISS_BITS, first_difference, first_nonzero};
use crate::gf2::{BitMatrix, Echelon, IndexLists};
use crate::verify::Guarantee;
use crate::{Result, Wrong};

/// The evidence for a rank, which a run collects on its way: [`SparseRank::check_carried`](super::SparseRank::check_carried) judges
/// by it.
#[derive(Clone, Debug)]
pub struct SparseEvidence {
    /// True if the matrix is transposed in all that follows.
    pub(super) is_transposed: bool,
    pub(super) triangle: Triangle,
    pub(super) remainder: BitMatrix,
    pub(super) form: Echelon,
    pub(super) carried: Carried,
}

impl SparseEvidence {
    /// Checks that the matrix has this rank; see the module.
    pub(super) fn check(&self, matrix: &IndexLists, columns: usize, rank: usize) -> Result<Guarantee> {
        let transposed = if self.is_transposed { Some(matrix.transposed(columns)?) } else { None };
        let matrix = transposed.as_ref().unwrap_or(matrix);
        let SparseEvidence { triangle, remainder, form, carried, .. } = self;
        triangle.check(matrix)?;
        let left = triangle.left_columns();
        let shape = (remainder.rows(), left.len());
        Wrong::expect_shape("the remainder", shape, (remainder.rows(), remainder.columns()))?;
        Wrong::expect_shape("an echelon form", shape, (form.matrix.rows(), form.matrix.columns()))?;

        let vectors = random_vectors(left.len())?;
        let products = products(matrix, triangle, &vectors, remainder.rows(), |_| 0);
        let lost = first_difference(&times(remainder, &vectors), &products);
        Wrong::none("row", lost, "of the remainder does not follow from the pivots")?;

        let proven = triangle.pivots() + carried.prove(form)?.rank();
        Wrong::unless(rank == proven, format!("the rank is {proven}, not {rank}"))?;

        let mut vectors = random_vectors(left.len())?;
        extend_vanishing(&form.matrix, &form.pivots, &mut vectors, vec![0; form.rank()]);
        let vectors = extended(matrix, triangle, &vectors, |_| 0);
        let lost = first_nonzero(matrix.iter().map(|row| sum(row, &vectors)));
        Wrong::none("row", lost, "is not a sum of rows of the echelon form")?;
        Ok(Guarantee::probable(format!("the rank is {rank}"), MISS_BITS))
    }
}

/// 64 vectors for the columns without a pivot, extended to those with one so that the pivots' rows are `of_row` on them: a word a
/// column.
fn extended(
    matrix: &IndexLists,
    triangle: &Triangle,
    vectors: &[u64],
    of_row: impl Fn(usize) -> u64,
) -> Vec<u64> {
    let mut words = vec![0; triangle.shape().1];
    let left = triangle.left_columns().iter().zip(vectors);
    left.for_each(|(&column, &word)| words[column as usize] = word);
    triangle.extend_to(matrix, of_row, &mut words);
    words
}

/// The remainder of `count` rows, see [`place`], times 64 vectors, and right sides `of_row` of the matrix reduced as it is: a word
/// a row.
pub(super) fn products(
    matrix: &IndexLists,
    triangle: &Triangle,
    vectors: &[u64],
    count: usize,
    of_row: impl Fn(usize) -> u64,
) -> Vec<u64> {
    let words = extended(matrix, triangle, vectors, &of_row);
    let mut products = vec![0; count];
    let rows = triangle.left_rows();
    if count > 0 {
        for (k, &row) in rows.iter().enumerate() {
            let row = row as usize;
            products[place(k, rows.len(), count)] ^= sum(matrix.row(row), &words) ^ of_row(row);
        }
    }
    products
}

/// The vectors of the remainder's kernel that are read at most, to find whether sums of its rows have the rank of the rows.
const FEW: usize = 1 << 12;

/// True if all rows of the remainder are sums of the form's: if they vanish on all vectors on which it vanishes. Certain. False,
/// too, if there are so many of these vectors that all rows are better eliminated.
pub(super) fn has_all_rows(matrix: &IndexLists, triangle: &Triangle, form: &Echelon) -> Result<bool> {
    let columns = form.matrix.columns();
    if columns - form.rank() > FEW {
        return Ok(false);
    }
    let free: Vec<usize> =
        (0..columns).filter(|&column| form.pivots.binary_search(&(column as u32)).is_err()).collect();
    for free in free.chunks(64) {
        let mut vectors = padded(vec![0; columns]);
        free.iter().enumerate().for_each(|(k, &column)| vectors[column] = 1 << k);
        extend_vanishing(&form.matrix, &form.pivots, &mut vectors, vec![0; form.rank()]);
        let rows = triangle.left_rows().len();
        if first_nonzero(products(matrix, triangle, &vectors, rows, |_| 0)).is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::super::SparseRank;
    use super::*;
    use crate::gf2::RowReduction;
    use crate::task::Problem;
    use crate::{Cpu, Device};

    const COLUMNS: usize = 1009;

    /// Rows of three ones, of which many are sums of others, and evidence for their rank.
    fn example() -> (IndexLists, SparseEvidence, usize) {
        let mut lists = IndexLists::default();
        for i in 0..1100u32 {
            let mut row =
                [i * i * 7 % COLUMNS as u32, i * 31 % COLUMNS as u32, (i * i * i + 5) % COLUMNS as u32];
            row.sort_unstable_by(|a, b| b.cmp(a));
            if row[0] > row[1] && row[1] > row[2] {
                lists.push(&row).unwrap();
            }
        }
        let device = Device::Cpu(Cpu::default());
        let triangle = Triangle::find(&lists, COLUMNS).unwrap();
        let problem = SparseRank::new(&triangle).carrying();
        let (answer, _) = problem.plan(&device).unwrap().compute(&device, (&lists, &triangle)).unwrap();
        (lists, answer.evidence.unwrap(), answer.rank)
    }

    fn refused(lists: &IndexLists, evidence: &SparseEvidence, rank: usize) -> String {
        match evidence.check(lists, COLUMNS, rank) {
            Err(crate::Error::Check(wrong)) => wrong.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn wrong_parts_of_evidence_are_refused() {
        let (lists, right, rank) = example();
        right.check(&lists, COLUMNS, rank).unwrap();
        assert!(right.form.rank() > 10, "{}", right.form.rank());

        let mut wrong = right.clone();
        let bit = wrong.remainder.get(3, 2);
        wrong.remainder.set(3, 2, !bit);
        assert!(refused(&lists, &wrong, rank).contains("row 3 of the remainder"));

        // A form without its last row, and the rank that it proves.
        let mut wrong = right.clone();
        let last = wrong.form.rank() - 1;
        wrong.form.matrix.row64_mut(last).fill(0);
        wrong.form.pivots.pop();
        refused(&lists, &wrong, rank - 1);

        // A sound elimination of a smaller matrix.
        let mut smaller = right.clone();
        smaller.remainder = BitMatrix::zeros(right.remainder.rows(), right.remainder.columns()).unwrap();
        let (rows, columns) = (smaller.remainder.rows(), smaller.remainder.columns());
        let reduction = RowReduction::new(rows, columns, crate::gf2::Wanted::Echelon { from: 0 }).unwrap();
        let device = Device::Cpu(Cpu::default());
        (smaller.form, smaller.carried) =
            Carried::eliminate(&device, &reduction, &smaller.remainder).unwrap();
        refused(&lists, &smaller, smaller.triangle.pivots());
        smaller.remainder = right.remainder.clone();
        assert!(refused(&lists, &smaller, smaller.triangle.pivots()).contains("is not a sum of rows"));

        // A triangle in the other order, and one without its pivots.
        let mut wrong = right.clone();
        wrong.triangle = right.triangle.transposed();
        assert!(refused(&lists, &wrong, rank).contains("rows of a matrix"));
        let mut wrong = right.clone();
        let shorter = if right.is_transposed { lists.transposed(COLUMNS).unwrap() } else { lists.clone() };
        wrong.triangle = Triangle::without_pivots(&shorter, right.triangle.shape().1);
        refused(&lists, &wrong, rank);
    }
}

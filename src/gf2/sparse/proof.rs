//! The check of answers about a sparse matrix.
//!
//! ```text
//! remainder   times 64 random vectors, it equals what the triangle and the other rows of A make of these vectors; so do the
//!             right sides                                                                     (`SparseProof::check_remainder`)
//! rows        the form of the remainder is right (`verify::echelon`), and its pivots and the triangle's are the rows
//! kernel      the rank is not smaller (`verify::Carried`); each vector has a column of its own; A vanishes on 64 random sums
//! solve       A times 64 random sums of solutions is that sum of right sides; the others have no solution (`verify::solution`)
//! ```
//!
//! That the triangle is one of A is certain. The pivots of the triangle and those of the remainder are together the rank of A, which
//! is algebra. Each wrong part is missed with a chance of at most 2^-64.

use std::borrow::Cow;
use std::ops::Range;

use super::evidence::products;
use super::kernel::{KernelVectors, SparseKernel};
use super::problem::{Sparse, SparseAnswer, SparseInput, chosen_rows, with_empty_rows};
use super::triangle::{Triangle, sum};
use crate::gf2::verify::vectors::{random_vectors, times, transposed_times};
use crate::gf2::verify::{self, Bands, MISS_BITS, Proof, add, first_difference, first_nonzero};
use crate::gf2::{Answer, BitMatrix, DenseAnswer, Echelon, Evidence, IndexLists, SparseOperation};
use crate::verify::Guarantee;
use crate::{Device, Error, Result, Wrong};

/// The evidence for an answer about a sparse matrix: [`Sparse::check_carried`] judges by it.
#[derive(Clone, Debug)]
pub struct SparseProof {
    /// Transposed, if rows were asked for.
    pub(super) remainder: BitMatrix,
    /// The right sides of the remainder.
    pub(super) sides: Option<BitMatrix>,
    /// The answer to what was asked about the remainder.
    pub(super) answer: DenseAnswer,
    pub(super) evidence: Evidence,
}

impl Sparse {
    /// The bytes of host memory that [`check_carried`](Self::check_carried) takes beside the matrices, the answer and the evidence.
    pub fn check_bytes(&self) -> u64 {
        let (rows, columns) = self.triangle.shape;
        let lines = (rows as u64).saturating_add(columns as u64);
        let lists = IndexLists::bytes_of(rows.max(columns), self.triangle.ones);
        lists
            .saturating_add(48 * lines)
            .saturating_add(KernelVectors::bytes_of(columns))
            .saturating_add(1 << 16)
    }

    /// Checks the answer of a run that [carried](Self::carrying) columns, for the same matrices, by the evidence of that run. A wrong
    /// answer is missed with a chance of at most 2^-64. It takes time linear in the matrices and the remainder; of a kernel, also the
    /// time in which its vectors are read.
    pub fn check_carried(
        &self,
        device: &Device,
        (matrix, triangle, b): SparseInput<'_>,
        (answer, proof): &(SparseAnswer, Option<SparseProof>),
    ) -> Result<Guarantee> {
        self.expect_input((matrix, triangle, b))?;
        let Some(proof) = proof else {
            return Err(Error::needs("this check", "the evidence of this answer"));
        };
        match (self.operation(), answer, &proof.answer, b) {
            (SparseOperation::Rows, SparseAnswer::Rows(rows), DenseAnswer::Form(form), _) => {
                proof.check_rows(matrix, triangle, (form, rows))
            }
            (SparseOperation::Kernel, SparseAnswer::Kernel(kernel), DenseAnswer::Form(form), _) => {
                proof.check_remainder(matrix, triangle, None)?;
                let rank = triangle.pivots() + proof.evidence.carried.prove(form)?.rank();
                check_kernel(matrix, &kernel.vectors(matrix, triangle)?, rank, kernel)
            }
            (_, SparseAnswer::Solution(solution), DenseAnswer::Solution(of_remainder), Some(b)) => {
                proof.check_remainder(matrix, triangle, Some(b))?;
                let (own, sides) = (Answer::Solution(of_remainder), proof.sides.as_ref());
                self.of_remainder()?.check_carried(device, &proof.remainder, sides, own, &proof.evidence)?;
                let rank = triangle.pivots() + of_remainder.rank;
                Wrong::unless(solution.rank == rank, format!("the rank is {rank}, not {}", solution.rank))?;
                let unsolvable = with_empty_rows(matrix, b, &of_remainder.inconsistent)?;
                let lists = Lists { matrix, columns: triangle.shape().1 };
                let lost = unsolvable.iter().find(|side| solution.inconsistent.binary_search(side).is_err());
                Wrong::none("right side", lost.copied(), "has no solution")?;
                verify::solution(&lists, b, solution, Some(&Proof { rank, unsolvable }))
            }
            _ => Err(Error::OtherPlan { what: "operation" }),
        }
    }
}

impl SparseProof {
    /// Checks the remainder and its right sides.
    fn check_remainder(&self, matrix: &IndexLists, triangle: &Triangle, b: Option<&BitMatrix>) -> Result<()> {
        let shape = triangle.remainder();
        let found = (self.remainder.rows(), self.remainder.columns());
        Wrong::expect_shape("the remainder", shape, found)?;
        let vectors = random_vectors(shape.1)?;
        let mut found = times(&self.remainder, &vectors);
        let mut of_rows = vec![0; matrix.len()];
        if let (Some(b), Some(sides)) = (b, &self.sides) {
            let shape = (shape.0, b.columns());
            Wrong::expect_shape("the right sides", shape, (sides.rows(), sides.columns()))?;
            let sums = random_vectors(b.columns())?;
            of_rows = times(b, &sums);
            add(&mut found, &times(sides, &sums));
        }
        let products = products(matrix, triangle, &vectors, shape.0, |row| of_rows[row]);
        let lost = first_difference(&found, &products);
        Wrong::none("row", lost, "of the remainder does not follow from the pivots")
    }

    /// Checks that rows are a basis of the row space: those of the triangle's pivots and of the form's.
    fn check_rows(
        &self,
        matrix: &IndexLists,
        triangle: &Triangle,
        (form, rows): (&Echelon, &[u32]),
    ) -> Result<Guarantee> {
        let transposed = matrix.transposed(triangle.shape().1)?;
        self.check_remainder(&transposed, &triangle.transposed(), None)?;
        verify::echelon(&self.remainder, form, false, &self.evidence.carried.prove(form)?)?;
        let is_right = rows == chosen_rows(triangle, &form.pivots);
        Wrong::unless(is_right, "the rows are not those of the pivots")?;
        Ok(Guarantee::probable("the rows are a basis of the row space", MISS_BITS))
    }
}

/// Checks that vectors are a basis of the kernel of a matrix, whose rank is proven to be at least `rank`: A vanishes on 64 random
/// sums of them, and each has a one where the others have none, which is certain.
fn check_kernel(
    matrix: &IndexLists,
    vectors: &KernelVectors<'_>,
    rank: usize,
    kernel: &SparseKernel,
) -> Result<Guarantee> {
    let (columns, free) = (vectors.columns(), kernel.free_columns());
    Wrong::expect_length("vectors of the kernel", columns.saturating_sub(rank), free.len())?;
    let mut own = BitMatrix::zeros(1, columns)?;
    free.iter().for_each(|&column| own.set(0, column as usize, true));
    Wrong::expect_length("columns of vectors of the kernel", free.len(), own.count_ones() as usize)?;

    let weights = random_vectors(free.len())?;
    let mut sums = vec![0; columns.next_multiple_of(64)];
    let mut first = 0;
    vectors.bands(&mut |band| {
        add(&mut sums, &transposed_times(band, &weights[first..first + band.rows()])?);
        for k in 0..band.rows() {
            let place = free[first + k] as usize;
            let mut shared = band.row64(k).iter().zip(own.row64(0)).map(|(word, own)| word & own).enumerate();
            let is_alone =
                shared.all(|(w, word)| word == if w == place / 64 { 1 << (place % 64) } else { 0 });
            Wrong::unless(
                is_alone,
                Wrong::at("vector", first + k, "of the kernel is not independent of the others"),
            )?;
        }
        first += band.rows();
        Ok(())
    })?;
    let lost = first_nonzero(matrix.iter().map(|row| sum(row, &sums)));
    Wrong::none("row", lost, "of the matrix is not zero on the kernel")?;
    Ok(Guarantee::probable("the vectors are a basis of the kernel", MISS_BITS))
}

/// A sparse matrix as checks read it.
#[derive(Debug)]
struct Lists<'a> {
    matrix: &'a IndexLists,
    columns: usize,
}

impl Bands for Lists<'_> {
    fn rows(&self) -> usize {
        self.matrix.len()
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn rows_of_a_band(&self) -> usize {
        1
    }

    fn band(&self, rows: Range<usize>) -> Result<Cow<'_, BitMatrix>> {
        let mut band = BitMatrix::zeros(rows.len(), self.columns)?;
        for (k, row) in rows.enumerate() {
            self.matrix.row(row).iter().for_each(|&column| band.set(k, column as usize, true));
        }
        Ok(Cow::Owned(band))
    }

    fn times(&self, vectors: &[u64]) -> Result<Vec<u64>> {
        Ok(self.matrix.iter().map(|row| sum(row, vectors)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cpu;
    use crate::task::Problem;

    const SIDE: u32 = 600;

    /// Rows of three ones, of which some are sums of others.
    fn example() -> IndexLists {
        let mut lists = IndexLists::default();
        for i in 0..SIDE {
            let mut row = [i * i * 7 % SIDE, i * 31 % SIDE, (i * i * i + 5) % SIDE];
            row.sort_unstable_by(|a, b| b.cmp(a));
            if row[0] > row[1] && row[1] > row[2] {
                lists.push(&row).unwrap();
            }
        }
        lists
    }

    #[test]
    fn wrong_kernels_and_wrong_evidence_are_refused() {
        let lists = example();
        let triangle = Triangle::find(&lists, SIDE as usize).unwrap();
        let device = Device::Cpu(Cpu::default());
        let problem = Sparse::kernel(&triangle).carrying();
        let (right, proof) =
            problem.plan(&device).unwrap().compute(&device, (&lists, &triangle, None)).unwrap().0;
        let (right, proof) = (right.into_kernel().unwrap(), proof.unwrap());
        let check = |kernel: &SparseKernel, proof: &SparseProof| {
            let answered = (SparseAnswer::Kernel(kernel.clone()), Some(proof.clone()));
            problem.check_carried(&device, (&lists, &triangle, None), &answered)
        };
        check(&right, &proof).unwrap();
        assert!(right.dimension() > 10 && proof.remainder.rows() > 10);
        let refused = |kernel: SparseKernel, proof: &SparseProof, what: &str| {
            let checked = check(&kernel, proof);
            let Err(Error::Check(wrong)) = &checked else { panic!("{what}: {checked:?}") };
            assert!(wrong.to_string().contains(what), "{wrong}");
        };

        right.wrong_ones().for_each(|(wrong, what)| refused(wrong, &proof, what));

        let mut wrong = proof.clone();
        let bit = wrong.remainder.get(3, 2);
        wrong.remainder.set(3, 2, !bit);
        refused(right.clone(), &wrong, "row 3 of the remainder");
        // A form without its last row.
        let mut wrong = proof.clone();
        let DenseAnswer::Form(form) = &mut wrong.answer else { panic!("{:?}", wrong.answer) };
        let last = form.rank() - 1;
        form.matrix.row64_mut(last).fill(0);
        form.pivots.pop();
        refused(right, &wrong, "");
    }
}

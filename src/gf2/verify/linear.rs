//! Products, transposes, inverses and solutions: checks after Freivalds (1977).
//!
//! They compare a matrix M with a matrix N that is given as a product, by comparing M v with N v for
//! 64 random vectors v. If row i of M differs from that of N, their difference takes a random v to 1
//! with probability 1/2, so that 64 independent vectors all miss it with a chance of 2^-64. If more
//! rows differ, the chance is no larger.

use crate::gf2::{BitMatrix, Solution};
use crate::verify::Guarantee;
use crate::{Result, Wrong};

use super::bands::Bands;
#[cfg(doc)]
use super::carried::Carried;
use super::carried::Proof;
use super::vectors::{padded, random_vectors, times, transposed_times};
use super::{MISS_BITS, first_difference};

/// Checks that b is the transpose of a: a v = b' v, where b' v is the sum of the rows of b that v
/// names. All entries of both sides are compared, so that a wrong transpose is missed with a chance
/// of at most 2^-64. (Scalar products u a v alone would miss it if either u or v does: nearly
/// 2^-63.)
pub fn transposed(a: &BitMatrix, b: &BitMatrix) -> Result<Guarantee> {
    Wrong::expect_shape("a transpose", (a.columns(), a.rows()), (b.rows(), b.columns()))?;
    if a.rows() > 0 && a.columns() > 0 {
        let vectors = random_vectors(a.columns())?;
        let wrong = first_difference(&times(a, &vectors), &transposed_times(b, &vectors)?);
        Wrong::none("column", wrong, "of the transpose is wrong")?;
    }
    Ok(Guarantee::probable("this is the transpose", MISS_BITS))
}

/// The bytes that [`product`](super::product), [`transposed`] and [`inverse`] take beside the matrices, for `rows` x `inner` by
/// `inner` x `columns`; a transpose has no inner side.
pub(in crate::gf2) fn linear_bytes(rows: usize, inner: usize, columns: usize) -> u64 {
    // Vectors of the columns, the inner side and, for both ways of the product, the rows, each padded.
    8 * (2 * rows as u64 + inner as u64 + columns as u64 + 4 * 63)
}

/// Checks that x is the inverse of the square matrix a: a (x v) = v. A right inverse of a square
/// matrix is the inverse. A wrong one is missed with a chance of at most 2^-64.
pub fn inverse(a: &dyn Bands, x: &dyn Bands) -> Result<Guarantee> {
    let n = a.rows();
    Wrong::expect_shape("a matrix with an inverse", (n, n), (n, a.columns()))?;
    Wrong::expect_shape("an inverse", (n, n), (x.rows(), x.columns()))?;
    let vectors = random_vectors(n)?;
    let wrong = first_difference(&a.times(&padded(x.times(&vectors)?))?, &vectors);
    Wrong::none("row", wrong, "of the product with the inverse is not the identity's")?;
    Ok(Guarantee::probable("this is the inverse", MISS_BITS))
}

/// Checks the solutions of a x = b, one for each column of b.
///
/// - Sides with a solution: a (x v) = b v, where the random v is zero at all other sides. A wrong
///   solution of a side makes a row of a x - b nonzero, which is missed with a chance of at most
///   2^-64.
/// - Sides without a solution: the [`Proof`], of an elimination of a and b side by side, shows a sum y
///   of rows with y a = 0 and y b = 1 for this side, which contradicts a x = b. A y that is not a sum of
///   rows of a and b is missed with a chance of at most 2^-64; see [`Carried`].
///
/// Without a proof the sides without a solution are not checked, and the guarantee says so.
pub fn solution(
    a: &dyn Bands,
    b: &dyn Bands,
    solution: &Solution,
    proof: Option<&Proof>,
) -> Result<Guarantee> {
    let (x, inconsistent) = (&solution.x, &solution.inconsistent);
    Wrong::expect_length("rows of B", a.rows(), b.rows())?;
    Wrong::expect_shape("a solution", (a.columns(), b.columns()), (x.rows(), x.columns()))?;
    check_sides(inconsistent, b.columns())?;
    let mut vectors = random_vectors(b.columns())?;
    inconsistent.iter().for_each(|&side| vectors[side as usize] = 0);
    check_equations(a, (x, &vectors), (b, &vectors))?;
    let claim = match proof {
        _ if inconsistent.is_empty() => SOLVES,
        Some(proof) => {
            let unproven = inconsistent.iter().find(|side| proof.unsolvable.binary_search(side).is_err());
            Wrong::none("right side", unproven.copied(), "is not proven to have no solution")?;
            "every column has its solution or is proven to have none"
        }
        None => {
            "every column that is said to have a solution has it; that the others have none was not checked"
        }
    };
    Ok(Guarantee::probable(claim, MISS_BITS))
}

/// As [`solution`], for the solutions of all sides but the `lacking` ones, which ascend and are proven to have none.
pub(in crate::gf2) fn solutions(
    a: &dyn Bands,
    b: &dyn Bands,
    x: &dyn Bands,
    lacking: &[u32],
) -> Result<Guarantee> {
    let sides = b.columns().saturating_sub(lacking.len());
    Wrong::expect_shape("a solution", (a.columns(), sides), (x.rows(), x.columns()))?;
    let vectors = random_vectors(sides)?;
    let solvable = (0..b.columns()).filter(|&side| lacking.binary_search(&(side as u32)).is_err());
    let mut of_b = padded(vec![0; b.columns()]);
    solvable.zip(&vectors).for_each(|(side, vector)| of_b[side] = *vector);
    check_equations(a, (x, &vectors), (b, &of_b))?;
    let claim = match lacking.is_empty() {
        true => SOLVES,
        false => {
            "every column of x solves its equations, and the columns of B without one in x have no solution"
        }
    };
    Ok(Guarantee::probable(claim, MISS_BITS))
}

const SOLVES: &str = "every column of x solves its equations";

/// Checks that a (x v) = b w for vectors v and w.
fn check_equations(a: &dyn Bands, (x, v): (&dyn Bands, &[u64]), (b, w): (&dyn Bands, &[u64])) -> Result<()> {
    let wrong = first_difference(&a.times(&padded(x.times(v)?))?, &b.times(w)?);
    Wrong::none("equation", wrong, "does not hold")
}

/// Checks that the sides without a solution are the proven ones.
pub(in crate::gf2) fn same_sides(proven: &[u32], sides: &[u32], count: usize) -> Result<Guarantee> {
    check_sides(sides, count)?;
    let lacks = |sides: &[u32], side: &&u32| sides.binary_search(side).is_err();
    let first = |of: &[u32], others: &[u32]| of.iter().find(|side| lacks(others, side)).copied();
    Wrong::none("column", first(proven, sides), "has no solution either")?;
    Wrong::none("column", first(sides, proven), "has a solution")?;
    Ok(Guarantee::probable("these columns have no solution, and all others have one", MISS_BITS))
}

fn check_sides(inconsistent: &[u32], sides: usize) -> Result<()> {
    let exist = inconsistent.iter().all(|&side| (side as usize) < sides);
    let fault = format!("the sides without a solution do not ascend, or are not among {sides}");
    Wrong::unless(exist && inconsistent.is_sorted_by(|a, b| a < b), fault)
}

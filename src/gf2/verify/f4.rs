//! Checks of eliminations of F4 matrices: leads, row space, and a proof that a run carries along.

use crate::gf2::{self, BitMatrix, Elimination, F4Matrix, F4Method, F4Shape, IndexLists};
use crate::verify::Guarantee;
use crate::{Device, Error, Result};

use super::carried::of_engine;
use super::definition::{F4Check, InMemory};
use super::vectors::{dot, random_vectors};
use super::{MISS_BITS, failed};

/// An F4 matrix with 64 more columns, random ones, below all others so that no lead changes.
///
/// With u random, every reducer and row x gets the 64 bits of x u. A correct elimination adds
/// reducers and rows to rows, which preserves this. As for [`super::Carried`], a new pivot x
/// that is not a sum of reducers and rows has the right 64 bits with a chance of 2^-64: given all that
/// the engine sees, x u is still uniform.
#[derive(Clone, Debug)]
pub struct CarriedF4Matrix {
    f4: F4Matrix,
    vectors: Vec<u64>,
}

/// A proof, up to a chance of 2^-64, that reducers and rows span at least a given number of
/// dimensions more than the reducers.
#[derive(Clone, Debug)]
pub struct SpanProof {
    new_pivots: usize,
}

impl CarriedF4Matrix {
    /// Makes an F4 matrix with 64 more columns, random ones.
    pub fn new(f4: &F4Matrix) -> Result<Self> {
        if f4.width() > u32::MAX as usize - 128 {
            return Err(Error::Input(format!(
                "{} columns leave no room for the 64 more that verification takes",
                f4.width()
            )));
        }
        let vectors = random_vectors(f4.width())?;
        let carrying = |lists: &IndexLists| with_columns(lists, &vectors);
        let (reducers, rows) = (carrying(f4.reducers()), carrying(f4.rows()));
        Ok(CarriedF4Matrix { f4: F4Matrix::new(reducers, rows, Some(f4.width() + 64))?, vectors })
    }

    /// The bytes that [`new`](Self::new) takes for an F4 matrix, and [`take`](Self::take) for a result of it: the
    /// lists with up to 64 indices more in each, and the result with and without the 64 columns.
    pub fn bytes_of(f4: &F4Matrix) -> u64 {
        let lists = (f4.reducers().len() + f4.rows().len()) as u64;
        let indices = 4 * (f4.reducers().ones() + f4.rows().ones()) as u64;
        // Lists grow by doubling.
        let carried = indices.saturating_add(lists * (4 * 64 + 2 * 8)).saturating_add(12 * f4.width() as u64);
        carried.saturating_add(crate::gf2::cost::answer_bytes(&F4Shape::of(f4)))
    }

    /// Sets the method of elimination.
    #[must_use]
    pub fn with_method(self, method: F4Method) -> Self {
        CarriedF4Matrix { f4: self.f4.with_method(method), ..self }
    }

    /// Takes over the method and its options from `f4`.
    #[must_use]
    pub fn with_options_of(self, f4: &F4Matrix) -> Self {
        CarriedF4Matrix { f4: self.f4.with_options_of(f4), ..self }
    }

    /// The F4 matrix to eliminate.
    pub fn matrix(&self) -> &F4Matrix {
        &self.f4
    }

    /// Extracts the elimination of `f4` from that of [`matrix`](Self::matrix), with a proof of the
    /// span of its new pivots.
    pub fn take(&self, f4: &F4Matrix, carried: &Elimination) -> Result<(Elimination, SpanProof)> {
        let mut matrix = BitMatrix::zeros(carried.new_pivots().len(), f4.width())?;
        for (k, &row) in carried.new_pivots().iter().enumerate() {
            let target = matrix.row64_mut(k);
            let Some(product) = split(carried, k, f4.width(), target) else {
                return failed(format!("row {row} has a one past the last column"));
            };
            if dot(target, &self.vectors) != product {
                return failed(format!("row {row} is not a sum of eliminators and rows"));
            }
        }
        let result = Elimination::new(f4, carried.new_pivots(), matrix);
        let new_pivots = F4Check::new(InMemory::new(f4, &result)?)?.new_pivots();
        let proof = SpanProof { new_pivots };
        Ok((result, proof))
    }
}

impl SpanProof {
    /// Determines by an elimination on the engine how many dimensions the rows add to those of the
    /// reducers, and verifies that the number is neither too large nor too small.
    pub fn determine(device: &Device, f4: &F4Matrix) -> Result<SpanProof> {
        let carried = CarriedF4Matrix::new(f4)?;
        let result = gf2::eliminate(device, carried.matrix())?;
        of_engine(carried.take(f4, &result).and_then(|(result, proof)| {
            F4Check::new(InMemory::new(f4, &result)?)?.no_row_is_lost().map(|()| proof)
        }))
    }

    /// Checks that so many rows become pivots as must be.
    pub(super) fn expect(&self, new_pivots: usize) -> Result<()> {
        match new_pivots == self.new_pivots {
            true => Ok(()),
            false => failed(format!("{new_pivots} rows are promoted, and {} must be", self.new_pivots)),
        }
    }
}

/// Checks that reducers and new pivots have the same leads and span as reducers and rows.
/// [`F4Method::Rounds`] guarantees this and no more.
///
/// - The leads of new pivots and reducers all differ. This check is deterministic.
/// - Every row is a sum of reducers and new pivots. If one is not, it takes a random vector
///   on which they vanish to 1 with probability 1/2, and 64 are drawn.
/// - There are as many new pivots as dimensions that the rows add, by the [`SpanProof`].
///
/// So reducers and new pivots span a space that contains the rows and has no larger dimension:
/// the same space, whose leads are unique. Another space is missed with a chance of at most 2^-64.
pub fn same_span(f4: &F4Matrix, result: &Elimination, proof: &SpanProof) -> Result<Guarantee> {
    let check = F4Check::new(InMemory::new(f4, result)?)?;
    proof.expect(check.new_pivots())?;
    check.no_row_is_lost()?;
    Ok(Guarantee::probable(
        "eliminators and promoted rows have the leads and the span that eliminators and rows have",
        MISS_BITS,
    ))
}

/// Writes new pivot k without its first 64 columns to `target`, and returns those 64 columns.
/// `None` if the row has a one past the `width` columns of `target`.
fn split(carried: &Elimination, k: usize, width: usize, target: &mut [u64]) -> Option<u64> {
    if carried.width() == width + 64 {
        // All columns have ones, so packed columns are true columns.
        let words = carried.words(k);
        let length = width.div_ceil(64);
        target[..length].copy_from_slice(&words[1..=length]);
        return Some(words[0]);
    }
    let mut product = 0;
    for column in carried.new_pivot(k).map(|column| column as usize) {
        match column.checked_sub(64) {
            None => product |= 1 << column,
            Some(column) if column < width => target[column / 64] |= 1 << (column % 64),
            Some(_) => return None,
        }
    }
    Some(product)
}

/// Moves the columns of all lists up by 64, and writes their products with 64 vectors in the first 64.
fn with_columns(lists: &IndexLists, vectors: &[u64]) -> IndexLists {
    let mut offsets = vec![0];
    let mut indices = Vec::with_capacity(lists.ones() + 32 * lists.len());
    for row in lists.iter() {
        indices.extend(row.iter().map(|&column| column + 64));
        let product = row.iter().fold(0, |sum, &c| sum ^ vectors[c as usize]);
        indices.extend((0..64).rev().filter(|bit| product >> bit & 1 == 1));
        offsets.push(indices.len());
    }
    IndexLists::from_checked(offsets, indices)
}

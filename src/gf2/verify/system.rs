//! Checks of eliminations of systems: leads, row space, and a proof that a run carries along.

#[cfg(doc)]
use crate::Error;
use crate::gf2::{self, BitMatrix, Elimination, IndexLists, Method, System, SystemShape};
use crate::verify::Guarantee;
use crate::{Device, Result, Wrong};

use super::carried::of_engine;
use super::definition::{InMemory, SystemCheck};
use super::vectors::{dot, random_vectors};
use super::{MISS_BITS, expect_room, failed};

/// A system with 64 more columns, random ones, below all others so that no lead changes.
///
/// With u random, every eliminator and row x gets the 64 bits of x u. A correct elimination adds
/// eliminators and rows to rows, which preserves this. As for [`super::Carried`], a promoted row x
/// that is not a sum of eliminators and rows has the right 64 bits with a chance of 2^-64: given all that
/// the engine sees, x u is still uniform.
#[derive(Clone, Debug)]
pub struct CarriedSystem {
    system: System,
    vectors: Vec<u64>,
}

/// A proof, up to a chance of 2^-64, that eliminators and rows span at least a given number of
/// dimensions more than the eliminators.
#[derive(Clone, Debug)]
pub struct SpanProof {
    promoted: usize,
}

impl CarriedSystem {
    /// Makes a system with 64 more columns, random ones.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::TooMany`] for more than 2^32 - 129 columns that have ones.
    pub fn new(system: &System) -> Result<Self> {
        expect_room(system.width())?;
        let vectors = random_vectors(system.width())?;
        let carrying = |lists: &IndexLists| with_columns(lists, &vectors);
        let (eliminators, rows) = (carrying(system.eliminators()), carrying(system.rows()));
        Ok(CarriedSystem { system: System::new(eliminators, rows, Some(system.width() + 64))?, vectors })
    }

    /// The bytes that [`new`](Self::new) takes for a system, and [`take`](Self::take) for a result of it: the
    /// lists with up to 64 indices more in each, and the result with and without the 64 columns.
    pub fn bytes_of(system: &System) -> u64 {
        let lists = (system.eliminators().len() + system.rows().len()) as u64;
        let indices = 4 * (system.eliminators().ones() + system.rows().ones()) as u64;
        // Lists grow by doubling.
        let carried =
            indices.saturating_add(lists * (4 * 64 + 2 * 8)).saturating_add(12 * system.width() as u64);
        carried.saturating_add(crate::gf2::cost::answer_bytes(&SystemShape::of(system)))
    }

    /// Sets the method of elimination.
    #[must_use]
    pub fn with_method(self, method: Method) -> Self {
        CarriedSystem { system: self.system.with_method(method), ..self }
    }

    /// Takes over the method and its options from `system`.
    #[must_use]
    pub fn with_options_of(self, system: &System) -> Self {
        CarriedSystem { system: self.system.with_options_of(system), ..self }
    }

    /// The system to eliminate.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Extracts the elimination of `system` from that of [`system`](Self::system), with a proof of the
    /// span of its promoted rows.
    ///
    /// # Errors
    /// [`Error::Check`] if a promoted row is not a sum of eliminators and rows, or two have one
    /// lead; [`Error::OutOfMemory`].
    pub fn take(&self, system: &System, carried: &Elimination) -> Result<(Elimination, SpanProof)> {
        let mut matrix = BitMatrix::zeros(carried.promoted().len(), system.width())?;
        for (k, &row) in carried.promoted().iter().enumerate() {
            let target = matrix.row64_mut(k);
            let Some(product) = split(carried, k, system.width(), target) else {
                return failed(Wrong::at("row", row, "has a one past the last column"));
            };
            if dot(target, &self.vectors) != product {
                return failed(Wrong::at("row", row, "is not a sum of eliminators and rows"));
            }
        }
        let result = Elimination::new(system, carried.promoted(), matrix);
        let promoted = SystemCheck::new(InMemory::new(system, &result)?)?.promoted();
        let proof = SpanProof { promoted };
        Ok((result, proof))
    }
}

impl SpanProof {
    /// Determines by an elimination on the engine how many dimensions the rows add to those of the
    /// eliminators, and verifies that the number is neither too large nor too small.
    ///
    /// # Errors
    /// Those of [`eliminate`](crate::gf2::eliminate); [`Error::Device`] if the engine's own elimination
    /// does not pass.
    pub fn determine(device: &Device, system: &System) -> Result<SpanProof> {
        let carried = CarriedSystem::new(system)?;
        let result = gf2::eliminate(device, carried.system())?;
        of_engine(carried.take(system, &result).and_then(|(result, proof)| {
            SystemCheck::new(InMemory::new(system, &result)?)?.no_row_is_lost().map(|()| proof)
        }))
    }

    /// Checks that so many rows are promoted as must be.
    pub(super) fn expect(&self, promoted: usize) -> Result<()> {
        Wrong::expect_length("promoted rows", self.promoted, promoted)
    }
}

/// Checks that eliminators and promoted rows have the same leads and span as eliminators and rows.
/// [`Method::Rounds`] guarantees this and no more.
///
/// - The leads of promoted rows and eliminators all differ. This check is deterministic.
/// - Every row is a sum of eliminators and promoted rows. If one is not, it takes a random vector
///   on which they vanish to 1 with probability 1/2, and 64 are drawn.
/// - There are as many promoted rows as dimensions that the rows add, by the [`SpanProof`].
///
/// So eliminators and promoted rows span a space that contains the rows and has no larger dimension:
/// the same space, whose leads are unique. Another space is missed with a chance of at most 2^-64.
///
/// # Errors
/// [`Error::Check`] with the row that is wrong.
pub fn same_span(system: &System, result: &Elimination, proof: &SpanProof) -> Result<Guarantee> {
    let check = SystemCheck::new(InMemory::new(system, result)?)?;
    proof.expect(check.promoted())?;
    check.no_row_is_lost()?;
    Ok(Guarantee::probable(
        "eliminators and promoted rows have the leads and the span that eliminators and rows have",
        MISS_BITS,
    ))
}

/// Writes promoted row k without its first 64 columns to `target`, and returns those 64 columns.
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
    for column in carried.promoted_row(k).map(|column| column as usize) {
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

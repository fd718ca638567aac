//! Checks of eliminations of systems: leads, row space, and a proof that a run carries along.

use crate::gf2::{self, BitMatrix, Elimination, IndexLists, Method, System};
use crate::verify::Guarantee;
use crate::{Device, Error, Result};

use super::carried::of_engine;
use super::vectors::{dot, random_vectors};
use super::{MISS_BITS, failed, first_nonzero};

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
    /// [`Error::OutOfMemory`]; [`Error::Input`] for more than 2^32 - 129 columns that have ones.
    pub fn new(system: &System) -> Result<Self> {
        if system.width() > u32::MAX as usize - 128 {
            return Err(Error::Input(format!(
                "{} columns leave no room for the 64 more that verification takes",
                system.width()
            )));
        }
        let vectors = random_vectors(system.width())?;
        let carrying = |lists: &IndexLists| with_columns(lists, &vectors);
        let (eliminators, rows) = (carrying(system.eliminators()), carrying(system.rows()));
        Ok(CarriedSystem { system: System::new(eliminators, rows, Some(system.width() + 64))?, vectors })
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
                return failed(format!("row {row} has a one past the last column"));
            };
            if dot(target, &self.vectors) != product {
                return failed(format!("row {row} is not a sum of eliminators and rows"));
            }
        }
        let result = Elimination::new(system, carried.promoted(), matrix);
        leads(system, &result)?;
        let proof = SpanProof { promoted: result.promoted().len() };
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
            check_rows(system, &result, &leads(system, &result)?)?;
            Ok(proof)
        }))
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
    let pivots = leads(system, result)?;
    if result.promoted().len() != proof.promoted {
        return failed(format!(
            "{} rows are promoted, and {} must be",
            result.promoted().len(),
            proof.promoted
        ));
    }
    check_rows(system, result, &pivots)?;
    Ok(Guarantee::probable(
        "eliminators and promoted rows have the leads and the span that eliminators and rows have",
        MISS_BITS,
    ))
}

/// The row that has its lead in a column.
#[derive(Clone, Copy)]
pub(super) enum Pivot {
    None,
    Eliminator(usize),
    /// A row by its number among the promoted ones.
    Promoted(usize),
}

/// Returns by column the row that has its lead there, and checks that all leads differ.
/// Deterministic.
pub(super) fn leads(system: &System, result: &Elimination) -> Result<Vec<Pivot>> {
    if result.row_count() != system.row_count() {
        return failed(format!("{} rows, and the system has {}", result.row_count(), system.row_count()));
    }
    if result.width() != system.width() {
        return failed(format!(
            "{} columns with ones, and the system has {}",
            result.width(),
            system.width()
        ));
    }
    let eliminator = |c: usize| system.eliminator_of(c).map_or(Pivot::None, Pivot::Eliminator);
    let mut pivots: Vec<Pivot> = (0..system.width()).map(eliminator).collect();
    for (k, &row) in result.promoted().iter().enumerate() {
        let Some(lead) = lead(result.words(k)).filter(|&lead| lead < system.width()) else {
            return failed(format!("row {row} is said to be promoted and is zero"));
        };
        let other = std::mem::replace(&mut pivots[lead], Pivot::Promoted(k));
        let column = result.label(lead);
        match other {
            Pivot::None => {}
            Pivot::Eliminator(_) => {
                return failed(format!("row {row} has the lead {column} of an eliminator"));
            }
            Pivot::Promoted(k) => {
                let first = result.promoted()[k];
                return failed(format!("rows {first} and {row} have the same lead {column}"));
            }
        }
    }
    Ok(pivots)
}

/// Checks that every row of the system is a sum of eliminators and promoted rows; see
/// [`same_span`].
pub(super) fn check_rows(system: &System, result: &Elimination, pivots: &[Pivot]) -> Result<()> {
    let mut vectors = random_vectors(system.width())?;
    let sum = |row: &[u32], vectors: &[u64]| row.iter().fold(0, |sum, &c| sum ^ vectors[c as usize]);
    for (column, pivot) in pivots.iter().enumerate() {
        match *pivot {
            Pivot::None => {}
            // The lead is the first of the list.
            Pivot::Eliminator(e) => vectors[column] = sum(&system.eliminators().row(e)[1..], &vectors),
            Pivot::Promoted(k) => {
                vectors[column] = 0;
                vectors[column] = dot(&result.words(k)[..=column / 64], &vectors);
            }
        }
    }
    match first_nonzero(system.rows().iter().map(|row| sum(row, &vectors))) {
        Some(row) => failed(format!("row {row} is not a sum of eliminators and promoted rows")),
        None => Ok(()),
    }
}

/// The highest column with a one.
fn lead(words: &[u64]) -> Option<usize> {
    let word = words.iter().rposition(|&word| word != 0)?;
    Some(64 * word + 63 - words[word].leading_zeros() as usize)
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

//! Algorithm 2 of the course, elimination in rounds:
//!
//! ```text
//! repeat until no row is promoted:
//!     reduce every active row by the known pivots, each until its lead has no pivot
//!     for every active row, in order: promote it if no pivot has its lead yet
//! ```
//!
//! Rows are reduced independently of each other, so any engine or process can reduce its share of
//! them; only the leads and the promoted rows have to be exchanged.

use super::{BitMatrix, Elimination, IndexLists, System};
use crate::Result;

/// Marks a column without a pivot.
pub(super) const NONE: u32 = u32::MAX;

/// The pivots, packed: eliminators first, then the promoted rows.
pub(super) struct Pivots {
    pub matrix: BitMatrix,
    pub count: usize,
    /// By column: the pivot that has its lead there, or [`NONE`].
    pub of: Vec<u32>,
    /// The rows that were promoted.
    promoted: Vec<u32>,
}

impl Pivots {
    /// The eliminators of a system, with room for its rows.
    pub fn new(system: &System) -> Result<Self> {
        Self::with_room(system, system.row_count())
    }

    /// The eliminators of a system, with room for `rows` promoted rows.
    pub fn with_room(system: &System, rows: usize) -> Result<Self> {
        let eliminators = system.eliminators();
        let mut matrix = BitMatrix::zeros(eliminators.len() + rows, system.width())?;
        write_lists(&mut matrix, eliminators);
        let of = (0..system.width()).map(|c| system.eliminator_of(c).map_or(NONE, |e| e as u32)).collect();
        Ok(Pivots { matrix, count: eliminators.len(), of, promoted: Vec::new() })
    }

    pub fn get(&self, lead: usize) -> Option<&[u64]> {
        let pivot = self.of[lead];
        (pivot != NONE).then(|| self.matrix.row64(pivot as usize))
    }

    pub fn promote(&mut self, row: usize, words: &[u64], lead: usize) {
        self.matrix.row64_mut(self.count).copy_from_slice(words);
        self.of[lead] = self.count as u32;
        self.count += 1;
        self.promoted.push(row as u32);
    }

    /// The elimination that consists of the promoted rows.
    pub fn into_elimination(self, system: &System) -> Result<Elimination> {
        let mut matrix = BitMatrix::zeros(self.promoted.len(), system.width())?;
        let first = self.count - self.promoted.len();
        for k in 0..self.promoted.len() {
            matrix.row64_mut(k).copy_from_slice(self.matrix.row64(first + k));
        }
        Ok(Elimination::new(system, &self.promoted, matrix))
    }
}

fn write_lists(matrix: &mut BitMatrix, lists: &IndexLists) {
    for (r, list) in lists.iter().enumerate() {
        let words = matrix.row64_mut(r);
        list.iter().for_each(|&c| words[c as usize / 64] |= 1 << (c % 64));
    }
}

/// The rows of a system, packed.
pub(super) fn dense_rows(system: &System) -> Result<BitMatrix> {
    let mut rows = BitMatrix::zeros(system.row_count(), system.width())?;
    write_lists(&mut rows, system.rows());
    Ok(rows)
}

/// Eliminates a system in rounds. `reduce` reduces the rows that `active` names until their leads
/// have no pivot, and returns the lead of each row of `active`, or `None` for a zero row.
pub(super) async fn eliminate(
    system: &System,
    reduce: impl AsyncFnMut(&mut BitMatrix, &[u32], &Pivots) -> Result<Vec<Option<u32>>>,
) -> Result<Elimination> {
    eliminate_while(system, reduce, |_| true).await
}

/// As [`eliminate`], until `goes_on` is false, which is asked after every round but the last with the number of
/// promoted rows. Then the result has only these.
pub(super) async fn eliminate_while(
    system: &System,
    mut reduce: impl AsyncFnMut(&mut BitMatrix, &[u32], &Pivots) -> Result<Vec<Option<u32>>>,
    mut goes_on: impl FnMut(usize) -> bool,
) -> Result<Elimination> {
    let mut pivots = Pivots::new(system)?;
    let mut rows = dense_rows(system)?;
    let mut active: Vec<u32> = (0..system.row_count() as u32).collect();
    loop {
        let leads = reduce(&mut rows, &active, &pivots).await?;
        let before = pivots.count;
        let mut left = Vec::new();
        for (&row, lead) in active.iter().zip(leads) {
            let Some(lead) = lead else { continue };
            match pivots.get(lead as usize) {
                None => pivots.promote(row as usize, rows.row64(row as usize), lead as usize),
                Some(_) => left.push(row),
            }
        }
        if pivots.count == before || !goes_on(pivots.promoted.len()) {
            return pivots.into_elimination(system);
        }
        active = left;
    }
}

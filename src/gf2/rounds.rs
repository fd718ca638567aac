//! Algorithm 2 of the course, elimination in rounds:
//!
//! ```text
//! repeat until no row becomes a pivot:
//!     reduce every active row by the known pivots, each until its lead has no pivot
//!     for every active row, in order: make it a pivot if none has its lead yet
//! ```
//!
//! Rows are reduced independently of each other, so any engine or process can reduce its share of
//! them; only the leads and the new pivots have to be exchanged.

use super::{BitMatrix, Elimination, F4Matrix, IndexLists};
use crate::Result;
use crate::timeline::{Meter, Timeline};

/// Marks a column without a pivot.
pub(super) const NONE: u32 = u32::MAX;

/// The pivots, packed: reducers first, then the new pivots.
pub(super) struct Pivots {
    pub matrix: BitMatrix,
    pub count: usize,
    /// By column: the pivot that has its lead there, or [`NONE`].
    pub of: Vec<u32>,
    /// The rows that became pivots.
    new_pivots: Vec<u32>,
}

impl Pivots {
    /// The reducers of an F4 matrix, with room for its rows.
    pub fn new(f4: &F4Matrix) -> Result<Self> {
        Self::with_room(f4, f4.row_count())
    }

    /// The reducers of an F4 matrix, with room for `rows` new pivots.
    pub fn with_room(f4: &F4Matrix, rows: usize) -> Result<Self> {
        let reducers = f4.reducers();
        let mut matrix = BitMatrix::zeros(reducers.len() + rows, f4.width())?;
        write_lists(&mut matrix, reducers);
        let of = (0..f4.width()).map(|c| f4.reducer_of(c).map_or(NONE, |e| e as u32)).collect();
        Ok(Pivots { matrix, count: reducers.len(), of, new_pivots: Vec::new() })
    }

    pub fn get(&self, lead: usize) -> Option<&[u64]> {
        let pivot = self.of[lead];
        (pivot != NONE).then(|| self.matrix.row64(pivot as usize))
    }

    pub fn add(&mut self, row: usize, words: &[u64], lead: usize) {
        self.matrix.row64_mut(self.count).copy_from_slice(words);
        self.of[lead] = self.count as u32;
        self.count += 1;
        self.new_pivots.push(row as u32);
    }

    /// The elimination that consists of the new pivots.
    pub fn into_elimination(self, f4: &F4Matrix) -> Result<Elimination> {
        let mut matrix = BitMatrix::zeros(self.new_pivots.len(), f4.width())?;
        let first = self.count - self.new_pivots.len();
        for k in 0..self.new_pivots.len() {
            matrix.row64_mut(k).copy_from_slice(self.matrix.row64(first + k));
        }
        Ok(Elimination::new(f4, &self.new_pivots, matrix))
    }
}

fn write_lists(matrix: &mut BitMatrix, lists: &IndexLists) {
    for (r, list) in lists.iter().enumerate() {
        let words = matrix.row64_mut(r);
        list.iter().for_each(|&c| words[c as usize / 64] |= 1 << (c % 64));
    }
}

/// The rows of an F4 matrix, packed.
pub(super) fn dense_rows(f4: &F4Matrix) -> Result<BitMatrix> {
    let mut rows = BitMatrix::zeros(f4.row_count(), f4.width())?;
    write_lists(&mut rows, f4.rows());
    Ok(rows)
}

/// The most work that is left on a row with this lead, up to a factor: one pivot for each of its columns, each with as
/// many words as the row has up to its lead.
pub(super) fn work_left(lead: Option<u32>) -> u64 {
    let words = lead.map_or(0, |lead| u64::from(lead) / 64 + 1);
    words * words
}

/// The highest column with a one among the first `below` words.
pub(super) fn lead(words: &[u64], below: usize) -> Option<usize> {
    let word = words[..below].iter().rposition(|&word| word != 0)?;
    Some(64 * word + 63 - words[word].leading_zeros() as usize)
}

/// The progress of an elimination in rounds. The number of rounds is not known in advance, but the columns that each
/// row has before it: leads only fall, and no work is left on a row that is zero or a pivot.
pub(super) struct Progress {
    total: u64,
    pub meter: Meter,
}

impl Progress {
    /// Begins the work on these rows.
    pub fn begin(timeline: &Timeline, rows: &BitMatrix) -> Self {
        let left = |row| work_left(lead(rows.row64(row), rows.stride64()).map(|lead| lead as u32));
        let total = (0..rows.rows()).map(left).sum();
        Progress { total, meter: timeline.meter(total) }
    }

    /// Notes the leads of the rows that are neither zero nor pivots after a round.
    pub fn round(&self, leads: impl Iterator<Item = u32>) {
        let left: u64 = leads.map(|lead| work_left(Some(lead))).sum();
        self.meter.reach(self.total.saturating_sub(left));
    }
}

/// Eliminates an F4 matrix in rounds. `reduce` reduces the rows that `active` names until their leads
/// have no pivot, and returns the lead of each row of `active`, or `None` for a zero row. It may add the
/// [`work_left`] that this has saved to the meter. After every round but the last `goes_on` is asked with the number of
/// new pivots; if it is false, the result has only these.
pub(super) async fn eliminate(
    f4: &F4Matrix,
    timeline: &Timeline,
    mut reduce: impl AsyncFnMut(&mut BitMatrix, &[u32], &Pivots, &Meter) -> Result<Vec<Option<u32>>>,
    mut goes_on: impl FnMut(usize) -> bool,
) -> Result<Elimination> {
    let mut pivots = Pivots::new(f4)?;
    let mut rows = dense_rows(f4)?;
    let mut active: Vec<u32> = (0..f4.row_count() as u32).collect();
    let progress = Progress::begin(timeline, &rows);
    loop {
        timeline.check_stop()?;
        let leads = reduce(&mut rows, &active, &pivots, &progress.meter).await?;
        let before = pivots.count;
        let (mut left, mut left_leads) = (Vec::new(), Vec::new());
        for (&row, lead) in active.iter().zip(leads) {
            let Some(lead) = lead else { continue };
            match pivots.get(lead as usize) {
                None => pivots.add(row as usize, rows.row64(row as usize), lead as usize),
                Some(_) => {
                    left.push(row);
                    left_leads.push(lead);
                }
            }
        }
        progress.round(left_leads.into_iter());
        if pivots.count == before || !goes_on(pivots.new_pivots.len()) {
            return pivots.into_elimination(f4);
        }
        active = left;
    }
}

//! The matrices of Boolean Groebner bases: reducers and rows, and what an elimination makes of them.

mod elimination;
mod shape;

pub use elimination::Elimination;
pub(crate) use shape::F4Shape;

use std::sync::Arc;

use super::{F4Method, Grid, IndexLists, MAX_COLUMNS, MAX_SIDE, RowSchedule};
use crate::{Error, Result};

/// Marks a column without a reducer.
const NONE: u32 = u32::MAX;

/// An F4 matrix: reducers with distinct leads, and rows to be reduced by them.
///
/// The lead of a row is the highest column with a one. The result in file order is defined by
///
/// ```text
/// for each row, in order:
///     while the row is not zero:
///         if no reducer has its lead: the row becomes a reducer (a new pivot); stop
///         row += the reducer with that lead
/// ```
///
/// so a new pivot keeps ones below its lead even where reducers have their leads.
///
/// Copies share the lists.
#[derive(Clone, Debug)]
pub struct F4Matrix {
    lists: Arc<Lists>,
    method: F4Method,
    schedule: RowSchedule,
    grid: Option<Grid>,
    /// True if a group shares the elimination even if the plan expects one device to be faster.
    always_shares: bool,
}

/// The lists of an F4 matrix.
#[derive(Debug)]
struct Lists {
    columns: usize,
    /// The true numbers of the columns that have ones, ascending, if there are so many columns that
    /// most are empty. All other fields then number only these columns.
    labels: Option<Vec<u32>>,
    reducers: IndexLists,
    rows: IndexLists,
    /// By column: the reducer that has its lead there, or [`NONE`].
    leading: Vec<u32>,
}

impl F4Matrix {
    /// Makes an F4 matrix of `columns` columns; `None` means up to the highest that has a one. Empty
    /// reducers are ignored.
    pub fn new(reducers: IndexLists, rows: IndexLists, columns: Option<usize>) -> Result<Self> {
        Error::expect_at_most("columns", MAX_COLUMNS, columns.unwrap_or(0) as u64)?;
        // Rows and reducers have 32-bit numbers; the last number means "none".
        Error::expect_at_most("rows", MAX_SIDE as u64, reducers.len().max(rows.len()) as u64)?;
        let highest = reducers.highest().max(rows.highest());
        let occurring = highest.map_or(0, |index| index as usize + 1);
        let columns = columns.unwrap_or(occurring);
        highest.map_or(Ok(()), |index| Error::expect_index("column", columns, index as usize))?;
        let labels = (occurring > reducers.ones() + rows.ones()).then(|| labels(&reducers, &rows));
        let (reducers, rows, width) = match &labels {
            None => (reducers, rows, occurring),
            Some(labels) => {
                // Every index is among the labels.
                let label = |index: u32| labels.partition_point(|&label| label < index) as u32;
                (reducers.relabelled(label), rows.relabelled(label), labels.len())
            }
        };
        let mut leading = vec![NONE; width];
        for (e, lead) in leads(&reducers) {
            let first = std::mem::replace(&mut leading[lead as usize], e as u32);
            if first != NONE {
                let lead = labels.as_ref().map_or(lead, |labels| labels[lead as usize]);
                return Err(Error::SameLead { first: first as usize, second: e, lead });
            }
        }
        Ok(F4Matrix::of(Lists { columns, labels, reducers, rows, leading }))
    }

    fn of(lists: Lists) -> Self {
        let (method, schedule) = (F4Method::default(), RowSchedule::default());
        F4Matrix { lists: Arc::new(lists), method, schedule, grid: None, always_shares: false }
    }

    /// The maximum number of bytes that [`new`](Self::new) takes beside these lists, and
    /// [`duplicate_lead`] for one of them.
    pub fn bytes_to_index(reducers: &IndexLists, rows: &IndexLists) -> u64 {
        let (ones, lists) = ((reducers.ones() + rows.ones()) as u64, (reducers.len() + rows.len()) as u64);
        let columns = reducers.highest().max(rows.highest()).map_or(0, |highest| u64::from(highest) + 1);
        // The labels, before equal ones are removed, and the lists with labels.
        let labels = if columns > ones { 8 * ones + 8 * (lists + 2) } else { 0 };
        labels + (4 * columns.min(ones)).max(16 * lists)
    }

    /// The bytes that the F4 matrix takes.
    pub fn bytes(&self) -> u64 {
        let Lists { labels, reducers, rows, leading, .. } = &*self.lists;
        let labels = labels.as_ref().map_or(0, Vec::len) + leading.len();
        reducers.bytes() + rows.bytes() + 4 * labels as u64
    }

    /// A process's share of an F4 matrix, in columns below the F4 matrix's [`width`](Self::width).
    pub(super) fn share(reducers: IndexLists, rows: IndexLists, width: usize) -> Result<Self> {
        let mut leading = vec![NONE; width];
        let highest = reducers.highest().max(rows.highest());
        let fits = highest.is_none_or(|index| (index as usize) < width);
        let mut note =
            |(e, lead): (usize, u32)| std::mem::replace(&mut leading[lead as usize], e as u32) == NONE;
        if !(fits && leads(&reducers).all(&mut note)) {
            return Err(Error::Input("this is no share of a system".into()));
        }
        Ok(F4Matrix::of(Lists { columns: width, labels: None, reducers, rows, leading }))
    }

    /// Sets the method of elimination.
    #[must_use]
    pub fn with_method(self, method: F4Method) -> Self {
        F4Matrix { method, ..self }
    }

    /// The method by which the F4 matrix is to be eliminated: [`F4Method::Auto`] unless
    /// [`with_method`](Self::with_method) chose another.
    pub fn method(&self) -> F4Method {
        self.method
    }

    /// Sets the schedule by which [`F4Method::Rounds`] divides rows among the threads of the CPU engine.
    /// Only this method has schedules other than the default.
    #[must_use]
    pub fn with_schedule(self, schedule: RowSchedule) -> Self {
        F4Matrix { schedule, ..self }
    }

    /// The schedule of rows on the CPU engine.
    pub fn schedule(&self) -> RowSchedule {
        self.schedule
    }

    /// Sets the grid of [`F4Method::Rounds`] on a GPU. By default a thread has one row. No other method has a
    /// grid of its own.
    #[must_use]
    pub fn with_grid(self, grid: Grid) -> Self {
        F4Matrix { grid: Some(grid), ..self }
    }

    /// Lets a group of GPUs share an elimination in file order even if the plan expects one of them to be faster
    /// alone, if `always`. By default the plan decides.
    #[must_use]
    pub fn with_sharing(self, always: bool) -> Self {
        F4Matrix { always_shares: always, ..self }
    }

    /// True if [`with_sharing`](Self::with_sharing) was asked for.
    pub(super) fn always_shares(&self) -> bool {
        self.always_shares
    }

    /// The grid on a GPU, if [`with_grid`](Self::with_grid) set one.
    pub fn grid(&self) -> Option<Grid> {
        self.grid
    }

    /// Returns an F4 matrix of `count` of the rows, at equal distances, with the rows of the `result` as reducers too:
    /// a row then takes as many additions as in the whole F4 matrix, or one more if it becomes a pivot there. `None` if
    /// this F4 matrix's columns have other numbers than those of `result`.
    pub fn sample(&self, result: &IndexLists, count: usize) -> Result<Option<Self>> {
        let all = &*self.lists;
        if all.labels.is_some() {
            return Ok(None);
        }
        let (mut reducers, mut rows) = (all.reducers.clone(), IndexLists::default());
        result.iter().filter(|row| !row.is_empty()).try_for_each(|row| reducers.push(row))?;
        let count = count.min(all.rows.len());
        (0..count).try_for_each(|k| rows.push(all.rows.row(k * all.rows.len() / count)))?;
        Ok(Some(F4Matrix::new(reducers, rows, Some(all.columns))?.with_options_of(self)))
    }

    /// Takes over the method and its options from `other`.
    #[must_use]
    pub(crate) fn with_options_of(self, other: &F4Matrix) -> Self {
        let &F4Matrix { method, schedule, grid, always_shares, .. } = other;
        F4Matrix { method, schedule, grid, always_shares, ..self }
    }

    /// The number of columns, as declared or found.
    pub fn columns(&self) -> usize {
        self.lists.columns
    }

    /// The number of columns that the engines work on.
    pub fn width(&self) -> usize {
        self.lists.leading.len()
    }

    /// The reducers, in columns below [`width`](Self::width).
    pub fn reducers(&self) -> &IndexLists {
        &self.lists.reducers
    }

    /// The rows, in columns below [`width`](Self::width).
    pub fn rows(&self) -> &IndexLists {
        &self.lists.rows
    }

    /// The reducer whose lead is column `c`.
    pub(crate) fn reducer_of(&self, c: usize) -> Option<usize> {
        Some(self.lists.leading[c]).filter(|&e| e != NONE).map(|e| e as usize)
    }

    /// The number of rows to reduce.
    pub fn row_count(&self) -> usize {
        self.lists.rows.len()
    }

    /// The number of reducers that are not empty.
    pub fn reducer_count(&self) -> usize {
        leads(&self.lists.reducers).count()
    }

    pub(crate) fn labels(&self) -> Option<&[u32]> {
        self.lists.labels.as_deref()
    }
}

/// The columns that have ones, ascending.
fn labels(reducers: &IndexLists, rows: &IndexLists) -> Vec<u32> {
    let mut labels = [reducers.indices(), rows.indices()].concat();
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// The numbers of the lists that are not empty, with their leads.
fn leads(lists: &IndexLists) -> impl Iterator<Item = (usize, u32)> + '_ {
    lists.iter().enumerate().filter_map(|(i, row)| Some((i, *row.first()?)))
}

/// The first two lists that share a lead, as (first, second, lead).
pub fn duplicate_lead(lists: &IndexLists) -> Option<(usize, usize, u32)> {
    let mut leads: Vec<(u32, usize)> = leads(lists).map(|(i, lead)| (lead, i)).collect();
    leads.sort_unstable();
    let neighbours = leads.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    neighbours.map(|pair| (pair[0].1, pair[1].1, pair[0].0)).min_by_key(|&(_, second, _)| second)
}

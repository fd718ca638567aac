//! The check of an elimination on files, by its definition; see
//! [`file_order`](crate::gf2::verify::file_order), which derives the guarantee.
//!
//! Pivots are eliminators and promoted rows, in the order of their leads. In memory are a line for each column, and the
//! leads.
//!
//! ```text
//! leads      read the promoted rows: their leads differ from each other and from the eliminators' (certain)
//! a group    512 rows as one line a column; read the pivots from the highest lead down, add each to the rows that have a
//!            one at its lead; what is left of each row is its result
//! all rows   every group, if that takes at most 2^33 additions of lines, or on demand: no wrong row is missed
//! a sample   one group of random rows; and vectors v on which the pivots vanish, uniform among those: every row
//!            vanishes on v, so that a lost row is missed with a chance of at most 2^-64
//! sums       after a run that carried random columns: every promoted row is a sum of the lists, missed with that chance.
//!            With the leads, and no row lost, the promoted rows and the eliminators span what the lists span
//! ```

use rand::Rng;

use super::stored::Rows;
use super::system::OutOfCoreSystem;
use super::system_run::{OutOfCoreElimination, StoredRows, StoredSystem};
use crate::gf2::bit_matrix::{LINE_BITS, Line, zero_lines};
use crate::gf2::verify::{CHEAP, Depth, failed, without};
use crate::verify::Guarantee;
use crate::{Error, Result};

/// Takes a row's number and the columns of its ones, descending.
type Take<'t> = dyn FnMut(u32, &mut dyn Iterator<Item = u32>) -> Result<()> + 't;

/// The result of an elimination that stays in a file.
pub trait StoredResult {
    /// The number of rows, rows of zeros included.
    fn row_count(&self) -> usize;

    /// The promoted rows, ascending; all others are zero.
    fn promoted(&self) -> &[u32];

    /// Gives `take` some of the promoted rows, in this order.
    ///
    /// # Errors
    /// Those of reading, and of `take`.
    fn visit(&self, rows: &[u32], take: &mut Take<'_>) -> Result<()>;

    /// Checks that the promoted rows are sums of the system's lists, by what the run carried along; false if it carried
    /// nothing.
    ///
    /// # Errors
    /// [`Error::Check`] for a row that is no such sum; those of reading.
    fn prove_sums(&self) -> Result<bool> {
        Ok(false)
    }
}

impl StoredResult for OutOfCoreElimination {
    fn row_count(&self) -> usize {
        self.rows
    }

    fn promoted(&self) -> &[u32] {
        &self.promoted
    }

    fn visit(&self, rows: &[u32], take: &mut Take<'_>) -> Result<()> {
        let Rows::Ordered { order, .. } = &self.matrix.source else { return Ok(()) };
        let number = |row: &u32| self.promoted.binary_search(row).map(|k| order[k]);
        let order = rows.iter().map(number).collect::<std::result::Result<Vec<_>, _>>();
        let order = order.map_err(|_| Error::Usage("a row that is not promoted".into()))?;
        let mut left = rows.iter();
        self.matrix.bands_of(order, |band| {
            (0..band.rows())
                .zip(&mut left)
                .try_for_each(|(k, &row)| take(row, &mut band.ones(k).map(|place| self.column(place))))
        })
    }

    fn prove_sums(&self) -> Result<bool> {
        self.prove()
    }
}

/// A result that was written as lists.
#[derive(Debug)]
pub struct ListedResult<'a, L> {
    lists: &'a L,
    rows: usize,
    promoted: Vec<u32>,
}

impl<'a, L: StoredRows> ListedResult<'a, L> {
    /// Makes the result of lists whose rows can be read singly; `leads` has the lead and the number of each that is not
    /// empty.
    pub fn new(lists: &'a L, leads: &[(u32, u32)]) -> Self {
        let mut promoted: Vec<u32> = leads.iter().map(|&(_, row)| row).collect();
        promoted.sort_unstable();
        ListedResult { lists, rows: lists.first_rows().last().copied().unwrap_or(0), promoted }
    }
}

impl<L: StoredRows> StoredResult for ListedResult<'_, L> {
    fn row_count(&self) -> usize {
        self.rows
    }

    fn promoted(&self) -> &[u32] {
        &self.promoted
    }

    fn visit(&self, rows: &[u32], take: &mut Take<'_>) -> Result<()> {
        let mut columns = Vec::new();
        for &row in rows {
            columns.clear();
            self.lists.read_row(row as usize, |column| columns.push(column))?;
            take(row, &mut columns.iter().copied())?;
        }
        Ok(())
    }
}

impl OutOfCoreSystem {
    /// The bytes of a [`check`](Self::check) beside the lists' own: a line and a vector for each column, the leads of the
    /// promoted rows, one row.
    pub fn check_bytes(&self) -> u64 {
        let columns = (LINE_BITS * self.tiles) as u64;
        (64 + 8 + 4) * columns + 24 * self.most_promoted() as u64 + 12 * self.rows as u64 + (1 << 20)
    }

    /// Checks that every row of a result follows from the definition in file order. Rows of the system must be readable
    /// singly ([`StoredRows::read_row`]). All rows are checked, and no wrong one is missed, if that takes at most 2^33
    /// additions of 512 bits or `depth` demands it; otherwise a sample of 512 rows, and that no row is lost, as the
    /// guarantee says.
    ///
    /// # Errors
    /// [`Error::Check`] with the row that is wrong; those of reading.
    pub fn check<L: StoredRows>(
        &self,
        system: &StoredSystem<'_, L>,
        result: &impl StoredResult,
        depth: Depth,
    ) -> Result<Guarantee> {
        let check = SystemCheck::new(self, system, result)?;
        let groups = self.rows.div_ceil(LINE_BITS) as u64;
        if depth == Depth::Full || groups.saturating_mul(check.ones) <= CHEAP || self.rows <= LINE_BITS {
            let all: Vec<u32> = (0..self.rows as u32).collect();
            all.chunks(LINE_BITS).try_for_each(|group| check.group(group))?;
            return Ok(Guarantee::certain("every row follows from the definition in file order"));
        }
        check.no_row_is_lost()?;
        let sample = rand::seq::index::sample(&mut rand::rng(), self.rows, LINE_BITS);
        let mut sample: Vec<u32> = sample.into_iter().map(|row| row as u32).collect();
        sample.sort_unstable();
        check.group(&sample)?;
        let claim = match result.prove_sums()? {
            true => {
                "leads and span are right (wrong ones are missed with a chance of at most 2^-64), \
                 and rows follow from the definition in file order"
            }
            false => {
                "no row is lost (a lost one is missed with a chance of at most 2^-64), \
                 and rows follow from the definition in file order"
            }
        };
        Ok(Guarantee::sampled(claim, "rows", LINE_BITS, self.rows))
    }
}

/// A system and its result, whose leads were checked.
pub(super) struct SystemCheck<'a, L, R> {
    system: &'a StoredSystem<'a, L>,
    result: &'a R,
    /// The lead and the number of each promoted row, by descending lead.
    leads: Vec<(u32, u32)>,
    /// The number of ones of eliminators and promoted rows.
    ones: u64,
}

impl<'a, L: StoredRows, R: StoredResult> SystemCheck<'a, L, R> {
    pub fn new(problem: &OutOfCoreSystem, system: &'a StoredSystem<'a, L>, result: &'a R) -> Result<Self> {
        if result.row_count() != problem.rows {
            return failed(format!("{} rows, and the system has {}", result.row_count(), problem.rows));
        }
        let mut check = SystemCheck { system, result, leads: Vec::new(), ones: 0 };
        let (mut leads, mut ones) = (Vec::with_capacity(result.promoted().len()), 0);
        result.visit(result.promoted(), &mut |row, columns| {
            let Some(lead) = columns.next() else {
                return failed(format!("row {row} is said to be promoted and is zero"));
            };
            check.place_of_result(row, lead)?;
            leads.push((lead, row));
            for column in columns {
                check.place_of_result(row, column)?;
                ones += 1;
            }
            Ok(())
        })?;
        leads.sort_unstable_by(|a, b| (b.0, a.1).cmp(&(a.0, b.1)));
        if let Some(pair) = leads.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let ((lead, first), (_, row)) = (pair[0], pair[1]);
            return failed(format!("rows {first} and {row} have the same lead {lead}"));
        }
        for &(lead, row) in &leads {
            if system.leads.binary_search_by(|other| lead.cmp(&other.0)).is_ok() {
                return failed(format!("row {row} has the lead {lead} of an eliminator"));
            }
        }
        for &(_, row) in system.leads {
            system.eliminators.read_row(row as usize, |_| ones += 1)?;
        }
        (check.leads, check.ones) = (leads, ones);
        Ok(check)
    }

    fn width(&self) -> usize {
        LINE_BITS * self.system.tiles.len()
    }

    /// The number of a column, counted from the highest one of the tiles.
    fn place(&self, column: u32) -> Result<usize> {
        let tile = self.system.tiles.binary_search_by(|tile| (column / 512).cmp(tile));
        let tile = tile.map_err(|_| Error::Input(format!("column {column} is in no tile")))?;
        Ok(LINE_BITS * tile + LINE_BITS - 1 - column as usize % LINE_BITS)
    }

    fn place_of_result(&self, row: u32, column: u32) -> Result<usize> {
        self.place(column)
            .or_else(|_| failed(format!("row {row} has a one in column {column}, and no list has")))
    }

    /// Reads a list and gives `take` the places of its ones.
    fn places(&self, lists: &L, row: u32, mut take: impl FnMut(usize)) -> Result<()> {
        let mut found = Ok(());
        lists.read_row(row as usize, |column| match self.place(column) {
            Ok(place) => take(place),
            Err(error) => found = Err(error),
        })?;
        found
    }

    /// Checks up to 512 rows, ascending.
    fn group(&self, group: &[u32]) -> Result<()> {
        let mut reduction = Reduction { columns: zero_lines(self.width())?, stopped: Line::ZERO, next: 0 };
        for (k, &row) in group.iter().enumerate() {
            self.places(self.system.rows, row, |place| reduction.columns[place].flip(k))?;
        }
        let mut eliminators = self.system.leads;
        let mut add_eliminators = |reduction: &mut Reduction, before: usize| -> Result<()> {
            while let Some((&(lead, row), later)) = eliminators.split_first() {
                let place = self.place(lead)?;
                if place >= before {
                    break;
                }
                eliminators = later;
                let added = reduction.added_at(place, &Line::ZERO);
                if !added.is_zero() {
                    self.places(self.system.eliminators, row, |place| reduction.columns[place].xor(&added))?;
                }
            }
            Ok(())
        };
        let by_lead: Vec<u32> = self.leads.iter().map(|&(_, row)| row).collect();
        self.result.visit(&by_lead, &mut |promoted, columns| {
            let mut columns = columns.peekable();
            let Some(&lead) = columns.peek() else { return Ok(()) };
            let place = self.place(lead)?;
            add_eliminators(&mut reduction, place)?;
            // A row is reduced by the rows before it.
            let up_to = group.partition_point(|&row| row <= promoted);
            let added = reduction.added_at(place, &Line::ones(up_to));
            match added.is_zero() {
                true => Ok(()),
                false => columns.try_for_each(|column| {
                    reduction.columns[self.place(column)?].xor(&added);
                    Ok(())
                }),
            }
        })?;
        add_eliminators(&mut reduction, self.width())?;
        let mut columns = reduction.columns;
        let is_promoted = |row: &u32| self.result.promoted().binary_search(row).is_ok();
        let promoted: Vec<u32> = group.iter().copied().filter(is_promoted).collect();
        self.result.visit(&promoted, &mut |row, ones| {
            let k = group.partition_point(|&other| other < row);
            for column in ones {
                columns[self.place(column)?].flip(k);
            }
            Ok(())
        })?;
        let mut wrong = Line::ZERO;
        columns.iter().for_each(|line| wrong.0.iter_mut().zip(&line.0).for_each(|(any, word)| *any |= word));
        match (0..group.len()).find(|&k| wrong.bit(k)) {
            Some(k) => failed(format!("row {} does not follow from the definition", group[k])),
            None => Ok(()),
        }
    }

    /// Checks that every row is a sum of eliminators and promoted rows.
    pub fn no_row_is_lost(&self) -> Result<()> {
        let mut rng = rand::rng();
        let mut vectors: Vec<u64> = (0..self.width()).map(|_| rng.next_u64()).collect();
        let mut eliminators = self.system.leads;
        let mut set_eliminators = |vectors: &mut [u64], after: Option<usize>| -> Result<()> {
            while let Some((&(lead, row), higher)) = eliminators.split_last() {
                let pivot = self.place(lead)?;
                if after.is_some_and(|after| pivot <= after) {
                    break;
                }
                eliminators = higher;
                let mut sum = 0;
                vectors[pivot] = 0;
                self.places(self.system.eliminators, row, |place| sum ^= vectors[place])?;
                vectors[pivot] = sum;
            }
            Ok(())
        };
        let from_the_lowest: Vec<u32> = self.leads.iter().rev().map(|&(_, row)| row).collect();
        self.result.visit(&from_the_lowest, &mut |_, columns| {
            let Some(lead) = columns.next() else { return Ok(()) };
            let pivot = self.place(lead)?;
            set_eliminators(&mut vectors, Some(pivot))?;
            let mut sum = 0;
            for column in columns {
                sum ^= vectors[self.place(column)?];
            }
            vectors[pivot] = sum;
            Ok(())
        })?;
        set_eliminators(&mut vectors, None)?;
        let rows = self.system.rows;
        for row in 0..rows.first_rows().last().copied().unwrap_or(0) as u32 {
            let mut sum = 0;
            self.places(rows, row, |place| sum ^= vectors[place])?;
            if sum != 0 {
                return failed(format!("row {row} is not a sum of eliminators and promoted rows"));
            }
        }
        Ok(())
    }
}

/// 512 rows as they are reduced.
struct Reduction {
    /// By place: the rows that have a one there.
    columns: Box<[Line]>,
    /// The rows that have a one where no pivot may be added: these are final.
    stopped: Line,
    /// The places before this one were passed.
    next: usize,
}

impl Reduction {
    /// Goes on to a pivot's lead. Returns the rows that the pivot is added to: those that have a one there, except the
    /// final ones and `not`.
    fn added_at(&mut self, place: usize, not: &Line) -> Line {
        for passed in self.next..place {
            let reduced = without(&self.columns[passed], &self.stopped);
            self.stopped.xor(&reduced);
        }
        self.next = place + 1;
        let reduced = without(&self.columns[place], &self.stopped);
        let added = without(&reduced, not);
        self.stopped.xor(&without(&reduced, &added));
        added
    }
}

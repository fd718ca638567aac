//! The check of an elimination on files, by its definition; see
//! [`file_order`](crate::gf2::verify::file_order), which derives the guarantee. After a run that carried random columns
//! every new pivot is a sum of the lists, missed with a chance of at most 2^-64: with the leads, and no row lost, the
//! new pivots and the reducers span what the lists span.

use super::f4::F4OnFiles;
use super::f4_run::{CHUNK, F4OnFilesAnswer, StoredF4Matrix, StoredRows};
use super::stored::Rows;
use crate::gf2::bit_matrix::{LINE_BITS, zero_lines};
use crate::gf2::verify::vectors::times;
use crate::gf2::verify::{Depth, F4Check, Judged, Ones, failed};
use crate::verify::Guarantee;
use crate::{Error, Result, Wrong};

/// Takes a row's number and the columns of its ones, descending.
type Take<'t> = dyn FnMut(u32, &mut dyn Iterator<Item = u32>) -> Result<()> + 't;

/// The result of an elimination that stays in a file.
pub trait StoredResult {
    /// The number of rows, rows of zeros included.
    fn row_count(&self) -> usize;

    /// The new pivots, ascending; all others are zero.
    fn new_pivots(&self) -> &[u32];

    /// Gives `take` some of the new pivots, in this order.
    fn visit(&self, rows: &[u32], take: &mut Take<'_>) -> Result<()>;

    /// Checks that the new pivots are sums of the F4 matrix's lists, by what the run carried along; false if it carried
    /// nothing. A row that is no such sum is missed with a chance of at most 2^-64; see
    /// [`Carried`](crate::gf2::verify::Carried). A row that is found to be none is an error.
    fn prove_sums(&self) -> Result<bool> {
        Ok(false)
    }
}

impl StoredResult for F4OnFilesAnswer {
    fn row_count(&self) -> usize {
        self.rows
    }

    fn new_pivots(&self) -> &[u32] {
        &self.new_pivots
    }

    fn visit(&self, rows: &[u32], take: &mut Take<'_>) -> Result<()> {
        let Rows::Ordered { order, .. } = &self.matrix.source else { return Ok(()) };
        let number = |row: &u32| self.new_pivots.binary_search(row).map(|k| order[k]);
        let order = rows.iter().map(number).collect::<std::result::Result<Vec<_>, _>>();
        let order = order.map_err(|_| Error::only_for("a list of rows", "promoted ones"))?;
        let mut left = rows.iter();
        self.matrix.bands_of(order, |band| {
            (0..band.rows())
                .zip(&mut left)
                .try_for_each(|(k, &row)| take(row, &mut band.ones(k).map(|place| self.column(place))))
        })
    }

    fn prove_sums(&self) -> Result<bool> {
        let (Some(vectors), Rows::Ordered { tiles, order, .. }) = (&self.carried, &self.matrix.source) else {
            return Ok(false);
        };
        let mut words = Vec::with_capacity(order.len());
        let mut lines = zero_lines(CHUNK.min(order.len()))?;
        for first in (0..order.len()).step_by(CHUNK) {
            let lines = &mut lines[..CHUNK.min(order.len() - first)];
            tiles.read(self.tiles.len(), first, lines)?;
            words.extend(lines.iter().map(|line| line.0[0]));
        }
        let mut left = self.new_pivots.iter().zip(order.iter());
        self.matrix.bands(|band| {
            for (product, (row, &number)) in times(band, vectors).into_iter().zip(&mut left) {
                if product != words[number as usize] {
                    let fault = "is not a sum of rows and eliminators of the system";
                    return failed(Wrong::at("row", *row, fault));
                }
            }
            Ok(())
        })?;
        Ok(true)
    }
}

/// A result that was written as lists.
#[derive(Debug)]
pub struct ListedResult<'a> {
    lists: &'a dyn StoredRows,
    rows: usize,
    new_pivots: Vec<u32>,
}

impl<'a> ListedResult<'a> {
    /// Makes the result of lists whose rows can be read singly; `leads` has the lead and the number of each that is not
    /// empty.
    pub fn new(lists: &'a dyn StoredRows, leads: &[(u32, u32)]) -> Self {
        let mut new_pivots: Vec<u32> = leads.iter().map(|&(_, row)| row).collect();
        new_pivots.sort_unstable();
        ListedResult { lists, rows: lists.first_rows().last().copied().unwrap_or(0), new_pivots }
    }
}

impl StoredResult for ListedResult<'_> {
    fn row_count(&self) -> usize {
        self.rows
    }

    fn new_pivots(&self) -> &[u32] {
        &self.new_pivots
    }

    fn visit(&self, rows: &[u32], take: &mut Take<'_>) -> Result<()> {
        let mut columns = Vec::new();
        for &row in rows {
            columns.clear();
            self.lists.read_row(row as usize, &mut |column| columns.push(column))?;
            take(row, &mut columns.iter().copied())?;
        }
        Ok(())
    }
}

impl F4OnFiles {
    /// The bytes of a [`check`](Self::check) beside the lists' own: a line and a vector for each column, the leads of the
    /// new pivots, one row.
    pub fn check_bytes(&self) -> u64 {
        let columns = (LINE_BITS * self.tiles) as u64;
        (64 + 8 + 4) * columns + 24 * self.most_new_pivots() as u64 + 12 * self.rows as u64 + (1 << 20)
    }

    /// Checks that every row of a result follows from the definition in file order. Rows of the F4 matrix must be readable
    /// singly ([`StoredRows::read_row`]). All rows are checked, and no wrong one is missed, if that takes at most 2^33
    /// additions of 512 bits or `depth` demands it; otherwise a sample of 512 rows, and that no row is lost, as the
    /// guarantee says.
    pub fn check(
        &self,
        f4: &StoredF4Matrix<'_>,
        result: &dyn StoredResult,
        depth: Depth,
    ) -> Result<Guarantee> {
        let check = F4Check::new(InFiles::new(self, f4, result)?)?;
        let all = |rows: &[u32]| rows.chunks(LINE_BITS).try_for_each(|group| check.group(group));
        check.in_file_order(depth, all, || result.prove_sums())
    }
}

/// An F4 matrix and its result in files.
pub(super) struct InFiles<'a> {
    f4: &'a StoredF4Matrix<'a>,
    result: &'a dyn StoredResult,
}

impl<'a> InFiles<'a> {
    pub fn new(
        problem: &F4OnFiles,
        f4: &'a StoredF4Matrix<'a>,
        result: &'a dyn StoredResult,
    ) -> Result<Self> {
        Wrong::expect_length("rows", problem.rows, result.row_count())?;
        Ok(InFiles { f4, result })
    }

    fn read(&self, lists: &dyn StoredRows, row: u32, mut one: impl FnMut(usize)) -> Result<()> {
        let mut found = Ok(());
        lists.read_row(row as usize, &mut |column| match self.f4.place(column) {
            Ok(place) => one(place),
            Err(error) => found = Err(error),
        })?;
        found
    }
}

impl Judged for InFiles<'_> {
    fn width(&self) -> usize {
        LINE_BITS * self.f4.tiles.len()
    }

    fn row_count(&self) -> usize {
        self.result.row_count()
    }

    fn reducer_count(&self) -> usize {
        self.f4.leads.len()
    }

    fn reducer(&self, k: usize) -> Result<(usize, u32)> {
        let (lead, number) = self.f4.leads[k];
        Ok((self.f4.place(lead)?, number))
    }

    fn new_pivots(&self) -> &[u32] {
        self.result.new_pivots()
    }

    fn column(&self, place: usize) -> u32 {
        self.f4.column(place)
    }

    fn read_reducer(&self, number: u32, one: impl FnMut(usize)) -> Result<()> {
        self.read(self.f4.reducers, number, one)
    }

    fn read_row(&self, row: u32, one: impl FnMut(usize)) -> Result<()> {
        self.read(self.f4.rows, row, one)
    }

    fn visit(&self, rows: &[u32], take: &mut dyn FnMut(u32, Ones<'_>) -> Result<()>) -> Result<()> {
        self.result.visit(rows, &mut |row, columns| {
            let place = |column| {
                let message = || format!("row {row} has a one in column {column}, and no list has");
                self.f4.place(column).or_else(|_| failed(message()))
            };
            take(row, Ones::Listed(&mut columns.map(place)))
        })
    }
}

//! The elimination of an F4 matrix on files.

use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use super::f4::F4OnFiles;
use super::scratch::{Scratch, StoredPanels};
use super::stored::{Rows, StoredMatrix, StoredTiles};
use super::way::ReadyFromFiles;
use crate::gf2::bit_matrix::{LINE_BITS, Line, zero_lines};
use crate::gf2::cpu::{self, KnownPivots, Shape, Tiles};
use crate::gf2::verify::vectors::random_vectors;
use crate::parallel::*;
use crate::{Error, Result};

/// Marks a row without a lead, and one without a number.
const NONE: u32 = u32::MAX;

/// Lines that are written, or read, at a time.
pub(super) const CHUNK: usize = 4096;

/// Sparse rows that stay in a file, in parts that several threads read at the same time.
pub trait StoredRows: fmt::Debug + Sync {
    /// The first row of each part, ascending, and then the number of rows. The memory of a plan allows for
    /// [`MOST_PARTS`](super::F4OnFiles::MOST_PARTS) parts.
    fn first_rows(&self) -> &[usize];

    /// Reads the rows of a part in order and calls `one` for every one in `columns`, with the number of its row in the
    /// part, and its column. The columns of a row descend. It is an error if the file no longer has the form that it
    /// had at first.
    fn read(&self, part: usize, columns: RangeInclusive<u32>, one: &mut dyn FnMut(usize, u32)) -> Result<()>;

    /// Reads one row and calls `one` with the column of every one, descending. Checks read so. It is an error if rows
    /// cannot be read singly.
    fn read_row(&self, row: usize, one: &mut dyn FnMut(u32)) -> Result<()>;
}

/// An F4 matrix whose lists stay in files.
#[derive(Clone, Copy, Debug)]
pub struct StoredF4Matrix<'a> {
    /// The reducers.
    pub reducers: &'a dyn StoredRows,
    /// The rows to reduce.
    pub rows: &'a dyn StoredRows,
    /// The numbers of the tiles of 512 columns in which some list has a one, descending.
    pub tiles: &'a [u32],
    /// The lead and the number of every reducer that is not empty, by descending lead.
    pub leads: &'a [(u32, u32)],
}

impl F4OnFiles {
    /// Eliminates an F4 matrix of the shape of the plan.
    pub(super) fn eliminate(
        &self,
        ready: &ReadyFromFiles<'_>,
        f4: &StoredF4Matrix<'_>,
    ) -> Result<F4OnFilesAnswer> {
        let &StoredF4Matrix { reducers, rows, tiles, leads } = f4;
        let place = |column: u32| f4.place(column).map(|place| place as u32);
        let known = leads.iter().map(|&(lead, row)| Ok((place(lead)?, row))).collect::<Result<Vec<_>>>()?;
        let is_known = |&(_, row): &(u32, u32)| (row as usize) < self.reducers;
        if !known.is_sorted_by(|a, b| a.0 < b.0) || !known.iter().all(is_known) {
            return Err(Error::Unordered { what: "the leads of eliminators", order: "descend" });
        }
        let mut files = Files {
            reducers,
            rows,
            tiles,
            known: self.reducers,
            group: Box::default(),
            new_pivots: StoredTiles {
                scratch: Scratch::within(ready.folder)?,
                rows: self.most_new_pivots(),
                first_tile: 0,
            },
            numbers: vec![NONE; self.rows],
            by_number: Vec::new(),
            vectors: random_vectors(if self.checks { LINE_BITS * tiles.len() } else { 0 })?,
        };
        if self.rows > 0 && !tiles.is_empty() {
            let shape = Shape {
                rows: self.all(),
                tiles: self.all_tiles(),
                limit: LINE_BITS * tiles.len(),
                is_reduced: false,
                at_a_time: ready.files.at_a_time,
                known: KnownPivots { rows: self.reducers, leads: known },
            };
            files.group = zero_lines(shape.rows * shape.at_a_time.min(shape.tiles))?;
            let mut panels = StoredPanels::within(ready.folder, self.reducers)?;
            cpu::eliminate_on_files(&ready.cpu, &shape, &mut files, &mut panels)?;
            files.group = Box::default();
        }
        let Files { new_pivots, numbers, by_number, vectors, .. } = files;
        drop(by_number);
        let is_new_pivot = |&row: &u32| numbers[row as usize] != NONE;
        let rows: Vec<u32> = (0..self.rows as u32).filter(is_new_pivot).collect();
        let order: Vec<u32> = rows.iter().map(|&row| numbers[row as usize]).collect();
        let source = Rows::Ordered {
            tiles: Arc::new(new_pivots),
            first: 0,
            order: Arc::new(order),
            omitted: Vec::new(),
        };
        let columns = LINE_BITS * tiles.len();
        Ok(F4OnFilesAnswer {
            rows: self.rows,
            tiles: tiles.to_vec(),
            matrix: StoredMatrix { rows: rows.len(), columns, source, band: ready.files.band },
            new_pivots: rows,
            carried: self.checks.then_some(vectors),
        })
    }
}

impl StoredF4Matrix<'_> {
    /// The column at a place, counted from the highest one of the tiles.
    pub(super) fn column(&self, place: usize) -> u32 {
        column(self.tiles, place)
    }

    /// The place of a column.
    pub(super) fn place(&self, column: u32) -> Result<usize> {
        let message = || Error::value(format!("column {column}"), "in no tile".into());
        place(self.tiles, column).ok_or_else(message)
    }
}

/// The place of a column; `None` if it is in no tile.
fn place(tiles: &[u32], column: u32) -> Option<usize> {
    let tile = tiles.binary_search_by(|tile| (column / 512).cmp(tile)).ok()?;
    Some(LINE_BITS * tile + LINE_BITS - 1 - column as usize % LINE_BITS)
}

fn column(tiles: &[u32], place: usize) -> u32 {
    512 * tiles[place / LINE_BITS] + 511 - (place % LINE_BITS) as u32
}

/// The result of eliminating an F4 matrix on files: the new pivots are in a scratch file.
#[derive(Debug)]
pub struct F4OnFilesAnswer {
    pub(super) rows: usize,
    pub(super) tiles: Vec<u32>,
    pub(super) new_pivots: Vec<u32>,
    pub(super) matrix: StoredMatrix,
    /// By place: the words of the random columns that were carried along. The tile after the rows' has their products with
    /// the rows.
    pub(super) carried: Option<Vec<u64>>,
}

impl F4OnFilesAnswer {
    /// The column at a place of the stored rows.
    pub(super) fn column(&self, place: usize) -> u32 {
        column(&self.tiles, place)
    }
}

/// The files of an elimination.
struct Files<'a> {
    reducers: &'a dyn StoredRows,
    rows: &'a dyn StoredRows,
    tiles: &'a [u32],
    /// The number of reducers, the first rows of the matrix.
    known: usize,
    /// The lines of a group of tiles.
    group: Box<[Line]>,
    /// New pivots by number.
    new_pivots: StoredTiles,
    /// By row: its number if it became a pivot, else [`NONE`].
    numbers: Vec<u32>,
    /// The new pivots, those of one group before those of the next.
    by_number: Vec<u32>,
    /// By place: the words of the carried columns; empty if there are none.
    vectors: Vec<u64>,
}

impl Files<'_> {
    /// Fills the tile of the carried columns: the product of each list with the vectors.
    fn carry(&self, lines: &mut [Line]) -> Result<()> {
        lines.fill(Line::ZERO);
        let (reducers, rows) = lines.split_at_mut(self.known);
        self.multiply(self.reducers, reducers)?;
        self.multiply(self.rows, rows)
    }

    fn multiply(&self, lists: &dyn StoredRows, lines: &mut [Line]) -> Result<()> {
        let word = |column: u32| {
            place(self.tiles, column).and_then(|place| self.vectors.get(place).copied()).unwrap_or(0)
        };
        let mut parts: Vec<Vec<&mut [Line]>> =
            lists.first_rows().windows(2).map(|_| Vec::with_capacity(1)).collect();
        divide(lines, lists.first_rows(), &mut parts);
        parts.par_iter_mut().enumerate().try_for_each(|(part, lines)| {
            lists.read(part, 0..=u32::MAX, &mut |row, column| {
                if let Some(line) = lines.first_mut().and_then(|lines| lines.get_mut(row)) {
                    line.0[0] ^= word(column);
                }
            })
        })
    }

    /// Fills consecutive tiles, from `first_tile` on.
    fn fill(&self, first_tile: usize, tiles: &mut [Line]) -> Result<()> {
        let all = self.known + self.numbers.len();
        let of_lists = self.tiles.len().saturating_sub(first_tile).min(tiles.len() / all);
        let (tiles, carried) = tiles.split_at_mut(all * of_lists);
        if !carried.is_empty() {
            self.carry(carried)?;
        }
        if tiles.is_empty() {
            return Ok(());
        }
        let numbers = &self.tiles[first_tile..first_tile + tiles.len() / all];
        let columns = 512 * numbers[numbers.len() - 1]..=512 * numbers[0] + 511;
        let (of_reducers, of_rows) = (self.reducers.first_rows(), self.rows.first_rows());
        let reducer_parts = of_reducers.len().saturating_sub(1);
        let row_parts = of_rows.len().saturating_sub(1);
        let part = || Vec::with_capacity(numbers.len());
        let mut parts: Vec<Vec<&mut [Line]>> = (0..reducer_parts + row_parts).map(|_| part()).collect();
        for tile in tiles.chunks_mut(all) {
            let (reducers, rows) = tile.split_at_mut(self.known);
            let (reducer_parts, row_parts) = parts.split_at_mut(reducer_parts);
            divide(reducers, of_reducers, reducer_parts);
            divide(rows, of_rows, row_parts);
        }
        parts.par_iter_mut().enumerate().try_for_each(|(p, lines)| {
            lines.iter_mut().for_each(|lines| lines.fill(Line::ZERO));
            // Columns of a row descend, and so do the tiles' numbers.
            let (mut current, mut k) = (usize::MAX, 0);
            let mut one = |row: usize, column: u32| {
                if row != current {
                    (current, k) = (row, 0);
                }
                while numbers.get(k).is_some_and(|&number| number > column / 512) {
                    k += 1;
                }
                let is_there = numbers.get(k) == Some(&(column / 512));
                if let Some(line) = lines.get_mut(k).filter(|_| is_there).and_then(|lines| lines.get_mut(row))
                {
                    line.flip(LINE_BITS - 1 - column as usize % LINE_BITS);
                }
            };
            match p.checked_sub(reducer_parts) {
                None => self.reducers.read(p, columns.clone(), &mut one),
                Some(p) => self.rows.read(p, columns.clone(), &mut one),
            }
        })
    }
}

/// Appends to each of `parts` its portion of a tile's lines.
fn divide<'l>(mut lines: &'l mut [Line], first_rows: &[usize], parts: &mut [Vec<&'l mut [Line]>]) {
    for (ends, part) in first_rows.windows(2).zip(parts) {
        let (own, rest) = lines.split_at_mut(ends[1] - ends[0]);
        part.push(own);
        lines = rest;
    }
}

impl Tiles for Files<'_> {
    fn load(&mut self, group: Range<usize>) -> Result<&mut [Line]> {
        let count = (self.known + self.numbers.len()) * group.len();
        let mut lines = std::mem::take(&mut self.group);
        self.fill(group.start, &mut lines[..count])?;
        self.group = lines;
        Ok(&mut self.group[..count])
    }

    fn finish(&mut self, group: Range<usize>, leads: &[u32]) -> Result<bool> {
        let all = self.known + self.numbers.len();
        for (row, _) in leads[self.known..].iter().enumerate().filter(|&(_, &lead)| lead != NONE) {
            if self.numbers[row] == NONE {
                self.numbers[row] = self.by_number.len() as u32;
                self.by_number.push(row as u32);
            }
        }
        // Rows that become pivots later are zero in these tiles: the file has holes there, which read as zeros.
        let mut buffer = Vec::with_capacity(CHUNK.min(self.by_number.len()));
        for (t, tile) in group.zip(self.group.chunks(all)) {
            for (k, rows) in self.by_number.chunks(CHUNK).enumerate() {
                buffer.clear();
                buffer.extend(rows.iter().map(|&row| tile[self.known + row as usize]));
                self.new_pivots.write_rows(t, CHUNK * k, &buffer)?;
            }
        }
        Ok(true)
    }
}

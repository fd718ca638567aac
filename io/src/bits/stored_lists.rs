//! Index lists that stay in their file, for eliminations with less memory than data.

use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};

use super::limits::Limits;
use super::lists::{Misplaced, count, number, out_of_order, place_of_row, self_fault};
use super::shape::Body;
use crate::Source;
use crate::budget::Budget;
use crate::text::is_space;
use wgalois::gf2::{F4OnFiles, F4OnFilesAnswer, MAX_COLUMNS, MAX_SIDE, StoredResult, StoredRows};
use wgalois::parallel::*;
use wgalois::{Error, Fault, Result};

/// The least bytes of a part but the last.
const PART: usize = 1 << 18;

/// Columns whose ones [`StoredLists::tiles`] notes together.
const TILE: u32 = 512;

/// Index lists in a source, whose form was checked.
#[derive(Debug)]
pub struct StoredLists<'s> {
    source: &'s Source,
    /// Where each part begins, and the end.
    offsets: Vec<usize>,
    first_rows: Vec<usize>,
    tiles: Vec<u32>,
    leads: Vec<(u32, u32)>,
    columns: u64,
    /// Where each row begins, if rows are read singly.
    row_offsets: Vec<usize>,
}

impl<'s> StoredLists<'s> {
    /// Reads the lists once, checks them, and notes where parts begin. The leads are noted if `with_leads`. This takes
    /// 1 MiB, and 16 bytes for each lead. Refuses what [`lists::read`](super::lists::read) refuses without the option
    /// to sort, and more than [`MAX_SIDE`] rows.
    pub fn new(source: &'s Source, limits: &Limits, with_leads: bool) -> Result<Self> {
        source.expect_text()?;
        let body = Body::of(source)?;
        let text = body.text;
        let offsets = offsets(text);
        let lines: Vec<usize> =
            offsets.par_windows(2).map(|ends| count(&text[ends[0]..ends[1]]).lines).collect();
        let all: usize = lines.iter().sum();
        if all > MAX_SIDE {
            let most = MAX_SIDE as u64;
            return Err(source.error(Fault::TooMany { what: "rows", count: all as u64, most }));
        }
        body.expect_rows(all)?;
        let budget = Budget::new(source, limits.memory);
        let leads_of = |lines: usize| if with_leads { lines } else { 0 };
        // The leads of the parts, and those of all.
        budget.expect(2 * size_of::<(u32, u32)>() as u64 * leads_of(all) as u64)?;
        let columns = body.columns(limits)?.map_or(MAX_COLUMNS, |columns| MAX_COLUMNS.min(columns as u64));
        let of_tiles: Vec<AtomicU64> =
            (0..MAX_COLUMNS / u64::from(TILE) / 64).map(|_| AtomicU64::new(0)).collect();
        let mut rooms =
            lines.iter().map(|&lines| budget.room(leads_of(lines))).collect::<Result<Vec<_>>>()?;
        let parts = offsets.par_windows(2).zip(&mut rooms).map(|(ends, leads)| {
            let (mut current, mut noted, mut columns_here) = (usize::MAX, u32::MAX, 0);
            let rows = visit(&text[ends[0]..ends[1]], ends[0], columns, |row, column| {
                let tile = column / TILE;
                if row != current {
                    current = row;
                    columns_here = columns_here.max(u64::from(column) + 1);
                    if with_leads {
                        leads.push((column, row as u32));
                    }
                }
                if tile != noted {
                    noted = tile;
                    of_tiles[tile as usize / 64].fetch_or(1 << (tile % 64), Ordering::Relaxed);
                }
                true
            });
            rows.map(|rows| (rows, columns_here, std::mem::take(leads)))
        });
        let parts: Vec<std::result::Result<(usize, u64, Vec<_>), Misplaced>> = parts.collect();
        let (mut first_rows, mut leads) = (vec![0], budget.room(leads_of(all))?);
        let (mut rows, mut columns) = (0, 0);
        for part in parts {
            let (count, columns_here, of_part) =
                part.map_err(|(offset, message)| source.text_error(offset, message))?;
            leads.extend(of_part.into_iter().map(|(lead, row)| (lead, rows as u32 + row)));
            rows += count;
            columns = columns.max(columns_here);
            first_rows.push(rows);
        }
        leads.sort_unstable_by(|a, b| (b.0, a.1).cmp(&(a.0, b.1)));
        let tiles = of_tiles.iter().enumerate().rev().flat_map(|(k, word)| {
            let word = word.load(Ordering::Relaxed);
            (0..64).rev().filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * k as u32 + bit)
        });
        Ok(StoredLists {
            source,
            offsets,
            first_rows,
            tiles: tiles.collect(),
            leads,
            columns,
            row_offsets: Vec::new(),
        })
    }

    /// Notes where each row begins, so that rows can be read singly. This takes 8 bytes a row.
    pub fn with_rows_noted(mut self) -> Result<Self> {
        let mut offsets = Vec::new();
        let rows = self.len();
        offsets
            .try_reserve_exact(rows)
            .map_err(|_| Error::OutOfMemory(format!("{} bytes for places of rows", 8 * rows).into()))?;
        let text = &self.source.bytes()[..self.end()];
        let mut at = 0;
        for _ in 0..rows {
            offsets.push(at);
            at += text[at..].iter().position(|&byte| byte == b'\n').map_or(text.len() - at, |end| end + 1);
        }
        self.row_offsets = offsets;
        Ok(self)
    }

    /// Where the rows end.
    fn end(&self) -> usize {
        self.offsets[self.offsets.len() - 1]
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.first_rows[self.first_rows.len() - 1]
    }

    /// True if there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of columns, up to the highest that has a one.
    pub fn columns(&self) -> u64 {
        self.columns
    }

    /// The numbers of the tiles of 512 columns that have a one, descending.
    pub fn tiles(&self) -> &[u32] {
        &self.tiles
    }

    /// The lead and the number of every row that is not empty, by descending lead; empty if they were not noted.
    pub fn leads(&self) -> &[(u32, u32)] {
        &self.leads
    }

    /// The bytes that this takes.
    pub fn bytes(&self) -> u64 {
        (4 * self.tiles.capacity()
            + 8 * self.leads.capacity()
            + 16 * self.offsets.capacity()
            + 8 * self.row_offsets.capacity()) as u64
    }

    /// Returns an error if two rows have the same lead; of these, for the row that comes first in the file.
    pub fn expect_distinct_leads(&self) -> Result<()> {
        let equal = self.leads.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        match equal.min_by_key(|pair| pair[1].1) {
            None => Ok(()),
            Some(pair) => {
                let ((lead, first), (_, second)) = (pair[0], pair[1]);
                let place = place_of_row(self.source, second as usize);
                let message =
                    format!("row {second} has the lead {lead}, and so has row {first} (rows count from 0)");
                Err(self.source.text_error(place, message))
            }
        }
    }
}

impl StoredRows for StoredLists<'_> {
    fn first_rows(&self) -> &[usize] {
        &self.first_rows
    }

    fn read(&self, part: usize, columns: RangeInclusive<u32>, one: &mut dyn FnMut(usize, u32)) -> Result<()> {
        let (start, end) = (self.offsets[part], self.offsets[part + 1]);
        let text = &self.source.bytes()[start..end];
        let rows = visit(text, start, MAX_COLUMNS, |row, column| {
            if columns.contains(&column) {
                one(row, column);
            }
            column > *columns.start()
        });
        let rows = rows.map_err(|(offset, message)| self.source.text_error(offset, message))?;
        match rows == self.first_rows[part + 1] - self.first_rows[part] {
            true => Ok(()),
            false => Err(self.source.error("the file was changed while it was read")),
        }
    }

    fn read_row(&self, row: usize, one: &mut dyn FnMut(u32)) -> Result<()> {
        let Some(&start) = self.row_offsets.get(row) else {
            return Err(Error::needs("a read of one row", "the places of the rows"));
        };
        let end = self.row_offsets.get(row + 1).copied().unwrap_or(self.end());
        let text = &self.source.bytes()[start..end];
        let rows = visit(text, start, MAX_COLUMNS, |_, column| {
            one(column);
            true
        });
        rows.map(drop).map_err(|(offset, message)| self.source.text_error(offset, message))
    }
}

/// Where parts of whole lines begin, and the end.
fn offsets(text: &[u8]) -> Vec<usize> {
    let part = PART.max(text.len() / (F4OnFiles::MOST_PARTS - 1));
    let mut offsets = vec![0];
    let mut end = 0;
    while end < text.len() {
        let least = (end + part).min(text.len()) - 1;
        end = text[least..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |i| least + i + 1);
        offsets.push(end);
    }
    offsets
}

/// Calls `one` with the row and the column of every one until it returns false, which skips the rest of the row.
/// Returns the number of rows.
#[inline]
fn visit(
    text: &[u8],
    start: usize,
    columns: u64,
    mut one: impl FnMut(usize, u32) -> bool,
) -> std::result::Result<usize, Misplaced> {
    let (mut at, mut row, mut previous) = (0, 0, u64::MAX);
    while let Some(&byte) = text.get(at) {
        if byte.is_ascii_digit() {
            let begin = at;
            let value;
            (value, at) = number(text, at);
            if value >= columns || text.get(at).is_some_and(|&byte| !is_space(byte)) {
                return Err(self_fault(text, start, begin, columns));
            }
            if value >= previous {
                return Err(out_of_order(start + begin, value, previous));
            }
            previous = value;
            if !one(row, value as u32) {
                at += text[at..].iter().position(|&byte| byte == b'\n').unwrap_or(text.len() - at);
            }
        } else if byte == b'\n' {
            (at, row, previous) = (at + 1, row + 1, u64::MAX);
        } else if is_space(byte) {
            at += 1;
        } else {
            return Err(self_fault(text, start, at, columns));
        }
    }
    Ok(row + usize::from(text.last().is_some_and(|&byte| byte != b'\n')))
}

/// Writes the result of an elimination on files; the same text as
/// [`write_elimination`](super::lists::write_elimination) of the result in memory.
pub fn write_elimination(out: &mut dyn Write, result: &F4OnFilesAnswer) -> io::Result<()> {
    /// Bytes that are written at a time.
    const BUFFER: usize = 1 << 16;
    let mut text = Vec::with_capacity(BUFFER + 16);
    let mut written = 0;
    let mut numeral = itoa::Buffer::new();
    let rows = result.visit(result.new_pivots(), &mut |row, columns| {
        let failed = |error| Error::file("", error);
        (written..row).try_for_each(|_| out.write_all(b"\n")).map_err(failed)?;
        for column in columns {
            text.extend_from_slice(numeral.format(column).as_bytes());
            text.push(b' ');
            if text.len() >= BUFFER {
                out.write_all(&text).map_err(failed)?;
                text.clear();
            }
        }
        text.push(b'\n');
        out.write_all(&text).map_err(failed)?;
        text.clear();
        written = row + 1;
        Ok(())
    });
    rows.map_err(|error| match error {
        Error::File { path, source } if path.as_os_str().is_empty() => source,
        other => io::Error::other(other),
    })?;
    (written as usize..result.row_count()).try_for_each(|_| out.write_all(b"\n"))
}

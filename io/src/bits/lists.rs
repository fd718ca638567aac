//! Index lists: one row per line, as the columns of its ones in strictly descending order, each
//! followed by a space. An empty line is an empty row. The last line may state the shape; it does so in a matrix that is
//! written without ones in its last columns.

use super::limits::Limits;
use super::shape::{self, Body};
use crate::Source;
use crate::budget::Budget;
use crate::text::{chunks, decimal, is_space, quote, tokens, write_parallel};
use std::io::{self, Write};
use wgalois::Result;
use wgalois::gf2::{BitMatrix, Elimination, IndexLists, MAX_COLUMNS};
use wgalois::parallel::*;

/// Reads index lists. Any white space may separate indices, and the last line needs no line feed. An index must be a
/// number, at most the last column, and less than the one before it; with `sort`, no index may occur twice in its
/// row.
pub fn read(source: &Source, limits: &Limits) -> Result<IndexLists> {
    read_with_columns(source, limits).map(|(lists, _)| lists)
}

/// [`read`], and the number of columns that the caller or the file states.
pub fn read_with_columns(source: &Source, limits: &Limits) -> Result<(IndexLists, Option<usize>)> {
    source.expect_text()?;
    let body = Body::of(source)?;
    let told = body.columns(limits)?;
    let limits = &Limits { columns: told, ..*limits };
    let pieces = chunks(body.text, |byte| byte == b'\n');
    let counts: Vec<Count> = pieces.par_iter().map(|(_, piece)| count(piece)).collect();
    let ones = counts.iter().map(|count| count.tokens).sum();
    let rows: usize = counts.iter().map(|count| count.lines).sum();
    let mut budget = Budget::new(source, limits.memory);
    budget.expect(bytes_of(ones, rows))?;
    body.expect_rows(rows)?;
    let mut indices = budget.vector(ones)?;
    let mut offsets = budget.vector(rows + 1)?;

    let mut tasks = Vec::with_capacity(pieces.len());
    let (mut own_indices, mut own_ends) = (&mut indices[..], &mut offsets[1..]);
    let mut before = 0;
    for ((start, text), count) in pieces.into_iter().zip(counts) {
        let (indices, rest) = own_indices.split_at_mut(count.tokens);
        let (ends, others) = own_ends.split_at_mut(count.lines);
        (own_indices, own_ends) = (rest, others);
        tasks.push(Piece { text, start, before, indices, ends });
        before += count.tokens;
    }
    match tasks.par_iter_mut().try_for_each(|piece| piece.parse(limits)) {
        Err((offset, message)) => Err(source.text_error(offset, message)),
        Ok(()) => Ok((IndexLists::from_checked(offsets, indices), told)),
    }
}

/// The bytes of lists with so many ones and rows.
pub(super) fn bytes_of(ones: usize, rows: usize) -> u64 {
    4 * ones as u64 + 8 * (rows as u64 + 1)
}

/// The bytes of the lists in `source` and of their matrix of `columns` columns, by default as many as occur, for
/// the message that the lists alone are too large.
pub(super) fn bytes_with_matrix(source: &Source, columns: Option<usize>) -> u64 {
    let (text, columns) = match Body::of(source) {
        Ok(body) => (body.text, columns.or(body.stated().map(|(_, columns)| columns))),
        Err(_) => (source.bytes(), columns),
    };
    let count = count(text);
    let highest = || tokens(text, 0).filter_map(|token| decimal(token.text).ok()).max();
    let columns = columns.map_or_else(|| highest().map_or(0, |c| c.saturating_add(1)), |c| c as u64);
    let matrix = BitMatrix::bytes_of(count.lines as u64, columns.clamp(1, MAX_COLUMNS));
    bytes_of(count.tokens, count.lines).saturating_add(matrix)
}

/// Returns the offset of the first index of row `row`, for messages.
pub fn place_of_row(source: &Source, row: usize) -> usize {
    let bytes = source.bytes();
    let newlines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let start = if row == 0 { 0 } else { newlines.map(|(i, _)| i + 1).nth(row - 1).unwrap_or(bytes.len()) };
    start + bytes[start..].iter().position(|&byte| !is_space(byte)).unwrap_or(0)
}

#[derive(Clone, Copy)]
pub(super) struct Count {
    tokens: usize,
    pub lines: usize,
}

/// Counts tokens and lines in runs short enough for byte-sized sums, so that the compiler can
/// vectorize.
pub(super) fn count(text: &[u8]) -> Count {
    const RUN: usize = 192;
    let mut count = Count { tokens: 0, lines: 0 };
    let mut before = b' ';
    for run in text.chunks(RUN) {
        let starts =
            run.iter().zip(&run[1..]).map(|(a, b)| u8::from(is_space(*a) & !is_space(*b))).sum::<u8>();
        count.tokens += usize::from(starts) + usize::from(is_space(before) & !is_space(run[0]));
        count.lines += usize::from(run.iter().map(|&byte| u8::from(byte == b'\n')).sum::<u8>());
        before = run[run.len() - 1];
    }
    count.lines += usize::from(!text.is_empty() && before != b'\n');
    count
}

/// Some lines of the file and the slices that receive their indices.
struct Piece<'a> {
    text: &'a [u8],
    /// Offset of the text in the file.
    start: usize,
    /// Number of indices before this text.
    before: usize,
    indices: &'a mut [u32],
    /// End of each row among all indices.
    ends: &'a mut [usize],
}

/// The offset of a fault in the file, and its message.
pub(super) type Misplaced = (usize, String);

impl Piece<'_> {
    fn parse(&mut self, limits: &Limits) -> Result<(), Misplaced> {
        let columns = limits.columns.map_or(MAX_COLUMNS, |columns| MAX_COLUMNS.min(columns as u64));
        let mut at = 0;
        let mut found = 0;
        for end in self.ends.iter_mut() {
            let (line, first) = (at, found);
            let mut previous = u64::MAX;
            let mut ordered = true;
            while let Some(&byte) = self.text.get(at) {
                if byte.is_ascii_digit() {
                    let start = at;
                    let value;
                    (value, at) = number(self.text, at);
                    if value >= columns || self.text.get(at).is_some_and(|&byte| !is_space(byte)) {
                        return Err(self_fault(self.text, self.start, start, columns));
                    }
                    if value >= previous {
                        if !limits.sort {
                            return Err(out_of_order(self.start + start, value, previous));
                        }
                        ordered = false;
                    }
                    previous = value;
                    self.indices[found] = value as u32;
                    found += 1;
                } else if byte == b'\n' {
                    at += 1;
                    break;
                } else if is_space(byte) {
                    at += 1;
                } else {
                    return Err(self_fault(self.text, self.start, at, columns));
                }
            }
            if !ordered {
                let row = &mut self.indices[first..found];
                row.sort_unstable_by(|a, b| b.cmp(a));
                if let Some(pair) = row.windows(2).find(|pair| pair[0] == pair[1]) {
                    let at = self.start + second_place(&self.text[line..at], pair[0]) + line;
                    return Err((at, format!("index {} occurs twice in its row", pair[0])));
                }
            }
            *end = self.before + found;
        }
        Ok(())
    }
}

/// Returns the number whose digits begin at `at`, and its end. A number with too many digits for an
/// index is returned as a value past every limit.
#[inline]
pub(super) fn number(text: &[u8], mut at: usize) -> (u64, usize) {
    let start = at;
    let mut value = 0u64;
    while let Some(digit) = text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit <= 9) {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    if at - start > 19 {
        value = decimal(&text[start..at]).unwrap_or(u64::MAX);
    }
    (value, at)
}

/// Describes the fault of the token at `at`.
pub(super) fn self_fault(text: &[u8], start: usize, at: usize, columns: u64) -> Misplaced {
    let length = text[at..].iter().position(|&byte| is_space(byte)).unwrap_or(text.len() - at);
    let token = &text[at..at + length];
    let message = match decimal(token).is_ok() || token.iter().all(u8::is_ascii_digit) {
        true if columns == MAX_COLUMNS => {
            format!("index {}: the largest that is taken is {}", quote(token), MAX_COLUMNS - 1)
        }
        true => format!("index {}: there are {columns} columns, counted from 0", quote(token)),
        false => format!("{}: a column index was expected", quote(token)),
    };
    (start + at, message)
}

pub(super) fn out_of_order(at: usize, value: u64, previous: u64) -> Misplaced {
    match value == previous {
        true => (at, format!("index {value} occurs twice in its row")),
        false => (
            at,
            format!(
                "index {value} follows {previous}: the indices of a row must descend (--sort puts them in order)"
            ),
        ),
    }
}

/// Returns the offset of the second occurrence of `index` in a line.
fn second_place(line: &[u8], index: u32) -> usize {
    let mut places = crate::text::tokens(line, 0).filter(|token| decimal(token.text) == Ok(index.into()));
    places.nth(1).map_or(0, |token| token.offset)
}

/// Writes the result of an elimination in the course's text format: one row per line, and an empty
/// line for a row that was reduced to zero.
pub fn write_elimination(out: &mut dyn Write, result: &Elimination) -> io::Result<()> {
    let numerals = Numerals::new(result.width(), |column| result.label(column))?;
    let new_pivots = result.new_pivots();
    let ones: usize = (0..new_pivots.len()).into_par_iter().map(|k| ones(result.words(k))).sum();
    let at_once = rows_of_a_task(ones, new_pivots.len());
    let places: Vec<usize> = (0..new_pivots.len()).collect();
    write_parallel(out, &places, at_once, |places| {
        let mut text = Vec::new();
        for &k in places {
            // The rows between two new pivots are empty.
            let previous = if k == 0 { 0 } else { new_pivots[k - 1] + 1 };
            text.resize(text.len() + (new_pivots[k] - previous) as usize, b'\n');
            numerals.write_row(&mut text, result.words(k));
        }
        text
    })?;
    let written = new_pivots.last().map_or(0, |&row| row as usize + 1);
    (written..result.row_count()).try_for_each(|_| out.write_all(b"\n"))
}

/// Writes what follows the rows: the shape, if these show only the first `width` columns.
pub(super) fn write_end(out: &mut dyn Write, shape: (usize, usize), width: usize) -> io::Result<()> {
    if width == shape.1 { Ok(()) } else { shape::write(out, shape) }
}

/// The number of columns up to the last that has a one.
pub(super) fn width(matrix: &BitMatrix) -> usize {
    let highest = |row: usize| {
        let (at, word) = matrix.row64(row).iter().enumerate().rev().find(|(_, word)| **word != 0)?;
        Some(64 * at + 64 - word.leading_zeros() as usize)
    };
    (0..matrix.rows()).into_par_iter().map(highest).max().flatten().unwrap_or(0)
}

pub(super) fn write_rows(out: &mut dyn Write, matrix: &BitMatrix) -> io::Result<()> {
    if matrix.rows() == 0 {
        return Ok(());
    }
    let numerals = Numerals::new(matrix.columns(), |column| column as u32)?;
    let rows: Vec<usize> = (0..matrix.rows()).collect();
    let at_once = rows_of_a_task(matrix.count_ones() as usize, matrix.rows());
    write_parallel(out, &rows, at_once, |rows| {
        let mut text = Vec::new();
        rows.iter().for_each(|&row| numerals.write_row(&mut text, matrix.row64(row)));
        text
    })
}

/// Writes index lists.
pub fn write_lists(out: &mut dyn Write, lists: &IndexLists) -> io::Result<()> {
    let mut buffer = itoa::Buffer::new();
    let mut text = Vec::new();
    for row in lists.iter() {
        text.clear();
        for &index in row {
            text.extend_from_slice(buffer.format(index).as_bytes());
            text.push(b' ');
        }
        text.push(b'\n');
        out.write_all(&text)?;
    }
    Ok(())
}

/// Most bytes that the text of an index takes, with the space after it.
const INDEX: usize = 11;

/// Returns the number of rows that one task formats: as many as take some 128 KiB of text, since plans do not count it.
fn rows_of_a_task(ones: usize, rows: usize) -> usize {
    let row = INDEX * (ones / rows.max(1)).max(1);
    ((128 << 10) / row).clamp(1, 64)
}

fn ones(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

/// The text of every column number with a space after it. Formatting a row then copies 16 bytes per
/// index.
struct Numerals(Vec<Numeral>);

#[derive(Clone, Copy)]
struct Numeral {
    text: [u8; 16],
    length: usize,
}

impl Numerals {
    fn new(width: usize, label: impl Fn(usize) -> u32) -> io::Result<Self> {
        let mut buffer = itoa::Buffer::new();
        let mut numerals = Vec::new();
        numerals.try_reserve_exact(width).map_err(|_| io::ErrorKind::OutOfMemory)?;
        numerals.extend((0..width).map(|column| {
            let digits = buffer.format(label(column)).as_bytes();
            let mut text = [b' '; 16];
            text[..digits.len()].copy_from_slice(digits);
            Numeral { text, length: digits.len() + 1 }
        }));
        Ok(Numerals(numerals))
    }

    /// Appends the line of a row given as packed words.
    fn write_row(&self, text: &mut Vec<u8>, words: &[u64]) {
        let mut at = text.len();
        text.resize(at + INDEX * ones(words) + 16, b'\n');
        for (w, &word) in words.iter().enumerate().rev() {
            let mut word = word;
            while word != 0 {
                let bit = 63 - word.leading_zeros() as usize;
                word ^= 1 << bit;
                let numeral = &self.0[64 * w + bit];
                text[at..at + 16].copy_from_slice(&numeral.text);
                at += numeral.length;
            }
        }
        text[at] = b'\n';
        text.truncate(at + 1);
    }
}

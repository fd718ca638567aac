//! Matrix Market coordinate patterns (Boisvert, Pozo, Remington: "The Matrix Market exchange
//! formats: initial design", NISTIR 5935, 1996).

use crate::Result;
use crate::gf2::{BitMatrix, IndexLists, MAX_SIDE};
use crate::io::Source;
use crate::io::budget::Budget;
use crate::io::text::{Token, decimal, quote, tokens};
use std::io::{self, Write};

pub const BANNER: &[u8] = b"%%MatrixMarket";

/// Reads the rows and the number of columns. If they become a matrix, its bytes are refused here, too.
pub fn read(source: &Source, memory: u64, becomes_matrix: bool) -> Result<(IndexLists, usize)> {
    let symmetric = banner(source)?;
    let body = comments_end(source.bytes());
    let mut numbers = Numbers { source, tokens: tokens(&source.bytes()[body..], body) };
    let rows = numbers.next("the number of rows", 0..=MAX_SIDE as u64)?;
    let columns = numbers.next("the number of columns", 0..=MAX_SIDE as u64)?;
    let count = numbers.next("the number of entries", 0..=u64::MAX)?;
    if symmetric && rows != columns {
        return Err(source.error(format!("a symmetric matrix of {rows} x {columns}")));
    }
    // An entry takes at least four bytes of text.
    if count > source.bytes().len() as u64 / 4 {
        return Err(source.error(format!("the header promises {count} entries, more than the file can hold")));
    }
    let mut budget = Budget::new(source, memory);
    let most = if symmetric { 2 * count } else { count };
    // The entries and the lists, then the lists and the matrix.
    let lists = super::lists::bytes_of(most as usize, rows as usize);
    let matrix = if becomes_matrix { BitMatrix::bytes_of(rows, columns.max(1)) } else { 0 };
    budget.expect(lists.saturating_add(matrix.max(most.saturating_mul(size_of::<Entry>() as u64))))?;
    budget.take::<Entry>(most)?;
    let mut entries: Vec<Entry> = budget.room(most as usize)?;
    for _ in 0..count {
        let at = numbers.place();
        let row = numbers.next("the row of an entry", 1..=rows)? as u32 - 1;
        let column = numbers.next("the column of an entry", 1..=columns)? as u32 - 1;
        entries.push((row, column, at));
        if symmetric && row != column {
            entries.push((column, row, at));
        }
    }
    if let Some(token) = numbers.tokens.next() {
        let message = format!("{}: the header promises {count} entries, and here is more", quote(token.text));
        return Err(source.text_error(token.offset, message));
    }
    Ok((self::lists(source, rows as usize, entries, &mut budget)?, columns as usize))
}

/// Checks the first line; returns true if the matrix is symmetric.
fn banner(source: &Source) -> Result<bool> {
    let line = source.bytes().split(|&byte| byte == b'\n').next().unwrap_or_default();
    let words: Vec<String> =
        tokens(line, 0).map(|token| String::from_utf8_lossy(token.text).to_ascii_lowercase()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["%%matrixmarket", "matrix", "coordinate", "pattern", "general"] => Ok(false),
        ["%%matrixmarket", "matrix", "coordinate", "pattern", "symmetric"] => Ok(true),
        _ => Err(source
            .text_error(0, "expected \"%%MatrixMarket matrix coordinate pattern general\" (or symmetric)")),
    }
}

/// Returns the offset after the lines that begin with `%`.
fn comments_end(text: &[u8]) -> usize {
    let mut at = 0;
    while text.get(at) == Some(&b'%') {
        at += text[at..].iter().position(|&byte| byte == b'\n').map_or(text.len() - at, |end| end + 1);
    }
    at
}

struct Numbers<'a, T: Iterator<Item = Token<'a>> + Clone> {
    source: &'a Source,
    tokens: T,
}

impl<'a, T: Iterator<Item = Token<'a>> + Clone> Numbers<'a, T> {
    /// Returns the offset of the next number.
    fn place(&self) -> usize {
        self.tokens.clone().next().map_or(self.source.bytes().len(), |token| token.offset)
    }

    fn next(&mut self, what: &str, range: std::ops::RangeInclusive<u64>) -> Result<u64> {
        let Some(token) = self.tokens.next() else {
            let message = format!("the file ends where {what} was expected");
            return Err(self.source.text_error(self.source.bytes().len(), message));
        };
        match decimal(token.text) {
            Ok(value) if range.contains(&value) => Ok(value),
            _ => {
                let (least, most) = (range.start(), range.end());
                let message = format!("{}: {what} was expected, from {least} to {most}", quote(token.text));
                Err(self.source.text_error(token.offset, message))
            }
        }
    }
}

/// An entry's row, column and offset in the file.
type Entry = (u32, u32, usize);

/// Converts entries to rows.
fn lists(
    source: &Source,
    rows: usize,
    mut entries: Vec<Entry>,
    budget: &mut Budget<'_>,
) -> Result<IndexLists> {
    entries.sort_unstable_by_key(|&(row, column, at)| (row, std::cmp::Reverse(column), at));
    if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[0].1 == pair[1].1) {
        return Err(source.text_error(pair[1].2, "the entry occurs for the second time"));
    }
    let mut offsets: Vec<usize> = budget.vector(rows + 1)?;
    budget.take::<u32>(entries.len() as u64)?;
    entries.iter().for_each(|&(row, ..)| offsets[row as usize + 1] += 1);
    (0..rows).for_each(|row| offsets[row + 1] += offsets[row]);
    Ok(IndexLists::from_checked(offsets, entries.iter().map(|&(_, column, _)| column).collect()))
}

pub fn write(out: &mut dyn Write, matrix: &BitMatrix) -> io::Result<()> {
    writeln!(out, "%%MatrixMarket matrix coordinate pattern general")?;
    writeln!(out, "{} {} {}", matrix.rows(), matrix.columns(), matrix.count_ones())?;
    for row in 0..matrix.rows() {
        for column in matrix.ones(row) {
            writeln!(out, "{} {}", row + 1, column + 1)?;
        }
    }
    Ok(())
}

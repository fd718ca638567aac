//! 0/1 text: one row per line, as `101`, `1 0 1`, `1,0,1` or `[1 0 1]`. The last line may state the shape; it does so in
//! what is written without rows or without columns, which no other line shows.

use super::limits::Limits;
use super::shape::{self, Body};
use crate::Source;
use crate::budget::Budget;
use crate::text::quote;
use std::io::{self, Write};
use wgalois::Result;
use wgalois::gf2::BitMatrix;
use wgalois::parallel::*;

/// True if a byte may stand between the digits of a row, or around them: Sage and NumPy print rows in brackets.
fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b',' | b'\r' | b'[' | b']')
}

pub fn read(source: &Source, limits: &Limits) -> Result<BitMatrix> {
    source.expect_text()?;
    let body = Body::of(source)?;
    let mut budget = Budget::new(source, limits.memory);
    let text = rows_of(body.text);
    let told = body.columns(limits)?;
    if text.is_empty() {
        // Without columns, the rows are blank lines.
        let has_none = body.stated().is_some_and(|(_, columns)| columns == 0);
        let rows = if has_none { line_ends(body.text) } else { 0 };
        body.expect_rows(rows)?;
        return super::limits::zeros(&mut budget, source, rows as u64, told.unwrap_or(0) as u64);
    }
    let count = 1 + line_ends(text);
    let first = text.iter().take_while(|&&byte| byte != b'\n');
    let columns = first.filter(|&&byte| !is_separator(byte)).count();
    let matrix = BitMatrix::bytes_of(count as u64, columns.max(1) as u64);
    budget.expect(matrix.saturating_add(size_of::<Line<'_>>() as u64 * count as u64))?;
    let lines = lines(text, count, &mut budget)?;
    body.expect_rows(count)?;
    if let Some(told) = told.filter(|&told| told != columns) {
        return Err(match body.stated() {
            Some(_) => body.error(format!("the file states {told} columns, and the first row has {columns}")),
            None => {
                let message = format!("the first row has {columns} columns, where {told} were expected");
                source.text_error(0, message)
            }
        });
    }
    let mut matrix = super::limits::zeros(&mut budget, source, lines.len() as u64, columns as u64)?;
    let stride = matrix.stride64().max(1);
    let rows = matrix.words64_mut().par_chunks_mut(stride).zip(&lines);
    match rows.try_for_each(|(words, line)| line.parse(words, columns)) {
        Err((offset, message)) => Err(source.text_error(offset, message)),
        Ok(()) => Ok(matrix),
    }
}

/// The number of line ends.
fn line_ends(text: &[u8]) -> usize {
    let of_part = |part: &[u8]| part.iter().filter(|&&byte| byte == b'\n').count();
    text.par_chunks(1 << 16).map(of_part).sum()
}

struct Line<'a> {
    text: &'a [u8],
    /// Offset of the line in the file.
    start: usize,
}

/// Returns the text of the rows: all lines except the blank ones at the end.
fn rows_of(text: &[u8]) -> &[u8] {
    let is_blank = |byte: u8| byte == b'\n' || is_separator(byte);
    text.iter().rposition(|&byte| !is_blank(byte)).map_or(&[], |last| &text[..=last])
}

/// Returns the `count` lines of the rows' text.
fn lines<'a>(text: &'a [u8], count: usize, budget: &mut Budget<'_>) -> Result<Vec<Line<'a>>> {
    budget.take::<Line<'_>>(count as u64)?;
    let mut lines = budget.room(count)?;
    let mut start = 0;
    for line in text.split(|&byte| byte == b'\n') {
        lines.push(Line { text: line, start });
        start += line.len() + 1;
    }
    Ok(lines)
}

impl Line<'_> {
    fn parse(&self, words: &mut [u64], columns: usize) -> Result<(), (usize, String)> {
        let mut column = 0;
        for (at, &byte) in self.text.iter().enumerate() {
            match byte {
                b'0' | b'1' if column < columns => {
                    words[column / 64] |= u64::from(byte & 1) << (column % 64);
                    column += 1;
                }
                b'0' | b'1' => {
                    let message = format!("more than {columns} columns, which the first row has");
                    return Err((self.start + at, message));
                }
                b'[' if column > 0 => {
                    return Err((self.start + at, "a second row in one line".to_owned()));
                }
                _ if is_separator(byte) => (),
                _ => {
                    let message = format!(
                        "{}: 0 or 1 was expected{}",
                        quote(&self.text[at..at + 1]),
                        hint(&self.text[at..])
                    );
                    return Err((self.start + at, message));
                }
            }
        }
        match column == columns {
            true => Ok(()),
            false => {
                let message = format!("the row ends after {column} columns, and the first has {columns}");
                Err((self.start + self.text.len(), message))
            }
        }
    }
}

/// Returns advice for text of another kind, by how it goes on where a 0 or 1 was expected.
fn hint(text: &[u8]) -> &'static str {
    match text {
        [b'.', b'.', ..] => {
            "; NumPy leaves out entries where it prints long arrays: numpy.save, or numpy.savetxt(..., fmt='%d')"
        }
        [b'.', ..] => "; numpy.savetxt writes integers with fmt='%d'",
        [byte, ..] if byte.is_ascii_digit() => "; --format lists reads the columns of ones",
        _ => "",
    }
}

/// Words of a row that are formatted at a time. A row may have 2^32 columns, whose text has 4 GiB.
const WORDS: usize = 512;

/// Writes what follows the rows: the shape, if they do not show it.
pub fn write_end(out: &mut dyn Write, (rows, columns): (usize, usize)) -> io::Result<()> {
    if (rows == 0) == (columns == 0) { Ok(()) } else { shape::write(out, (rows, columns)) }
}

pub fn write_rows(out: &mut dyn Write, matrix: &BitMatrix) -> io::Result<()> {
    if matrix.columns() == 0 {
        // There may be billions of these lines.
        const LINES: [u8; 1 << 12] = [b'\n'; 1 << 12];
        for first in (0..matrix.rows()).step_by(LINES.len()) {
            out.write_all(&LINES[..LINES.len().min(matrix.rows() - first)])?;
        }
        return Ok(());
    }
    let mut text = [0; 64 * WORDS];
    for row in 0..matrix.rows() {
        let mut left = matrix.columns();
        for words in matrix.row64(row).chunks(WORDS) {
            let columns = left.min(64 * words.len());
            for (column, byte) in text[..columns].iter_mut().enumerate() {
                *byte = b'0' + (words[column / 64] >> (column % 64) & 1) as u8;
            }
            out.write_all(&text[..columns])?;
            left -= columns;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

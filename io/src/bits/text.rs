//! 0/1 text: one row per line, as `101`, `1 0 1`, `1,0,1` or `[1 0 1]`, with a dot for 0 as GAP displays it (`1 . 1`), or an
//! expression of several rows ([`notation`]). The last line may state the shape; it does so in
//! what is written without rows or without columns, which no other line shows. Otherwise `#` begins a comment. A byte order mark may begin the
//! file.

use super::limits::Limits;
use super::notation;
use super::shape::{self, Body, expect_columns, uncommented};
use crate::Source;
use crate::budget::Budget;
use crate::text::quote;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use wgalois::Result;
use wgalois::gf2::BitMatrix;
use wgalois::parallel::*;

/// The bytes with which some editors begin a text in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// True if a byte may stand between the digits of a row, or around them: Sage and NumPy print rows in brackets.
fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b',' | b'\r' | b'[' | b']')
}

pub fn read(source: &Source, limits: &Limits) -> Result<BitMatrix> {
    source.expect_text()?;
    let body = Body::of(source)?;
    let begin = if body.text.starts_with(MARK) { MARK.len() } else { 0 };
    if notation::applies(&body.text[begin..]) {
        return notation::read(source, &body, begin, limits);
    }
    let mut budget = Budget::new(source, limits.memory);
    let text = rows_of(&body.text[begin..]);
    let told = body.columns(limits)?;
    if text.is_empty() {
        // Without columns, the rows are blank lines.
        let has_none = body.stated().is_some_and(|(_, columns)| columns == 0);
        let rows = if has_none { line_ends(&body.text[begin..]) } else { 0 };
        body.expect_rows(rows)?;
        return super::limits::zeros(&mut budget, source, rows as u64, told.unwrap_or(0) as u64);
    }
    // With comments there are fewer rows.
    let most = 1 + line_ends(text);
    let first = rows(source, &body, begin, text).next().transpose()?;
    let columns = first.map_or(0, |first| first.text.iter().filter(|&&byte| !is_separator(byte)).count());
    let matrix = BitMatrix::bytes_of(most as u64, columns.max(1) as u64);
    budget.expect(matrix.saturating_add(size_of::<Line<'_>>() as u64 * most as u64))?;
    let lines = lines(rows(source, &body, begin, text), most, &mut budget)?;
    body.expect_rows(lines.len())?;
    expect_columns(source, &body, limits, columns)?;
    let mut matrix = super::limits::zeros(&mut budget, source, lines.len() as u64, columns as u64)?;
    let stride = matrix.stride64().max(1);
    let dot = AtomicUsize::new(usize::MAX);
    let rows = matrix.words64_mut().par_chunks_mut(stride).zip(&lines);
    match rows.try_for_each(|(words, line)| line.parse(words, columns, &dot)) {
        Err((offset, message)) => Err(source.text_error(offset, message)),
        Ok(()) => expect_one_zero(source, &lines, dot.into_inner()).map(|()| matrix),
    }
}

/// Refuses a text in which both dots and digits are zeros: a dot may be a value that is missing. `dot` is the place of the first one.
fn expect_one_zero(source: &Source, lines: &[Line<'_>], dot: usize) -> Result<()> {
    match dot < usize::MAX && lines.iter().any(|line| line.text.contains(&b'0')) {
        true => Err(source.text_error(dot, "a dot in a text that has zeros, too: a zero, or no value")),
        false => Ok(()),
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

/// The rows of a text that begins at byte `begin` of the file: its lines without comments. Lines that are comments are none, nor are blank
/// lines between the first comment and the first row. Refuses a comment that states a shape, or is the last line.
fn rows<'a>(
    source: &'a Source,
    body: &'a Body<'_>,
    begin: usize,
    text: &'a [u8],
) -> impl Iterator<Item = Result<Line<'a>>> {
    let (mut start, mut has_comment, mut has_row) = (begin, false, false);
    // Most files have none, and are searched for them once.
    let has_marks = text.par_chunks(1 << 16).any(|part| part.contains(&b'#'));
    let end = begin + text.len();
    text.split(|&byte| byte == b'\n').filter_map(move |line| {
        let at = start;
        start += line.len() + 1;
        let row = if has_marks { uncommented(line) } else { line };
        let is_blank = row.iter().all(|&byte| is_separator(byte));
        if row.len() < line.len() {
            has_comment = true;
            let place = at + row.len();
            if shape::is_shape(&line[row.len()..]) {
                return Some(Err(source.text_error(place, "a shape, which the last line of a file states")));
            }
            if is_blank && start > end && body.stated().is_none() {
                let message =
                    "a comment in the last line, which states the shape, as in \"# 2 x 3\", or is a row";
                return Some(Err(source.text_error(place, message)));
            }
        }
        match is_blank && (row.len() < line.len() || has_comment && !has_row) {
            true => None,
            false => {
                has_row = true;
                Some(Ok(Line { text: row, start: at }))
            }
        }
    })
}

/// Returns the lines of the rows, at most `most`.
fn lines<'a>(
    rows: impl Iterator<Item = Result<Line<'a>>>,
    most: usize,
    budget: &mut Budget<'_>,
) -> Result<Vec<Line<'a>>> {
    budget.take::<Line<'_>>(most as u64)?;
    let mut lines = budget.room(most)?;
    rows.into_iter().try_for_each(|line| line.map(|line| lines.push(line)))?;
    // Blank lines before a comment at the end.
    while lines.last().is_some_and(|line: &Line<'_>| line.text.iter().all(|&byte| is_separator(byte))) {
        lines.pop();
    }
    Ok(lines)
}

impl Line<'_> {
    /// Sets the ones of a row. `dot` becomes the place of the first dot of all lines.
    fn parse(&self, words: &mut [u64], columns: usize, dot: &AtomicUsize) -> Result<(), (usize, String)> {
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
                b'.' if column < columns && is_alone(self.text, at) => {
                    dot.fetch_min(self.start + at, Relaxed);
                    column += 1;
                }
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

/// True if separators or the ends of the line are around a byte: a dot in a number, and three dots, are no zeros.
fn is_alone(line: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).is_none_or(|before| is_separator(line[before]));
    before && line.get(at + 1).is_none_or(|&after| is_separator(after))
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

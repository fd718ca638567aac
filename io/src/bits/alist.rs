//! The alist format of parity-check matrices, as MacKay defines it ("Encyclopedia of sparse graph codes", 1999-2009): the ones of
//! every column, then those of every row.
//!
//! ```text
//! 3 2        columns, rows
//! 2 2        the most ones of a column, of a row
//! 1 2 1      the ones of each column
//! 2 2        the ones of each row
//! 1 0        for each column a line: the rows of its ones, from 1; filled up with zeros, or not
//! 1 2
//! 2 0
//! 1 2        for each row a line: the columns of its ones
//! 2 3
//! ```
//!
//! A line that begins with `#` is a comment. An empty line is the list of a column or row without ones.

use super::limits::Limits;
use super::lists::bytes_of;
use crate::Source;
use crate::budget::Budget;
use crate::text::{decimal, quote, tokens, write_parallel};
use std::io::{self, Write};
use wgalois::Result;
use wgalois::gf2::{BitMatrix, IndexLists, MAX_COLUMNS, MAX_SIDE};

/// Rows or columns whose lists one task writes.
const AT_ONCE: usize = 1 << 8;

/// True for a text whose first four lines are those of this format: the numbers of ones agree with the shape, with their maxima and with
/// each other. No index lists and no 0/1 text have such lines, whether lists are sorted or not: both lines of degrees would
/// have to be distinct numbers, and then the maxima are equal.
pub fn begins(text: &[u8]) -> bool {
    /// No line of two numbers is longer.
    const LONGEST: usize = 64;
    let mut lines = Lines { text, at: 0 };
    let mut pair = || {
        let (_, line) = lines.next()?;
        let [a, b] = numbers(line.get(..LONGEST.min(line.len()))?, 3)?[..] else { return None };
        (line.len() <= LONGEST).then_some((a, b))
    };
    let (Some((columns, rows)), Some((of_column, of_row))) = (pair(), pair()) else { return false };
    if columns == 0 || rows == 0 || columns.max(rows) > text.len() as u64 {
        return false;
    }
    let mut degrees = |count: u64, most: u64, bound: u64| {
        let (_, line) = lines.next()?;
        let degrees = numbers(line, count as usize + 1)?;
        let is_right = degrees.len() as u64 == count && degrees.iter().max() == Some(&most) && most <= bound;
        is_right.then(|| degrees.iter().sum::<u64>())
    };
    let of_columns = degrees(columns, of_column, rows);
    of_columns.is_some() && of_columns == degrees(rows, of_row, columns)
}

/// The numbers of a line, at most `most` of them; `None` if a word is none.
fn numbers(line: &[u8], most: usize) -> Option<Vec<u64>> {
    tokens(line, 0).take(most).map(|token| decimal(token.text).ok()).collect()
}

/// The lines that are no comments, each with its place.
struct Lines<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<(usize, &'a [u8])> {
        while self.at < self.text.len() {
            let begin = self.at;
            let rest = &self.text[begin..];
            let line = &rest[..rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len())];
            self.at += line.len() + 1;
            if line.trim_ascii_start().first() != Some(&b'#') {
                return Some((begin, line));
            }
        }
        None
    }
}

struct Reader<'s> {
    source: &'s Source,
    lines: Lines<'s>,
}

impl<'s> Reader<'s> {
    /// The next line, which holds `what`.
    fn line(&mut self, what: impl Fn() -> String) -> Result<(usize, &'s [u8])> {
        let end = self.source.bytes().len();
        let missing = || self.source.text_error(end, format!("the file ends before {}", what()));
        self.lines.next().ok_or_else(missing)
    }

    /// The numbers of a line, of which `count` are expected; each is at most `most`.
    fn numbers(&mut self, what: &str, count: usize, most: u64, mut found: impl FnMut(u32)) -> Result<usize> {
        let (begin, line) = self.line(|| what.to_owned())?;
        let mut words = 0;
        for token in tokens(line, begin) {
            words += 1;
            if words > count {
                let message = format!("{}: the line holds {what}, {count} numbers", quote(token.text));
                return Err(self.source.text_error(token.offset, message));
            }
            found(self.number(token, most, what)? as u32);
        }
        match words == count {
            true => Ok(begin),
            false => {
                let message = format!("{words} numbers, where {what}, {count} numbers, were expected");
                Err(self.source.text_error(begin + line.len(), message))
            }
        }
    }

    fn number(&self, token: crate::text::Token<'_>, most: u64, what: &str) -> Result<u64> {
        decimal(token.text).ok().filter(|&number| number <= most).ok_or_else(|| {
            let message = format!("{}: a number from 0 to {most} was expected: {what}", quote(token.text));
            self.source.text_error(token.offset, message)
        })
    }

    /// Reads the lists of a side: `degrees` are their lengths, `width` is the most ones, `across` the number of the other side. Calls
    /// `found` with the number of the list, the number in it, from 0, and its place.
    fn lists(
        &mut self,
        name: &str,
        degrees: &[u32],
        width: u32,
        across: usize,
        mut found: impl FnMut(usize, u32, usize) -> Result<()>,
    ) -> Result<()> {
        for (list, &degree) in degrees.iter().enumerate() {
            let (begin, line) = self.line(|| format!("the list of {name} {}", list + 1))?;
            let (mut count, mut zeros) = (0, 0);
            for token in tokens(line, begin) {
                let what = format!("the list of {name} {}", list + 1);
                let number = self.number(token, across as u64, &what)?;
                let refuse = |message: String| Err(self.source.text_error(token.offset, message));
                if number == 0 {
                    zeros += 1;
                    // A list without ones may be a zero, even if no list has ones.
                    if count + zeros > width.max(1) {
                        return refuse(format!(
                            "{what} has more than {width} numbers, the most of the second line"
                        ));
                    }
                } else if zeros > 0 {
                    return refuse(format!("{number} follows a zero, which fills up {what}"));
                } else if count == degree {
                    return refuse(format!("{what} has more than {degree} numbers, which the degrees state"));
                } else {
                    count += 1;
                    found(list, number as u32 - 1, token.offset)?;
                }
            }
            if count < degree {
                let message = format!(
                    "the list of {name} {} has {count} numbers, and the degrees state {degree}",
                    list + 1
                );
                return Err(self.source.text_error(begin + line.len(), message));
            }
        }
        Ok(())
    }

    /// Reads the degrees of a side: `count` numbers whose highest is `most`. Returns their sum.
    fn degrees(
        &mut self,
        name: &str,
        count: usize,
        most: u32,
        budget: &mut Budget<'_>,
    ) -> Result<(Vec<u32>, u64)> {
        budget.take::<u32>(count as u64)?;
        let mut degrees = budget.room(count)?;
        let what = format!("the numbers of ones of the {name}");
        let begin = self.numbers(&what, count, most.into(), |degree| degrees.push(degree))?;
        let highest = degrees.iter().copied().max().unwrap_or(0);
        if highest != most {
            let message = format!("{what} are at most {highest}, and the second line states {most}");
            return Err(self.source.text_error(begin, message));
        }
        let sum = degrees.iter().copied().map(u64::from).sum();
        Ok((degrees, sum))
    }
}

/// Reads the rows and the number of columns. The lists of the rows must be those of the columns. If they become a matrix, its
/// bytes are refused here, too.
pub fn read(source: &Source, limits: &Limits, becomes_matrix: bool) -> Result<(IndexLists, usize)> {
    source.expect_text()?;
    let bytes = source.bytes();
    let mut reader = Reader { source, lines: Lines { text: bytes, at: 0 } };
    let mut pair = |what: &str, most: u64| -> Result<([u32; 2], usize)> {
        let mut both = [0; 2];
        let mut place = 0;
        let begin = reader.numbers(what, 2, most, |number| {
            both[place] = number;
            place += 1;
        })?;
        Ok((both, begin))
    };
    let ([columns, rows], begin) = pair("the numbers of columns and of rows", MAX_SIDE as u64)?;
    limits.expect_columns(columns.into()).map_err(|message| source.text_error(begin, message))?;
    if u64::from(columns) > MAX_COLUMNS {
        return Err(
            source.text_error(begin, format!("{columns} columns, where at most {MAX_COLUMNS} are taken"))
        );
    }
    // A column and a row take a degree, of a byte or more, and the line of their list.
    if u64::from(columns) + u64::from(rows) > bytes.len() as u64 {
        let message = format!("{columns} columns and {rows} rows, more than the file can hold");
        return Err(source.text_error(begin, message));
    }
    let ([of_column, of_row], _) = pair("the most ones of a column and of a row", MAX_SIDE as u64)?;
    let (rows, columns) = (rows as usize, columns as usize);
    let mut budget = Budget::new(source, limits.memory);
    let (of_columns, ones) = reader.degrees("columns", columns, of_column, &mut budget)?;
    let at = reader.lines.at;
    let (of_rows, again) = reader.degrees("rows", rows, of_row, &mut budget)?;
    if ones != again {
        let message = format!("{again} ones in the rows, and {ones} in the columns");
        return Err(source.text_error(at, message));
    }
    // A one takes a digit and a byte after it, in the list of its column.
    if ones > bytes.len() as u64 / 2 {
        return Err(source.text_error(at, format!("{ones} ones, more than the file can hold")));
    }
    let matrix = if becomes_matrix { BitMatrix::bytes_of(rows as u64, columns.max(1) as u64) } else { 0 };
    budget.expect(bytes_of(ones as usize, rows).saturating_add(matrix).saturating_add(8 * rows as u64))?;
    let mut offsets: Vec<usize> = budget.vector(rows + 1)?;
    for (row, &degree) in of_rows.iter().enumerate() {
        offsets[row + 1] = offsets[row] + degree as usize;
    }
    let mut indices: Vec<u32> = budget.vector(ones as usize)?;
    let mut ends: Vec<usize> = budget.vector(rows)?;
    ends.copy_from_slice(&offsets[..rows]);
    let mut last = (usize::MAX, 0);
    reader.lists("column", &of_columns, of_column, rows, |column, row, at| {
        let (row, own) = (row as usize, ends[row as usize]);
        if last == (column, row) || own > offsets[row] && indices[own - 1] == column as u32 {
            let message = format!("row {} occurs twice in the list of column {}", row + 1, column + 1);
            return Err(source.text_error(at, message));
        }
        last = (column, row);
        if own == offsets[row + 1] {
            let message = format!(
                "row {} is in the lists of more columns than its degree, {}, says",
                row + 1,
                of_rows[row]
            );
            return Err(source.text_error(at, message));
        }
        indices[own] = column as u32;
        ends[row] = own + 1;
        Ok(())
    })?;
    // The columns of a row stand in ascending order now. Each of them must be in the row's own list, once.
    let mut seen: Vec<bool> = budget.vector(ones as usize)?;
    reader.lists("row", &of_rows, of_row, columns, |row, column, at| {
        let own = offsets[row]..offsets[row + 1];
        match indices[own.clone()].binary_search(&column) {
            Ok(place) if !std::mem::replace(&mut seen[own.start + place], true) => Ok(()),
            Ok(_) => {
                let message = format!("column {} occurs twice in the list of row {}", column + 1, row + 1);
                Err(source.text_error(at, message))
            }
            Err(_) => {
                let message = format!(
                    "column {} is in the list of row {}, and the list of that column lacks the row",
                    column + 1,
                    row + 1
                );
                Err(source.text_error(at, message))
            }
        }
    })?;
    let after = reader.lines.find(|(_, line)| !line.trim_ascii().is_empty());
    if let Some((begin, _)) = after {
        return Err(source
            .text_error(begin, format!("more lines than the lists of {columns} columns and {rows} rows")));
    }
    for row in 0..rows {
        indices[offsets[row]..offsets[row + 1]].reverse();
    }
    Ok((IndexLists::from_checked(offsets, indices), columns))
}

/// A matrix without rows may have 2^32 columns.
fn zeros<T: Clone + Default>(count: usize) -> io::Result<Vec<T>> {
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(count).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    zeros.resize(count, T::default());
    Ok(zeros)
}

/// Writes a matrix, with lists filled up by zeros.
pub fn write(out: &mut dyn Write, matrix: &BitMatrix) -> io::Result<()> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let (mut column_ends, mut row_ends) = (zeros::<usize>(columns + 1)?, zeros::<usize>(rows + 1)?);
    for row in 0..rows {
        matrix.ones(row).for_each(|column| column_ends[column + 1] += 1);
        row_ends[row + 1] = matrix.ones(row).count();
    }
    let most = |ends: &[usize]| ends.iter().copied().max().unwrap_or(0);
    let (of_column, of_row) = (most(&column_ends), most(&row_ends));
    writeln!(out, "{columns} {rows}\n{of_column} {of_row}")?;
    for degrees in [&column_ends[1..], &row_ends[1..]] {
        write_line(out, degrees.iter().copied())?;
    }
    for ends in [&mut column_ends, &mut row_ends] {
        (1..ends.len()).for_each(|side| ends[side] += ends[side - 1]);
    }
    let mut of_columns = zeros::<u32>(column_ends[columns])?;
    let mut next = zeros::<usize>(columns + 1)?;
    next.copy_from_slice(&column_ends);
    for row in 0..rows {
        for column in matrix.ones(row) {
            of_columns[next[column]] = row as u32 + 1;
            next[column] += 1;
        }
    }
    let numbers = |count: usize| {
        let mut numbers = zeros::<usize>(count)?;
        numbers.iter_mut().enumerate().for_each(|(number, own)| *own = number);
        io::Result::Ok(numbers)
    };
    write_parallel(out, &numbers(columns)?, AT_ONCE, |sides| {
        let list = |&side: &usize| {
            of_columns[column_ends[side]..column_ends[side + 1]].iter().map(|&row| row as usize)
        };
        lists_of(sides.iter().map(list), of_column)
    })?;
    write_parallel(out, &numbers(rows)?, AT_ONCE, |sides| {
        lists_of(sides.iter().map(|&side| matrix.ones(side).map(|column| column + 1)), of_row)
    })
}

/// The lines of lists, each of `width` numbers.
fn lists_of(lists: impl Iterator<Item = impl Iterator<Item = usize>>, width: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for list in lists {
        // Writing to memory does not fail.
        let _ = write_line(&mut text, list.chain(std::iter::repeat(0)).take(width));
    }
    text
}

fn write_line(out: &mut (impl Write + ?Sized), numbers: impl Iterator<Item = usize>) -> io::Result<()> {
    let mut buffer = itoa::Buffer::new();
    for (place, number) in numbers.enumerate() {
        if place > 0 {
            out.write_all(b" ")?;
        }
        out.write_all(buffer.format(number).as_bytes())?;
    }
    out.write_all(b"\n")
}

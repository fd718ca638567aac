//! Matrices of 0 and 1 as programs print them in one expression: nested lists and tuples, and rows divided by semicolons.
//!
//! ```text
//! [[1, 0], [0, 1]]    ((1, 0), (0, 1))    [[1 0] [0 1]]
//! [1, 0; 0, 1]        [1 0; 0 1]
//! (1, 0)              a row a line, as Sage prints vectors
//! (0, 1)
//! ```
//!
//! An expression may go over several lines, with comments after `#`. A line feed between the numbers of a row that ends with a semicolon is
//! refused: some programs begin a row there.

use super::limits::{Limits, zeros};
use super::lists::Misplaced;
use super::shape::{Body, expect_columns, uncommented};
use crate::Source;
use crate::budget::Budget;
use crate::text::{chunks, is_space, quote};
use wgalois::Result;
use wgalois::gf2::BitMatrix;
use wgalois::parallel::*;

/// True for a text that begins with a bracket, and has a round one, a semicolon, or a second row in one line.
pub fn applies(text: &[u8]) -> bool {
    let mut lines = text.split(|&byte| byte == b'\n').map(|line| uncommented(line).trim_ascii());
    match lines.find(|line| !line.is_empty()).and_then(|line| line.first()) {
        Some(b'(') => true,
        Some(b'[') => {
            let pieces = chunks(text, |byte| byte == b'\n');
            pieces.par_iter().any(|(_, piece)| piece.split(|&byte| byte == b'\n').any(is_expression))
        }
        _ => false,
    }
}

/// True for a line with a round bracket, a semicolon, or a bracket that opens after a number.
fn is_expression(line: &[u8]) -> bool {
    let mut has_number = false;
    uncommented(line).iter().any(|&byte| {
        has_number |= byte.is_ascii_digit();
        matches!(byte, b'(' | b';') || byte == b'[' && has_number
    })
}

pub fn read(source: &Source, body: &Body<'_>, begin: usize, limits: &Limits) -> Result<BitMatrix> {
    let parser = || Parser { text: body.text, at: begin, rows: 0, columns: None };
    let refuse = |(at, message): Misplaced| source.text_error(at, message);
    // The first walk counts.
    let mut first = parser();
    first.matrix(&mut |_, _| ()).map_err(refuse)?;
    let (rows, columns) = (first.rows, first.columns.unwrap_or(0));
    body.expect_rows(rows)?;
    if rows > 0 {
        expect_columns(source, body, limits, columns)?;
    }
    let columns = if rows > 0 { columns } else { body.columns(limits)?.unwrap_or(0) };
    let mut matrix = zeros(&mut Budget::new(source, limits.memory), source, rows as u64, columns as u64)?;
    parser().matrix(&mut |row, column| matrix.set(row, column, true)).map_err(refuse)?;
    Ok(matrix)
}

/// Is called with the row and the column of every one.
type Found<'a> = &'a mut dyn FnMut(usize, usize);

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    rows: usize,
    columns: Option<usize>,
}

/// What ends a row.
#[derive(PartialEq, Eq)]
enum End {
    Bracket,
    Semicolon,
}

impl Parser<'_> {
    /// Skips white space and comments, and returns the next byte; the second value is true if a line has ended.
    fn peek(&mut self) -> (Option<u8>, bool) {
        let mut is_new_line = false;
        while let Some(&byte) = self.text.get(self.at) {
            if byte == b'#' {
                let rest = &self.text[self.at..];
                self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            } else if is_space(byte) {
                is_new_line |= byte == b'\n';
                self.at += 1;
            } else {
                return (Some(byte), is_new_line);
            }
        }
        (None, is_new_line)
    }

    fn refuse<T>(&self, expected: &str) -> std::result::Result<T, Misplaced> {
        let found = match self.text.get(self.at) {
            Some(_) => quote(&self.text[self.at..=self.at]),
            None => "the end".to_owned(),
        };
        Err((self.at, format!("{found}: {expected} was expected")))
    }

    /// Reads the whole text.
    fn matrix(&mut self, found: Found<'_>) -> std::result::Result<(), Misplaced> {
        let Some(close) = self.open()? else { return self.refuse("`[` or `(`") };
        match self.peek().0 {
            Some(b'[' | b'(') => {
                self.nested(close, found)?;
            }
            // No rows.
            Some(byte) if byte == close => self.at += 1,
            Some(_) => return self.top_level(close, found),
            None => return self.refuse("a row"),
        }
        self.end()
    }

    fn end(&mut self) -> std::result::Result<(), Misplaced> {
        if self.peek().0.is_none() { Ok(()) } else { self.refuse("the end of the text after one matrix") }
    }

    /// Takes a bracket that opens, and returns the one that closes it.
    fn open(&mut self) -> std::result::Result<Option<u8>, Misplaced> {
        let close = match self.peek().0 {
            Some(b'[') => b']',
            Some(b'(') => b')',
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(close))
    }

    /// Reads rows in brackets until the one that closes all.
    fn nested(&mut self, close: u8, found: Found<'_>) -> std::result::Result<(), Misplaced> {
        loop {
            let Some(of_row) = self.open()? else {
                // After a comma, or at the beginning.
                if self.rows > 0 && self.peek().0 == Some(close) {
                    self.at += 1;
                    return Ok(());
                }
                return self.refuse("a row in brackets");
            };
            if self.row(of_row, false, found)? == End::Semicolon {
                return self.refuse("`,` or a bracket");
            }
            match self.peek().0 {
                Some(b',') => self.at += 1,
                Some(b'[' | b'(') => (),
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return self.refuse(&format!("`,`, a row or `{}`", char::from(close))),
            }
        }
    }

    /// Reads rows that no bracket holds together, one a line; or rows that semicolons divide. The first bracket is open.
    fn top_level(&mut self, mut close: u8, found: Found<'_>) -> std::result::Result<(), Misplaced> {
        if close == b']' && self.peek().0 == Some(b';') {
            // PARI's matrix without rows and columns.
            self.at += 1;
            if self.peek().0 != Some(close) {
                return self.refuse("`]`");
            }
            self.at += 1;
            return self.end();
        }
        let mut is_divided = false;
        while self.row(close, is_divided, found)? == End::Semicolon {
            is_divided = true;
        }
        if is_divided {
            return self.end();
        }
        loop {
            let end = self.at;
            if self.peek().0 == Some(b',') {
                self.at += 1;
            }
            match self.peek().0 {
                None => return Ok(()),
                Some(b'[' | b'(') if !self.text[end..self.at].contains(&b'\n') => {
                    return Err((self.at, "a second row in one line".to_owned()));
                }
                _ => (),
            }
            match self.open()? {
                Some(own) => close = own,
                None => return self.refuse("a row in brackets, or the end"),
            }
            if self.row(close, false, found)? == End::Semicolon {
                return self.refuse("`,` or a bracket");
            }
        }
    }

    /// Reads the numbers of a row, whose bracket is open, to its end.
    fn row(&mut self, close: u8, is_divided: bool, found: Found<'_>) -> std::result::Result<End, Misplaced> {
        let mut column = 0;
        let mut broken = None;
        // A comma was taken, after which a number stands; only the last one of a list or a tuple may be superfluous.
        let mut comma = None;
        let end = loop {
            let (next, is_new_line) = self.peek();
            match next {
                Some(byte @ (b'0' | b'1')) => {
                    if is_new_line && column > 0 {
                        broken.get_or_insert(self.at);
                    }
                    if self.columns.is_some_and(|columns| column >= columns) {
                        let message = format!("more than {column} columns, which the first row has");
                        return Err((self.at, message));
                    }
                    if byte == b'1' {
                        found(self.rows, column);
                    }
                    column += 1;
                    self.at += 1;
                    match self.text.get(self.at) {
                        Some(&byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') => {
                            let message = "numbers other than 0 and 1, or without a separator";
                            return Err((self.at, format!("{}: {message}", quote(&[byte]))));
                        }
                        _ => (),
                    }
                    comma = self.peek_comma();
                }
                Some(byte) if byte == close => break End::Bracket,
                Some(b';') if close == b']' => break End::Semicolon,
                _ => return self.refuse("0 or 1"),
            }
        };
        let is_divided = is_divided || end == End::Semicolon;
        if let Some(at) = broken.filter(|_| is_divided) {
            let message = "a number in a new line: a row, or the next number of this one; write a semicolon, or one line";
            return Err((at, message.to_owned()));
        }
        if let Some(at) = comma.filter(|_| is_divided || column == 0) {
            return Err((at, "a comma without a number after it".to_owned()));
        }
        match self.columns {
            Some(columns) if columns != column => {
                let message = format!("the row ends after {column} columns, and the first has {columns}");
                return Err((self.at, message));
            }
            _ => self.columns = Some(column),
        }
        self.rows += 1;
        self.at += 1;
        Ok(end)
    }

    /// Takes a comma, if it is next, and returns its place.
    fn peek_comma(&mut self) -> Option<usize> {
        // A line feed before a number is noted where the number is read.
        let begin = self.at;
        match self.peek().0 {
            Some(b',') => {
                self.at += 1;
                Some(self.at - 1)
            }
            _ => {
                self.at = begin;
                None
            }
        }
    }
}

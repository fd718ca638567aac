//! The line `# ROWS x COLUMNS` at the end of 0/1 text and of index lists. It is written where the rows alone do not show
//! the shape, and may be in any such file. NumPy takes it for a comment.

use super::limits::Limits;
use crate::Source;
use crate::text::{decimal, quote};
use std::io::{self, Write};
use wgalois::Result;

/// No line that states a shape is longer: two numbers of 20 digits, and 5 characters beside them.
const LONGEST: usize = 64;

/// The text of a file's rows, and the shape that its last line states.
pub struct Body<'s> {
    source: &'s Source,
    /// The text before the line of the shape. Its offsets are those in the file.
    pub text: &'s [u8],
    stated: Option<(usize, usize)>,
}

impl<'s> Body<'s> {
    pub fn of(source: &'s Source) -> Result<Self> {
        let bytes = source.bytes();
        let tail = bytes.len().saturating_sub(LONGEST);
        let last = bytes[tail..].strip_suffix(b"\n").unwrap_or(&bytes[tail..]);
        let start = match last.iter().rposition(|&byte| byte == b'\n') {
            Some(end) => tail + end + 1,
            None if tail == 0 => 0,
            None => return Ok(Body { source, text: bytes, stated: None }),
        };
        let line = &bytes[start..tail + last.len()];
        if line.first() != Some(&b'#') {
            return Ok(Body { source, text: bytes, stated: None });
        }
        match parse(line) {
            Some(shape) => Ok(Body { source, text: &bytes[..start], stated: Some(shape) }),
            None => {
                let message = format!("{}: expected a shape, as in \"# 2 x 3\"", quote(line));
                Err(source.text_error(start, message))
            }
        }
    }

    /// The rows and columns that the last line states.
    pub fn stated(&self) -> Option<(usize, usize)> {
        self.stated
    }

    /// The number of columns that the caller or the file states. Refuses two that contradict each other.
    pub fn columns(&self, limits: &Limits) -> Result<Option<usize>> {
        match (limits.columns, self.stated) {
            (Some(told), Some((_, stated))) if told != stated => {
                Err(self.error(format!("the file states {stated} columns, where {told} were expected")))
            }
            (told, stated) => Ok(told.or(stated.map(|(_, columns)| columns))),
        }
    }

    /// Refuses a number of rows other than the one that the file states.
    pub fn expect_rows(&self, rows: usize) -> Result<()> {
        match self.stated {
            Some((stated, _)) if stated != rows => {
                Err(self.error(format!("the file states {stated} rows, and has {rows}")))
            }
            _ => Ok(()),
        }
    }

    /// An error at the line of the shape.
    pub fn error(&self, message: String) -> wgalois::Error {
        self.source.text_error(self.text.len(), message)
    }
}

/// True for a line that states a shape.
pub fn is_shape(line: &[u8]) -> bool {
    parse(line).is_some()
}

fn parse(line: &[u8]) -> Option<(usize, usize)> {
    let line = line.strip_suffix(b"\r").unwrap_or(line).strip_prefix(b"# ")?;
    let middle = line.windows(3).position(|part| part == b" x ")?;
    let side = |digits: &[u8]| decimal(digits).ok().and_then(|side| usize::try_from(side).ok());
    Some((side(&line[..middle])?, side(&line[middle + 3..])?))
}

/// Writes the line of a shape.
pub fn write(out: &mut dyn Write, (rows, columns): (usize, usize)) -> io::Result<()> {
    writeln!(out, "# {rows} x {columns}")
}

/// The part of a line before its comment.
pub(super) fn uncommented(line: &[u8]) -> &[u8] {
    &line[..line.iter().position(|&byte| byte == b'#').unwrap_or(line.len())]
}

/// Refuses another number of columns than the caller or the file states.
pub(super) fn expect_columns(
    source: &Source,
    body: &Body<'_>,
    limits: &Limits,
    columns: usize,
) -> Result<()> {
    match (body.columns(limits)?.filter(|&told| told != columns), body.stated()) {
        (None, _) => Ok(()),
        (Some(told), Some(_)) => {
            Err(body.error(format!("the file states {told} columns, and the first row has {columns}")))
        }
        (Some(told), None) => {
            let message = format!("the first row has {columns} columns, where {told} were expected");
            Err(source.text_error(0, message))
        }
    }
}

//! Where in a file a fault lies.

use std::fmt;
use std::path::PathBuf;

/// A place in an input. Its text is `file:line:column`, `file: byte N` or `file`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as the caller named it; `-` is standard input.
    pub path: PathBuf,
    /// The position in it.
    pub position: Position,
}

/// A position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Position {
    /// The file as a whole.
    Whole,
    /// A character of a text.
    Character {
        /// Its line, from 1.
        line: usize,
        /// Its column, from 1, in characters.
        column: usize,
    },
    /// A byte of binary data, from 0.
    Byte(usize),
}

impl Place {
    /// A file as a whole.
    pub fn whole(path: impl Into<PathBuf>) -> Self {
        Place { path: path.into(), position: Position::Whole }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = crate::io::text::name(&self.path);
        match self.position {
            Position::Whole => write!(f, "{path}"),
            Position::Character { line, column } => write!(f, "{path}:{line}:{column}"),
            Position::Byte(offset) => write!(f, "{path}: byte {offset}"),
        }
    }
}

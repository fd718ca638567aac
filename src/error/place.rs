//! The position of a fault in a file.

use std::path::PathBuf;

/// A position in an input file. It is printed as `file:line:column`, `file: byte N` or `file`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[error("{}{position}", super::quoting::name(path))]
pub struct Place {
    /// The file as the caller named it; `-` is standard input.
    #[serde(serialize_with = "super::quoting::serialize")]
    pub path: PathBuf,
    /// The position in it.
    pub position: Position,
}

/// A position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[non_exhaustive]
pub enum Position {
    /// The file as a whole.
    #[error("")]
    Whole,
    /// A character of a text file.
    #[error(":{line}:{column}")]
    Character {
        /// Its line, from 1.
        line: usize,
        /// Its column, from 1, in characters.
        column: usize,
    },
    /// A byte of a binary file, from 0.
    #[error(": byte {0}")]
    Byte(usize),
}

impl Place {
    /// Creates the place that means a whole file.
    pub fn whole(path: impl Into<PathBuf>) -> Self {
        Place { path: path.into(), position: Position::Whole }
    }
}

//! Matrices over GF(2).
//!
//! | format | name, ending | begins with | holds |
//! |---|---|---|---|
//! | index lists | `lists`, `.lists` | | one row per line: the columns of its ones, strictly descending, each followed by a space |
//! | Matrix Market | `mtx`, `.mtx` | `%%MatrixMarket` | `coordinate` or `array`, of `pattern`, `integer` or `real`, general or symmetric; written as `coordinate pattern general` |
//! | 0/1 text | `text` | | one row per line: `0` and `1`, optionally separated by white space or commas, and in brackets; dots for zeros, as GAP has them; lists of lists, tuples, rows divided by semicolons; comments after `#` |
//! | alist | `alist`, `.alist` | its first four lines | MacKay's lists of a parity-check matrix, filled up with zeros or not; written with zeros |
//! | NumPy | `npy`, `.npy` | `\x93NUMPY` | an array of booleans, integers or floats that are 0 or 1, of two dimensions, or a vector, which is a column; written as `u1` |
//! | SciPy | `npz`, `.npz` | `PK` | a sparse matrix of compressed rows, compressed columns or coordinates; written as compressed rows; or one dense array of NumPy, of several that of `file.npz:name` |
//! | packed binary | `packed`, `.gf2` | `\x89WGF2` | see [`packed`] |
//!
//! The last line of 0/1 text and of index lists may state the shape, as `# 2 x 3`. It is written where the rows alone do
//! not show the shape: in text without rows or without columns, and in lists without a one in the last column.
//!
//! Numbers other than 0 and 1 are refused, or with [`Limits::wrap`] taken modulo 2. Columns count from 0, except in Matrix Market files, where they count from 1.

mod alist;
mod limits;
pub mod lists;
mod market;
mod notation;
mod npy;
mod npz;
pub mod packed;
mod shape;
#[cfg(not(target_arch = "wasm32"))]
pub mod stored_lists;
mod text;

use super::Source;
use super::budget::{Budget, too_large};
use super::identify::by_ending;
use super::npy_header;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;
use wgalois::gf2::{BitMatrix, IndexLists};
use wgalois::{Error, Result, Shortage};

pub use limits::Limits;
use limits::zeros;

/// The file format of a matrix over GF(2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The columns of each row's ones.
    Lists,
    /// The coordinate pattern of Matrix Market.
    Market,
    /// Zeros and ones as text.
    Text,
    /// NumPy's array format.
    Npy,
    /// SciPy's archive of a sparse matrix.
    Npz,
    /// The packed binary format of this crate.
    Packed,
    /// MacKay's lists of a parity-check matrix.
    Alist,
}

impl Format {
    const ALL: [Format; 7] = [
        Format::Lists,
        Format::Market,
        Format::Text,
        Format::Npy,
        Format::Npz,
        Format::Packed,
        Format::Alist,
    ];
    /// Their names, in the same order.
    const NAMES: [&str; 7] = ["lists", "mtx", "text", "npy", "npz", "packed", "alist"];

    /// Returns the format that a file's ending names.
    pub fn of(path: &Path) -> Option<Format> {
        use Format::*;
        let endings = [
            ("lists", Lists),
            ("mtx", Market),
            ("npy", Npy),
            ("npz", Npz),
            ("gf2", Packed),
            ("alist", Alist),
        ];
        by_ending(path, &endings)
    }

    /// Returns the format that the file's name or its first bytes indicate, and `other` if neither
    /// does.
    pub fn of_source(source: &Source, other: Format) -> Format {
        if source.member().is_some() {
            return Format::Npz;
        }
        let begins = |magic: &[u8]| source.bytes().starts_with(magic);
        Format::of(source.path()).unwrap_or_else(|| match () {
            () if begins(market::BANNER) => Format::Market,
            () if begins(npy_header::MAGIC) => Format::Npy,
            () if begins(npz::MAGIC) => Format::Npz,
            () if begins(&packed::MAGIC[..5]) => Format::Packed,
            () if alist::begins(source.bytes()) => Format::Alist,
            () => other,
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::NAMES[*self as usize])
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let place = Self::NAMES.iter().position(|&known| known == name);
        place.map(|place| Self::ALL[place]).ok_or_else(|| Error::unknown("format", name, Self::NAMES))
    }
}

/// Reads a matrix.
pub fn read_matrix(source: &Source, format: Format, limits: &Limits) -> Result<BitMatrix> {
    let (rows, columns) = match format {
        Format::Lists => {
            let (rows, told) = lists::read_with_columns(source, limits).map_err(|error| match error {
                Error::TooLarge(_) => {
                    let all = lists::bytes_with_matrix(source, limits.columns);
                    too_large(source, all.saturating_add(source.held()), limits.memory)
                }
                other => other,
            })?;
            let columns = told.unwrap_or_else(|| columns_of(&rows));
            (rows, columns)
        }
        Format::Market => market::read(source, limits, true)?,
        Format::Alist => alist::read(source, limits, true)?,
        Format::Text => return text::read(source, limits),
        Format::Npy => return npy::read(source, limits),
        Format::Npz => match npz::read(source, limits, true)? {
            npz::Content::Sparse(rows, columns) => (rows, columns),
            npz::Content::Dense(matrix) => return Ok(matrix),
        },
        Format::Packed => return packed::read(source, limits),
    };
    from_lists(source, &rows, columns, limits.memory)
}

/// The rows of a matrix.
pub enum Rows {
    /// Index lists, and the number of columns.
    Lists(IndexLists, usize),
    /// A packed matrix.
    Matrix(BitMatrix),
}

/// Reads a matrix. It stays lists if the file holds lists and `stays` says so of these and the number of columns.
pub fn read_rows(
    source: &Source,
    format: Format,
    limits: &Limits,
    stays: impl Fn(&IndexLists, usize) -> bool,
) -> Result<Rows> {
    let lists = match format {
        Format::Lists => lists::read_with_columns(source, limits),
        Format::Market => market::read(source, limits, false).map(|(rows, columns)| (rows, Some(columns))),
        Format::Alist => alist::read(source, limits, false).map(|(rows, columns)| (rows, Some(columns))),
        Format::Npz => match npz::read(source, limits, false) {
            Ok(npz::Content::Sparse(rows, columns)) => Ok((rows, Some(columns))),
            Ok(npz::Content::Dense(matrix)) => return Ok(Rows::Matrix(matrix)),
            Err(error) => Err(error),
        },
        Format::Text | Format::Npy | Format::Packed => {
            return read_matrix(source, format, limits).map(Rows::Matrix);
        }
    };
    // The reader of matrices states the memory of a matrix, too.
    let Ok((rows, told)) = lists else { return read_matrix(source, format, limits).map(Rows::Matrix) };
    let columns = told.unwrap_or_else(|| columns_of(&rows));
    if stays(&rows, columns) {
        return Ok(Rows::Lists(rows, columns));
    }
    match from_lists(source, &rows, columns, limits.memory) {
        Ok(matrix) => Ok(Rows::Matrix(matrix)),
        Err(_) => {
            drop(rows);
            read_matrix(source, format, limits).map(Rows::Matrix)
        }
    }
}

/// As many columns as occur.
fn columns_of(rows: &IndexLists) -> usize {
    rows.highest().map_or(0, |column| column as usize + 1)
}

/// Reads the rows of a matrix as index lists, and the number of columns if the file states it.
pub fn read_lists(source: &Source, format: Format, limits: &Limits) -> Result<(IndexLists, Option<usize>)> {
    match format {
        Format::Lists => lists::read_with_columns(source, limits),
        Format::Market => market::read(source, limits, false).map(|(rows, columns)| (rows, Some(columns))),
        Format::Alist => alist::read(source, limits, false).map(|(rows, columns)| (rows, Some(columns))),
        Format::Npz => match npz::read(source, limits, false)? {
            npz::Content::Sparse(rows, columns) => Ok((rows, Some(columns))),
            npz::Content::Dense(matrix) => lists_of(source, &matrix, limits),
        },
        dense => {
            let matrix = read_matrix(source, dense, limits).map_err(|error| match error {
                Error::TooLarge(Shortage { needed: Some(matrix), .. }) => {
                    // A row has an offset, and 8 bytes of the matrix or more.
                    let offsets = matrix.saturating_sub(source.held()).saturating_add(8);
                    let ones = 4 * most_ones(source, dense);
                    too_large(source, matrix.saturating_add(offsets).saturating_add(ones), limits.memory)
                }
                other => other,
            })?;
            lists_of(source, &matrix, limits)
        }
    }
}

/// Returns the rows of a matrix that was read, if they fit beside it.
fn lists_of(source: &Source, matrix: &BitMatrix, limits: &Limits) -> Result<(IndexLists, Option<usize>)> {
    let lists = lists::bytes_of(matrix.count_ones() as usize, matrix.rows());
    Budget::new(source, limits.memory).expect(matrix.bytes().saturating_add(lists))?;
    Ok((IndexLists::from_matrix(matrix), Some(matrix.columns())))
}

/// Writes a matrix.
pub fn write_matrix(out: &mut dyn Write, format: Format, matrix: &BitMatrix) -> io::Result<()> {
    match format {
        Format::Market => market::write(out, matrix),
        Format::Npz => npz::write(out, matrix),
        Format::Alist => alist::write(out, matrix),
        _ => write_bands(out, format, (matrix.rows(), matrix.columns()), |take| take(matrix)),
    }
}

/// Returns the rows and columns that a file of index lists or 0/1 text states in its last line. A last line that
/// begins with `#` must state a shape.
pub fn stated_shape(source: &Source) -> Result<Option<(usize, usize)>> {
    Ok(shape::Body::of(source)?.stated())
}

/// Writes a matrix of `rows` times `columns` whose rows `bands` gives in order, some at a time. Matrix Market,
/// SciPy's archives and alist are not supported: they state numbers of ones first.
pub fn write_bands(
    out: &mut dyn Write,
    format: Format,
    shape: (usize, usize),
    bands: impl FnOnce(&mut dyn FnMut(&BitMatrix) -> io::Result<()>) -> io::Result<()>,
) -> io::Result<()> {
    match format {
        Format::Market | Format::Npz => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "Matrix Market and .npz begin with the number of ones, which is not known before the last band",
        )),
        Format::Alist => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "alist begins with the number of ones of every column, which is not known before the last band",
        )),
        Format::Npy => npy::write_bands(out, shape, bands),
        Format::Packed => {
            packed::write_header(out, shape)?;
            bands(&mut |band| packed::write_rows(out, band))
        }
        Format::Lists => {
            let mut width = 0;
            bands(&mut |band| {
                width = width.max(lists::width(band));
                lists::write_rows(out, band)
            })?;
            lists::write_end(out, shape, width)
        }
        Format::Text => {
            bands(&mut |band| text::write_rows(out, band))?;
            text::write_end(out, shape)
        }
    }
}

/// The maximum number of ones that a matrix in `source` can have.
fn most_ones(source: &Source, format: Format) -> u64 {
    match format {
        Format::Packed => source.bytes().iter().map(|byte| u64::from(byte.count_ones())).sum(),
        // An entry takes a byte or more.
        _ => source.bytes().len() as u64,
    }
}

fn from_lists(source: &Source, rows: &IndexLists, columns: usize, memory: u64) -> Result<BitMatrix> {
    let mut budget = Budget::new(source, memory);
    budget.take_bytes(lists::bytes_of(rows.ones(), rows.len()))?;
    let mut matrix = zeros(&mut budget, source, rows.len() as u64, columns as u64)?;
    for (r, list) in rows.iter().enumerate() {
        let words = matrix.row64_mut(r);
        list.iter().for_each(|&c| words[c as usize / 64] |= 1 << (c % 64));
    }
    Ok(matrix)
}

#[cfg(test)]
mod tests;

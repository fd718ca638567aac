//! The packed binary format, version 1. All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 7 | `89 57 47 46 32 0D 0A 1A`: `\x89WGF2\r\n\x1a` |
//! | 8 to 11 | the version, 1 |
//! | 12 to 15 | 0 |
//! | 16 to 23 | the number of rows |
//! | 24 to 31 | the number of columns |
//! | 32 to 39 | the stride: the number of 32-bit words from one row to the next, at least columns / 32 rounded up |
//! | 40 to 63 | 0 |
//! | 64 on | rows times stride 32-bit words, then the end of the file |
//!
//! Column c of a row is bit c mod 32 (bit 0 is the lowest) of its word c / 32; the bits of a row
//! past its last column are 0. This is the layout of [`BitMatrix`], so a file mapped into memory can
//! be used as a matrix without a copy: see [`view`].

use super::limits::Limits;
use crate::Source;
use crate::budget::Budget;
use std::io::{self, Write};
use wgalois::gf2::{BitMatrix, BitView};
use wgalois::{Fault, Result};

/// The first bytes of a file. As in PNG, they reveal a transfer in text mode.
pub const MAGIC: [u8; 8] = *b"\x89WGF2\r\n\x1a";

const VERSION: u32 = 1;
const HEADER: usize = 64;

struct Header {
    rows: u64,
    columns: u64,
    stride: u64,
}

fn header(source: &Source) -> Result<Header> {
    let bytes = source.bytes();
    let refuse = |at: usize, fault: Fault| Err(source.byte_error(at, fault));
    if !bytes.starts_with(&MAGIC) {
        let message = "no packed matrix: it does not begin with \\x89WGF2\\r\\n\\x1a";
        return refuse(0, message.into());
    }
    let Some((head, data)) = bytes.split_at_checked(HEADER) else {
        let within = format!("its header of {HEADER} bytes").into();
        return refuse(bytes.len(), Fault::Truncated(within));
    };
    let word =
        |at: usize| head[at..at + 8].iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
    let version = word(8) as u32;
    if version != VERSION {
        return refuse(8, format!("version {version}, where {VERSION} was expected").into());
    }
    if let Some(at) = (12..16).chain(40..64).find(|&at| head[at] != 0) {
        return refuse(at, "a byte of the header that must be 0 is not".into());
    }
    let header = Header { rows: word(16), columns: word(24), stride: word(32) };
    let Header { rows, columns, stride } = header;
    if stride < columns.div_ceil(32) {
        return refuse(32, format!("rows of {columns} columns do not fit a stride of {stride} words").into());
    }
    // The bytes of a row come first: without rows the product would hide a stride past all numbers.
    let needed = stride.checked_mul(4).and_then(|bytes| bytes.checked_mul(rows));
    if needed != Some(data.len() as u64) {
        let message =
            format!("the header promises {rows} rows of {stride} words, and {} bytes follow", data.len());
        return refuse(HEADER, message.into());
    }
    Ok(header)
}

/// Returns a view of the matrix in a file, without copying. The bits past the last column are not
/// checked. The bytes must be aligned to words, otherwise it returns [`Error::Input`](wgalois::Error::Input). Mapped
/// files are always aligned.
pub fn view(source: &Source) -> Result<BitView<'_>> {
    let Header { rows, columns, stride } = header(source)?;
    let words = bytemuck::try_cast_slice(&source.bytes()[HEADER..])
        .map_err(|_| wgalois::Error::value("a packed matrix", "not aligned to 4 bytes".into()))?;
    BitView::new(words, rows as usize, columns as usize, stride as usize)
}

/// [`view`], with a check of the bits past the last column.
pub fn checked_view(source: &Source) -> Result<BitView<'_>> {
    let Header { columns, stride, .. } = header(source)?;
    let view = view(source)?;
    let (width, mask) = (columns.div_ceil(32) as usize, wgalois::gf2::last_mask(columns as usize));
    let has_more = |&row: &usize| view.row(row)[width - 1] & !mask != 0;
    match (0..view.rows()).find(|row| mask != u32::MAX && has_more(row)) {
        None => Ok(view),
        Some(row) => {
            let at = HEADER + 4 * (row * stride as usize + width - 1);
            Err(source.byte_error(at, format!("row {row} has ones past its last column")))
        }
    }
}

/// Returns a copy of the matrix in a file.
pub(super) fn read(source: &Source, limits: &Limits) -> Result<BitMatrix> {
    let Header { rows, columns, stride } = header(source)?;
    limits.expect_columns(columns).map_err(|message| source.byte_error(24, message))?;
    let mut matrix = super::limits::zeros(&mut Budget::new(source, limits.memory), source, rows, columns)?;
    let (width, stride) = (columns.div_ceil(32) as usize, 4 * stride as usize);
    let last = wgalois::gf2::last_mask(columns as usize);
    for row in 0..matrix.rows() {
        let start = HEADER + row * stride;
        let words = source.bytes()[start..start + 4 * width].as_chunks().0;
        let target = matrix.row_mut(row);
        target.iter_mut().zip(words).for_each(|(to, word)| *to = u32::from_le_bytes(*word));
        if width > 0 && target[width - 1] & !last != 0 {
            let at = start + 4 * (width - 1);
            return Err(source.byte_error(at, format!("row {row} has ones past its last column")));
        }
    }
    Ok(matrix)
}

pub(super) fn write_header(out: &mut dyn Write, (rows, columns): (usize, usize)) -> io::Result<()> {
    let mut head = Vec::with_capacity(HEADER);
    head.extend_from_slice(&MAGIC);
    head.extend_from_slice(&u64::from(VERSION).to_le_bytes());
    for number in [rows, columns, columns.div_ceil(32)] {
        head.extend_from_slice(&(number as u64).to_le_bytes());
    }
    head.resize(HEADER, 0);
    out.write_all(&head)
}

pub(super) fn write_rows(out: &mut dyn Write, matrix: &BitMatrix) -> io::Result<()> {
    let width = matrix.columns().div_ceil(32);
    (0..matrix.rows()).try_for_each(|row| out.write_all(bytemuck::cast_slice(&matrix.row(row)[..width])))
}

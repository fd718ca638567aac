//! NumPy arrays of zeros and ones: two-dimensional ones, and vectors, which are columns.

use super::limits::Limits;
use crate::Source;
use crate::budget::Budget;
use crate::npy_header::{Header, Kind, Type, header, read_header, tuple};
use crate::text::excerpt;
use std::io::{self, Write};
use wgalois::Result;
use wgalois::gf2::BitMatrix;

pub fn read(source: &Source, limits: &Limits) -> Result<BitMatrix> {
    let (header, start) = read_header(source)?;
    let item = Item::of(source, &header)?;
    let (rows, columns) = match header.shape[..] {
        [rows, columns] => (rows, columns),
        // A right side.
        [rows] => (rows, 1),
        ref shape => {
            let dimensions = shape.len();
            return Err(
                source.error(format!("an array of {dimensions} dimensions, where a matrix was expected"))
            );
        }
    };
    limits.expect_columns(columns).map_err(|message| source.byte_error(0, message))?;
    let data = item.data(source, start, rows.checked_mul(columns), &format!("{rows} x {columns}"))?;
    let mut matrix = super::limits::zeros(&mut Budget::new(source, limits.memory), source, rows, columns)?;
    for (i, bytes) in data.chunks_exact(item.size).enumerate() {
        let place = || match header.is_fortran {
            false => (i / matrix.columns(), i % matrix.columns()),
            true => (i % matrix.rows(), i / matrix.rows()),
        };
        match item.parity(bytes, limits.wrap) {
            Some(false) => (),
            Some(true) => {
                let (row, column) = place();
                matrix.set(row, column, true);
            }
            None => {
                let ((row, column), found) = (place(), item.text(bytes));
                let expected = super::limits::expected_bit(limits.wrap);
                let message = format!("row {row}, column {column} (from 0) has {found}: {expected}");
                return Err(source.byte_error(start + i * item.size, message));
            }
        }
    }
    Ok(matrix)
}

/// The type of an array's items.
#[derive(Clone, Copy)]
pub struct Item {
    pub size: usize,
    is_float: bool,
    is_signed: bool,
    is_big: bool,
}

impl Item {
    /// Returns the type of the items: booleans, integers of 8 to 64 bits, floats of 16 to 64.
    pub fn of(source: &Source, header: &Header) -> Result<Self> {
        let Some(Type { kind, size, is_big }) = header.item() else {
            let found = excerpt(&header.descr);
            return Err(
                source.error(format!("items of type {found}, where booleans or numbers were expected"))
            );
        };
        Ok(Item { size, is_float: kind == Kind::Float, is_signed: kind == Kind::Signed, is_big })
    }

    /// Returns the bytes of `count` items, which end the file.
    pub fn data<'s>(
        &self,
        source: &'s Source,
        start: usize,
        count: Option<u64>,
        shape: &str,
    ) -> Result<&'s [u8]> {
        let data = &source.bytes()[start..];
        match count.and_then(|count| count.checked_mul(self.size as u64)) == Some(data.len() as u64) {
            true => Ok(data),
            false => {
                let (size, follow) = (self.size, data.len());
                let message =
                    format!("the header promises {shape} items of {size} bytes, and {follow} bytes follow");
                Err(source.byte_error(start, message))
            }
        }
    }

    /// Returns the bit that an item stands for: 0 or 1, with `wrap` any integer modulo 2. `None` for others.
    pub fn parity(&self, bytes: &[u8], wrap: bool) -> Option<bool> {
        match (self.is_float, self.word(bytes)) {
            (false, word @ (0 | 1)) => Some(word == 1),
            (false, word) => wrap.then_some(word & 1 == 1),
            (true, word) => parity_of(self.float(word), wrap),
        }
    }

    /// Returns an item as an index; `None` for one that is negative or no integer.
    pub fn index(&self, bytes: &[u8]) -> Option<u64> {
        let word = self.word(bytes);
        let is_negative = self.is_signed && word >> (8 * self.size - 1) & 1 == 1;
        (!self.is_float && !is_negative).then_some(word)
    }

    /// Returns an item as messages show it.
    pub fn text(&self, bytes: &[u8]) -> String {
        let word = self.word(bytes);
        let unused = 64 - 8 * self.size;
        match (self.is_float, self.is_signed) {
            (true, _) => self.float(word).to_string(),
            (false, true) => ((word << unused) as i64 >> unused).to_string(),
            (false, false) => word.to_string(),
        }
    }

    /// Returns the bytes of an item as the low ones of a word.
    fn word(&self, bytes: &[u8]) -> u64 {
        let append = |word: u64, &byte: &u8| word << 8 | u64::from(byte);
        if self.is_big { bytes.iter().fold(0, append) } else { bytes.iter().rev().fold(0, append) }
    }

    fn float(&self, word: u64) -> f64 {
        match self.size {
            2 => half(word as u16),
            4 => f32::from_bits(word as u32).into(),
            _ => f64::from_bits(word),
        }
    }
}

/// Returns the bit that a number stands for: 0 or 1, with `wrap` any integer modulo 2. `None` for others.
pub fn parity_of(number: f64, wrap: bool) -> Option<bool> {
    match number {
        0.0 => Some(false),
        1.0 => Some(true),
        // No remainder of infinity is 0 or 1.
        _ if wrap && [0.0, 1.0].contains(&(number % 2.0).abs()) => Some(number % 2.0 != 0.0),
        _ => None,
    }
}

/// Returns a float of 16 bits: a sign, 5 bits of exponent, 10 of fraction (IEEE 754).
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// Writes a matrix whose rows `bands` gives, some at a time.
pub fn write_bands(
    out: &mut dyn Write,
    (rows, columns): (usize, usize),
    bands: impl FnOnce(&mut dyn FnMut(&BitMatrix) -> io::Result<()>) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(&header("|u1", &tuple(&[rows as u64, columns as u64])))?;
    let mut items = vec![0; columns];
    bands(&mut |matrix| {
        (0..matrix.rows()).try_for_each(|row| {
            let words = matrix.row64(row);
            for (c, item) in items.iter_mut().enumerate() {
                *item = (words[c / 64] >> (c % 64) & 1) as u8;
            }
            out.write_all(&items)
        })
    })
}

//! Two-dimensional NumPy arrays of zeros and ones.

use crate::Result;
use crate::gf2::BitMatrix;
use crate::io::Source;
use crate::io::budget::Budget;
use crate::io::coefficients::npy::read_header;
use npyz::{DType, Endianness, Order, TypeChar, WriterBuilder};
use std::io::{self, Write};

pub use crate::io::coefficients::npy::MAGIC;

pub fn read(source: &Source, memory: u64) -> Result<BitMatrix> {
    let (header, start) = read_header(source)?;
    let DType::Plain(ty) = header.dtype() else {
        return Err(source.error("an array of records, where zeros and ones were expected"));
    };
    let (TypeChar::Bool | TypeChar::Int | TypeChar::Uint, Some(size @ (1 | 2 | 4 | 8))) =
        (ty.type_char(), ty.num_bytes())
    else {
        return Err(source.error(format!("items of type {ty}, where booleans or integers were expected")));
    };
    let &[rows, columns] = header.shape() else {
        let dimensions = header.shape().len();
        return Err(source.error(format!("an array of {dimensions} dimensions, where a matrix was expected")));
    };
    let data = &source.bytes()[start..];
    let needed = rows.checked_mul(columns).and_then(|items| items.checked_mul(size as u64));
    if needed != Some(data.len() as u64) {
        let message = format!(
            "the header promises {rows} x {columns} items of {size} bytes, and {} bytes follow",
            data.len()
        );
        return Err(source.byte_error(start, message));
    }
    let mut matrix = super::zeros(&mut Budget::new(source, memory), source, rows, columns)?;
    let low = if ty.endianness() == Endianness::Big { size - 1 } else { 0 };
    for (i, item) in data.chunks_exact(size).enumerate() {
        let others = item.iter().enumerate().any(|(k, &byte)| k != low && byte != 0);
        if item[low] > 1 || others {
            let message = "an item that is neither 0 nor 1".to_owned();
            return Err(source.byte_error(start + i * size, message));
        }
        if item[low] == 1 {
            let (row, column) = match header.order() {
                Order::C => (i / matrix.columns(), i % matrix.columns()),
                Order::Fortran => (i % matrix.rows(), i / matrix.rows()),
            };
            matrix.set(row, column, true);
        }
    }
    Ok(matrix)
}

pub fn write(out: &mut dyn Write, matrix: &BitMatrix) -> io::Result<()> {
    write_bands(out, (matrix.rows(), matrix.columns()), |take| take(matrix))
}

/// Writes a matrix whose rows `bands` gives, some at a time.
pub fn write_bands(
    out: &mut dyn Write,
    (rows, columns): (usize, usize),
    bands: impl FnOnce(&mut dyn FnMut(&BitMatrix) -> io::Result<()>) -> io::Result<()>,
) -> io::Result<()> {
    let shape = [rows as u64, columns as u64];
    let mut file = npyz::WriteOptions::<u8>::new().default_dtype().shape(&shape).writer(out).begin_nd()?;
    bands(&mut |matrix| {
        (0..matrix.rows()).try_for_each(|row| {
            let words = matrix.row64(row);
            file.extend((0..columns).map(|c| (words[c / 64] >> (c % 64) & 1) as u8))
        })
    })?;
    file.finish()
}

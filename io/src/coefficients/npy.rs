//! Coefficients as NumPy's array files. `npyz` reads and writes the header.

use super::{Ring, raw};
use crate::Source;
use crate::text::excerpt;
use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, TypeStr, WriterBuilder};
use std::io::{self, Write};
use wgalois::Result;

pub const MAGIC: &[u8] = b"\x93NUMPY";

pub fn read<R: Ring>(source: &Source, ring: &R, memory: u64) -> Result<Vec<R::Value>> {
    let (header, start) = read_header(source)?;
    let ty = item_type(source, &header)?;
    let data = &source.bytes()[start..];
    let size = ty.num_bytes().unwrap_or(0);
    // `header.len()` is not used: the product of a malicious shape can overflow.
    let count = header.shape().iter().try_fold(1u64, |count, &side| count.checked_mul(side));
    if count.and_then(|count| count.checked_mul(size as u64)) != Some(data.len() as u64) {
        let message = format!(
            "the header promises {:?} items of {size} bytes, and {} bytes follow",
            header.shape(),
            data.len()
        );
        return Err(source.byte_error(start, message));
    }
    let big = ty.endianness() == Endianness::Big;
    /// Reads the items as numbers of one type.
    macro_rules! items {
        ($number:ty) => {{
            let number = |item: &[u8; size_of::<$number>()]| {
                if big { <$number>::from_be_bytes(*item) } else { <$number>::from_le_bytes(*item) }.into()
            };
            raw::embed(source, data.as_chunks().0, number, start, ring, memory)
        }};
    }
    match (ty.type_char(), size) {
        (TypeChar::Uint, 1) => items!(u8),
        (TypeChar::Uint, 2) => items!(u16),
        (TypeChar::Uint, 4) => items!(u32),
        (TypeChar::Uint, 8) => items!(u64),
        (TypeChar::Int, 1) => items!(i8),
        (TypeChar::Int, 2) => items!(i16),
        (TypeChar::Int, 4) => items!(i32),
        (TypeChar::Int, 8) => items!(i64),
        _ => {
            Err(source.error(format!("items of type {ty}, where integers of at most 64 bits were expected")))
        }
    }
}

/// Returns the header and its length in bytes.
pub fn read_header(source: &Source) -> Result<(NpyHeader, usize)> {
    check_header(source)?;
    let mut rest = source.bytes();
    let header = NpyHeader::from_reader(&mut rest).map_err(|e| {
        source.byte_error(0, format!("no header of a .npy file: {}", excerpt(&e.to_string())))
    })?;
    Ok((header, source.bytes().len() - rest.len()))
}

/// Refuses a header that would harm the parser, which allocates the stated length, descends into
/// every bracket, and multiplies the sides of a shape unchecked. The header of an array of integers
/// has two brackets, and no more digits than a product below 10^19.
fn check_header(source: &Source) -> Result<()> {
    let bytes = source.bytes();
    let refuse = |message: &str| Err(source.byte_error(0, message));
    let start = match bytes.get(6).filter(|_| bytes.starts_with(MAGIC)) {
        Some(1) => 10,
        Some(2 | 3) => 12,
        Some(_) => return refuse("a .npy file of a version that is not 1, 2 or 3"),
        None => return refuse("no .npy file: it does not begin with \\x93NUMPY"),
    };
    let Some(length) = bytes.get(8..start) else { return refuse("the file ends within its header") };
    let length = length.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
    let Some(text) = bytes[start..].get(..length) else { return refuse("the file ends within its header") };
    let brackets = text.iter().filter(|b| b"([{".contains(b)).count();
    let digits = text.iter().filter(|b| b.is_ascii_digit()).count();
    if brackets > 3 || digits > 19 {
        return refuse("the header describes no plain array of integers");
    }
    Ok(())
}

fn item_type(source: &Source, header: &NpyHeader) -> Result<TypeStr> {
    if header.order() == Order::Fortran && header.shape().iter().filter(|&&side| side > 1).count() > 1 {
        return Err(source.error(
            "an array in Fortran's order, where C order was expected: numpy.save(file, numpy.ascontiguousarray(a))",
        ));
    }
    match header.dtype() {
        DType::Plain(ty) => Ok(ty),
        _ => Err(source.error("an array of records, where integers were expected")),
    }
}

pub fn write(out: &mut dyn Write, values: &[u32], sides: &[u64]) -> io::Result<()> {
    write_header::<u32>(out, "<u4", sides)?;
    raw::write(out, values)
}

/// Writes integers as 64-bit ones. Refuses one that needs more bits.
pub fn write_wide(out: &mut dyn Write, values: &[i128]) -> io::Result<()> {
    write_header::<i64>(out, "<i8", &[values.len() as u64])?;
    let narrow = |(index, &value): (usize, &i128)| {
        i64::try_from(value).map(i64::to_le_bytes).map_err(|_| {
            let message = format!("coefficient {index} is {value}: .npy holds 64 bits; text holds it");
            io::Error::new(io::ErrorKind::InvalidData, message)
        })
    };
    let mut items = values.iter().enumerate().map(narrow);
    while items.len() > 0 {
        let chunk: Vec<[u8; 8]> = items.by_ref().take(1 << 13).collect::<io::Result<_>>()?;
        out.write_all(chunk.as_flattened())?;
    }
    Ok(())
}

/// Writes the header of an array of these sides, of items of the type `descr`. The library's writer writes the
/// header when it is created; it is not used for the data, because it takes them one by one.
fn write_header<T: npyz::Serialize>(out: &mut dyn Write, descr: &str, sides: &[u64]) -> io::Result<()> {
    let item = DType::Plain(descr.parse().map_err(io::Error::other)?);
    npyz::WriteOptions::<T>::new().dtype(item).shape(sides).writer(out).begin_nd().map(drop)
}

//! Coefficients as NumPy's array files.

use super::{Ring, raw};
use crate::Source;
use crate::npy_header::{Header, Kind, Type, header, read_header, tuple};
use crate::text::excerpt;
use std::io::{self, Write};
use wgalois::Result;

pub fn read<R: Ring>(source: &Source, ring: &R, memory: u64) -> Result<Vec<R::Value>> {
    let (header, start) = read_header(source)?;
    let Type { kind, size, is_big } = item_type(source, &header)?;
    let data = &source.bytes()[start..];
    let count = header.shape.iter().try_fold(size as u64, |bytes, &side| bytes.checked_mul(side));
    if count != Some(data.len() as u64) {
        let (shape, follow) = (&header.shape, data.len());
        let message =
            format!("the header promises {shape:?} items of {size} bytes, and {follow} bytes follow");
        return Err(source.byte_error(start, message));
    }
    /// Reads the items as numbers of one type.
    macro_rules! items {
        ($number:ty) => {{
            let number = |item: &[u8; size_of::<$number>()]| {
                if is_big { <$number>::from_be_bytes(*item) } else { <$number>::from_le_bytes(*item) }.into()
            };
            raw::embed(source, data.as_chunks().0, number, start, ring, memory)
        }};
    }
    match (kind, size) {
        (Kind::Unsigned, 1) => items!(u8),
        (Kind::Unsigned, 2) => items!(u16),
        (Kind::Unsigned, 4) => items!(u32),
        (Kind::Unsigned, _) => items!(u64),
        (_, 1) => items!(i8),
        (_, 2) => items!(i16),
        (_, 4) => items!(i32),
        _ => items!(i64),
    }
}

/// Returns the type of the items, which is one of integers.
fn item_type(source: &Source, header: &Header) -> Result<Type> {
    if header.is_fortran && header.shape.iter().filter(|&&side| side > 1).count() > 1 {
        return Err(source.error(
            "an array in Fortran's order, where C order was expected: numpy.save(file, numpy.ascontiguousarray(a))",
        ));
    }
    header.item().filter(|ty| matches!(ty.kind, Kind::Signed | Kind::Unsigned)).ok_or_else(|| {
        let found = excerpt(&header.descr);
        source.error(format!("items of type {found}, where integers of at most 64 bits were expected"))
    })
}

pub fn write(out: &mut dyn Write, values: &[u32], sides: &[u64]) -> io::Result<()> {
    out.write_all(&header("<u4", &tuple(sides)))?;
    raw::write(out, values)
}

/// Writes integers as 64-bit ones. Refuses one that needs more bits.
pub fn write_wide(out: &mut dyn Write, values: &[i128]) -> io::Result<()> {
    out.write_all(&header("<i8", &tuple(&[values.len() as u64])))?;
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

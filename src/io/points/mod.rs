//! Points of a curve.
//!
//! | format | endings | holds |
//! |---|---|---|
//! | encoded | all others | consecutive encodings, no header |
//! | ark | `.ark` | arkworks' `Vec`: the number of points as a little-endian 64-bit word, then encodings |
//! | raw | `.raw` | x and y, each a little-endian integer of as many 32-bit words as the field has; zeros for infinity |
//!
//! Encodings are ZCash's for BLS12-381 and arkworks' for the other curves, either all compressed or
//! all uncompressed. ZCash's first bits state which; for arkworks' it follows from the length of the
//! file and the number of points.

mod arkworks;
mod raw;
mod zcash;

use std::io::{self, Write};
use std::path::Path;

use ark_ec::AffineRepr;
use ark_ff::PrimeField;
use ark_serialize::{CanonicalSerialize, Compress};
use rayon::prelude::*;

use super::Source;
use super::budget::Budget;
use crate::curve::{Affine, Curve, Encoding};
use crate::{Result, msm};

/// The file format of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Consecutive encodings.
    Encoded,
    /// arkworks' `Vec` of encodings.
    Ark,
    /// Little-endian affine coordinates.
    Raw,
}

impl Format {
    /// Returns the format that a file's ending names.
    pub fn of(path: &Path) -> Format {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "ark" => Format::Ark,
            "raw" => Format::Raw,
            _ => Format::Encoded,
        }
    }
}

/// The properties that a caller guarantees, so that they are not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Nothing is trusted: every point is checked to be on the curve and in the subgroup of order r.
    Nothing,
    /// The caller guarantees both. Multiples of a point outside the subgroup have no meaning.
    Everything,
}

/// The encoding of the points of one file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Encoded(Encoding, Compress),
    Raw,
}

/// Reads `count` points of `source`; the CPU checks the properties that are not trusted.
///
/// # Errors
/// The errors of [`read_on_curve`], and [`Error::Format`](crate::Error::Format) for a point outside
/// the subgroup.
pub fn read<C: Curve>(
    source: &Source,
    format: Format,
    count: usize,
    trust: Trust,
    memory: u64,
) -> Result<Vec<Affine<C>>> {
    let points = read_on_curve(source, format, count, trust, memory)?;
    if trust == Trust::Nothing {
        check_members(source, format, &points, |points| Ok(msm::cpu::first_outside(points)))?;
    }
    Ok(points)
}

/// Checks that `points`, read by [`read_on_curve`], lie in the subgroup of order r. `first_outside`
/// finds the first point outside it.
///
/// # Errors
/// [`Error::Format`](crate::Error::Format) with the place of that point.
pub fn check_members<C: Curve>(
    source: &Source,
    format: Format,
    points: &[Affine<C>],
    first_outside: impl FnOnce(&[Affine<C>]) -> Result<Option<usize>>,
) -> Result<()> {
    let Some(i) = first_outside(points)? else { return Ok(()) };
    let (start, kind) = layout::<C>(source, format, points.len())?;
    Err(source.byte_error(start + i * size_of_point::<C>(kind), format!("point {i}: {OUTSIDE}")))
}

const OUTSIDE: &str = "on the curve, but not in the subgroup of order r";

/// Reads `count` points of `source`, and checks that they lie on the curve.
///
/// # Errors
/// [`Error::Format`](crate::Error::Format) with the place of an invalid point: flag bits that
/// contradict each other or the rest of the file, a coordinate not below p, or a point off the curve
/// unless trusted; also for a wrong number of points or a truncated file.
/// [`Error::TooLarge`](crate::Error::TooLarge) if they take more than `memory` bytes.
pub fn read_on_curve<C: Curve>(
    source: &Source,
    format: Format,
    count: usize,
    trust: Trust,
    memory: u64,
) -> Result<Vec<Affine<C>>> {
    let (start, kind) = layout::<C>(source, format, count)?;
    let size = size_of_point::<C>(kind);
    let bytes = &source.bytes()[start..];
    if !bytes.len().is_multiple_of(size) {
        let message = format!("the file ends within point {}, which has {size} bytes", bytes.len() / size);
        return Err(source.byte_error(start + bytes.len() / size * size, message));
    }
    if bytes.len() / size != count {
        return Err(source.error(format!("{} points, where {count} were expected", bytes.len() / size)));
    }
    let mut points: Vec<Affine<C>> = Budget::new(source, memory).vector(count)?;
    let decoded =
        points.par_iter_mut().zip(bytes.par_chunks_exact(size)).enumerate().map(|(i, (point, bytes))| {
            *point = decode(bytes, kind, trust).map_err(|message| (i, message))?;
            Ok(())
        });
    match decoded.find_first(Result::is_err) {
        Some(Err((i, message))) => Err(source.byte_error(start + i * size, format!("point {i}: {message}"))),
        _ => Ok(points),
    }
}

/// Writes points.
pub fn write<C: Curve>(
    out: &mut dyn Write,
    format: Format,
    compressed: bool,
    points: &[Affine<C>],
) -> io::Result<()> {
    if format == Format::Ark {
        out.write_all(&(points.len() as u64).to_le_bytes())?;
    }
    for block in points.chunks(1 << 14) {
        let encode = |point: &Affine<C>| match format {
            Format::Raw => raw::encode(point),
            Format::Encoded | Format::Ark => encode(point, compressed),
        };
        let encoded: Vec<Vec<u8>> = block.par_iter().map(encode).collect();
        out.write_all(&encoded.concat())?;
    }
    Ok(())
}

/// Returns one point in the curve's usual encoding.
pub fn encode<C: Curve>(point: &Affine<C>, compressed: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mode = if compressed { Compress::Yes } else { Compress::No };
    // arkworks implements ZCash's encoding of BLS12-381. Writing to memory does not fail.
    if point.serialize_with_mode(&mut bytes, mode).is_err() {
        bytes.clear();
    }
    bytes
}

/// Reads one point, compressed or not, from bytes that [`encode`] returned.
///
/// # Errors
/// A message that describes the fault.
pub fn decode_one<C: Curve>(bytes: &[u8], trust: Trust) -> std::result::Result<Affine<C>, String> {
    let [short, long] =
        [Compress::Yes, Compress::No].map(|c| size_of_point::<C>(Kind::Encoded(C::ENCODING, c)));
    let compress = match bytes.len() {
        len if len == short => Compress::Yes,
        len if len == long => Compress::No,
        len => return Err(format!("{len} bytes, where {short} or {long} were expected")),
    };
    let point = decode(bytes, Kind::Encoded(C::ENCODING, compress), trust)?;
    match trust == Trust::Everything || C::in_subgroup(&point) {
        true => Ok(point),
        false => Err(OUTSIDE.to_owned()),
    }
}

/// Returns the offset of the first point and the encoding of the points.
fn layout<C: Curve>(source: &Source, format: Format, count: usize) -> Result<(usize, Kind)> {
    let bytes = source.bytes();
    let (start, body) = match format {
        Format::Raw => return Ok((0, Kind::Raw)),
        Format::Encoded => (0, bytes),
        Format::Ark => {
            let Some((head, body)) = bytes.split_first_chunk::<8>() else {
                return Err(source.error("too short for the length of arkworks' Vec, 8 bytes"));
            };
            let promised = u64::from_le_bytes(*head);
            if promised != count as u64 {
                return Err(source.error(format!("{promised} points, where {count} were expected")));
            }
            (8, body)
        }
    };
    let compress = match (C::ENCODING, body.first()) {
        (Encoding::Zcash, Some(first)) if zcash::is_compressed(*first) => Compress::Yes,
        (Encoding::Zcash, _) => Compress::No,
        (Encoding::Arkworks, _) => {
            let short = size_of_point::<C>(Kind::Encoded(Encoding::Arkworks, Compress::Yes));
            // If neither length fits, the message about the compressed one describes the fault best.
            if body.len() == count.saturating_mul(2 * short) && count > 0 {
                Compress::No
            } else {
                Compress::Yes
            }
        }
    };
    Ok((start, Kind::Encoded(C::ENCODING, compress)))
}

fn size_of_point<C: Curve>(kind: Kind) -> usize {
    match kind {
        Kind::Raw => raw::size::<C>(),
        Kind::Encoded(_, compress) => Affine::<C>::zero().serialized_size(compress),
    }
}

fn decode<C: Curve>(bytes: &[u8], kind: Kind, trust: Trust) -> std::result::Result<Affine<C>, String> {
    let point = match kind {
        Kind::Raw => raw::decode(bytes),
        Kind::Encoded(Encoding::Zcash, compress) => zcash::decode(bytes, compress),
        Kind::Encoded(Encoding::Arkworks, compress) => arkworks::decode(bytes, compress),
    }?;
    match trust == Trust::Everything || point.is_on_curve() {
        true => Ok(point),
        false => Err(format!("not on {}", C::NAME)),
    }
}

/// Returns the field element with these little-endian bytes.
fn element<F: PrimeField>(name: &str, bytes: impl Iterator<Item = u8>) -> std::result::Result<F, String> {
    let mut value = F::BigInt::default();
    let mut fits = true;
    for (i, byte) in bytes.enumerate() {
        match value.as_mut().get_mut(i / 8) {
            Some(word) => *word |= u64::from(byte) << (i % 8 * 8),
            None => fits &= byte == 0,
        }
    }
    match F::from_bigint(value) {
        Some(element) if fits => Ok(element),
        _ => Err(format!("{name} is not below the field's modulus")),
    }
}

/// Returns the point of the curve with this x and the larger or smaller of the two y.
fn lift<C: Curve>(x: C::BaseField, larger: bool) -> std::result::Result<Affine<C>, String> {
    Affine::get_point_from_x_unchecked(x, larger).ok_or_else(|| format!("no point of {} has this x", C::NAME))
}

/// Returns the point with these coordinates. (0, 0), which would be taken for infinity, is on none
/// of these curves.
fn affine<C: Curve>(x: C::BaseField, y: C::BaseField) -> std::result::Result<Affine<C>, String> {
    let point = Affine::new_unchecked(x, y);
    if point.is_zero() { Err(format!("(0, 0) is not on {}", C::NAME)) } else { Ok(point) }
}

#[cfg(all(test, feature = "default"))]
mod tests;

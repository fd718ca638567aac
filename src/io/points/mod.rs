//! Points of a curve.
//!
//! | format | endings | holds |
//! |---|---|---|
//! | encoded | all others | consecutive encodings, no header |
//! | ark | `.ark` | arkworks' `Vec`: the number of points as a little-endian 64-bit word, then encodings |
//! | raw | `.raw` | x and y, each a little-endian integer of as many 32-bit words as the field has; zeros for infinity |
//! | hex | `.hex`, `.txt` | encodings as hexadecimal digits, with or without `0x`, separated by white space |
//! | eip | `.eip` | the records of EIP-196 (BN254) or EIP-2537 (BLS12-381), as bytes or as hexadecimal digits |
//!
//! Encodings are ZCash's for BLS12-381 and arkworks' for the other curves, either all compressed or
//! all uncompressed; hexadecimal ones may differ. ZCash's first bits state which; for arkworks' it follows from the
//! length of the file and the number of points, or, where that is not known, from whether the first points lie on the
//! curve if they are taken as uncompressed.

mod arkworks;
mod eip;
mod raw;
mod zcash;

use std::io::{self, Write};
use std::path::Path;

use ark_ec::AffineRepr;
use ark_ff::PrimeField;
use ark_serialize::{CanonicalSerialize, Compress};
use rayon::prelude::*;

use super::budget::Budget;
use super::{Source, text};
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
    /// Encodings as hexadecimal text.
    Hex,
    /// Records of EIP-196 or EIP-2537, as bytes or hexadecimal text.
    Eip,
}

impl Format {
    /// Returns the format that a file's ending names.
    pub fn of(path: &Path) -> Format {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "ark" => Format::Ark,
            "raw" => Format::Raw,
            "hex" | "txt" => Format::Hex,
            "eip" => Format::Eip,
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
    Eip,
}

/// Reads the points of `source`, which must be `count` many if it is given; the CPU checks the properties that are not
/// trusted.
///
/// # Errors
/// The errors of [`read_on_curve`], and [`Error::Format`](crate::Error::Format) for a point outside
/// the subgroup.
pub fn read<C: Curve>(
    source: &Source,
    format: Format,
    count: impl Into<Option<usize>>,
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
    if is_text(source, format) {
        let place = text::tokens(source.bytes(), 0).nth(i).map_or(0, |token| token.offset);
        return Err(source.text_error(place, format!("point {i}: {OUTSIDE}")));
    }
    let (start, kind) = layout::<C>(source, format, Some(points.len()))?;
    Err(source.byte_error(start + i * size_of_point::<C>(kind), format!("point {i}: {OUTSIDE}")))
}

const OUTSIDE: &str = "on the curve, but not in the subgroup of order r";

/// Reads the points of `source`, which must be `count` many if it is given, and checks that they lie on the curve.
///
/// # Errors
/// [`Error::Format`](crate::Error::Format) with the place of an invalid point: flag bits that
/// contradict each other or the rest of the file, a coordinate not below p, or a point off the curve
/// unless trusted; also for a wrong number of points or a truncated file.
/// [`Error::TooLarge`](crate::Error::TooLarge) if they take more than `memory` bytes.
pub fn read_on_curve<C: Curve>(
    source: &Source,
    format: Format,
    count: impl Into<Option<usize>>,
    trust: Trust,
    memory: u64,
) -> Result<Vec<Affine<C>>> {
    let expected = count.into();
    if is_text(source, format) {
        return read_text(source, format, expected, trust, memory);
    }
    let (start, kind) = layout::<C>(source, format, expected)?;
    let size = size_of_point::<C>(kind);
    let bytes = &source.bytes()[start..];
    if !bytes.len().is_multiple_of(size) {
        let hint = if looks_like_text(source.bytes()) { TEXT_HINT } else { "" };
        let message =
            format!("the file ends within point {}, which has {size} bytes{hint}", bytes.len() / size);
        return Err(source.byte_error(start + bytes.len() / size * size, message));
    }
    let count = bytes.len() / size;
    expect(source, count, expected.or(promised_count(source, format)))?;
    let mut points: Vec<Affine<C>> = Budget::new(source, memory).vector(count)?;
    let decoded =
        points.par_iter_mut().zip(bytes.par_chunks_exact(size)).enumerate().map(|(i, (point, bytes))| {
            *point = decode(bytes, kind, trust).map_err(|message| (i, message))?;
            Ok(())
        });
    match decoded.find_first(Result::is_err) {
        Some(Err((i, message))) => {
            let hint = if looks_like_text(source.bytes()) { TEXT_HINT } else { "" };
            Err(source.byte_error(start + i * size, format!("point {i}: {message}{hint}")))
        }
        _ => Ok(points),
    }
}

const TEXT_HINT: &str = "; it looks like text: --points-format hex reads hexadecimal digits";

/// Returns the number of points in `source`, without reading them.
///
/// # Errors
/// [`Error::Format`](crate::Error::Format) for a file that is too short, or of a curve without such records.
pub fn count<C: Curve>(source: &Source, format: Format) -> Result<usize> {
    if is_text(source, format) {
        return Ok(text::count_tokens(source.bytes()));
    }
    let (start, kind) = layout::<C>(source, format, None)?;
    Ok((source.bytes().len() - start) / size_of_point::<C>(kind))
}

fn expect(source: &Source, count: usize, expected: Option<usize>) -> Result<()> {
    match expected {
        Some(expected) if expected != count => {
            Err(source.error(format!("{count} points, where {expected} were expected")))
        }
        _ => Ok(()),
    }
}

/// True if the points are hexadecimal digits. Binary records have other bytes: zeros, or those of a coordinate.
fn is_text(source: &Source, format: Format) -> bool {
    let is_digit =
        |byte: &u8| byte.is_ascii_hexdigit() || text::is_space(*byte) || byte.eq_ignore_ascii_case(&b'x');
    match format {
        Format::Hex => true,
        Format::Eip => source.bytes().par_iter().all(is_digit),
        _ => false,
    }
}

/// True if the first bytes are printed characters.
pub(super) fn looks_like_text(bytes: &[u8]) -> bool {
    let first = &bytes[..bytes.len().min(64)];
    !first.is_empty() && first.iter().all(|&byte| byte.is_ascii_graphic() || text::is_space(byte))
}

/// Reads points of hexadecimal digits.
fn read_text<C: Curve>(
    source: &Source,
    format: Format,
    expected: Option<usize>,
    trust: Trust,
    memory: u64,
) -> Result<Vec<Affine<C>>> {
    let kinds = match format {
        Format::Eip => vec![eip_kind::<C>(source)?],
        _ => [Compress::Yes, Compress::No].map(|compress| Kind::Encoded(C::ENCODING, compress)).to_vec(),
    };
    expect(source, text::count_tokens(source.bytes()), expected)?;
    text::parse_tokens(source, memory, |token| {
        let digits = token.strip_prefix(b"0x").or_else(|| token.strip_prefix(b"0X")).unwrap_or(token);
        let size = |kind: &Kind| 2 * size_of_point::<C>(*kind);
        let Some(kind) = kinds.iter().find(|kind| size(kind) == digits.len()) else {
            let sizes: Vec<_> = kinds.iter().map(|kind| size(kind).to_string()).collect();
            let sizes = sizes.join(" or ");
            return Err(format!(
                "{} characters, where {sizes} hexadecimal digits were expected",
                digits.len()
            ));
        };
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let byte = |pair: &[u8; 2]| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8);
        let bytes: Option<Vec<u8>> = digits.as_chunks().0.iter().map(byte).collect();
        decode(
            &bytes.ok_or_else(|| format!("expected hexadecimal digits, found {}", text::quote(token)))?,
            *kind,
            trust,
        )
    })
}

fn eip_kind<C: Curve>(source: &Source) -> Result<Kind> {
    match eip::size::<C>() {
        Some(_) => Ok(Kind::Eip),
        None => Err(source.error(format!("EIP-196 and EIP-2537 have no records of {}", C::NAME))),
    }
}

/// Writes points.
///
/// # Errors
/// Those of `out`; [`io::ErrorKind::Unsupported`] for records of a curve that has none.
pub fn write<C: Curve>(
    out: &mut dyn Write,
    format: Format,
    compressed: bool,
    points: &[Affine<C>],
) -> io::Result<()> {
    if format == Format::Eip && eip::size::<C>().is_none() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    if format == Format::Ark {
        out.write_all(&(points.len() as u64).to_le_bytes())?;
    }
    for block in points.chunks(1 << 14) {
        let encode = |point: &Affine<C>| match format {
            Format::Raw => raw::encode(point),
            Format::Eip => eip::encode(point),
            Format::Encoded | Format::Ark => encode(point, compressed),
            Format::Hex => {
                let digits =
                    encode(point, compressed).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
                (digits + "\n").into_bytes()
            }
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
fn layout<C: Curve>(source: &Source, format: Format, expected: Option<usize>) -> Result<(usize, Kind)> {
    let bytes = source.bytes();
    let (start, body, count) = match format {
        Format::Raw => return Ok((0, Kind::Raw)),
        Format::Eip => return Ok((0, eip_kind::<C>(source)?)),
        Format::Encoded | Format::Hex => (0, bytes, expected),
        Format::Ark => {
            let Some((head, body)) = bytes.split_first_chunk::<8>() else {
                return Err(source.error("too short for the length of arkworks' Vec, 8 bytes"));
            };
            let promised = u64::from_le_bytes(*head);
            if let Some(expected) = expected.filter(|&expected| promised != expected as u64) {
                return Err(source.error(format!("{promised} points, where {expected} were expected")));
            }
            (8, body, promised_count(source, format))
        }
    };
    let compress = match (C::ENCODING, body.first()) {
        (Encoding::Zcash, Some(first)) if zcash::is_compressed(*first) => Compress::Yes,
        (Encoding::Zcash, _) => Compress::No,
        (Encoding::Arkworks, _) => {
            // Not always twice the compressed length: the flags may need a byte of their own.
            let long = size_of_point::<C>(Kind::Encoded(Encoding::Arkworks, Compress::No));
            // If neither length fits, the message about the compressed one describes the fault best.
            let is_long = match count {
                Some(count) => body.len() == count.saturating_mul(long) && count > 0,
                None => are_uncompressed::<C>(body, long),
            };
            if is_long { Compress::No } else { Compress::Yes }
        }
    };
    Ok((start, Kind::Encoded(C::ENCODING, compress)))
}

/// Returns the number of points that the file states, if its format does so.
fn promised_count(source: &Source, format: Format) -> Option<usize> {
    let head = source.bytes().first_chunk::<8>().filter(|_| format == Format::Ark)?;
    Some(usize::try_from(u64::from_le_bytes(*head)).unwrap_or(usize::MAX))
}

/// True if the first points lie on the curve if they are taken as uncompressed ones. Halves of other bytes do so with a
/// chance of about one in the size of the field.
fn are_uncompressed<C: Curve>(body: &[u8], size: usize) -> bool {
    const LOOKED_AT: usize = 4;
    let kind = Kind::Encoded(C::ENCODING, Compress::No);
    let mut points = body.chunks_exact(size).take(LOOKED_AT).peekable();
    body.len().is_multiple_of(size)
        && points.peek().is_some()
        && points.all(|bytes| decode::<C>(bytes, kind, Trust::Nothing).is_ok())
}

fn size_of_point<C: Curve>(kind: Kind) -> usize {
    match kind {
        Kind::Eip => eip::size::<C>().unwrap_or(1),
        Kind::Raw => raw::size::<C>(),
        Kind::Encoded(_, compress) => Affine::<C>::zero().serialized_size(compress),
    }
}

fn decode<C: Curve>(bytes: &[u8], kind: Kind, trust: Trust) -> std::result::Result<Affine<C>, String> {
    let point = match kind {
        Kind::Raw => raw::decode(bytes),
        Kind::Eip => eip::decode(bytes),
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

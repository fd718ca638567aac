//! Points of a curve.
//!
//! | format | endings | holds |
//! |---|---|---|
//! | encoded | all others | consecutive encodings, no header; compressed and uncompressed say of which kind |
//! | ark | `.ark` | arkworks' `Vec`: the number of points as a little-endian 64-bit word, then encodings |
//! | raw | `.raw` | x and y, each a little-endian integer of as many 32-bit words as the field has, or two of them in an extension, that of 1 first; zeros for infinity |
//! | hex | `.hex`, `.txt` | encodings as hexadecimal digits, with or without `0x`, separated by white space |
//! | eip | `.eip` | the records of EIP-196 (BN254), EIP-197 (BN254 G2) or EIP-2537 (BLS12-381), as bytes or as hexadecimal digits, a record a word or all in one number |
//! | eip pairs | `.eipmsm` | a point's record and its scalar's 32 bytes after each other, the input of EIP-2537's MSM and of EIP-196's multiplication; [`read_scalars_of_pairs`] reads the scalars |
//!
//! Encodings are ZCash's for BLS12-381 and arkworks' for the other curves, either all compressed or
//! all uncompressed. ZCash's first bits state which, and the length of hexadecimal ones; for arkworks' the caller tells it
//! ([`Format::Compressed`], [`Format::Uncompressed`]), or it follows from the length of the file and the number of points,
//! or, where that is not known, from whether any point lies on the curve if it is taken as uncompressed ([`settled`]).
//!
//! Every point has one encoding of each kind: other ones, whose flags are wrong or redundant, are refused.

mod arkworks;
mod eip;
mod kind;
mod raw;
mod zcash;

use std::io::{self, Write};
use std::path::Path;

use ark_ff::PrimeField;
use ark_serialize::{CanonicalSerialize, Compress};

use kind::{Kind, compression, decode, eip_kind, layout, promised_count, size_of_point};

use super::budget::Budget;
use super::{Source, text};
use wgalois::curve::{Affine, Curve, Encoding};
use wgalois::parallel::*;
use wgalois::{Fault, Result, msm};

/// The file format of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Consecutive encodings.
    Encoded,
    /// Consecutive compressed encodings.
    Compressed,
    /// Consecutive uncompressed encodings.
    Uncompressed,
    /// arkworks' `Vec` of encodings.
    Ark,
    /// Little-endian affine coordinates.
    Raw,
    /// Encodings as hexadecimal text.
    Hex,
    /// Records of EIP-196, EIP-197 or EIP-2537, as bytes or hexadecimal text.
    Eip,
    /// Such records, each with a scalar of 32 bytes after it.
    EipPairs,
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
            "eipmsm" => Format::EipPairs,
            _ => Format::Encoded,
        }
    }
}

/// Returns the format in which all points of `source`, at least `least` many, are read: for arkworks' encodings compressed or
/// uncompressed.
///
/// # Errors
/// [`Error::Format`](wgalois::Error::Format) for a file that may be either.
pub fn settled<C: Curve>(source: &Source, format: Format, least: usize) -> Result<Format> {
    match (format, C::ENCODING) {
        (Format::Encoded, Encoding::Arkworks) => Ok(match compression::<C>(source, least)? {
            Compress::Yes => Format::Compressed,
            Compress::No => Format::Uncompressed,
        }),
        _ => Ok(format),
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

/// Reads the points of `source`, which must be `count` many if it is given; the CPU checks the properties that are not
/// trusted.
///
/// # Errors
/// The errors of [`read_on_curve`], and [`Error::Format`](wgalois::Error::Format) for a point outside
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
        check_members(source, format, &points, |points| Ok(msm::membership::first_outside(points)))?;
    }
    Ok(points)
}

/// Checks that `points`, read by [`read_on_curve`], lie in the subgroup of order r. `first_outside`
/// finds the first point outside it.
///
/// # Errors
/// [`Error::Format`](wgalois::Error::Format) with the place of that point.
pub fn check_members<C: Curve>(
    source: &Source,
    format: Format,
    points: &[Affine<C>],
    first_outside: impl FnOnce(&[Affine<C>]) -> Result<Option<usize>>,
) -> Result<()> {
    let Some(i) = first_outside(points)? else { return Ok(()) };
    if is_text(source, format) {
        let place = text::tokens(source.bytes(), 0).nth(i).map_or(0, |token| token.offset);
        return Err(source.text_error(place, Fault::OutsideSubgroup.within("point", i)));
    }
    let (start, kind) = layout::<C>(source, format, Some(points.len()))?;
    let place = start + i * size_of_point::<C>(kind);
    Err(source.number_error(place, Fault::OutsideSubgroup.within("point", i)))
}

/// Reads the points of `source`, which must be `count` many if it is given, and checks that they lie on the curve.
///
/// # Errors
/// [`Error::Format`](wgalois::Error::Format) with the place of an invalid point: flag bits that
/// contradict each other or the rest of the file, a coordinate not below p, or a point off the curve
/// unless trusted; also for a wrong number of points or a truncated file.
/// [`Error::TooLarge`](wgalois::Error::TooLarge) if they take more than `memory` bytes.
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
        let whole = bytes.len() / size;
        let fault = Fault::Truncated(format!("point {whole}, which has {size} bytes").into());
        return Err(source.number_error(start + whole * size, fault).with_note(hint));
    }
    let count = bytes.len() / size;
    expect(source, count, expected.or(promised_count(source, format)))?;
    let mut points: Vec<Affine<C>> = Budget::new(source, memory).vector(count)?;
    let pairs = points.par_iter_mut().zip(bytes.par_chunks_exact(size)).enumerate();
    let decoded = pairs.try_for_each(|(i, (point, bytes))| {
        *point = decode(bytes, kind, trust).map_err(|fault| (i, fault))?;
        Ok(())
    });
    match decoded {
        Err((i, fault)) => {
            let hint = if looks_like_text(source.bytes()) { TEXT_HINT } else { "" };
            Err(source.number_error(start + i * size, fault.within("point", i)).with_note(hint))
        }
        Ok(()) => Ok(points),
    }
}

const TEXT_HINT: &str = "; it looks like text: --points-format hex reads hexadecimal digits";

/// Returns the number of points in `source`, without reading them.
///
/// # Errors
/// [`Error::Format`](wgalois::Error::Format) for a file that is too short, or of a curve without such records.
pub fn count<C: Curve>(source: &Source, format: Format) -> Result<usize> {
    if is_text(source, format) {
        let one = match format {
            Format::Eip | Format::EipPairs => {
                let digits = 2 * size_of_point::<C>(eip_kind::<C>(source, format)?);
                one_number(source, digits).map(|(_, number)| number.len() / digits)
            }
            _ => None,
        };
        return Ok(one.unwrap_or_else(|| text::count_tokens(source.bytes())));
    }
    let (start, kind) = layout::<C>(source, format, None)?;
    Ok((source.bytes().len() - start) / size_of_point::<C>(kind))
}

fn expect(source: &Source, count: usize, expected: Option<usize>) -> Result<()> {
    let counts = Fault::expect_count("points", expected.unwrap_or(count), count);
    counts.map_err(|fault| source.error(fault))
}

/// True if the points are hexadecimal digits. Binary records have other bytes: zeros, or those of a coordinate.
fn is_text(source: &Source, format: Format) -> bool {
    let is_digit =
        |byte: &u8| byte.is_ascii_hexdigit() || text::is_space(*byte) || byte.eq_ignore_ascii_case(&b'x');
    match format {
        Format::Hex => true,
        Format::Eip | Format::EipPairs => {
            source.bytes().par_chunks(1 << 16).all(|part| part.iter().all(is_digit))
        }
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
        Format::Eip | Format::EipPairs => vec![eip_kind::<C>(source, format)?],
        _ => [Compress::Yes, Compress::No].map(|compress| Kind::Encoded(C::ENCODING, compress)).to_vec(),
    };
    expect(source, count::<C>(source, format)?, expected)?;
    let size = |kind: &Kind| 2 * size_of_point::<C>(*kind);
    // All encodings are compressed, or none is.
    let token = text::tokens(source.bytes(), 0).next().filter(|_| format == Format::Hex);
    let first = token.map(|token| without_prefix(token.text).len());
    let first = first.filter(|&first| kinds.iter().any(|kind| size(kind) == first));
    let parse = |token: &[u8]| {
        let digits = without_prefix(token);
        if let Some(first) = first.filter(|&first| first != digits.len()) {
            let found = digits.len();
            return Err(
                format!("{found} characters, where {first} were expected, as the first point has").into()
            );
        }
        let Some(kind) = kinds.iter().find(|kind| size(kind) == digits.len()) else {
            let sizes: Vec<_> = kinds.iter().map(|kind| size(kind).to_string()).collect();
            let sizes = sizes.join(" or ");
            let found = digits.len();
            return Err(format!("{found} characters, where {sizes} hexadecimal digits were expected").into());
        };
        decode(&bytes_of(digits, token)?, *kind, trust)
    };
    match &kinds[..] {
        [kind] => parse_records(source, size(kind), memory, parse),
        _ => text::parse_tokens(source, memory, parse),
    }
}

/// Parses records of so many hexadecimal digits: the words between white space, or the parts of a single number, as
/// Ethereum's tests and calls have them.
fn parse_records<T: Copy + Default + Send>(
    source: &Source,
    digits: usize,
    memory: u64,
    parse: impl Fn(&[u8]) -> std::result::Result<T, Fault> + Sync,
) -> Result<Vec<T>> {
    let Some((offset, number)) = one_number(source, digits) else {
        return text::parse_tokens(source, memory, parse);
    };
    let mut values = Budget::new(source, memory).vector(number.len() / digits)?;
    let records = values.par_iter_mut().zip(number.par_chunks_exact(digits)).enumerate();
    let parsed = records.try_for_each(|(i, (value, record))| {
        *value = parse(record).map_err(|message| (offset + i * digits, message))?;
        Ok(())
    });
    match parsed {
        Err((offset, message)) => Err(source.text_error(offset, message)),
        Ok(()) => Ok(values),
    }
}

/// Returns the place and the digits of the single number in a text that has several records of so many digits.
fn one_number(source: &Source, digits: usize) -> Option<(usize, &[u8])> {
    let mut words = text::tokens(source.bytes(), 0);
    let (word, None) = (words.next()?, words.next()) else { return None };
    let number = without_prefix(word.text);
    let place = word.offset + word.text.len() - number.len();
    (number.len() > digits && number.len().is_multiple_of(digits)).then_some((place, number))
}

/// Returns a hexadecimal number without `0x`.
fn without_prefix(token: &[u8]) -> &[u8] {
    token.strip_prefix(b"0x").or_else(|| token.strip_prefix(b"0X")).unwrap_or(token)
}

/// Returns the bytes of pairs of hexadecimal digits.
fn bytes_of(digits: &[u8], token: &[u8]) -> std::result::Result<Vec<u8>, Fault> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |pair: &[u8; 2]| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8);
    let bytes: Option<Vec<u8>> = digits.as_chunks().0.iter().map(byte).collect();
    let expected = "hexadecimal digits".into();
    bytes.ok_or_else(|| Fault::Unexpected { expected, found: text::quote(token) })
}

/// Reads the scalars of `source`, whose format is [`Format::EipPairs`]: big-endian integers of 32 bytes. Ethereum does
/// not ask them to be below the order r of the subgroup; they are taken modulo r, which changes no multiple of a point
/// in the subgroup.
///
/// # Errors
/// [`Error::Format`](wgalois::Error::Format) for a truncated file, and for a curve without such records;
/// [`Error::TooLarge`](wgalois::Error::TooLarge) if they take more than `memory` bytes.
pub fn read_scalars_of_pairs<C: Curve>(source: &Source, memory: u64) -> Result<Vec<C::ScalarField>> {
    let size = size_of_point::<C>(eip_kind::<C>(source, Format::EipPairs)?);
    let scalar = |record: &[u8]| C::ScalarField::from_be_bytes_mod_order(&record[size - eip::SCALAR..]);
    if is_text(source, Format::EipPairs) {
        return parse_records(source, 2 * size, memory, |token| match without_prefix(token) {
            digits if digits.len() == 2 * size => Ok(scalar(&bytes_of(digits, token)?)),
            digits => {
                let (found, size) = (digits.len(), 2 * size);
                Err(format!("{found} characters, where {size} hexadecimal digits were expected").into())
            }
        });
    }
    let records = source.bytes().chunks_exact(size);
    if !records.remainder().is_empty() {
        let (count, place) = (records.len(), source.bytes().len() - records.remainder().len());
        let fault = Fault::Truncated(format!("record {count}, which has {size} bytes").into());
        return Err(source.number_error(place, fault));
    }
    let mut scalars = Budget::new(source, memory).vector(records.len())?;
    scalars
        .par_iter_mut()
        .zip(source.bytes().par_chunks_exact(size))
        .for_each(|(target, record)| *target = scalar(record));
    Ok(scalars)
}

/// Writes points.
///
/// # Errors
/// Those of `out`; [`io::ErrorKind::Unsupported`] for records of a curve that has none, and for pairs.
pub fn write<C: Curve>(
    out: &mut dyn Write,
    format: Format,
    compressed: bool,
    points: &[Affine<C>],
) -> io::Result<()> {
    // Pairs have scalars, too.
    if format == Format::EipPairs || format == Format::Eip && eip::size::<C>().is_none() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    if format == Format::Ark {
        out.write_all(&(points.len() as u64).to_le_bytes())?;
    }
    for block in points.chunks(1 << 14) {
        let encode = |point: &Affine<C>| match format {
            Format::Raw => raw::encode(point),
            Format::Eip | Format::EipPairs => eip::encode(point),
            Format::Encoded | Format::Ark => encode(point, compressed),
            Format::Compressed => encode(point, true),
            Format::Uncompressed => encode(point, false),
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
/// The fault of the bytes.
pub fn decode_one<C: Curve>(bytes: &[u8], trust: Trust) -> std::result::Result<Affine<C>, Fault> {
    let [short, long] =
        [Compress::Yes, Compress::No].map(|c| size_of_point::<C>(Kind::Encoded(C::ENCODING, c)));
    let compress = match bytes.len() {
        len if len == short => Compress::Yes,
        len if len == long => Compress::No,
        len => return Err(format!("{len} bytes, where {short} or {long} were expected").into()),
    };
    let point = decode(bytes, Kind::Encoded(C::ENCODING, compress), trust)?;
    match trust == Trust::Everything || C::in_subgroup(&point) {
        true => Ok(point),
        false => Err(Fault::OutsideSubgroup),
    }
}

#[cfg(test)]
mod tests;

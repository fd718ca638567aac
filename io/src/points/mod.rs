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
//! | gnark | `.gnark` | gnark's encodings, all compressed or all uncompressed; as a slice, their number as a big-endian 32-bit word comes first |
//! | aztec | `bn254_g1.dat`, `bn254_g2.dat` | BN254's x and y as big-endian integers of 32 bytes, on G2 the coefficient of 1 first; other files of G1 are known by their first point, (1, 2) ([`settled`]) |
//! | montgomery | | as raw, each element in Montgomery form |
//!
//! Encodings are ZCash's for BLS12-381 and arkworks' for the other curves, either all compressed or
//! all uncompressed. ZCash's first bits state which, and the length of hexadecimal ones; for arkworks' the caller tells it
//! ([`Format::Compressed`], [`Format::Uncompressed`]), or it follows from the length of the file and the number of points,
//! or, where that is not known, from whether any point lies on the curve if it is taken as uncompressed ([`settled`]).
//!
//! Every point has one encoding of each kind: other ones, whose flags are wrong or redundant, are refused.

mod arkworks;
mod aztec;
mod coordinates;
mod eip;
mod format;
mod gnark;
mod kind;
mod montgomery;
mod raw;
mod zcash;

use std::io::{self, Write};

use ark_ec::AffineRepr;
use ark_ff::PrimeField;
use ark_serialize::{CanonicalSerialize, Compress};

use kind::{Kind, compression, decode, eip_kind, layout, promised_count, size_of_point};

use super::budget::Budget;
use super::identify::looks_like_text;
use super::{Source, text};
use wgalois::curve::{Affine, Curve, Encoding};
use wgalois::parallel::*;
use wgalois::{Fault, Result, msm};

pub use format::{Format, Trust};
pub use montgomery::element as montgomery_element;

/// Returns the format in which all points of `source`, at least `least` many, are read: for arkworks' encodings compressed or
/// uncompressed. Refuses a file that may be either. A file that begins with Aztec's first point is Aztec's.
pub fn settled<C: Curve>(source: &Source, format: Format, least: usize) -> Result<Format> {
    match (format, C::ENCODING) {
        (Format::Encoded, _) if C::NAME.as_str() == "bn254" && aztec::begins(source.bytes()) => {
            Ok(Format::Aztec)
        }
        (Format::Encoded, Encoding::Arkworks) => Ok(match compression::<C>(source, least)? {
            Compress::Yes => Format::Compressed,
            Compress::No => Format::Uncompressed,
        }),
        _ => Ok(format),
    }
}

/// Reads the points of `source`, which must be `count` many if it is given; the CPU checks the properties that are not
/// trusted.
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
/// finds the first point outside it. The error has the place of that point.
pub fn check_members<C: Curve>(
    source: &Source,
    format: Format,
    points: &[Affine<C>],
    first_outside: impl FnOnce(&[Affine<C>]) -> Result<Option<usize>>,
) -> Result<()> {
    let Some(i) = first_outside(points)? else { return Ok(()) };
    let fault = Fault::OutsideSubgroup.within("point", i);
    if is_text(source, format) {
        let place = text::tokens(source.bytes(), 0).nth(i).map_or(0, |token| token.offset);
        return Err(source.text_error(place, fault));
    }
    let (start, kind) = layout::<C>(source, format, Some(points.len()))?;
    Err(source.number_error(start + i * size_of_point::<C>(kind), fault))
}

/// Reads the points of `source`, which must be `count` many if it is given, and checks that they lie on the curve.
/// Refuses flag bits that contradict each other or the rest of the file, a coordinate that is not below p, and a
/// point off the curve unless that is trusted.
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
    let refuse = |i: usize, fault: Fault| {
        let hint = if looks_like_text(source.bytes()) { TEXT_HINT } else { "" };
        source.number_error(start + i * size, fault).with_note(hint)
    };
    let count = bytes.len() / size;
    if !bytes.len().is_multiple_of(size) {
        return Err(refuse(count, Fault::Truncated(format!("point {count}, which has {size} bytes").into())));
    }
    expect(source, count, expected.or(promised_count(source, format)))?;
    let decode = |bytes: &[u8]| decode(bytes, kind, trust);
    Budget::new(source, memory)
        .values(bytes.par_chunks_exact(size), decode, |i, fault| refuse(i, fault.within("point", i)))
}

const TEXT_HINT: &str = "; it looks like text: --points-format hex reads hexadecimal digits";

/// Returns the number of points in `source`, without reading them. Refuses a format of records for
/// a curve that has none.
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
        let found = digits.len();
        if let Some(first) = first.filter(|&first| first != found) {
            let expected = format!("{first} were expected, as the first point has");
            return Err(format!("{found} characters, where {expected}").into());
        }
        let Some(kind) = kinds.iter().find(|kind| size(kind) == found) else {
            let sizes: Vec<_> = kinds.iter().map(|kind| size(kind).to_string()).collect();
            return Err(no_digits(found, &sizes.join(" or ")));
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
    let refuse = |i: usize, fault| source.text_error(offset + i * digits, fault);
    Budget::new(source, memory).values(number.par_chunks_exact(digits), parse, refuse)
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
fn no_digits(found: usize, expected: &str) -> Fault {
    format!("{found} characters, where {expected} hexadecimal digits were expected").into()
}

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
/// in the subgroup. Refuses a curve that has no such records.
pub fn read_scalars_of_pairs<C: Curve>(source: &Source, memory: u64) -> Result<Vec<C::ScalarField>> {
    let size = size_of_point::<C>(eip_kind::<C>(source, Format::EipPairs)?);
    let scalar = |record: &[u8]| C::ScalarField::from_be_bytes_mod_order(&record[size - eip::SCALAR..]);
    if is_text(source, Format::EipPairs) {
        return parse_records(source, 2 * size, memory, |token| match without_prefix(token) {
            digits if digits.len() == 2 * size => Ok(scalar(&bytes_of(digits, token)?)),
            digits => Err(no_digits(digits.len(), &(2 * size).to_string())),
        });
    }
    let records = source.bytes().chunks_exact(size);
    if !records.remainder().is_empty() {
        let (count, place) = (records.len(), source.bytes().len() - records.remainder().len());
        let fault = Fault::Truncated(format!("record {count}, which has {size} bytes").into());
        return Err(source.number_error(place, fault));
    }
    let scalar = |record: &[u8]| Ok::<_, std::convert::Infallible>(scalar(record));
    let records = source.bytes().par_chunks_exact(size);
    Budget::new(source, memory).values(records, scalar, |_, never| match never {})
}

/// Writes points. Records of a curve that has none, and pairs, are not supported, nor are Aztec's files for curves other than BN254's, and
/// of infinity.
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
    let is_aztec = format == Format::Aztec;
    if is_aztec && (aztec::size::<C>().is_none() || points.iter().any(Affine::<C>::is_zero)) {
        return Err(io::ErrorKind::Unsupported.into());
    }
    if format == Format::Ark {
        out.write_all(&(points.len() as u64).to_le_bytes())?;
    }
    let encode = |point: &Affine<C>| match format {
        Format::Raw => raw::encode(point),
        Format::Eip | Format::EipPairs => eip::encode(point),
        Format::Gnark => gnark::encode(point, compressed),
        Format::Aztec => aztec::encode(point).unwrap_or_default(),
        Format::Montgomery => montgomery::encode(point),
        Format::Encoded | Format::Ark => encode(point, compressed),
        Format::Compressed => encode(point, true),
        Format::Uncompressed => encode(point, false),
        Format::Hex => (text::hex(&encode(point, compressed)) + "\n").into_bytes(),
    };
    text::write_parallel(out, points, 1 << 10, |points| {
        points.iter().map(encode).collect::<Vec<_>>().concat()
    })
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

/// Returns one point as a record of EIP-196, EIP-197 or EIP-2537; `None` for a curve without records.
pub fn encode_record<C: Curve>(point: &Affine<C>) -> Option<Vec<u8>> {
    eip::size::<C>().map(|_| eip::encode(point))
}

/// Reads one point from a record that [`encode_record`] returned.
pub fn decode_record<C: Curve>(bytes: &[u8]) -> std::result::Result<Affine<C>, Fault> {
    let size =
        eip::size::<C>().ok_or_else(|| Fault::from(format!("{} has no records of points", C::NAME)))?;
    if bytes.len() != size {
        return Err(format!("{} bytes, where {size} were expected", bytes.len()).into());
    }
    let point = decode(bytes, Kind::Eip, Trust::Nothing)?;
    if C::in_subgroup(&point) { Ok(point) } else { Err(Fault::OutsideSubgroup) }
}

/// Reads one point, compressed or not, from bytes that [`encode`] returned.
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

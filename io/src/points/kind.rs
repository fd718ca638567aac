//! The encodings of one point, and which of them a file has.

use ark_ec::AffineRepr;
use ark_serialize::{CanonicalSerialize, Compress};

use super::format::{Format, Trust};
use super::{arkworks, aztec, eip, gnark, montgomery, raw, zcash};
use crate::Source;
use wgalois::curve::{Affine, Curve, Encoding};
use wgalois::parallel::*;
use wgalois::{Fault, Result};

/// The encoding of the points of one file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Encoded(Encoding, Compress),
    Raw,
    Eip,
    EipPairs,
    Gnark(Compress),
    Aztec,
    Montgomery,
}

/// Returns the offset of gnark's first point, after the number of points if the file has it, and the kind of all.
fn gnark_layout<C: Curve>(source: &Source, expected: Option<usize>) -> Result<(usize, Kind)> {
    let promised = promised_count(source, Format::Gnark);
    if let (Some(expected), Some(found)) = (expected, promised.filter(|&promised| Some(promised) != expected))
    {
        return Err(source.error(Fault::WrongCount { what: "points".into(), expected, found }));
    }
    let start = if promised.is_some() { gnark::LENGTH } else { 0 };
    let first = source.bytes().get(start).copied().unwrap_or(0);
    Ok((start, Kind::Gnark(gnark::compression::<C>(first))))
}

pub(super) fn eip_kind<C: Curve>(source: &Source, format: Format) -> Result<Kind> {
    match eip::size::<C>() {
        Some(_) if format == Format::EipPairs => Ok(Kind::EipPairs),
        Some(_) => Ok(Kind::Eip),
        None => Err(source.error(format!("EIP-196, EIP-197 and EIP-2537 have no records of {}", C::NAME))),
    }
}

/// Returns the offset of the first point and the encoding of the points.
pub(super) fn layout<C: Curve>(
    source: &Source,
    format: Format,
    expected: Option<usize>,
) -> Result<(usize, Kind)> {
    let bytes = source.bytes();
    let (start, body, count) = match format {
        Format::Raw => return Ok((0, Kind::Raw)),
        Format::Montgomery => return Ok((0, Kind::Montgomery)),
        Format::Gnark => return gnark_layout::<C>(source, expected),
        Format::Aztec => {
            return match aztec::size::<C>() {
                Some(_) => Ok((0, Kind::Aztec)),
                None => Err(source
                    .error(format!("Aztec's files have points of bn254 and bn254-g2, not of {}", C::NAME))),
            };
        }
        Format::Eip | Format::EipPairs => return Ok((0, eip_kind::<C>(source, format)?)),
        Format::Compressed => return Ok((0, Kind::Encoded(C::ENCODING, Compress::Yes))),
        Format::Uncompressed => return Ok((0, Kind::Encoded(C::ENCODING, Compress::No))),
        Format::Encoded | Format::Hex => (0, bytes, expected),
        Format::Ark => {
            let Some((head, body)) = bytes.split_first_chunk::<8>() else {
                return Err(source.error("too short for the length of arkworks' Vec, 8 bytes"));
            };
            let promised = u64::from_le_bytes(*head);
            if let Some(expected) = expected.filter(|&expected| promised != expected as u64) {
                let (what, found) = ("points".into(), usize::try_from(promised).unwrap_or(usize::MAX));
                return Err(source.error(Fault::WrongCount { what, expected, found }));
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
            match count {
                Some(count) if body.len() == count.saturating_mul(long) && count > 0 => Compress::No,
                Some(_) => Compress::Yes,
                None => compression::<C>(source, 0)?,
            }
        }
    };
    Ok((start, Kind::Encoded(C::ENCODING, compress)))
}

/// Returns the number of points that the file states, if its format does so.
pub(super) fn promised_count(source: &Source, format: Format) -> Option<usize> {
    if format == Format::Gnark {
        // Points have a multiple of 8 bytes.
        let head = source.bytes().first_chunk::<4>().filter(|_| source.bytes().len() % 8 == gnark::LENGTH)?;
        return Some(u32::from_be_bytes(*head) as usize);
    }
    let head = source.bytes().first_chunk::<8>().filter(|_| format == Format::Ark)?;
    Some(usize::try_from(u64::from_le_bytes(*head)).unwrap_or(usize::MAX))
}

/// Returns whether a file of arkworks' encodings, of `least` points or more, has compressed ones. An uncompressed file has
/// a point that lies on the curve; two compressed ones do so with a chance of about one in the size of the field. Without
/// such a point, the file is compressed, or every point of it is damaged: the two cannot be told apart in a short
/// file. Such a file is refused.
pub(super) fn compression<C: Curve>(source: &Source, least: usize) -> Result<Compress> {
    /// Halves of a damaged point are two compressed ones with a chance of one half or less.
    const TOLD_APART: usize = 64;
    /// Points that are tried: no search of a huge file, of which the reader may refuse the size.
    const LOOKED_AT: usize = 1 << 16;
    let [short, long] =
        [Compress::Yes, Compress::No].map(|c| size_of_point::<C>(Kind::Encoded(C::ENCODING, c)));
    let bytes = source.bytes();
    let points = bytes.len() / long;
    let kind = Kind::Encoded(Encoding::Arkworks, Compress::No);
    let is_point = |bytes: &[u8]| decode::<C>(bytes, kind, Trust::Nothing).is_ok();
    if bytes[..points.min(LOOKED_AT) * long].par_chunks_exact(long).any(is_point) {
        return Ok(Compress::No);
    }
    // A file that ends within a point is refused as that.
    let is_whole = points > 0 && bytes.len().is_multiple_of(long) && bytes.len().is_multiple_of(short);
    match !is_whole || points < least || points >= TOLD_APART {
        true => Ok(Compress::Yes),
        false => Err(source.error(format!(
            "{} compressed points, or {points} uncompressed ones, all damaged: the format `compressed` or `uncompressed` \
             tells which",
            bytes.len() / short
        ))),
    }
}

pub(super) fn size_of_point<C: Curve>(kind: Kind) -> usize {
    match kind {
        Kind::Eip => eip::size::<C>().unwrap_or(1),
        Kind::EipPairs => eip::size::<C>().unwrap_or(1) + eip::SCALAR,
        Kind::Raw => raw::size::<C>(),
        Kind::Gnark(compress) => gnark::size::<C>(compress),
        Kind::Aztec => aztec::size::<C>().unwrap_or(1),
        Kind::Montgomery => montgomery::size::<C>(),
        Kind::Encoded(_, compress) => Affine::<C>::zero().serialized_size(compress),
    }
}

pub(super) fn decode<C: Curve>(
    bytes: &[u8],
    kind: Kind,
    trust: Trust,
) -> std::result::Result<Affine<C>, Fault> {
    let point = match kind {
        Kind::Raw => raw::decode(bytes),
        Kind::Gnark(compress) => gnark::decode(bytes, compress),
        Kind::Aztec => aztec::decode(bytes),
        Kind::Montgomery => montgomery::decode(bytes),
        Kind::Eip => eip::decode(bytes),
        Kind::EipPairs => eip::decode(&bytes[..bytes.len() - eip::SCALAR]),
        Kind::Encoded(Encoding::Zcash, compress) => zcash::decode(bytes, compress),
        Kind::Encoded(Encoding::Arkworks, compress) => arkworks::decode(bytes, compress),
    }?;
    match trust == Trust::Everything || C::contains(&point) {
        true => Ok(point),
        false => Err(Fault::NotOnCurve { curve: C::NAME.as_str() }),
    }
}

//! gnark's encodings (gnark-crypto, `marshal.go` of each curve): big-endian coordinates with flags in the first bits, of an element of an
//! extension the coefficient of u first. For curves whose field leaves three bits they are ZCash's. BN254's leaves two: uncompressed,
//! the infinity of a compressed point, and the smaller or the larger y.
//!
//! A slice of points has its length before it, in four big-endian bytes.

use ark_ec::AffineRepr;
use ark_ff::{BigInteger, Field, PrimeField};
use ark_serialize::Compress;

use super::coordinates::{Ordered, affine, coordinate, infinity, lift};
use super::zcash;
use wgalois::Fault;
use wgalois::curve::{Affine, Curve};
use wgalois::field::PrimeOf;

const FLAGS: u8 = 0xc0;
const SMALLER_Y: u8 = 0x80;
const LARGER_Y: u8 = 0xc0;
const INFINITY: u8 = 0x40;

/// Bytes of the length before a slice. All points have a multiple of 8 bytes.
pub const LENGTH: usize = 4;

/// Bytes of a point.
pub fn size<C: Curve>(compress: Compress) -> usize {
    let coordinate = size_of::<C::BaseField>();
    if compress == Compress::Yes { coordinate } else { 2 * coordinate }
}

/// True if the field leaves two bits for flags.
fn has_two_flags<C: Curve>() -> bool {
    8 * size_of::<PrimeOf<C::BaseField>>() - (PrimeOf::<C::BaseField>::MODULUS_BIT_SIZE as usize) < 3
}

pub fn compression<C: Curve>(first: u8) -> Compress {
    let is_compressed = if has_two_flags::<C>() { first & FLAGS != 0 } else { zcash::is_compressed(first) };
    if is_compressed { Compress::Yes } else { Compress::No }
}

pub fn decode<C: Curve>(bytes: &[u8], compress: Compress) -> Result<Affine<C>, Fault> {
    if !has_two_flags::<C>() {
        return zcash::decode(bytes, compress);
    }
    let Some((first, rest)) = bytes.split_first() else { return Err("no bytes".into()) };
    let (flags, unflagged) = (first & FLAGS, first & !FLAGS);
    if compression::<C>(*first) != compress {
        let [says, others] = match compress {
            Compress::Yes => ["uncompressed", "compressed"],
            Compress::No => ["compressed", "uncompressed"],
        };
        return Err(format!("its flags say {says}, unlike those of the first point, {others}").into());
    }
    let little_endian = |bytes: &[u8]| Ordered::of_big_endian(bytes, bytes.len());
    if compress == Compress::Yes {
        if flags == INFINITY {
            return infinity(unflagged == 0 && rest.iter().all(|byte| *byte == 0));
        }
        let x = little_endian(bytes).with_last(unflagged);
        return lift(coordinate("x", &x)?, flags == LARGER_Y);
    }
    if bytes.iter().all(|byte| *byte == 0) {
        return Ok(Affine::zero());
    }
    let (x, y) = bytes.split_at(bytes.len() / 2);
    affine(coordinate("x", &little_endian(x))?, coordinate("y", &little_endian(y))?)
}

pub fn encode<C: Curve>(point: &Affine<C>, compressed: bool) -> Vec<u8> {
    let compress = if compressed { Compress::Yes } else { Compress::No };
    let big_endian = |coordinate: C::BaseField| -> Vec<u8> {
        let mut parts: Vec<Vec<u8>> =
            coordinate.to_base_prime_field_elements().map(|part| part.into_bigint().to_bytes_be()).collect();
        parts.reverse();
        parts.concat()
    };
    let (mark, of_infinity, smaller, larger) = match has_two_flags::<C>() {
        true => (0, if compressed { INFINITY } else { 0 }, SMALLER_Y, LARGER_Y),
        false => (if compressed { 0x80 } else { 0 }, 0x40, 0, 0x20),
    };
    let mut bytes = vec![0; size::<C>(compress)];
    if point.is_zero() {
        bytes[0] = mark | of_infinity;
        return bytes;
    }
    let x = big_endian(point.x);
    bytes[..x.len()].copy_from_slice(&x);
    if compressed {
        bytes[0] |= mark | if point.y > -point.y { larger } else { smaller };
    } else {
        bytes[x.len()..].copy_from_slice(&big_endian(point.y));
    }
    bytes
}

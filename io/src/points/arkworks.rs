//! arkworks' encodings: little-endian x and, if uncompressed, y. The two top bits of the last byte
//! are flags: one is set if y is the larger of the two; the other marks infinity, and all other bits
//! are then 0. Of an element of an extension the coefficient of 1 comes first.
//!
//! In an uncompressed encoding the first flag is redundant, and must be right.

use ark_serialize::Compress;

use super::coordinates::{Ordered, affine, coordinate, infinity, is_larger, lift};
use wgalois::Fault;
use wgalois::curve::{Affine, Curve};

const LARGER_Y: u8 = 0x80;
const INFINITY: u8 = 0x40;

pub fn decode<C: Curve>(bytes: &[u8], compress: Compress) -> Result<Affine<C>, Fault> {
    let Some((last, rest)) = bytes.split_last() else { return Err("no bytes".into()) };
    let (larger, infinite) = (last & LARGER_Y != 0, last & INFINITY != 0);
    if larger && infinite {
        return Err("its flags say both infinity and which y to take".into());
    }
    if infinite {
        let clean = *last == INFINITY && rest.iter().all(|byte| *byte == 0);
        return infinity(clean);
    }
    let unflagged = last & !(LARGER_Y | INFINITY);
    if compress == Compress::Yes {
        return lift(coordinate("x", &Ordered::new(bytes).with_last(unflagged))?, larger);
    }
    let (x, y) = bytes.split_at(bytes.len() / 2);
    let x = coordinate("x", x)?;
    let bytes = Ordered::new(y).with_last(unflagged);
    let y = coordinate("y", &bytes)?;
    if larger == is_larger::<C::BaseField>(&bytes) {
        return affine(x, y);
    }
    let said = if larger { "larger" } else { "smaller" };
    Err(format!("its flags say that y is the {said} of the two, but it is not").into())
}

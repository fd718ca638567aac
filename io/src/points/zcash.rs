//! ZCash's encodings of BLS12-381: big-endian coordinates of 48 bytes, x and, if uncompressed, y; on G2 of 96 bytes, of which
//! the first 48 are the coefficient of u.
//! The three top bits of the first byte are flags: compressed; infinity, with all other bits 0; and,
//! if compressed, whether y is the larger of the two.

use ark_serialize::Compress;

use super::coordinates::{Ordered, affine, coordinate, infinity, lift};
use wgalois::Fault;
use wgalois::curve::{Affine, Curve};

const COMPRESSED: u8 = 0x80;
const INFINITY: u8 = 0x40;
const LARGER_Y: u8 = 0x20;

pub fn is_compressed(first: u8) -> bool {
    first & COMPRESSED != 0
}

pub fn decode<C: Curve>(bytes: &[u8], compress: Compress) -> Result<Affine<C>, Fault> {
    let Some((first, rest)) = bytes.split_first() else { return Err("no bytes".into()) };
    let compressed = compress == Compress::Yes;
    if is_compressed(*first) != compressed {
        let [says, others] =
            if compressed { ["uncompressed", "compressed"] } else { ["compressed", "uncompressed"] };
        return Err(format!("its flags say {says}, unlike those of the first point, {others}").into());
    }
    if first & INFINITY != 0 {
        let clean = first & !COMPRESSED == INFINITY && rest.iter().all(|byte| *byte == 0);
        return infinity(clean);
    }
    if !compressed && first & LARGER_Y != 0 {
        return Err("its flags say both uncompressed and which y to take".into());
    }
    let x_end = if compressed { bytes.len() } else { bytes.len() / 2 };
    let unflagged = first & !(COMPRESSED | INFINITY | LARGER_Y);
    let reversed = |bytes: &[u8]| Ordered::of_big_endian(bytes, bytes.len());
    let x = coordinate("x", &reversed(&bytes[..x_end]).with_last(unflagged))?;
    if compressed {
        return lift(x, first & LARGER_Y != 0);
    }
    affine(x, coordinate("y", &reversed(&bytes[x_end..]))?)
}

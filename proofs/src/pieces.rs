//! Points that are written while the next ones are made.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use wgalois::Result;
use wgalois::curve::{Affine, Curve};
use wgalois::parallel::*;

/// Points that are made at a time. They, their bytes, and the bytes of the piece before are in memory.
pub(crate) const PIECE: usize = 1 << 19;

/// Writes `count` points, each as `size` bytes, which `encode` fills. `points` gives some of them at a time. Its errors come back
/// within those of the writer: [`write_whole`](wgalois::files::write_whole) returns them as they were.
pub(crate) fn write_in_pieces<'k, C: Curve>(
    out: &mut dyn Write,
    (count, size): (usize, usize),
    points: impl Fn(Range<usize>) -> Result<Cow<'k, [Affine<C>]>> + Sync,
    encode: impl Fn(&Affine<C>, &mut [u8]) + Sync,
) -> io::Result<()> {
    let piece = |start: usize| -> io::Result<Vec<u8>> {
        let points = points(start..count.min(start + PIECE)).map_err(io::Error::other)?;
        let mut bytes = vec![0; points.len() * size];
        let pairs = bytes.par_chunks_mut(size).zip(&*points).with_min_len(1 << 8);
        pairs.for_each(|(bytes, point)| encode(point, bytes));
        Ok(bytes)
    };
    let mut bytes = if count > 0 { piece(0)? } else { Vec::new() };
    for next in (PIECE..).step_by(PIECE).take_while(|&next| next < count) {
        bytes = ahead(
            true,
            || piece(next),
            |following| {
                out.write_all(&bytes)?;
                following.wait()
            },
        )?;
    }
    out.write_all(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ec::AffineRepr;
    use wgalois::Error;
    use wgalois::curve::Bn254;

    #[test]
    fn pieces_follow_each_other_and_errors_come_back() {
        let point = Affine::<Bn254>::generator();
        for count in [0, 1, PIECE, 2 * PIECE + 3] {
            let mut written = Vec::new();
            let points = |range: Range<usize>| Ok(vec![point; range.len()].into());
            let encode = |_: &Affine<Bn254>, bytes: &mut [u8]| bytes[0] = 1;
            write_in_pieces(&mut written, (count, 2), points, encode).unwrap();
            assert_eq!(written, [1, 0].repeat(count));
        }
        let failing = |range: Range<usize>| match range.start {
            0 => Ok(vec![point; range.len()].into()),
            _ => Err(Error::Device("lost".into())),
        };
        let path = std::env::temp_dir().join(format!("wgalois-pieces-{}", std::process::id()));
        let write = |out: &mut dyn Write| write_in_pieces(out, (PIECE + 1, 1), failing, |_, _| {});
        let error = wgalois::files::write_whole(&path, write).unwrap_err();
        assert!(matches!(error, Error::Device(_)), "{error}");
        assert!(!path.exists());
    }
}

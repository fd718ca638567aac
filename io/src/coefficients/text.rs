//! Coefficients as decimal text.

use super::Ring;
use crate::{Source, npy_header, text};
use wgalois::Result;

pub fn read<R: Ring>(source: &Source, ring: &R, memory: u64) -> Result<Vec<R::Value>> {
    if source.bytes().starts_with(npy_header::MAGIC) {
        return Err(source.error("this is a .npy file, not text; --format npy reads it"));
    }
    text::parse_tokens(source, memory, |token| ring.parse(token))
}

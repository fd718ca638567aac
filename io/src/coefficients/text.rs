//! Coefficients as decimal text.

use super::{Ring, npy};
use wgalois::Result;
use crate::{Source, text};

pub fn read<R: Ring>(source: &Source, ring: &R, memory: u64) -> Result<Vec<R::Value>> {
    if source.bytes().starts_with(npy::MAGIC) {
        return Err(source.error("this is a .npy file, not text; --format npy reads it"));
    }
    text::parse_tokens(source, memory, |token| ring.parse(token))
}

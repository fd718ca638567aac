//! Coefficients as little-endian 32-bit words.

use super::Ring;
use crate::Source;
use crate::budget::Budget;
use std::io::{self, Write};
use wgalois::Result;
use wgalois::parallel::*;

const WORD: usize = size_of::<u32>();
/// Items per parallel task.
const CHUNK: usize = 1 << 14;

pub fn read<R: Ring>(source: &Source, ring: &R, memory: u64) -> Result<Vec<R::Value>> {
    let (words, rest) = source.bytes().as_chunks::<WORD>();
    if !rest.is_empty() {
        let message = format!("the file ends within a word of {WORD} bytes");
        return Err(source.number_error(words.len() * WORD, message));
    }
    let number = |word: &[u8; WORD]| u32::from_le_bytes(*word).into();
    embed(source, words, number, 0, ring, memory)
}

pub fn write(out: &mut dyn Write, values: &[u32]) -> io::Result<()> {
    for chunk in values.chunks(1 << 14) {
        let words: Vec<[u8; WORD]> = chunk.iter().map(|value| value.to_le_bytes()).collect();
        out.write_all(words.as_flattened())?;
    }
    Ok(())
}

/// Reads binary items of N bytes that begin at byte `start` of the file.
pub fn embed<R: Ring, const N: usize>(
    source: &Source,
    items: &[[u8; N]],
    number: impl Fn(&[u8; N]) -> i128 + Sync,
    start: usize,
    ring: &R,
    memory: u64,
) -> Result<Vec<R::Value>> {
    let refuse = |index: usize, message| {
        let (at, message) = (start + index * N, format!("item {index}: {message}"));
        // Items behind a header are those of the kind that it tells.
        match start {
            0 => source.number_error(at, message),
            _ => source.byte_error(at, message),
        }
    };
    let items = items.par_iter().with_min_len(CHUNK);
    Budget::new(source, memory).values(items, |item| ring.embed(number(item)), refuse)
}

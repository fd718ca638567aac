//! Coefficients as little-endian 32-bit words.

use super::Ring;
use crate::Source;
use crate::budget::Budget;
use std::io::{self, Write};
use wgalois::parallel::*;
use wgalois::{Error, Result};

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
    let mut values: Vec<R::Value> = Budget::new(source, memory).vector(items.len())?;
    let chunks = values.par_chunks_mut(CHUNK).zip(items.par_chunks(CHUNK)).enumerate();
    let parsed = chunks.try_for_each(|(chunk, (values, items))| {
        for (index, (value, item)) in values.iter_mut().zip(items).enumerate() {
            *value = ring.embed(number(item)).map_err(|message| (chunk * CHUNK + index, message))?;
        }
        Ok(())
    });
    match parsed {
        Err((index, message)) => {
            let (at, message) = (start + index * N, format!("item {index}: {message}"));
            // Items behind a header are those of the kind that it tells.
            Err::<_, Error>(match start {
                0 => source.number_error(at, message),
                _ => source.byte_error(at, message),
            })
        }
        Ok(()) => Ok(values),
    }
}

//! Bits in cache lines, the unit in which the CPU engine moves them.

use bytemuck::{Pod, Zeroable};

use crate::parallel::*;
use crate::{Error, Result};

/// 512 bits in one cache line: the unit in which the CPU engine moves bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Line(pub [u64; 8]);

/// The number of columns in a [`Line`].
pub(crate) const LINE_BITS: usize = 512;

impl Line {
    pub const ZERO: Line = Line([0; 8]);

    pub fn xor(&mut self, other: &Line) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a ^= b);
    }

    pub fn is_zero(&self) -> bool {
        self.0.iter().fold(0, |any, word| any | word) == 0
    }

    pub fn bit(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    pub fn flip(&mut self, i: usize) {
        self.0[i / 64] ^= 1 << (i % 64);
    }

    /// The line whose first `n` bits are ones.
    pub fn ones(n: usize) -> Line {
        Line(std::array::from_fn(|k| match n.saturating_sub(64 * k) {
            0 => 0,
            bits @ 1..64 => (1 << bits) - 1,
            _ => u64::MAX,
        }))
    }
}

/// Allocates zeroed lines.
pub(crate) fn zero_lines(count: usize) -> Result<Box<[Line]>> {
    let mut lines: Vec<Line> = Vec::new();
    lines
        .try_reserve_exact(count)
        .map_err(|_| Error::OutOfMemory(format!("{} bytes for a bit matrix", count as u128 * 64).into()))?;
    crate::page_advice::prefer_huge(lines.as_ptr(), count);
    // On one thread, as the allocator would write them, the page faults of many zeros take long.
    const SHARE: usize = 1 << 14;
    match count <= SHARE {
        true => lines.resize(count, Line::default()),
        false => {
            (0..count).into_par_iter().with_min_len(SHARE).map(|_| Line::default()).append_to(&mut lines)
        }
    }
    Ok(lines.into_boxed_slice())
}

/// The places of the ones of a word, ascending.
#[derive(Clone, Copy)]
pub(crate) struct SetBits(pub u64);

impl Iterator for SetBits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let bit = (self.0 != 0).then(|| self.0.trailing_zeros() as usize)?;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

impl DoubleEndedIterator for SetBits {
    fn next_back(&mut self) -> Option<usize> {
        let bit = (self.0 != 0).then(|| 63 - self.0.leading_zeros() as usize)?;
        self.0 ^= 1 << bit;
        Some(bit)
    }
}

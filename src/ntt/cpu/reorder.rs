//! Bit reversal of the order, in place.

use super::lanes::Square;
use crate::field::bit_reverse;
use std::ops::Range;

/// Does some of the 2^(`log_n` - 2 log2 L) pieces of the bit reversal; for fewer than L^2 words there is one
/// piece.
///
/// The digits of an index are a (log2 L bits), m, c (log2 L bits), and the entry at a m c
/// goes to rev(c) rev(m) rev(a). So the square of all a and c for one m changes places with
/// that for rev(m), both transposed and with their rows in bit-reversed order (Carter and
/// Gatlin, "Towards an optimal bit-reversal permutation program", 1998). Piece m does both.
///
/// # Safety
/// The words must be valid, no piece may be done twice at a time, and the processor must have the
/// instructions of `V`.
#[inline(always)]
pub(super) unsafe fn reverse<V: Square<L>, const L: usize>(
    words: *mut u32,
    log_n: u32,
    pieces: Range<usize>,
) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if log_n < 2 * V::LOG {
            return one_by_one(words, log_n);
        }
        let (bits, distance) = (log_n - 2 * V::LOG, 1usize << (log_n - V::LOG));
        for m in pieces {
            let m = spread(m, bits);
            let other = bit_reverse(m, bits);
            if m > other {
                continue;
            }
            let (first, second) = (words.add(m * L), words.add(other * L));
            let square = transposed::<V, L>(first, distance);
            if m < other {
                store(transposed::<V, L>(second, distance), first, distance);
            }
            store(square, second, distance);
        }
    }
}

/// Piece `m` of an order in which successive pieces are near to each other in memory on both sides of the
/// exchange: the highest bits run fast as well as the lowest.
fn spread(m: usize, bits: u32) -> usize {
    let k = (bits / 2).min(4);
    let mask = (1 << k) - 1;
    let (low, high, middle) = (m & mask, m >> k & mask, m >> (2 * k));
    high << (bits - k) | middle << k | low
}

/// Loads the square at `from` with its rows in bit-reversed order, and transposes it.
///
/// # Safety
/// `L` vectors, `distance` words apart, must be valid for reading, and the processor have the
/// instructions of `V`.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "iterators over arrays of vectors do not unroll")]
unsafe fn transposed<V: Square<L>, const L: usize>(from: *const u32, distance: usize) -> [V; L] {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let mut rows = [V::splat(0); L];
        for i in 0..L {
            rows[i] = V::load(from.add(bit_reverse(i, V::LOG) * distance));
        }
        V::transpose(rows)
    }
}

/// Stores the rows to `to`, in bit-reversed order.
///
/// # Safety
/// `L` vectors, `distance` words apart, must be valid for writing, and the processor have the
/// instructions of `V`.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "iterators over arrays of vectors do not unroll")]
unsafe fn store<V: Square<L>, const L: usize>(rows: [V; L], to: *mut u32, distance: usize) {
    for i in 0..L {
        // SAFETY: guaranteed by the caller.
        unsafe { rows[i].store(to.add(bit_reverse(i, V::LOG) * distance)) };
    }
}

/// # Safety
/// 2^`log_n` words must be valid, and no other thread may access them.
unsafe fn one_by_one(words: *mut u32, log_n: u32) {
    for i in 0..1 << log_n {
        let j = bit_reverse(i, log_n);
        if i < j {
            // SAFETY: guaranteed by the caller; both are below 2^log_n.
            unsafe { words.add(i).swap(words.add(j)) };
        }
    }
}

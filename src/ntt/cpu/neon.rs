//! NEON, which every 64-bit ARM processor has.

use super::lanes::{Lanes, Square, by_intrinsic};
use std::arch::aarch64::*;

/// Four words.
#[derive(Clone, Copy)]
pub(super) struct Neon(uint32x4_t);

impl Lanes for Neon {
    const LOG: u32 = 2;

    by_intrinsic!(
        load = vld1q_u32,
        splat = vdupq_n_u32,
        store = vst1q_u32,
        add = vaddq_u32,
        sub = vsubq_u32,
        min = vminq_u32,
        max = vmaxq_u32,
        mul_low = vmulq_u32
    );

    /// Multiplies the lower and the upper lanes, then takes every second word of both products.
    #[inline(always)]
    fn mul_high(self, other: Self) -> Self {
        // SAFETY: every processor of this architecture has the instructions.
        unsafe {
            let lower = vmull_u32(vget_low_u32(self.0), vget_low_u32(other.0));
            let upper = vmull_high_u32(self.0, other.0);
            Self(vuzp2q_u32(vreinterpretq_u32_u64(lower), vreinterpretq_u32_u64(upper)))
        }
    }
}

impl Square<4> for Neon {
    /// Exchanges words, then pairs of words.
    #[inline(always)]
    fn transpose([Self(r0), Self(r1), Self(r2), Self(r3)]: [Self; 4]) -> [Self; 4] {
        // SAFETY: every processor of this architecture has the instructions.
        unsafe {
            let pairs = |a, b| {
                let (even, odd) = (vtrn1q_u32(a, b), vtrn2q_u32(a, b));
                (vreinterpretq_u64_u32(even), vreinterpretq_u64_u32(odd))
            };
            let ((a0, a1), (b0, b1)) = (pairs(r0, r1), pairs(r2, r3));
            [vtrn1q_u64(a0, b0), vtrn1q_u64(a1, b1), vtrn2q_u64(a0, b0), vtrn2q_u64(a1, b1)]
                .map(|row| Self(vreinterpretq_u32_u64(row)))
        }
    }
}

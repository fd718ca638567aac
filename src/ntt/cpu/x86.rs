//! AVX2 and AVX-512.

use super::lanes::{Lanes, Square, by_intrinsic};
use std::arch::x86_64::*;

/// Eight words: AVX2.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256i);

/// Sixteen words: AVX-512F.
#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512i);

impl Lanes for Avx2 {
    const LOG: u32 = 3;

    by_intrinsic!(
        load = _mm256_loadu_si256,
        splat = _mm256_set1_epi32,
        store = _mm256_storeu_si256,
        add = _mm256_add_epi32,
        sub = _mm256_sub_epi32,
        min = _mm256_min_epu32,
        max = _mm256_max_epu32,
        mul_low = _mm256_mullo_epi32
    );

    #[inline(always)]
    fn mul_high(self, other: Self) -> Self {
        // SAFETY: a value exists only if the processor has the instructions.
        unsafe {
            let even = _mm256_mul_epu32(self.0, other.0);
            let odd =
                _mm256_mul_epu32(_mm256_shuffle_epi32::<0xf5>(self.0), _mm256_shuffle_epi32::<0xf5>(other.0));
            Self(_mm256_blend_epi32::<0b1010_1010>(_mm256_shuffle_epi32::<0xf5>(even), odd))
        }
    }
}

impl Square<8> for Avx2 {
    /// Exchanges pairs of words, then pairs of pairs, then halves.
    #[inline(always)]
    fn transpose(rows: [Self; 8]) -> [Self; 8] {
        // SAFETY: a value exists only if the processor has the instructions.
        unsafe {
            let [Self(r0), Self(r1), Self(r2), Self(r3), Self(r4), Self(r5), Self(r6), Self(r7)] = rows;
            let (a0, a1) = (_mm256_unpacklo_epi32(r0, r1), _mm256_unpackhi_epi32(r0, r1));
            let (a2, a3) = (_mm256_unpacklo_epi32(r2, r3), _mm256_unpackhi_epi32(r2, r3));
            let (a4, a5) = (_mm256_unpacklo_epi32(r4, r5), _mm256_unpackhi_epi32(r4, r5));
            let (a6, a7) = (_mm256_unpacklo_epi32(r6, r7), _mm256_unpackhi_epi32(r6, r7));
            let (b0, b1) = (_mm256_unpacklo_epi64(a0, a2), _mm256_unpackhi_epi64(a0, a2));
            let (b2, b3) = (_mm256_unpacklo_epi64(a1, a3), _mm256_unpackhi_epi64(a1, a3));
            let (b4, b5) = (_mm256_unpacklo_epi64(a4, a6), _mm256_unpackhi_epi64(a4, a6));
            let (b6, b7) = (_mm256_unpacklo_epi64(a5, a7), _mm256_unpackhi_epi64(a5, a7));
            [
                Self(_mm256_permute2x128_si256::<0x20>(b0, b4)),
                Self(_mm256_permute2x128_si256::<0x20>(b1, b5)),
                Self(_mm256_permute2x128_si256::<0x20>(b2, b6)),
                Self(_mm256_permute2x128_si256::<0x20>(b3, b7)),
                Self(_mm256_permute2x128_si256::<0x31>(b0, b4)),
                Self(_mm256_permute2x128_si256::<0x31>(b1, b5)),
                Self(_mm256_permute2x128_si256::<0x31>(b2, b6)),
                Self(_mm256_permute2x128_si256::<0x31>(b3, b7)),
            ]
        }
    }
}

impl Lanes for Avx512 {
    const LOG: u32 = 4;

    by_intrinsic!(
        load = _mm512_loadu_si512,
        splat = _mm512_set1_epi32,
        store = _mm512_storeu_si512,
        add = _mm512_add_epi32,
        sub = _mm512_sub_epi32,
        min = _mm512_min_epu32,
        max = _mm512_max_epu32,
        mul_low = _mm512_mullo_epi32
    );

    #[inline(always)]
    fn mul_high(self, other: Self) -> Self {
        // SAFETY: a value exists only if the processor has the instructions.
        unsafe {
            let even = _mm512_mul_epu32(self.0, other.0);
            let odd =
                _mm512_mul_epu32(_mm512_shuffle_epi32::<0xf5>(self.0), _mm512_shuffle_epi32::<0xf5>(other.0));
            Self(high_words(even, odd))
        }
    }
}

/// The high words of `even` in the even lanes of `odd`. Without the assembly the compiler makes a
/// two-operand permutation of it, which is slower on every processor that was measured.
#[inline]
#[target_feature(enable = "avx512f")]
fn high_words(even: __m512i, odd: __m512i) -> __m512i {
    let mut merged = odd;
    // SAFETY: a move between registers.
    unsafe {
        std::arch::asm!(
            "vmovshdup {merged}{{{mask}}}, {even}",
            merged = inout(zmm_reg) merged,
            even = in(zmm_reg) even,
            mask = in(kreg) 0x5555u16,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    merged
}

impl Square<16> for Avx512 {
    /// Exchanges words, pairs, quarters and halves, in this order.
    #[inline(always)]
    fn transpose(rows: [Self; 16]) -> [Self; 16] {
        // SAFETY: a value exists only if the processor has the instructions.
        unsafe {
            let mut t = rows;
            // Row 4k + j becomes, in each quarter q, column 4q + j of the rows 4k to 4k + 3.
            for k in 0..4 {
                let [Self(r0), Self(r1), Self(r2), Self(r3)] =
                    [rows[4 * k], rows[4 * k + 1], rows[4 * k + 2], rows[4 * k + 3]];
                let (a, b) = (_mm512_unpacklo_epi32(r0, r1), _mm512_unpackhi_epi32(r0, r1));
                let (c, d) = (_mm512_unpacklo_epi32(r2, r3), _mm512_unpackhi_epi32(r2, r3));
                t[4 * k] = Self(_mm512_unpacklo_epi64(a, c));
                t[4 * k + 1] = Self(_mm512_unpackhi_epi64(a, c));
                t[4 * k + 2] = Self(_mm512_unpacklo_epi64(b, d));
                t[4 * k + 3] = Self(_mm512_unpackhi_epi64(b, d));
            }
            let mut u = t;
            for j in 0..4 {
                let [Self(a), Self(b), Self(c), Self(d)] = [t[j], t[j + 4], t[j + 8], t[j + 12]];
                let (ab_even, ab_odd) =
                    (_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0xdd>(a, b));
                let (cd_even, cd_odd) =
                    (_mm512_shuffle_i32x4::<0x88>(c, d), _mm512_shuffle_i32x4::<0xdd>(c, d));
                u[j] = Self(_mm512_shuffle_i32x4::<0x88>(ab_even, cd_even));
                u[j + 8] = Self(_mm512_shuffle_i32x4::<0xdd>(ab_even, cd_even));
                u[j + 4] = Self(_mm512_shuffle_i32x4::<0x88>(ab_odd, cd_odd));
                u[j + 12] = Self(_mm512_shuffle_i32x4::<0xdd>(ab_odd, cd_odd));
            }
            u
        }
    }
}

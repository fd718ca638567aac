//! Vectors of 32 lanes with 16 equations each, in the instructions of the processor.

/// 32 lanes of 16 bits.
pub type Words = [u16; 32];

/// A vector of [`Words`], which is as large as they are and takes any values.
///
/// The functions use the vector instructions of their implementation, which the processor must have.
pub trait Lanes: Copy {
    /// The state of the comparisons so far.
    type Seen: Copy;

    /// # Safety
    /// The processor has the instructions.
    #[inline(always)]
    unsafe fn load(words: &Words) -> Self {
        // SAFETY: a vector is as large as its words, and takes any.
        unsafe { std::ptr::from_ref(words).cast::<Self>().read_unaligned() }
    }
    /// # Safety
    /// The processor has the instructions.
    #[inline(always)]
    unsafe fn store(self) -> Words {
        // SAFETY: a vector is as large as its words.
        unsafe { std::mem::transmute_copy(&self) }
    }
    /// # Safety
    /// The processor has the instructions.
    unsafe fn splat(word: u16) -> Self;
    /// # Safety
    /// The processor has the instructions.
    unsafe fn xor(self, other: Self) -> Self;
    /// # Safety
    /// The processor has the instructions.
    unsafe fn start() -> Self::Seen;
    /// Adds the comparison of all lanes.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn see(self, target: Self, seen: Self::Seen) -> Self::Seen;
    /// Returns the lanes that are equal: lane l is bit l.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn equal(self, target: Self) -> u32;
    /// True if lanes were equal in one of the comparisons.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn any(seen: [Self::Seen; 4]) -> bool;
}

impl Lanes for Words {
    type Seen = Words;

    #[inline(always)]
    unsafe fn splat(word: u16) -> Self {
        [word; 32]
    }

    #[inline(always)]
    unsafe fn xor(mut self, other: Self) -> Self {
        self.iter_mut().zip(&other).for_each(|(a, b)| *a ^= b);
        self
    }

    #[inline(always)]
    unsafe fn start() -> Words {
        [0; 32]
    }

    #[inline(always)]
    unsafe fn see(self, target: Self, mut seen: Words) -> Words {
        for (lane, seen) in seen.iter_mut().enumerate() {
            *seen |= u16::from(self[lane] == target[lane]);
        }
        seen
    }

    #[inline(always)]
    unsafe fn equal(self, target: Self) -> u32 {
        (0..32).fold(0, |mask, lane| mask | u32::from(self[lane] == target[lane]) << lane)
    }

    #[inline(always)]
    unsafe fn any(seen: [Words; 4]) -> bool {
        seen.iter().flatten().fold(0, |any, seen| any | seen) != 0
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;

    /// One register of 512 bits.
    #[derive(Clone, Copy)]
    #[repr(transparent)]
    pub struct Avx512(__m512i);

    impl Lanes for Avx512 {
        /// Lanes that differed in all comparisons: the next comparison is masked by it, at no cost.
        type Seen = __mmask32;

        #[inline(always)]
        unsafe fn splat(word: u16) -> Self {
            // SAFETY: the caller has the instructions.
            Avx512(unsafe { _mm512_set1_epi16(word as i16) })
        }

        #[inline(always)]
        unsafe fn xor(self, other: Self) -> Self {
            // SAFETY: the caller has the instructions.
            Avx512(unsafe { _mm512_xor_si512(self.0, other.0) })
        }

        #[inline(always)]
        unsafe fn start() -> __mmask32 {
            u32::MAX
        }

        #[inline(always)]
        unsafe fn see(self, target: Self, seen: __mmask32) -> __mmask32 {
            // SAFETY: the caller has the instructions.
            unsafe { _mm512_mask_cmpneq_epu16_mask(seen, self.0, target.0) }
        }

        #[inline(always)]
        unsafe fn equal(self, target: Self) -> u32 {
            // SAFETY: the caller has the instructions.
            unsafe { _mm512_cmpeq_epu16_mask(self.0, target.0) }
        }

        #[inline(always)]
        unsafe fn any(seen: [__mmask32; 4]) -> bool {
            seen[0] & seen[1] & seen[2] & seen[3] != u32::MAX
        }
    }

    /// Two registers of 256 bits.
    #[derive(Clone, Copy)]
    #[repr(transparent)]
    pub struct Avx2([__m256i; 2]);

    impl Lanes for Avx2 {
        /// Ones in the lanes that were equal.
        type Seen = [__m256i; 2];

        #[inline(always)]
        unsafe fn splat(word: u16) -> Self {
            // SAFETY: the caller has the instructions.
            Avx2(unsafe { [_mm256_set1_epi16(word as i16); 2] })
        }

        #[inline(always)]
        unsafe fn xor(self, other: Self) -> Self {
            let [a, b] = self.0;
            // SAFETY: the caller has the instructions.
            Avx2(unsafe { [_mm256_xor_si256(a, other.0[0]), _mm256_xor_si256(b, other.0[1])] })
        }

        #[inline(always)]
        unsafe fn start() -> [__m256i; 2] {
            // SAFETY: the caller has the instructions.
            unsafe { [_mm256_setzero_si256(); 2] }
        }

        #[inline(always)]
        unsafe fn see(self, target: Self, seen: [__m256i; 2]) -> [__m256i; 2] {
            let ([a, b], [c, d]) = (self.0, target.0);
            // SAFETY: the caller has the instructions.
            unsafe {
                [
                    _mm256_or_si256(seen[0], _mm256_cmpeq_epi16(a, c)),
                    _mm256_or_si256(seen[1], _mm256_cmpeq_epi16(b, d)),
                ]
            }
        }

        #[inline(always)]
        unsafe fn equal(self, target: Self) -> u32 {
            let ([a, b], [c, d]) = (self.0, target.0);
            // SAFETY: the caller has the instructions.
            unsafe {
                // Words become bytes, in the order 0 to 7, 16 to 23, 8 to 15, 24 to 31, which is put right.
                let bytes = _mm256_packs_epi16(_mm256_cmpeq_epi16(a, c), _mm256_cmpeq_epi16(b, d));
                _mm256_movemask_epi8(_mm256_permute4x64_epi64::<0b11_01_10_00>(bytes)) as u32
            }
        }

        #[inline(always)]
        unsafe fn any(seen: [[__m256i; 2]; 4]) -> bool {
            // SAFETY: the caller has the instructions.
            unsafe {
                let any =
                    seen.into_iter().flatten().fold(_mm256_setzero_si256(), |a, b| _mm256_or_si256(a, b));
                _mm256_testz_si256(any, any) == 0
            }
        }
    }
}

//! Registers of bits: one trait over the vector instructions of the host.

/// A register of bits. Kernels are written once over this trait; [`simd_kernel`] compiles them for
/// every set of instructions.
pub trait Lane: Copy {
    /// 64-bit words in the register; divides 8.
    const WORDS: usize;

    /// # Safety
    /// `WORDS` words must be readable at `from`, and the machine must have the instructions.
    unsafe fn load(from: *const u64) -> Self;

    /// # Safety
    /// `WORDS` words must be writable at `to`, and the machine must have the instructions.
    unsafe fn store(self, to: *mut u64);

    /// # Safety
    /// The machine must have the instructions.
    unsafe fn xor(self, other: Self) -> Self;
}

/// A 64-bit register that the compiler may not merge with its neighbours into a vector.
#[derive(Clone, Copy)]
pub struct Scalar(u64);

impl Lane for Scalar {
    const WORDS: usize = 1;

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller vouches for the word at `from`.
        Scalar(keep_scalar(unsafe { from.read() }))
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller vouches for the word at `to`.
        unsafe { to.write(self.0) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        Scalar(self.0 ^ other.0)
    }
}

/// Returns `word` and forces it into a general register, so that the compiler cannot vectorize. Miri
/// runs no assembly, and has no registers.
#[inline(always)]
fn keep_scalar(word: u64) -> u64 {
    #[cfg(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let mut word = word;
        // SAFETY: no instruction is emitted.
        unsafe {
            std::arch::asm!("/* {0} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags));
        }
        word
    }
    #[cfg(not(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64"))))]
    word
}

macro_rules! lane {
    ($arch:literal, $register:ident, $words:literal, $load:ident, $store:ident, $xor:ident) => {
        #[cfg(target_arch = $arch)]
        impl Lane for registers::$register {
            const WORDS: usize = $words;

            #[inline(always)]
            unsafe fn load(from: *const u64) -> Self {
                // SAFETY: the caller vouches for the words and the instructions.
                unsafe { registers::$load(from.cast()) }
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut u64) {
                // SAFETY: the caller vouches for the words and the instructions.
                unsafe { registers::$store(to.cast(), self) }
            }

            #[inline(always)]
            unsafe fn xor(self, other: Self) -> Self {
                // SAFETY: the caller vouches for the instructions.
                unsafe { registers::$xor(self, other) }
            }
        }
    };
}

#[cfg(target_arch = "aarch64")]
pub(super) use std::arch::aarch64 as registers;
#[cfg(target_arch = "x86_64")]
pub(super) use std::arch::x86_64 as registers;
/// Empty: this crate uses no vector instructions of other architectures.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) mod registers {}

lane!("x86_64", __m128i, 2, _mm_loadu_si128, _mm_storeu_si128, _mm_xor_si128);
lane!("x86_64", __m256i, 4, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_xor_si256);
lane!("x86_64", __m512i, 8, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_xor_si512);
lane!("aarch64", uint64x2_t, 2, vld1q_u64, vst1q_u64, veorq_u64);

/// Defines `name(simd, arguments…)` from a generic `body::<L: Lane>(arguments…)`, which is compiled
/// once for every set of instructions.
macro_rules! simd_kernel {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) = $body:ident) => {
        $(#[$doc])*
        pub(crate) fn $name(simd: crate::Simd, $($argument: $type),*) {
            #[allow(unused_imports)]
            use crate::Simd;
            #[allow(unused_imports)]
            use crate::gf2::cpu::simd::registers;
            assert!(simd.is_available(), "{simd} instructions on a machine without them");

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f")]
            fn avx512($($argument: $type),*) {
                // SAFETY: the function is compiled for, and only called with, these instructions.
                unsafe { $body::<registers::__m512i>($($argument),*) }
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2($($argument: $type),*) {
                // SAFETY: the function is compiled for, and only called with, these instructions.
                unsafe { $body::<registers::__m256i>($($argument),*) }
            }

            // SAFETY: the machine has the instructions, by the assertion above.
            unsafe {
                match simd {
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx512 => avx512($($argument),*),
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx2 => avx2($($argument),*),
                    #[cfg(target_arch = "x86_64")]
                    Simd::Sse2 => $body::<registers::__m128i>($($argument),*),
                    #[cfg(target_arch = "aarch64")]
                    Simd::Neon => $body::<registers::uint64x2_t>($($argument),*),
                    _ => $body::<crate::gf2::cpu::simd::Scalar>($($argument),*),
                }
            }
        }
    };
}
pub(super) use simd_kernel;

//! The vector instructions of the host, chosen at run time.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// A set of vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Simd {
    /// 64-bit registers.
    Scalar,
    /// 128 bits, x86-64.
    Sse2,
    /// 256 bits, x86-64.
    Avx2,
    /// 512 bits, x86-64.
    Avx512,
    /// 128 bits, AArch64.
    Neon,
}

impl Simd {
    /// All of them, narrow ones first.
    pub const ALL: [Simd; 5] = [Simd::Scalar, Simd::Sse2, Simd::Avx2, Simd::Avx512, Simd::Neon];

    /// The widest that this machine has.
    pub fn best() -> Self {
        let widest = Self::ALL.into_iter().rev().find(|simd| simd.is_available());
        widest.unwrap_or(Simd::Scalar)
    }

    /// Whether this machine has it.
    pub fn is_available(self) -> bool {
        match self {
            Simd::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Simd::Sse2 => true,
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => is_x86_feature_detected!("avx512f"),
            #[cfg(target_arch = "aarch64")]
            Simd::Neon => true,
            _ => false,
        }
    }

    /// This one, if the machine has it.
    ///
    /// # Errors
    /// [`Error::NoDevice`] where it does not.
    pub fn checked(self) -> Result<Self> {
        match self.is_available() {
            true => Ok(self),
            false => Err(Error::NoDevice(format!("this processor has no {self} instructions"))),
        }
    }
}

impl FromStr for Simd {
    type Err = Error;

    /// `auto`, or the name of one.
    fn from_str(name: &str) -> Result<Self> {
        if name == "auto" {
            return Ok(Simd::best());
        }
        Simd::ALL.into_iter().find(|simd| simd.to_string() == name).ok_or_else(|| {
            Error::Usage(format!("`{name}`: expected auto, scalar, sse2, avx2, avx512 or neon"))
        })
    }
}

impl fmt::Display for Simd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Simd::Scalar => "scalar",
            Simd::Sse2 => "sse2",
            Simd::Avx2 => "avx2",
            Simd::Avx512 => "avx512",
            Simd::Neon => "neon",
        })
    }
}

/// A register of bits. Kernels are written once over this trait and compiled once a set of
/// instructions by [`simd_kernel`].
pub(super) trait Lane: Copy {
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
pub(super) struct Scalar(u64);

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

/// The same word, which has to be in a general register here. Miri runs no assembly, and has no
/// registers.
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
/// No vectors that this crate knows of.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) mod registers {}

lane!("x86_64", __m128i, 2, _mm_loadu_si128, _mm_storeu_si128, _mm_xor_si128);
lane!("x86_64", __m256i, 4, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_xor_si256);
lane!("x86_64", __m512i, 8, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_xor_si512);
lane!("aarch64", uint64x2_t, 2, vld1q_u64, vst1q_u64, veorq_u64);

/// Makes `name(simd, arguments…)` out of a generic `body::<L: Lane>(arguments…)`, compiled once
/// for every set of instructions.
macro_rules! simd_kernel {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) = $body:ident) => {
        $(#[$doc])*
        pub(crate) fn $name(simd: crate::gf2::cpu::Simd, $($argument: $type),*) {
            #[allow(unused_imports)]
            use crate::gf2::cpu::Simd;
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

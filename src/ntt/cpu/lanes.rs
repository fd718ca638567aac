//! Vectors of 32-bit words: the little that the kernels need of an instruction set.
//!
//! A value of such a type proves that the processor has the instructions: only `load`
//! and `splat` make values out of nothing, and their callers vouch for it. What works on
//! values is therefore safe.

/// A vector of 2^`LOG` unsigned 32-bit words; arithmetic wraps modulo 2^32.
pub(super) trait Lanes: Copy {
    /// log2 of the number of words.
    const LOG: u32;
    /// The number of words.
    const COUNT: usize = 1 << Self::LOG;

    /// The words at `from`, of any alignment.
    ///
    /// # Safety
    /// `from` must be valid for reading `COUNT` words, and the processor must have the
    /// instructions.
    unsafe fn load(from: *const u32) -> Self;

    /// `word` in every lane.
    ///
    /// # Safety
    /// The processor must have the instructions.
    unsafe fn splat(word: u32) -> Self;

    /// Writes the words to `to`, of any alignment.
    ///
    /// # Safety
    /// `to` must be valid for writing `COUNT` words.
    unsafe fn store(self, to: *mut u32);

    /// The sums.
    fn add(self, other: Self) -> Self;
    /// The differences.
    fn sub(self, other: Self) -> Self;
    /// The smaller words.
    fn min(self, other: Self) -> Self;
    /// The larger words.
    fn max(self, other: Self) -> Self;
    /// The low halves of the products.
    fn mul_low(self, other: Self) -> Self;
    /// The high halves of the products.
    fn mul_high(self, other: Self) -> Self;
}

/// Vectors as the rows of a square matrix; `L` is `COUNT`.
pub(super) trait Square<const L: usize>: Lanes {
    /// The matrix transposed.
    fn transpose(rows: [Self; L]) -> [Self; L];
}

/// One word at a time: for every processor.
#[derive(Clone, Copy)]
pub(super) struct Scalar(u32);

impl Lanes for Scalar {
    const LOG: u32 = 0;

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller's.
        Scalar(unsafe { from.read() })
    }

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        Scalar(word)
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: the caller's.
        unsafe { to.write(self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Scalar(self.0.wrapping_add(other.0))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Scalar(self.0.wrapping_sub(other.0))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Scalar(self.0.min(other.0))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Scalar(self.0.max(other.0))
    }

    #[inline(always)]
    fn mul_low(self, other: Self) -> Self {
        Scalar(self.0.wrapping_mul(other.0))
    }

    #[inline(always)]
    fn mul_high(self, other: Self) -> Self {
        Scalar(((u64::from(self.0) * u64::from(other.0)) >> 32) as u32)
    }
}

impl Square<1> for Scalar {
    #[inline(always)]
    fn transpose(rows: [Self; 1]) -> [Self; 1] {
        rows
    }
}

//! Vectors of 32-bit words: the few operations that the kernels need of an instruction set.
//!
//! A value of such a type proves that the processor has the instructions: only `load` and `splat` create
//! values, and their callers guarantee the instructions. Methods on values are therefore safe.

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

/// The methods that are one intrinsic each. A value proves that the processor has the instructions.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! by_intrinsic {
    (load = $load:ident, splat = $splat:ident, store = $store:ident, $($name:ident = $intrinsic:ident),*) => {
        #[inline(always)]
        unsafe fn load(from: *const u32) -> Self {
            // SAFETY: guaranteed by the caller.
            Self(unsafe { $load(from.cast()) })
        }

        #[inline(always)]
        unsafe fn splat(word: u32) -> Self {
            // SAFETY: guaranteed by the caller.
            Self(unsafe { $splat(word as _) })
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut u32) {
            // SAFETY: guaranteed by the caller.
            unsafe { $store(to.cast(), self.0) }
        }

        $(
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: a value exists only if the processor has the instructions.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        )*
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use by_intrinsic;

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
        // SAFETY: guaranteed by the caller.
        Scalar(unsafe { from.read() })
    }

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        Scalar(word)
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: guaranteed by the caller.
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

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [u32; 12] =
        [0, 1, 2, 3, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xdead_beef, !1, !0];

    fn loaded<V: Lanes>(words: impl Fn(usize) -> u32) -> V {
        let words: Vec<u32> = (0..V::COUNT).map(words).collect();
        // SAFETY: a whole vector; the callers have checked for the instructions.
        unsafe { V::load(words.as_ptr()) }
    }

    fn stored<V: Lanes>(v: V) -> Vec<u32> {
        let mut words = vec![0; V::COUNT];
        // SAFETY: a whole vector.
        unsafe { v.store(words.as_mut_ptr()) };
        words
    }

    /// Checks every lane with every pair of words.
    fn does_what_one_word_does<V: Square<L>, const L: usize>() {
        assert_eq!(V::COUNT, L);
        for (i, j) in (0..WORDS.len()).flat_map(|i| (0..WORDS.len()).map(move |j| (i, j))) {
            let (x, y) = (|lane: usize| WORDS[(i + lane) % 12], |lane: usize| WORDS[(j + 5 * lane) % 12]);
            let (a, b) = (loaded::<V>(x), loaded::<V>(y));
            let check = |name: &str, v: V, one: fn(Scalar, Scalar) -> Scalar| {
                let expected: Vec<u32> = (0..L).map(|lane| one(Scalar(x(lane)), Scalar(y(lane))).0).collect();
                assert_eq!(stored(v), expected, "{name}");
            };
            check("add", a.add(b), Scalar::add);
            check("sub", a.sub(b), Scalar::sub);
            check("min", a.min(b), Scalar::min);
            check("max", a.max(b), Scalar::max);
            check("mul_low", a.mul_low(b), Scalar::mul_low);
            check("mul_high", a.mul_high(b), Scalar::mul_high);
            // SAFETY: the callers have checked for the instructions.
            assert_eq!(stored(unsafe { V::splat(WORDS[i]) }), vec![WORDS[i]; L]);
        }
        let rows = std::array::from_fn(|row| loaded::<V>(|column| (row * L + column) as u32));
        for (row, v) in V::transpose(rows).into_iter().enumerate() {
            assert_eq!(stored(v), (0..L).map(|column| (column * L + row) as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn scalar() {
        does_what_one_word_does::<Scalar, 1>();
        assert_eq!(Scalar(!0).mul_high(Scalar(!0)).0, 0xffff_fffe);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn avx2() {
        if is_x86_feature_detected!("avx2") {
            does_what_one_word_does::<crate::ntt::cpu::x86::Avx2, 8>();
        } else {
            eprintln!("NOT RUN: this processor has no AVX2");
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn avx512() {
        if is_x86_feature_detected!("avx512f") {
            does_what_one_word_does::<crate::ntt::cpu::x86::Avx512, 16>();
        } else {
            eprintln!("NOT RUN: this processor has no AVX-512");
        }
    }

    #[cfg(target_arch = "aarch64")]
    #[test]
    fn neon() {
        does_what_one_word_does::<crate::ntt::cpu::neon::Neon, 4>();
    }
}

//! Prime fields of several words, as the kernels compute in them.
//!
//! An element x is kept as x R mod p, Montgomery's form (1985), in limbs of 30 bits, least
//! significant first: as many limbs as give R = 2^(30 limbs) at least eight bits more than p
//! has. With those spare bits a product of lazily reduced operands needs no final
//! subtraction: a b / R + p stays below 2 p for a b up to 2^8 p^2.
//!
//! Both ways to multiply share this form. With 64-bit integers the limbs are multiplied as
//! they are; without, each is two limbs of 15 bits.

use ark_ff::{Field, Fp, MontBackend, MontConfig, PrimeField};
use dashu_int::UBig;
use serde::Serialize;

use super::columns::{LIMB_BITS, carries, carries_in_turn, carry_for_second, products};
use super::{CoordinateField, PrimeOf, Reader};

/// Bits that R has beyond p, at least.
const SPARE_BITS: usize = 8;
/// Bits that a lazily reduced element in memory may have beyond p.
const LAZY_BITS: usize = 3;

/// A prime field whose elements can be moved in and out as the words that arkworks keeps:
/// Montgomery's form with R = 2^64N, N words, least significant first.
pub trait Words: PrimeField {
    /// N.
    const WORDS: usize;

    /// The element's words.
    fn words(&self) -> &[u64];

    /// The element with these words; None for another count, or a value not below the modulus.
    fn from_words(words: &[u64]) -> Option<Self>;

    /// The product, in the fastest way of the processor: arkworks', but in WebAssembly.
    #[must_use]
    fn times(&self, other: &Self) -> Self;
}

impl<P: MontConfig<N>, const N: usize> Words for Fp<MontBackend<P, N>, N> {
    const WORDS: usize = N;

    fn words(&self) -> &[u64] {
        &self.0.0
    }

    fn from_words(words: &[u64]) -> Option<Self> {
        let value = ark_ff::BigInt::<N>(words.try_into().ok()?);
        (value < P::MODULUS).then(|| Self::new_unchecked(value))
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        *self * other
    }

    #[cfg(target_arch = "wasm32")]
    #[inline(never)]
    fn times(&self, other: &Self) -> Self {
        let words = super::limbs::product(&self.0.0, &other.0.0, &P::MODULUS.0, P::INV);
        Self::new_unchecked(ark_ff::BigInt(words))
    }
}

/// The constants of a prime field, by the names that the shaders' templates use, and of the extension of it that
/// coordinates lie in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BigField {
    /// The number of elements of a coordinate: 1, or 2 for c0 + c1 u in a quadratic extension.
    pub degree: usize,
    /// Elements of a coordinate that a thread has: all of them, or one of two ([`BigField::split`]).
    pub held: usize,
    /// -u^2; 0 without an extension.
    pub minus_square: u32,
    /// Bits of p.
    pub bits: usize,
    /// Limbs of an element.
    pub limbs: usize,
    /// 32-bit words of an element below p in memory.
    pub words: usize,
    /// 32-bit words of an element below 8 p in memory.
    pub lazy_words: usize,
    /// p, in limbs.
    pub p: Vec<u32>,
    /// 2 p, in limbs.
    pub p_twice: Vec<u32>,
    /// -1/p mod 2^30.
    pub minus_inverse: u32,
    /// The multiple of p, in limbs, that keeps the opposite of a factor above 0; see [`BigField::opposites`].
    pub p_opposites: Vec<u32>,
    /// For each row of a reduction with 64-bit integers, the columns whose carries are propagated before it.
    pub carries: Vec<Vec<usize>>,
    /// The same for the rows of the products, one or two, and of the reduction in turn: the columns before each row of both.
    pub carries_in_turn: Vec<Vec<usize>>,
    /// The columns whose carries are propagated before a second product is added to a first one, if there is an
    /// extension. `carries` then apply to the sum of two products.
    pub carries_between: Vec<usize>,
    /// R mod p, in limbs: Montgomery's form of 1.
    pub one: Vec<u32>,
    /// R^2 mod p, in limbs.
    pub radix_squared: Vec<u32>,
    /// R^2 / 2^64N mod p, in limbs: the product with an element in arkworks' form (R = 2^64N)
    /// is the element in this form.
    pub from_host: Vec<u32>,
}

impl BigField {
    /// The constants of the field `F`.
    pub fn of<F: CoordinateField>() -> Self {
        let prime = Self::of_prime::<PrimeOf<F>>();
        let Some(minus_square) = F::minus_square() else { return prime };
        let mut bounds = products(prime.limbs);
        let carries_between = carry_for_second(&mut bounds);
        let field = BigField {
            degree: 2,
            held: 2,
            minus_square,
            carries: carries(&prime.p, bounds, 0),
            carries_in_turn: carries_in_turn(&prime.p, 2),
            carries_between,
            ..prime
        };
        BigField { p_opposites: field.multiple(field.opposites()), ..field }
    }

    fn of_prime<F: Words>() -> Self {
        let bits = F::MODULUS_BIT_SIZE as usize;
        let limbs = (bits + SPARE_BITS).div_ceil(LIMB_BITS);
        let two_to = |exponent: usize| F::from(2u64).pow([exponent as u64]);
        let radix = two_to(limbs * LIMB_BITS);
        let to_limbs = |x: F| split(x.into_bigint().as_ref(), LIMB_BITS, limbs);
        let p = split(F::MODULUS.as_ref(), LIMB_BITS, limbs);
        let field = BigField {
            degree: 1,
            held: 1,
            minus_square: 0,
            bits,
            limbs,
            words: bits.div_ceil(32),
            lazy_words: (bits + LAZY_BITS).div_ceil(32),
            minus_inverse: super::inverse_mod_2_32(p[0]).wrapping_neg() & ((1 << LIMB_BITS) - 1),
            p_twice: Vec::new(),
            p_opposites: Vec::new(),
            carries: carries(&p, products(limbs), 0),
            carries_in_turn: carries_in_turn(&p, 1),
            carries_between: Vec::new(),
            p,
            one: to_limbs(radix),
            radix_squared: to_limbs(radix * radix),
            from_host: to_limbs(radix * radix / two_to(64 * F::WORDS)),
        };
        BigField { p_twice: field.multiple(2), ..field }
    }

    /// The same field for kernels in which two threads side by side have one element each of every coordinate.
    pub fn split(&self) -> Self {
        BigField { held: 1, ..self.clone() }
    }

    /// True if two threads share every coordinate.
    pub fn is_split(&self) -> bool {
        self.held < self.degree
    }

    /// 32-bit words of a coordinate in a list of coordinates: lazy elements, each padded to whole vectors of four words.
    pub fn element_words(&self) -> usize {
        self.degree * self.lazy_words.next_multiple_of(4)
    }

    /// 32-bit words of the coordinates of an affine point.
    pub fn affine_words(&self) -> usize {
        2 * self.degree * self.words
    }

    /// The same prime field without the extension.
    pub fn prime(&self) -> Self {
        BigField {
            degree: 1,
            held: 1,
            minus_square: 0,
            carries: carries(&self.p, products(self.limbs), 0),
            carries_in_turn: carries_in_turn(&self.p, 1),
            carries_between: Vec::new(),
            p_opposites: Vec::new(),
            ..self.clone()
        }
    }

    /// The k for which k p is added to the opposite of a factor in an extension, so that it is not below 0: enough for factors
    /// below 16 p.
    pub fn opposites(&self) -> u32 {
        16 * self.minus_square
    }

    /// k p, in limbs.
    pub fn multiple(&self, k: u32) -> Vec<u32> {
        let mut carry = 0;
        let limb = |limb: &u32| {
            let sum = u64::from(k) * u64::from(*limb) + carry;
            carry = sum >> LIMB_BITS;
            sum as u32 & ((1 << LIMB_BITS) - 1)
        };
        self.p.iter().map(limb).collect()
    }

    /// floor(2^(bits + 15) / p), between 2^15 and 2^16.
    pub fn quotient_factor(&self) -> u32 {
        self.multiples_below(self.bits + 15) as u32
    }

    /// floor(R / p), at least 2^8.
    pub fn headroom(&self) -> u64 {
        self.multiples_below(self.limbs * LIMB_BITS)
    }

    /// The largest k for which every value below k p fits `lazy_words` words.
    pub fn multiples_in_memory(&self) -> u64 {
        self.multiples_below(32 * self.lazy_words)
    }

    /// Division steps that bring any element and p to their greatest common divisor (Wuille's
    /// bound for Bernstein's and Yang's steps with delta = 1/2).
    pub fn division_steps(&self) -> usize {
        (45907 * self.bits + 26313).div_ceil(19929)
    }

    /// [`BigField::from_host`] times `x`, in limbs.
    pub fn from_host_times<F: Words>(&self, x: &F) -> Vec<u32> {
        let radix = self.radix::<F>();
        let factor = *x * radix * radix / F::from(2u64).pow([64 * F::WORDS as u64]);
        split(factor.into_bigint().as_ref(), LIMB_BITS, self.limbs)
    }

    /// 2^(bits of R - 64N) mod p, in limbs: the product with an element in arkworks' form is the integer.
    pub fn to_integer<F: Words>(&self) -> Vec<u32> {
        let factor = self.radix::<F>() / F::from(2u64).pow([64 * F::WORDS as u64]);
        split(factor.into_bigint().as_ref(), LIMB_BITS, self.limbs)
    }

    /// 2^64N mod p, in limbs: the product with an element in this form is the element in arkworks' form.
    pub fn to_host<F: Words>(&self) -> Vec<u32> {
        let host = F::from(2u64).pow([64 * F::WORDS as u64]);
        split(host.into_bigint().as_ref(), LIMB_BITS, self.limbs)
    }

    /// A reader that converts elements on the device to elements of `F`.
    pub fn reader<F: CoordinateField>(&self) -> Reader<F> {
        let host = PrimeOf::<F>::from(2u64).pow([64 * <PrimeOf<F> as Words>::WORDS as u64]);
        Reader { degree: self.degree, factor: host / self.radix::<PrimeOf<F>>() }
    }

    /// floor(2^bits / p).
    fn multiples_below(&self, bits: usize) -> u64 {
        let p = self.p.iter().rev().fold(UBig::ZERO, |sum, limb| (sum << LIMB_BITS) + UBig::from(*limb));
        u64::try_from((UBig::ONE << bits) / p).unwrap_or(u64::MAX)
    }

    pub(super) fn radix<F: Words>(&self) -> F {
        F::from(2u64).pow([(self.limbs * LIMB_BITS) as u64])
    }
}

/// Cuts an integer into `count` limbs of `bits` bits, least significant first.
pub(super) fn split(words: &[u64], bits: usize, count: usize) -> Vec<u32> {
    let bit = |i: usize| words.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1);
    (0..count).map(|limb| (0..bits).fold(0, |sum, i| sum | u32::from(bit(limb * bits + i)) << i)).collect()
}

#[cfg(all(test, feature = "default"))]
mod tests {
    use ark_std::rand::SeedableRng;

    use super::*;

    fn constants_fit<F: Words>(limbs: usize, words: usize, lazy_words: usize) {
        let field = BigField::of::<F>();
        assert_eq!((field.limbs, field.words, field.lazy_words), (limbs, words, lazy_words));
        assert!(field.headroom() >= 1 << SPARE_BITS);
        assert_eq!(field.p[0].wrapping_mul(field.minus_inverse).wrapping_add(1) << 2, 0);
        assert_eq!(2 * F::WORDS, field.words);
        let mut rng = ark_std::rand::rngs::StdRng::seed_from_u64(1);
        let x = F::rand(&mut rng);
        let reader = field.reader::<F>();
        let mut words = field.to_device(&x);
        words.resize(field.lazy_words, 0);
        assert_eq!(reader.read(&words), x);
        // The same element, with 4 p added.
        let mut carry = 0u64;
        let p = split(F::MODULUS.as_ref(), 32, field.lazy_words);
        for (word, p) in words.iter_mut().zip(p) {
            carry += u64::from(*word) + 4 * u64::from(p);
            *word = carry as u32;
            carry >>= 32;
        }
        assert_eq!((reader.read(&words), carry), (x, 0));
    }

    #[test]
    fn every_base_field_has_room() {
        constants_fit::<ark_bls12_381::Fq>(13, 12, 12);
        constants_fit::<ark_bls12_377::Fq>(13, 12, 12);
        constants_fit::<ark_bn254::Fq>(9, 8, 9);
        constants_fit::<crate::curve::BaseField<crate::curve::Bls24_315>>(11, 10, 10);
    }
}

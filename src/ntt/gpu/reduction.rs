//! The reductions of the kernels on the host's side: the form of constants, and the bounds of the operands
//! and results of a product. The shaders' side is `shaders/ntt/arithmetic.wgsl`.

use serde::Serialize;

use crate::field::Prime;
use crate::gpu::Arithmetic;
use crate::ntt::Reduction;

/// A reduction chosen for a prime and an adapter.
#[derive(Clone, Copy, Debug)]
pub struct Modulus {
    pub(super) prime: Prime,
    reduction: Reduction,
    arithmetic: Arithmetic,
}

/// The template variables of `shaders/ntt/arithmetic.wgsl`.
#[derive(Serialize)]
pub struct ModulusContext {
    p: u32,
    p_inverse: u32,
    reduction: &'static str,
    quotient: Quotient,
    /// True if Montgomery's reduction is done half of R at a time.
    by_halves: bool,
    k: u32,
    mu: u32,
}

/// The method by which Shoup's products with constants estimate x w / p: see `shaders/shoup32.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Quotient {
    /// By the high half of a product of words: x w in [0, 2p) for any x.
    Exact,
    /// By three products of halves, where 4p fits a word: x w in [0, 4p) for any x.
    Sloppy,
    /// By three products of signed halves: x w in [0, p) for x in (-p, p).
    Centred,
}

impl Modulus {
    /// Primes below this can have centred quotients: no sum of halves' products passes 2^31.
    const CENTRED_BELOW: u32 = (1 << 31) - (3 << 15);
    /// Primes below this can have them with halves of x that are not centred (`mul_fixed`): the sum in the
    /// middle is at most 2^30 - 2^19 + 2^30 + 2^16 + 2^14 < 2^31.
    const FIXED_BELOW: u32 = (1 << 31) - (1 << 20);

    /// The products of kernels modulo `prime`, by this reduction, with these features.
    pub fn new(prime: Prime, reduction: Reduction, arithmetic: Arithmetic) -> Self {
        // Shoup's products measured fastest for constants (10^9 a second on an H200: 4.1 to
        // Montgomery's 3.2 with 64-bit integers, 3.1 to 1.9 without).
        let reduction = if reduction == Reduction::Auto { Reduction::Shoup } else { reduction };
        Modulus { prime, reduction, arithmetic }
    }

    /// The prime.
    pub fn prime(self) -> Prime {
        self.prime
    }

    /// The variables of a template that includes `ntt/arithmetic.wgsl`.
    pub fn context(self) -> ModulusContext {
        let p = self.prime.value();
        let k = u32::BITS - p.leading_zeros();
        ModulusContext {
            p,
            p_inverse: self.prime.p_inverse(),
            reduction: match self.reduction {
                Reduction::Auto | Reduction::Shoup => "shoup",
                Reduction::Montgomery => "montgomery",
                Reduction::Barrett => "barrett",
                Reduction::Plain => "plain",
            },
            quotient: self.quotient(),
            by_halves: self.prime.two_adicity() >= 16,
            k,
            mu: ((1u64 << (2 * k)) / u64::from(p)) as u32,
        }
    }

    /// The pair of words that `mul_const` takes for the constant `w`.
    pub fn constant(self, w: u32) -> [u32; 2] {
        match self.reduction {
            Reduction::Auto | Reduction::Shoup if self.quotient() == Quotient::Centred => self.centred(w),
            Reduction::Auto | Reduction::Shoup => [w, self.prime.shoup_quotient(w)],
            Reduction::Montgomery => [self.prime.to_montgomery(w), 0],
            Reduction::Barrett | Reduction::Plain => [w, 0],
        }
    }

    /// True if the second word of such a pair is used.
    pub fn has_quotients(self) -> bool {
        matches!(self.reduction, Reduction::Auto | Reduction::Shoup)
    }

    /// The word y with which `mul_var(x, y)` gives x w.
    pub fn variable(self, w: u32) -> u32 {
        if self.divides_by_r() { self.prime.to_montgomery(w) } else { w }
    }

    /// The constant that compensates for `mul_var` on two plain values: R or 1.
    pub fn product_factor(self) -> u32 {
        if self.divides_by_r() { self.prime.to_montgomery(1) } else { 1 }
    }

    /// The pair for centred quotients: w or w - p, whichever has a quotient by p that, rounded to a
    /// multiple of 2^-32, is q1 2^-16 + q0 2^-32 for two signed halves, and (q1, q0).
    fn centred(self, w: u32) -> [u32; 2] {
        let p = i64::from(self.prime.value());
        // Half of the 32-bit range in each direction, less half of the range of q0.
        let largest = (1 << 31) - (1 << 15) - 1;
        let w = i64::from(w);
        let quotient = ((w << 32) + p / 2) / p;
        let (w, quotient) = if quotient > largest { (w - p, quotient - (1 << 32)) } else { (w, quotient) };
        let q0 = quotient as i16;
        let q1 = (quotient - i64::from(q0)) >> 16;
        [w as u32, (q1 as u32) << 16 | u32::from(q0 as u16)]
    }

    /// The product of register `x` and the constant `w` in WGSL.
    pub(super) fn product(self, x: usize, w: u32) -> String {
        let [word, quotient] = self.constant(w);
        match self.takes_differences() && self.prime.value() < Self::FIXED_BELOW {
            true => {
                let [q1, q0, middle, start] = self.fixed(quotient);
                format!("mul_fixed(x{x}, {word}u, {q1}, {q0}, {middle}, {}u)", start as u32)
            }
            false => format!("mul_const(x{x}, vec2<u32>({word}u, {quotient}u))"),
        }
    }

    /// The words that `mul_fixed` takes for a constant with this quotient:
    ///
    /// ```text
    /// q1, q0                               its halves
    /// 2^15 + q0 / 2 - 2^16 floor(q1 / 2)   the addend of x1 q0 + x0 q1: a half to round, the mean of
    ///                                      x0 q0 2^-16, and a shift as if x0 were about 0
    /// -floor(q1 / 2) p                     compensates for the shift
    /// ```
    fn fixed(self, quotient: u32) -> [i32; 4] {
        let (q0, q1) = (i32::from(quotient as i16), quotient as i32 >> 16);
        let middle = (1 << 15) - (q1 << 15) + ((q1 & 1) << 15) + (q0 >> 1);
        [q1, q0, middle, (q1 >> 1).wrapping_mul(self.prime.value() as i32).wrapping_neg()]
    }

    /// `mul_var` takes x below this many p; every word is at most this many p.
    pub(super) fn factor_bound(self) -> u32 {
        match self.reduction {
            Reduction::Barrett | Reduction::Plain => 1,
            _ => self.capacity(),
        }
    }

    /// `mul_const` takes x below this many p.
    pub(super) fn constant_factor_bound(self) -> u32 {
        if self.takes_differences() { 1 } else { self.factor_bound() }
    }

    /// True if `mul_const` takes the difference of two words below p as it is, below zero as a
    /// signed word.
    pub(super) fn takes_differences(self) -> bool {
        self.has_quotients() && self.quotient() == Quotient::Centred
    }

    /// `mul_const` returns values below this many p.
    pub fn constant_product_bound(self) -> u32 {
        match (self.has_quotients(), self.quotient()) {
            (true, Quotient::Exact) => 2,
            (true, Quotient::Sloppy) => 4,
            (true, Quotient::Centred) | (false, _) => 1,
        }
    }

    /// The multiples of p that bring a product with a constant below p: each is subtracted, in this order, if
    /// the difference is not negative.
    pub fn scale_reductions(self) -> Vec<u32> {
        let mut multiples = Vec::new();
        let mut bound = self.constant_product_bound();
        while bound > 1 {
            bound = bound.div_ceil(2);
            multiples.push(bound * self.prime.value());
        }
        multiples
    }

    /// The number of p that fit a word.
    pub(super) fn capacity(self) -> u32 {
        u32::MAX / self.prime.value()
    }

    /// With 64-bit integers the high half of a product is one instruction.
    fn quotient(self) -> Quotient {
        match self.prime.value() {
            _ if self.arithmetic.int64 => Quotient::Exact,
            p if p < 1 << 30 => Quotient::Sloppy,
            p if p < Self::CENTRED_BELOW => Quotient::Centred,
            _ => Quotient::Exact,
        }
    }

    fn divides_by_r(self) -> bool {
        !matches!(self.reduction, Reduction::Barrett | Reduction::Plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{BABY_BEAR, KOALA_BEAR};
    use proptest::prelude::*;

    /// `mul_const` with centred quotients; fails if a signed sum leaves its word.
    fn centred(p: u32, x: i32, [w, quotient]: [u32; 2]) -> u32 {
        let (x0, x1) = (i32::from(x as i16), (x + 0x8000) >> 16);
        let (q0, q1) = (i32::from(quotient as i16), quotient as i32 >> 16);
        let middle = x1.checked_mul(q0).unwrap().checked_add(x0.checked_mul(q1).unwrap()).unwrap();
        let q = x1.checked_mul(q1).unwrap().checked_add(middle.checked_add(0x8000).unwrap() >> 16).unwrap();
        let r = (x as u32).wrapping_mul(w).wrapping_sub((q as u32).wrapping_mul(p));
        r.min(r.wrapping_add(p))
    }

    /// `mul_fixed`; fails if the sum in the middle, 2^15 q1 less, leaves its word.
    fn fixed(p: u32, x: i32, w: u32, [q1, q0, middle, start]: [i32; 4]) -> u32 {
        let (x0, x1) = (x & 0xffff, x >> 16);
        let sum = i64::from(x1) * i64::from(q0) + i64::from(x0) * i64::from(q1) + i64::from(middle);
        let q = x1.checked_mul(q1).unwrap().checked_add(i32::try_from(sum).unwrap() >> 16).unwrap();
        let r =
            (x as u32).wrapping_mul(w).wrapping_add(start as u32).wrapping_sub((q as u32).wrapping_mul(p));
        r.min(r.wrapping_add(p))
    }

    fn check(prime: Prime, x: i32, w: u32) {
        let p = prime.value();
        let modulus = Modulus::new(prime, Reduction::Shoup, Arithmetic::PORTABLE);
        let expected = (i64::from(x) * i64::from(w)).rem_euclid(i64::from(p)) as u32;
        let [word, quotient] = modulus.constant(w);
        assert_eq!(centred(p, x, [word, quotient]), expected, "{x} * {w} mod {p}");
        if p < Modulus::FIXED_BELOW {
            assert_eq!(fixed(p, x, word, modulus.fixed(quotient)), expected, "{x} * {w} mod {p}");
        }
    }

    #[test]
    fn centred_quotients_hold_to_the_largest_of_their_primes() {
        let primes = (1..Modulus::CENTRED_BELOW).rev().filter_map(|p| Prime::new(p).ok());
        let fixed = (1..Modulus::FIXED_BELOW).rev().filter_map(|p| Prime::new(p).ok());
        let primes = primes.take(3).chain(fixed.take(3));
        let primes = primes.chain([BABY_BEAR, KOALA_BEAR, Prime::new((1 << 30) + 3).unwrap()]);
        for prime in primes {
            let p = prime.value();
            // Every half of x and of the quotient at its ends.
            let near = |centre: u32| (centre.saturating_sub(3)..centre + 3).filter(move |&x| x < p);
            let ends: Vec<u32> = [0, 1 << 15, 1 << 16, p / 2, p / 2 - (1 << 15), p / 2 + (1 << 15)]
                .into_iter()
                .chain([p - (1 << 16), p - (1 << 15), p])
                .flat_map(near)
                .collect();
            for (&x, &w) in ends.iter().flat_map(|x| ends.iter().map(move |w| (x, w))) {
                check(prime, x as i32, w);
                check(prime, -(x as i32), w);
            }
        }
    }

    proptest! {
        #[test]
        fn centred_quotients_hold(x in any::<i32>(), w in any::<u32>()) {
            for prime in [BABY_BEAR, KOALA_BEAR] {
                check(prime, (i64::from(x) % i64::from(prime.value())) as i32, w % prime.value());
            }
        }
    }
}

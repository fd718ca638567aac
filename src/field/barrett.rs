//! Reduction of two-word numbers on the host, for checks and conversions, without division and without a
//! special form of the operands.

use super::Modulus;

/// Arithmetic modulo a number by Barrett's method (1986): the quotient by p from a
/// multiplication with floor((2^64 - 1) / p), which is exact or 1 too small.
#[derive(Clone, Copy, Debug)]
pub struct Barrett {
    p: u64,
    reciprocal: u64,
}

impl Barrett {
    /// The constants of residues modulo a number.
    pub fn new(modulus: impl Into<Modulus>) -> Self {
        let p = u64::from(modulus.into().value());
        Barrett { p, reciprocal: u64::MAX / p }
    }

    /// x mod p.
    #[inline]
    pub fn reduce(self, x: u64) -> u32 {
        // The reciprocal is at least 2^64 / p - 1, and x below 2^64. So the estimate
        // is above x / p - 1 before it is rounded down, and at most 1 too small after that.
        let quotient = ((u128::from(x) * u128::from(self.reciprocal)) >> 64) as u64;
        let rest = x - quotient * self.p;
        (if rest >= self.p { rest - self.p } else { rest }) as u32
    }

    /// x mod p for x below 2^96.
    #[inline]
    pub fn reduce_wide(self, x: u128) -> u32 {
        let high = u64::from(self.reduce((x >> 32) as u64));
        self.reduce(high << 32 | (x as u64 & 0xffff_ffff))
    }

    /// -x mod p, x below p.
    #[inline]
    pub fn negate(self, x: u32) -> u32 {
        if x == 0 { 0 } else { self.p as u32 - x }
    }

    /// a b mod p.
    #[inline]
    pub fn mul(self, a: u32, b: u32) -> u32 {
        self.reduce(u64::from(a) * u64::from(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Prime;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_remainder_operator(x: u64, y: u128, p in 0..6usize) {
            let p = [3, 5, 97, 7_340_033, 2_013_265_921, 2_147_483_647][p];
            let barrett = Barrett::new(Prime::new(p).unwrap());
            let near = x / u64::from(p) * u64::from(p);
            for x in [x, near, near.wrapping_sub(1), near + 1, u64::MAX, 0] {
                prop_assert_eq!(u64::from(barrett.reduce(x)), x % u64::from(p));
                for m in [2u32, 4, 6, 1 << 30, (1 << 31) - 2] {
                    let barrett = Barrett::new(Modulus::new(m).unwrap());
                    prop_assert_eq!(u64::from(barrett.reduce(x)), x % u64::from(m));
                }
            }
            let y = y >> 32;
            prop_assert_eq!(u128::from(barrett.reduce_wide(y)), y % u128::from(p));
        }
    }
}

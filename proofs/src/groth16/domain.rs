//! The roots of unity at which a circuit's polynomials take their values.
//!
//! snarkjs' keys have bases for the values of a b - c at the odd powers of a root of order 2n, arkworks' for the coefficients of
//! (a b - c) / Z. snarkjs numbers the roots by another generator than the transforms do; [`Domain`] places rows and bases accordingly,
//! once, so that a proof does not pay for it.

use ark_ff::PrimeField;

use wgalois::{Error, Result};

/// The n-th roots of unity, n = 2^[`log2`](Self::log2), in the order in which a key numbers them: constraint i belongs
/// to `root^i`.
///
/// Libraries choose different generators of these roots. [`position`](Self::position) translates: transforms take
/// powers of the field's own generator (arkworks'), and a key's constraint i belongs at
/// the index whose power is the key's `root^i`. It is an odd multiple of i, so the translation is a permutation of rows
/// and bases, made once, when a key is prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Domain {
    log2: u32,
    /// The key's generator of the roots of order 2n is this power of the field's own. Odd.
    exponent: u64,
}

impl Domain {
    /// The domain of 2^`log2` values by the field's own generator, as arkworks has it. The field must have roots of
    /// order 2^(`log2` + 1).
    pub fn new<F: PrimeField>(log2: u32) -> Result<Self> {
        // Vectors are numbered by 32 bits.
        let most = F::TWO_ADICITY.min(31);
        let count = 1u64.checked_shl(log2).unwrap_or(u64::MAX);
        Error::expect_at_most("constraints by the roots of unity of the field", 1 << (most - 1), count)?;
        Ok(Domain { log2, exponent: 1 })
    }

    /// The domain by the generator of snarkjs: the smallest non-residue, raised to the odd part of r - 1. The field
    /// must have roots of order 2^(`log2` + 1).
    pub fn of_snarkjs<F: PrimeField>(log2: u32) -> Result<Self> {
        let domain = Self::new::<F>(log2)?;
        let mut residue = F::from(2u64);
        while residue.legendre().is_qr() {
            residue += F::ONE;
        }
        let theirs = residue.pow(F::TRACE);
        let order = log2 + 1;
        let to_order = |root: F| (order..F::TWO_ADICITY).fold(root, |root, _| root.square());
        Ok(Domain {
            exponent: logarithm(to_order(theirs), to_order(F::TWO_ADIC_ROOT_OF_UNITY), order),
            ..domain
        })
    }

    /// The key's generator of the roots of order 2n.
    pub(super) fn double_root<F: PrimeField>(&self) -> F {
        F::get_root_of_unity(2 * self.len() as u64).unwrap_or(F::ONE).pow([self.exponent])
    }

    /// log2 of the number of roots.
    pub fn log2(&self) -> u32 {
        self.log2
    }

    /// The number of roots.
    pub fn len(&self) -> usize {
        1 << self.log2
    }

    /// False: there is always a root.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The index of the key's root i among the powers of the field's own root of order n.
    pub fn position(&self, i: usize) -> usize {
        (i as u64).wrapping_mul(self.exponent) as usize & (self.len() - 1)
    }

    /// The index j for which the field's own root of order 2n to the power 2j + 1 is the key's root of order 2n to the
    /// power 2i + 1.
    pub fn odd_position(&self, i: usize) -> usize {
        let power = (2 * i as u64 + 1).wrapping_mul(self.exponent);
        (power >> 1) as usize & (self.len() - 1)
    }

    /// The i whose [`odd_position`](Self::odd_position) is j.
    pub fn odd_number(&self, j: usize) -> usize {
        // Newton's iteration doubles the correct low bits of the inverse modulo 2^64; an odd number is its own inverse modulo 8.
        let inverse = (0..5).fold(self.exponent, |inverse, _| {
            inverse.wrapping_mul(2u64.wrapping_sub(self.exponent.wrapping_mul(inverse)))
        });
        Domain { exponent: inverse, ..*self }.odd_position(j)
    }
}

/// The exponent e below 2^`order` for which `base^e` is `value`, where `base` has the order 2^`order` (Pohlig, Hellman
/// 1978).
fn logarithm<F: PrimeField>(value: F, base: F, order: u32) -> u64 {
    let inverse = base.inverse().unwrap_or_default();
    let (mut exponent, mut rest) = (0, value);
    for bit in 0..order {
        // The rest is a power of base^(2^bit); it is one of base^(2^(bit + 1)) if this is 1.
        let test = (bit + 1..order).fold(rest, |test, _| test.square());
        if test != F::ONE {
            exponent |= 1 << bit;
            rest *= inverse.pow([1u64 << bit]);
        }
    }
    exponent
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions_name_the_same_roots<F: PrimeField>() {
        for log2 in [0, 1, 2, 5] {
            let domain = Domain::of_snarkjs::<F>(log2).unwrap();
            let n = domain.len() as u64;
            // The definition of snarkjs' root of order 2n.
            let residue = (2u64..).map(F::from).find(|value| value.legendre().is_qnr()).unwrap();
            let theirs = (log2 + 1..F::TWO_ADICITY).fold(residue.pow(F::TRACE), |root, _| root.square());
            let ours = F::get_root_of_unity(2 * n).unwrap();
            for i in 0..n {
                let at = domain.position(i as usize) as u64;
                assert_eq!(theirs.pow([2 * i]), ours.pow([2 * at]));
                let at = domain.odd_position(i as usize) as u64;
                assert_eq!(theirs.pow([2 * i + 1]), ours.pow([2 * at + 1]));
            }
        }
    }

    #[test]
    fn roots_of_snarkjs_have_places_among_those_of_the_field() {
        positions_name_the_same_roots::<ark_bn254::Fr>();
        positions_name_the_same_roots::<ark_bls12_381::Fr>();
    }

    #[test]
    fn domains_end_at_the_field_s_roots() {
        assert!(Domain::new::<ark_bn254::Fr>(27).is_ok());
        assert_eq!(Domain::new::<ark_bn254::Fr>(28).unwrap_err().exit_code(), 3);
        assert_eq!(Domain::of_snarkjs::<ark_bls12_381::Fr>(64).unwrap_err().exit_code(), 3);
    }
}

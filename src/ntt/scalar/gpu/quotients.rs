//! The quotients of Shoup's method for the entries of a table.

use dashu_int::UBig;
use dashu_int::fast_div::ConstDivisor;
use rayon::prelude::*;

use super::form::{NARROW, above_host, host_r};
use crate::scalars::{SCALAR_WORDS, Scalar};

/// The lowest 256 bits of floor(w 2^261 / r) in words, for each of these entries, w = entry R.
///
/// With e = w 2^261 mod r, the quotient is (w 2^261 - e) / r, an exact division: modulo 2^256 it is e times -1/r.
pub(super) fn quotients<F: Scalar>(entries: &[F]) -> Vec<u32> {
    let factor = host_r::<F>() * host_r::<F>() * above_host::<F>(NARROW);
    let minus_inverse = minus_inverse(F::MODULUS.as_ref());
    let mut words = vec![0; entries.len() * SCALAR_WORDS];
    words.par_chunks_mut(SCALAR_WORDS).zip(entries).with_min_len(1 << 10).for_each(|(words, entry)| {
        let remainder = (*entry * factor).into_bigint();
        let quotient = low_product(remainder.as_ref(), &minus_inverse);
        for (pair, limb) in words.chunks_exact_mut(2).zip(quotient) {
            pair.copy_from_slice(&[limb as u32, (limb >> 32) as u32]);
        }
    });
    words
}

/// The lowest 256 bits of a product.
fn low_product(a: &[u64], b: &[u64; 4]) -> [u64; 4] {
    let mut product = [0; 4];
    for i in 0..4 {
        let mut carry = 0;
        for j in 0..4 - i {
            let sum = u128::from(product[i + j]) + u128::from(a[i]) * u128::from(b[j]) + carry;
            product[i + j] = sum as u64;
            carry = sum >> 64;
        }
    }
    product
}

/// -1/r mod 2^256; r is odd.
fn minus_inverse(r: &[u64]) -> [u64; 4] {
    let r = r.iter().rev().fold(UBig::ZERO, |sum, limb| (sum << 64) + UBig::from(*limb));
    let ring = ConstDivisor::new(UBig::ONE << 256);
    let inverse = (-ring.reduce(r)).inv().map_or(UBig::ZERO, |inverse| inverse.residue());
    [0, 64, 128, 192].map(|low| u64::try_from((&inverse >> low) & UBig::from(u64::MAX)).unwrap_or_default())
}

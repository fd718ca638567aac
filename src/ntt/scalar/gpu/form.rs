//! The form of scalars within a pass of a transform: limbs with room for sums without carries.

use dashu_int::UBig;
use rayon::prelude::*;
use serde::Serialize;

use crate::field::BigField;
use crate::scalars::{SCALAR_WORDS, Scalar};

/// r in limbs within a pass, for the templates; r has 250 to 255 bits.
#[derive(Serialize)]
pub(super) struct Form {
    /// Bits of a limb.
    bits: usize,
    /// r, in limbs.
    r: Vec<u32>,
    /// -1/r mod 2^bits.
    minus_inverse: u32,
    /// [`COVER`] r, in limbs between 2^bits + 16 and 2^(bits + 1) + 16, except the last.
    cover: Vec<u32>,
    /// Bits of the last limb below the ten highest of r.
    top_shift: usize,
    /// Bits of the last limb below the 16 highest of r, within a pass with 64-bit integers.
    low_of_top: usize,
    /// floor(x `top_factor` / 2^`top_factor_shift`), for the 16 highest bits x of a value w below r, is
    /// w 2^(bits limbs - 248) / r but for 2.
    top_factor: u32,
    top_factor_shift: usize,
}

/// Bits of a limb within a pass, with 64-bit integers and without.
pub(super) const NARROW: usize = 29;
pub(super) const WIDE: usize = 30;
/// The multiple of r by which a butterfly keeps a difference positive.
pub(super) const COVER: u32 = 4;

impl Form {
    pub fn new(field: &BigField, bits: usize) -> Self {
        let integer =
            |limbs: &[u32]| limbs.iter().rev().fold(UBig::ZERO, |sum, limb| (sum << 30) + UBig::from(*limb));
        let mask = (UBig::ONE << bits) - UBig::ONE;
        let limb = |x: &UBig, i: usize| u32::try_from((x >> (bits * i)) & &mask).unwrap_or_default();
        let limbs = |x: UBig| (0..field.limbs).map(|i| limb(&x, i)).collect::<Vec<_>>();
        // A limb takes what makes it large enough from the next one.
        let mut cover = limbs(integer(&field.multiple(COVER)));
        let mut taken = 0;
        for limb in &mut cover[..field.limbs - 1] {
            let left = i64::from(*limb) - taken;
            taken = if left < 16 { 2 } else { 1 };
            *limb = (left + (taken << bits)) as u32;
        }
        cover[field.limbs - 1] -= taken as u32;
        let r = integer(&field.p);
        // x is below 2^16, and the factor, 2^14 (2^bits of r) / r, at most 2^15.
        let above = (bits * field.limbs).saturating_sub(8 * 31);
        let top_factor_shift = 30 - above;
        let top_factor = (UBig::ONE << (top_factor_shift + above + field.bits - 16)) / &r;
        Form {
            bits,
            r: limbs(integer(&field.p)),
            minus_inverse: field.minus_inverse & ((1 << bits) - 1),
            cover,
            top_shift: (field.bits - 10).saturating_sub(bits * (field.limbs - 1)),
            low_of_top: (field.bits - 16).saturating_sub(bits * (field.limbs - 1)),
            top_factor: u32::try_from(&top_factor).unwrap_or_default(),
            top_factor_shift,
        }
    }
}

/// 2^(bits of a pass's limbs) divided by R of the host, 2^256.
fn above_host<F: Scalar>(bits: usize) -> F {
    F::from(1u64 << (bits * BigField::of::<F>().limbs).saturating_sub(32 * SCALAR_WORDS))
}

/// The factor of an entry of a pass's table: the host's words of the entry times the factor are those that the kernels take.
/// With 64-bit integers they are the entry itself, without they are R of the pass times the entry.
pub(super) fn pass_factor<F: Scalar>(int64: bool) -> F {
    match int64 {
        false => above_host(WIDE),
        true => host_r::<F>().inverse().unwrap_or(F::ONE),
    }
}

/// R of the host, 2^256 mod r.
fn host_r<F: Scalar>() -> F {
    F::from(2u64).pow([32 * SCALAR_WORDS as u64])
}

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

/// -1/r mod 2^256, by Newton's iteration: each step doubles the number of right bits, of which 1 has one.
fn minus_inverse(r: &[u64]) -> [u64; 4] {
    let mut x = [1, 0, 0, 0];
    for _ in 0..8 {
        // x (2 - r x), where x approaches 1/r.
        let mut correction = low_product(r, &x).map(|limb| !limb);
        add_small(&mut correction, 3);
        x = low_product(&x, &correction);
    }
    x = x.map(|limb| !limb);
    add_small(&mut x, 1);
    x
}

/// a + b modulo 2^256.
fn add_small(a: &mut [u64; 4], b: u64) {
    let mut carry = b;
    for limb in a {
        let (sum, over) = limb.overflowing_add(carry);
        (*limb, carry) = (sum, u64::from(over));
    }
}

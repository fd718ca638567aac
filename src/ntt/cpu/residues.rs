//! Residues modulo one number and modulo others, a vector at a time: see `lift`.

use super::arithmetic::{Factor, Field, Shoup};
use super::kernels::Instructions;
use super::lanes::Lanes;
use crate::ntt::conversion::{Centring, Combination, Constant, LIFT_THIRD};
use crate::ntt::three_primes::PRIMES;

impl From<Constant> for Shoup {
    fn from(Constant { w, quotient }: Constant) -> Self {
        Shoup { w, quotient }
    }
}

/// Writes the integers nearest to 0 of `from` to the beginning of `to`, and zeros after them.
pub(in crate::ntt) fn centre(to: &mut [u32], from: &[u32], centring: &Centring) {
    let (to, zeros) = to.split_at_mut(from.len());
    zeros.fill(0);
    if let Some(kernels) = Instructions::widest().kernels() {
        kernels.centre(to, from, centring);
    }
}

/// Replaces the residues modulo the first prime by those modulo m. The slices of the primes that are used
/// are equally long.
pub(in crate::ntt) fn combine(first: &mut [u32], others: [&[u32]; 2], combination: &Combination) {
    if let Some(kernels) = Instructions::widest().kernels() {
        kernels.combine(first, others, combination);
    }
}

/// # Safety
/// The processor must have the instructions of `V`; both slices are whole vectors and equally long.
#[inline(always)]
pub(super) unsafe fn centred<V: Lanes>(to: &mut [u32], from: &[u32], centring: &Centring) {
    // SAFETY: guaranteed by the caller; chunks are whole vectors.
    unsafe {
        let field = Field::<V>::modulo(centring.prime);
        let one = Factor::splat(centring.one.into());
        let [above, modulus, offset] =
            [centring.above, centring.modulus, centring.offset].map(|word| V::splat(word));
        for (to, from) in to.chunks_exact_mut(V::COUNT).zip(from.chunks_exact(V::COUNT)) {
            let v = V::load(from.as_ptr()).sub(above);
            let v = v.min(v.add(modulus));
            field.scale(v.add(offset), one).store(to.as_mut_ptr());
        }
    }
}

/// # Safety
/// The processor must have the instructions of `V`; the slices of the primes that are used are whole vectors and equally long.
#[inline(always)]
pub(super) unsafe fn combined<V: Lanes>(first: &mut [u32], others: [&[u32]; 2], by: &Combination) {
    // SAFETY: guaranteed by the caller; vectors begin within the slices.
    unsafe {
        let [p0, p1, p2] = PRIMES.map(|p| Field::<V>::modulo(p));
        let m = Field::<V>::modulo(by.modulus);
        let [h0, h1, h2] = by.halves.map(|half| V::splat(half));
        let [w0, w1, w2] = by.weights.map(|weight| Factor::splat(weight.into()));
        let [by_first, by_both, by_second] =
            [by.by_first, by.by_both, by.by_second].map(|constant| Factor::splat(constant.into()));
        let (half, lift_third) = (V::splat(by.half), V::splat(LIFT_THIRD));
        for i in (0..first.len()).step_by(V::COUNT) {
            let d0 = p0.add(V::load(first[i..].as_ptr()), h0);
            let mut sum = m.scale(d0, w0);
            if by.count > 1 {
                let r1 = p1.add(V::load(others[0][i..].as_ptr()), h1);
                // d0 is below 2 p1.
                let d1 = p1.scale(p1.sub(r1, p1.reduce(d0)), by_first);
                sum = m.add(sum, m.scale(d1, w1));
                if by.count > 2 {
                    let r2 = V::load(others[1][i..].as_ptr()).add(h2).add(lift_third).sub(d0);
                    let d2 = p2.sub(p2.scale(r2, by_both), p2.scale(d1, by_second));
                    sum = m.add(sum, m.scale(d2, w2));
                }
            }
            m.sub(sum, half).store(first[i..].as_mut_ptr());
        }
    }
}

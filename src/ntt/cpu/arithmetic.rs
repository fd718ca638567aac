//! Arithmetic modulo an odd prime p below 2^31, a vector at a time.

use super::lanes::Lanes;
use crate::field::Prime;

/// A factor w below p with Shoup's quotient floor(w 2^32 / p).
#[derive(Clone, Copy, Debug)]
pub(super) struct Shoup {
    pub w: u32,
    pub quotient: u32,
}

impl Shoup {
    pub fn new(prime: Prime, w: u32) -> Self {
        Shoup { w, quotient: prime.shoup_quotient(w) }
    }
}

/// One of Shoup's factors in each lane.
#[derive(Clone, Copy)]
pub(super) struct Factor<V> {
    w: V,
    quotient: V,
}

impl<V: Lanes> Factor<V> {
    /// One factor in every lane.
    ///
    /// # Safety
    /// The processor must have the instructions of `V`.
    #[inline(always)]
    pub unsafe fn splat(factor: Shoup) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { Factor { w: V::splat(factor.w), quotient: V::splat(factor.quotient) } }
    }

    /// The factors at `w` with the quotients at `quotient`.
    ///
    /// # Safety
    /// As for [`Lanes::load`], of both.
    #[inline(always)]
    pub unsafe fn load(w: *const u32, quotient: *const u32) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { Factor { w: V::load(w), quotient: V::load(quotient) } }
    }
}

/// The field in every lane. Operands and results are below p, unless said otherwise.
#[derive(Clone, Copy)]
pub(super) struct Field<V> {
    p: V,
    p_inverse: V,
}

impl<V: Lanes> Field<V> {
    /// # Safety
    /// The processor must have the instructions of `V`.
    #[inline(always)]
    pub unsafe fn new(prime: Prime) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { Field { p: V::splat(prime.value()), p_inverse: V::splat(prime.p_inverse()) } }
    }

    /// The residues modulo any number below 2^31, for everything but [`montgomery`](Self::montgomery) and
    /// [`quotient`](Self::quotient).
    ///
    /// # Safety
    /// The processor must have the instructions of `V`.
    #[inline(always)]
    pub unsafe fn modulo(modulus: u32) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { Field { p: V::splat(modulus), p_inverse: V::splat(0) } }
    }

    /// Reduces from [0, 2p) to [0, p): for x below p the difference x - p wraps to a larger word.
    #[inline(always)]
    pub fn reduce(&self, x: V) -> V {
        x.min(x.sub(self.p))
    }

    /// a + b.
    #[inline(always)]
    pub fn add(&self, a: V, b: V) -> V {
        self.reduce(a.add(b))
    }

    /// a + b in [0, 2p).
    #[inline(always)]
    pub fn add_lazy(&self, a: V, b: V) -> V {
        a.add(b)
    }

    /// a - b: a difference below 0 wraps to a large word, to which p is added.
    #[inline(always)]
    pub fn sub(&self, a: V, b: V) -> V {
        let difference = a.sub(b);
        difference.min(difference.add(self.p))
    }

    /// a - b in (0, 2p).
    #[inline(always)]
    pub fn sub_lazy(&self, a: V, b: V) -> V {
        a.add(self.p).sub(b)
    }

    /// x w for any word x (Shoup; Harvey, "Faster arithmetic for number-theoretic transforms", 2014, section
    /// 3): the high half of x quotient is floor(x w / p) or one less, so that x w minus that many p is below
    /// 2p.
    #[inline(always)]
    pub fn scale(&self, x: V, by: Factor<V>) -> V {
        let multiple = x.mul_high(by.quotient);
        self.reduce(x.mul_low(by.w).sub(multiple.mul_low(self.p)))
    }

    /// x y / 2^32 for any word x (Montgomery, "Modular multiplication without trial
    /// division", 1985): x y and q p agree in their low halves, and their high halves
    /// differ by less than p.
    #[inline(always)]
    pub fn montgomery(&self, x: V, y: V) -> V {
        let q = x.mul_low(y).mul_low(self.p_inverse);
        self.sub(x.mul_high(y), q.mul_high(self.p))
    }

    /// Shoup's quotients of `w`: w 2^32 = quotient p + r with r = w 2^32 mod p, so modulo
    /// 2^32 the quotient is -r / p. `radix` multiplies by 2^32 mod p.
    #[inline(always)]
    pub fn quotient(&self, w: V, radix: Factor<V>) -> V {
        let r = self.scale(w, radix);
        // SAFETY: values of `V` exist.
        unsafe { V::splat(0) }.sub(r.mul_low(self.p_inverse))
    }
}

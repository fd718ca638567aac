//! Endomorphisms that tell the points of the subgroup from others.

use ark_ec::AffineRepr;
use ark_ff::{BigInteger, PrimeField};
use dashu_int::UBig;

use super::sums::multiplied;
use super::{Affine, Curve, Projective, ScalarInt};
use crate::field::CoordinateField;

/// The endomorphism f (x, y) = (`x` X, `y` Y), X and Y the conjugates of x and y in an extension and x and y themselves
/// otherwise. It is multiplication by +-`factor`^`power` exactly on the subgroup of order r. The test costs
/// the doublings of that factor instead of those of r.
///
/// - G1 of BLS curves: `x` is a cube root of unity and `y` is 1, so that f^2 + f + 1 = 0 on the whole curve. Where r
///   equals u^2k - u^k + 1, f P = -u^k P therefore implies r P = 0; the converse holds for the right one of the two roots
///   (Scott, ePrint 2021/1130, section 6; El Housni, Guillevic, Piellard, ePrint 2022/352).
/// - G2: f is the Frobenius map of the curve before it is twisted. On the subgroup it multiplies by p, which is u modulo
///   r for BLS12 curves and 6 u^2 for BN curves (Scott, section 4; Dai, Lin, Zhao, Zhou, ePrint 2022/348, section 4).
#[derive(Clone, Copy, Debug)]
pub struct Endomorphism<F> {
    /// The factor of x.
    pub x: F,
    /// The factor of y.
    pub y: F,
    /// The number that the endomorphism multiplies by is a power of this one, or the opposite of that.
    pub factor: u128,
    /// The exponent.
    pub power: u32,
    /// True if it is the opposite.
    pub is_negative: bool,
}

impl<F: CoordinateField> Endomorphism<F> {
    /// True if it maps `point` as it maps the points of the subgroup.
    pub(super) fn acts_as_power<C: Curve<BaseField = F>>(&self, point: &Affine<C>) -> bool {
        let image =
            Affine::<C>::new_unchecked(self.x * point.x.frobenius_map(1), self.y * point.y.frobenius_map(1));
        let mut multiple: Projective<C> = (*point).into();
        for _ in 0..self.power {
            multiple = multiplied(&multiple, self.factor);
        }
        point.is_zero() || if self.is_negative { -multiple == image } else { multiple == image }
    }
}

/// The endomorphism (x, y) -> (`x` x, `y` y), which multiplies the points of the subgroup of order r by `factor` = M, where
/// r = M^2 - M + 1. So a scalar k is two halves, k P = k0 P + k1 (M P), k = k0 + k1 M (Gallant, Lambert, Vanstone, "Faster
/// point multiplication on elliptic curves with efficient endomorphisms", CRYPTO 2001).
#[derive(Clone, Copy, Debug)]
pub struct Halving<F> {
    /// The factor of x, an element of the prime field.
    pub x: F,
    /// The factor of y, an element of the prime field.
    pub y: F,
    /// M.
    pub factor: u128,
}

impl<F: CoordinateField> Endomorphism<F> {
    /// This endomorphism, or its square over an extension, with the sign that makes M positive; `None` if r is not
    /// M^2 - M + 1, or if M is at most 2^112: from there on the kernel's estimate of a quotient by M is exact enough
    /// (`shaders/msm/glv_split.wgsl`).
    pub(super) fn halving<S: PrimeField>(&self) -> Option<Halving<F>> {
        let (x, y, power) = match F::minus_square() {
            None => (self.x, if self.is_negative { -self.y } else { self.y }, self.power),
            Some(_) => (self.x * self.x.frobenius_map(1), self.y * self.y.frobenius_map(1), 2 * self.power),
        };
        let factor = self.factor.checked_pow(power)?;
        let m = UBig::from(factor);
        let r = UBig::from_le_bytes(&S::MODULUS.to_bytes_le());
        let is_halving = factor > 1 << 112 && &m * &m - &m + UBig::ONE == r;
        is_halving.then_some(Halving { x, y, factor })
    }
}

impl<F> Halving<F> {
    /// The halves k0 and k1 of k, at most (r - 1) / 2: their amounts, at most (M + 1) / 2, and whether they are negative.
    pub fn halves(&self, k: &ScalarInt) -> [(u128, bool); 2] {
        let m = UBig::from(self.factor);
        let k = UBig::from_le_bytes(&k.to_bytes_le());
        let [quotient, rest] = [&k / &m, k % m].map(|part| u128::try_from(part).unwrap_or_default());
        match rest > self.factor - rest {
            true => [(self.factor - rest, true), (quotient + 1, false)],
            false => [(rest, false), (quotient, false)],
        }
    }

    /// Bits of the amount of a half, at most.
    pub fn bits(&self) -> u32 {
        (self.factor / 2 + 1).ilog2() + 1
    }
}

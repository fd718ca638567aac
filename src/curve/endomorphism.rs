//! Endomorphisms that tell the points of the subgroup from others.

use ark_ec::AffineRepr;
use ark_ff::AdditiveGroup;

use super::{Affine, Curve, Projective};
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
            multiple = double_and_add(&multiple, self.factor);
        }
        point.is_zero() || if self.is_negative { -multiple == image } else { multiple == image }
    }
}

/// `factor` times `point`, also outside the subgroup, where arkworks' own multiplication may
/// reduce the factor modulo r.
fn double_and_add<C: Curve>(point: &Projective<C>, factor: u128) -> Projective<C> {
    let mut sum = Projective::<C>::ZERO;
    for bit in (0..u128::BITS - factor.leading_zeros()).rev() {
        sum.double_in_place();
        if factor >> bit & 1 == 1 {
            sum += point;
        }
    }
    sum
}

//! Sums of points on one thread: arkworks', and in WebAssembly, where arkworks' products take four times as long as
//! [`CoordinateField::by`], the formulas of the Explicit-Formulas Database by those.

use ark_ff::{AdditiveGroup, One, Zero, serial_batch_inversion_and_mul};

use super::{Affine, BaseField, Curve, Projective};
use crate::field::CoordinateField;

/// True if the formulas are taken.
const OWN: bool = cfg!(target_arch = "wasm32");

/// Twice a point.
pub(crate) fn doubled<C: Curve>(mut point: Projective<C>) -> Projective<C> {
    if OWN {
        return by_products_doubled(point);
    }
    point.double_in_place();
    point
}

/// The sum of two points.
pub(crate) fn added<C: Curve>(a: Projective<C>, b: &Projective<C>) -> Projective<C> {
    if OWN { by_products_added(a, b) } else { a + b }
}

/// The sum of two points.
pub(crate) fn added_affine<C: Curve>(a: Projective<C>, b: &Affine<C>) -> Projective<C> {
    if OWN { by_products_added(a, &(*b).into()) } else { a + b }
}

/// The affine form of few points, which share an inversion on this thread.
pub(crate) fn normalized<C: Curve>(points: &[Projective<C>]) -> Vec<Affine<C>> {
    let mut inverses: Vec<_> = points.iter().map(|point| point.z).collect();
    serial_batch_inversion_and_mul(&mut inverses, &BaseField::<C>::one());
    let affine = |(&Projective { x, y, z }, inverse): (&Projective<C>, &BaseField<C>)| {
        if z.is_zero() {
            return Affine::identity();
        }
        let square = inverse.squared();
        Affine::new_unchecked(x.by(&square), y.by(&square.by(inverse)))
    };
    points.iter().zip(&inverses).map(affine).collect()
}

/// `factor` times `point`, also outside the subgroup, where arkworks' own multiplication may reduce the factor modulo r.
pub(crate) fn multiplied<C: Curve>(point: &Projective<C>, factor: u128) -> Projective<C> {
    let mut sum = Projective::<C>::ZERO;
    for bit in (0..u128::BITS - factor.leading_zeros()).rev() {
        sum = doubled(sum);
        if factor >> bit & 1 == 1 {
            sum = added(sum, point);
        }
    }
    sum
}

/// dbl-2009-l, for curves with a = 0. Infinity, whose z is 0, stays infinity.
fn by_products_doubled<C: Curve>(Projective { x, y, z }: Projective<C>) -> Projective<C> {
    let (a, b) = (x.squared(), y.squared());
    let c = b.squared();
    let d = ((x + b).squared() - a - c).double();
    let e = a.double() + a;
    let third = e.squared() - d.double();
    let eight_c = c.double().double().double();
    Projective::new_unchecked(third, e.by(&(d - third)) - eight_c, y.by(&z).double())
}

/// add-1998-cmo-2, and what it has no sum for: infinity, equal and opposite points.
fn by_products_added<C: Curve>(a: Projective<C>, b: &Projective<C>) -> Projective<C> {
    if a.is_zero() {
        return *b;
    }
    if b.is_zero() {
        return a;
    }
    let (aa, bb) = (a.z.squared(), b.z.squared());
    let (u, s) = (a.x.by(&bb), a.y.by(&b.z.by(&bb)));
    let h = b.x.by(&aa) - u;
    let r = b.y.by(&a.z.by(&aa)) - s;
    if h.is_zero() {
        return if r.is_zero() { by_products_doubled(a) } else { Projective::ZERO };
    }
    let square = h.squared();
    let (cube, v) = (h.by(&square), u.by(&square));
    let x = r.squared() - cube - v.double();
    Projective::new_unchecked(x, r.by(&(v - x)) - s.by(&cube), a.z.by(&b.z).by(&h))
}

#[cfg(test)]
mod tests {
    use ark_ec::{AffineRepr, CurveGroup};
    use ark_ff::UniformRand;
    use ark_std::rand::SeedableRng;
    use ark_std::rand::rngs::StdRng;

    use super::*;
    use crate::curve::{CurveName, ScalarField};

    fn formulas_agree_with_arkworks<C: Curve>() {
        let mut rng = StdRng::seed_from_u64(7);
        let mut point = || Projective::<C>::from(Affine::<C>::generator()) * ScalarField::<C>::rand(&mut rng);
        let (one, other) = (point(), point());
        let points = [Projective::ZERO, one, one.into_affine().into(), -one, one.double(), other];
        assert_eq!(normalized(&points), points.map(|point| point.into_affine()));
        assert!(normalized::<C>(&[]).is_empty());
        for a in points {
            assert_eq!(by_products_doubled(a), a.double(), "{} {a}", C::NAME);
            for b in points {
                assert_eq!(by_products_added(a, &b), a + b, "{} {a} {b}", C::NAME);
            }
        }
    }

    #[test]
    fn the_formulas_are_arkworks() {
        for name in CurveName::all() {
            crate::with_curve!(name, C => formulas_agree_with_arkworks::<C>());
        }
    }
}

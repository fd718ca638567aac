//! A proof.

use wgalois::curve::{Affine, Curve, PairingCurve};

values! { Proof { a, b, c } }

/// A proof: three points.
pub struct Proof<E: PairingCurve> {
    /// A, in G1.
    pub a: Affine<E::G1>,
    /// B, in G2.
    pub b: Affine<E::G2>,
    /// C, in G1.
    pub c: Affine<E::G1>,
}

impl<E: PairingCurve> Proof<E> {
    /// True if all three points lie on their curves and in the subgroups of order r. A verifier needs it: the pairing
    /// of other points has no meaning.
    pub fn is_well_formed(&self) -> bool {
        let first = |point: &Affine<E::G1>| point.is_on_curve() && E::G1::in_subgroup(point);
        first(&self.a) && first(&self.c) && self.b.is_on_curve() && E::G2::in_subgroup(&self.b)
    }
}

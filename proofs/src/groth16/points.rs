//! The points of a proof, from its randomness and the sums of its multiplications.

use ark_ec::CurveGroup;
use ark_ff::PrimeField;
use zeroize::Zeroize;

use super::{Proof, VerifyingKey};
use crate::fill_at_random;
use wgalois::Result;
use wgalois::curve::{Affine, PairingCurve, Projective};

/// The random scalars r and s of a proof, which their owner overwrites.
pub(super) type Random<E> = (<E as PairingCurve>::Scalar, <E as PairingCurve>::Scalar);

/// The parts of a proof's points that do not depend on the witness.
pub(super) struct Blinding<E: PairingCurve> {
    a: Projective<E::G1>,
    b: Projective<E::G1>,
    b2: Projective<E::G2>,
    c: Projective<E::G1>,
}

/// A proof without the secret's and the quotient's terms of C.
pub(super) struct PartOfProof<E: PairingCurve> {
    a: Affine<E::G1>,
    b: Affine<E::G2>,
    c: Projective<E::G1>,
}

impl<E: PairingCurve> Blinding<E> {
    /// The parts for a key, of which `beta` and `delta` are the points of G1.
    pub(super) fn new(key: &VerifyingKey<E>, [beta, delta]: [Affine<E::G1>; 2], (r, s): &Random<E>) -> Self {
        let delta: Projective<E::G1> = delta.into();
        Blinding {
            a: delta * r + key.alpha,
            b: delta * s + beta,
            b2: Projective::from(key.delta) * s + key.beta,
            c: delta * (*r * s),
        }
    }

    /// The proof of the paper's section 3.2, but for two terms of C, with the scalars that these parts were made of.
    /// `sums` are those of A and B in G1.
    pub(super) fn with(
        &self,
        sums: [Affine<E::G1>; 2],
        b2: Affine<E::G2>,
        (r, s): &Random<E>,
    ) -> PartOfProof<E> {
        let (a, b, b2) = (self.a + sums[0], self.b + sums[1], self.b2 + b2);
        PartOfProof { a: a.into_affine(), b: b2.into_affine(), c: a * s + b * r - self.c }
    }
}

impl<E: PairingCurve> PartOfProof<E> {
    /// The whole proof, with the sums of the secret and the quotient.
    pub(super) fn with(self, secret: Affine<E::G1>, quotient: Affine<E::G1>) -> Proof<E> {
        Proof { a: self.a, b: self.b, c: (self.c + secret + quotient).into_affine() }
    }
}

/// A uniform element of a field of at most 256 bits, from the operating system: 512 bits modulo the order, which
/// is off by a chance of at most 2^-256.
pub(super) fn random_scalar<F: PrimeField>() -> Result<F> {
    let mut bytes = [0; 64];
    fill_at_random(&mut bytes)?;
    let scalar = F::from_le_bytes_mod_order(&bytes);
    bytes.zeroize();
    Ok(scalar)
}

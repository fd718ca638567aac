//! Keys by which anybody can forge proofs.
//!
//! The setup's second phase makes delta secret. Before it, delta is the generator of G2, as gamma is in snarkjs' keys, and the division of
//! the secret variables by delta separates nothing: with A = alpha, B = beta and C = -(gamma / delta) I, where I stands for the public values,
//! the equation of a proof holds for any of them.
//!
//! ```text
//! delta = gamma, or -gamma           C is I, or its negative: the key has it
//! delta = the generator, or its negative   C is gamma I, which follows from the points of the setup's first phase
//! ```
//!
//! Other keys have no such flaw only if nobody knows delta / gamma: that cannot be seen in a key.

use std::fmt;

use ark_ec::AffineRepr;

use super::VerifyingKey;
use wgalois::curve::{Affine, PairingCurve};
use wgalois::{Error, Result};

/// The reason why anybody can forge proofs for a key: it lacks the setup's second phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weakness {
    /// delta is gamma, or its negative.
    DeltaIsGamma,
    /// delta is the generator of G2, or its negative.
    DeltaIsGenerator,
}

impl fmt::Display for Weakness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Weakness::DeltaIsGamma => "delta is gamma, up to the sign",
            Weakness::DeltaIsGenerator => "delta is the generator of G2, up to the sign",
        })
    }
}

impl Weakness {
    /// The weakness of a key with these points of G2, if it has one.
    pub(crate) fn of<E: PairingCurve>(gamma: &Affine<E::G2>, delta: &Affine<E::G2>) -> Option<Weakness> {
        let is = |point: Affine<E::G2>| *delta == point || *delta == -point;
        match () {
            () if is(*gamma) => Some(Weakness::DeltaIsGamma),
            () if is(Affine::<E::G2>::generator()) => Some(Weakness::DeltaIsGenerator),
            () => None,
        }
    }

    /// The error for a key with this weakness.
    pub(super) fn refused(self) -> Error {
        let fault = format!(
            "it lacks the setup's second phase ({self}): anybody can forge proofs for it, so that they show nothing"
        );
        Error::value("the key", fault.into())
    }
}

impl<E: PairingCurve> VerifyingKey<E> {
    /// The reason why anybody can forge proofs for this key; `None` if it has been through a second phase of the setup. Whether
    /// somebody knows the secrets of that phase, a key does not tell.
    pub fn weakness(&self) -> Option<Weakness> {
        Weakness::of::<E>(&self.gamma, &self.delta)
    }

    /// Refuses a key for which anybody can forge proofs. The error has the reason.
    pub fn check_strength(&self) -> Result<()> {
        self.weakness().map_or(Ok(()), |weakness| Err(weakness.refused()))
    }
}

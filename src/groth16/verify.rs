//! Verification: one product of pairings.

use ark_ec::CurveGroup;
use ark_ec::pairing::Pairing;
use ark_ec::scalar_mul::variable_base::VariableBaseMSM;
use ark_ff::Field;

use super::{Proof, VerifyingKey};
use crate::curve::{PairingCurve, Projective};
use crate::verify::Guarantee;
use crate::{Error, Result};

impl<E: PairingCurve> VerifyingKey<E> {
    /// Checks a proof that a witness with these public values exists. The points of the proof are checked to be on
    /// their curves and in the subgroups; those of the key are not ([`check_members`](Self::check_members) does it once).
    ///
    /// # Errors
    /// [`Error::Check`] if the proof does not prove that; [`Error::Input`] for a number of public values that is not the
    /// circuit's.
    pub fn check(&self, proof: &Proof<E>, public: &[E::Scalar]) -> Result<Guarantee> {
        let Some((constant, bases)) =
            self.public.split_first().filter(|(_, bases)| bases.len() == public.len())
        else {
            let expected = self.public.len().saturating_sub(1);
            return Err(Error::Input(format!(
                "{} public values, where the circuit has {expected}",
                public.len()
            )));
        };
        if !proof.is_well_formed() {
            return Err(Error::Check("a point of the proof is not in its group".into()));
        }
        // An empty sum is the point at infinity.
        let sum = Projective::<E::G1>::msm_unchecked(bases, public) + constant;
        let first = [-proof.a, self.alpha, sum.into_affine(), proof.c];
        let second = [proof.b, self.beta, self.gamma, self.delta];
        match E::Pairing::multi_pairing(first, second).0 == <E::Pairing as Pairing>::TargetField::ONE {
            true => {
                Ok(Guarantee::certain("the proof is accepted: a witness with these public values is known"))
            }
            false => Err(Error::Check("the proof does not hold for these public values".into())),
        }
    }
}

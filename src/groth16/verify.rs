//! Verification: one product of pairings.

use ark_ec::CurveGroup;
use ark_ec::pairing::{Pairing, PairingOutput};
use ark_ec::scalar_mul::variable_base::VariableBaseMSM;
use ark_ff::AdditiveGroup;

use super::{Proof, VerifyingKey};
use crate::curve::{Affine, PairingCurve, Projective};
use crate::verify::Guarantee;
use crate::{Error, Result};

impl<E: PairingCurve> VerifyingKey<E> {
    /// Checks a proof that a witness with these public values exists. The points of the proof are checked to be on
    /// their curves and in the subgroups; those of the key are not ([`check_members`](Self::check_members) does it once). A
    /// [`Verifier`] checks many proofs in less time.
    ///
    /// # Errors
    /// [`Error::Check`] if the proof does not prove that; [`Error::Input`] for a number of public values that is not the
    /// circuit's.
    pub fn check(&self, proof: &Proof<E>, public: &[E::Scalar]) -> Result<Guarantee> {
        let first = [-proof.a, self.alpha, self.sum_for(proof, public)?, proof.c];
        let second = [proof.b, self.beta, self.gamma, self.delta];
        outcome(E::Pairing::multi_pairing(first, second) == PairingOutput::ZERO)
    }

    /// The point of G1 that stands for the public values, for a proof whose points are in their groups.
    fn sum_for(&self, proof: &Proof<E>, public: &[E::Scalar]) -> Result<Affine<E::G1>> {
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
        Ok((Projective::<E::G1>::msm_unchecked(bases, public) + constant).into_affine())
    }
}

fn outcome(holds: bool) -> Result<Guarantee> {
    match holds {
        true => Ok(Guarantee::certain("the proof is accepted: a witness with these public values is known")),
        false => Err(Error::Check("the proof does not hold for these public values".into())),
    }
}

/// A key prepared to verify many proofs, by what no proof changes: the pairing of alpha and beta, and the lines of
/// Miller's loops for gamma and delta. A proof then takes three of these loops instead of four.
///
/// ```
/// use ark_bn254::{Bn254, Fr};
/// use wgalois::groth16::{Basis, Proving, Setup, Verifier, chain};
/// use wgalois::task::Problem;
/// use wgalois::{Cpu, Device};
///
/// let (circuit, witness) = chain::<Fr>(20, 1);
/// let key = Setup::<Bn254>::random()?.key(&circuit, Basis::OddRoots)?;
/// let verifier = Verifier::new(key.verifying.clone());
/// let device = Device::Cpu(Cpu::default());
/// let prover = Proving::of(&key).plan(&device)?.prepare(&device, key)?;
/// verifier.check(&prover.prove(&witness)?, prover.public(&witness)?)?;
/// # Ok::<(), wgalois::Error>(())
/// ```
pub struct Verifier<E: PairingCurve> {
    key: VerifyingKey<E>,
    constant: PairingOutput<E::Pairing>,
    gamma: <E::Pairing as Pairing>::G2Prepared,
    delta: <E::Pairing as Pairing>::G2Prepared,
}

impl<E: PairingCurve> Verifier<E> {
    /// Prepares a key, whose points are not checked ([`VerifyingKey::check_members`]).
    pub fn new(key: VerifyingKey<E>) -> Self {
        let constant = E::Pairing::pairing(key.alpha, key.beta);
        let (gamma, delta) = (key.gamma.into(), key.delta.into());
        Verifier { key, constant, gamma, delta }
    }

    /// The key.
    pub fn key(&self) -> &VerifyingKey<E> {
        &self.key
    }

    /// As [`VerifyingKey::check`].
    ///
    /// # Errors
    /// As [`VerifyingKey::check`].
    pub fn check(&self, proof: &Proof<E>, public: &[E::Scalar]) -> Result<Guarantee> {
        let first = [-proof.a, self.key.sum_for(proof, public)?, proof.c];
        let second = [proof.b.into(), self.gamma.clone(), self.delta.clone()];
        outcome(E::Pairing::multi_pairing(first, second) + self.constant == PairingOutput::ZERO)
    }
}

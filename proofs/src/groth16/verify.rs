//! Verification: one product of pairings.

use ark_ec::CurveGroup;
use wgalois::parallel::join;

use super::{Proof, VerifyingKey, Weakness};
use wgalois::curve::{Affine, MillerLoops, PairingCurve};
use wgalois::msm::sum_of_multiples;
use wgalois::verify::Guarantee;
use wgalois::{Error, Result, Wrong};

impl<E: PairingCurve> VerifyingKey<E> {
    /// Checks a proof that a witness with these public values exists. The points of the proof are checked to be on
    /// their curves and in the subgroups; those of the key are not ([`check_members`](Self::check_members) does it once). A
    /// [`Verifier`] checks many proofs in less time. A key for which anybody can forge proofs is refused
    /// ([`weakness`](Self::weakness)).
    pub fn check(&self, proof: &Proof<E>, public: &[E::Scalar]) -> Result<Guarantee> {
        self.check_strength()?;
        self.check_equation(proof, public)
    }

    /// [`check`](Self::check) for any key: by one with a [`Weakness`](super::Weakness), the equation holds for proofs that
    /// anybody can make, and the guarantee says so.
    pub fn check_equation(&self, proof: &Proof<E>, public: &[E::Scalar]) -> Result<Guarantee> {
        let sum = self.sum_for(public)?;
        expect_members(proof.is_well_formed())?;
        let holds = E::product_is_one(&[
            (-proof.a, proof.b),
            (self.alpha, self.beta),
            (sum, self.gamma),
            (proof.c, self.delta),
        ]);
        outcome(holds, self.weakness())
    }

    /// The point of G1 that stands for the public values.
    fn sum_for(&self, public: &[E::Scalar]) -> Result<Affine<E::G1>> {
        let Some((constant, bases)) =
            self.public.split_first().filter(|(_, bases)| bases.len() == public.len())
        else {
            let (what, expected) = ("public values".into(), self.public.len().saturating_sub(1));
            return Err(Error::WrongLength { what, expected, found: public.len() });
        };
        // An empty sum is the point at infinity.
        Ok((sum_of_multiples(bases, public) + constant).into_affine())
    }
}

fn expect_members(are_members: bool) -> Result<()> {
    Wrong::unless(are_members, "a point of the proof is not in its group")
}

fn outcome(holds: bool, weakness: Option<Weakness>) -> Result<Guarantee> {
    Wrong::unless(holds, "the proof does not hold for these public values")?;
    Ok(Guarantee::certain(match weakness {
        Some(_) => {
            "the proof's equation holds, which shows no knowledge of a witness: anybody can forge proofs for this key"
        }
        None => "the proof is accepted: a witness with these public values is known",
    }))
}

/// A key prepared to verify many proofs, by what no proof changes: the pairing of alpha and beta, and the lines of
/// Miller's loops for gamma and delta. A proof then takes three of these loops instead of four,
/// and those beside each other.
///
/// ```
/// use ark_bn254::{Bn254, Fr};
/// use wgalois_proofs::groth16::{Basis, Prover, Proving, Setup, Verifier, chain};
/// use wgalois::task::Problem;
/// use wgalois::{Cpu, Device};
///
/// let (circuit, witness) = chain::<Fr>(20, 1);
/// let key = Setup::<Bn254>::random()?.key(&circuit, Basis::OddRoots)?;
/// let verifier = Verifier::new(key.verifying.clone());
/// let device = Device::Cpu(Cpu::default());
/// let prover = Prover::new(&device, &Proving::of(&key).plan(&device)?, key)?;
/// verifier.check(&prover.prove(&witness)?, prover.public(&witness)?)?;
/// # Ok::<(), wgalois::Error>(())
/// ```
pub struct Verifier<E: PairingCurve> {
    key: VerifyingKey<E>,
    constant: <E::Loops as MillerLoops<E>>::Value,
    gamma: <E::Loops as MillerLoops<E>>::Lines,
    delta: <E::Loops as MillerLoops<E>>::Lines,
    weakness: Option<Weakness>,
}

impl<E: PairingCurve> Verifier<E> {
    /// Prepares a key, whose points are not checked ([`VerifyingKey::check_members`]).
    pub fn new(key: VerifyingKey<E>) -> Self {
        let constant = E::Loops::value(&key.alpha, &E::Loops::lines(&key.beta));
        let (gamma, delta) = (E::Loops::lines(&key.gamma), E::Loops::lines(&key.delta));
        Verifier { weakness: key.weakness(), key, constant, gamma, delta }
    }

    /// The key.
    pub fn key(&self) -> &VerifyingKey<E> {
        &self.key
    }

    /// As [`VerifyingKey::check`].
    pub fn check(&self, proof: &Proof<E>, public: &[E::Scalar]) -> Result<Guarantee> {
        self.weakness.map_or(Ok(()), |weakness| Err(weakness.refused()))?;
        self.check_equation(proof, public)
    }

    /// As [`VerifyingKey::check_equation`].
    pub fn check_equation(&self, proof: &Proof<E>, public: &[E::Scalar]) -> Result<Guarantee> {
        // Values of points that are not in their groups have no meaning, and are not used.
        let (of_a, (of_c, (of_sum, are_members))) = join(
            || E::Loops::value(&-proof.a, &E::Loops::lines(&proof.b)),
            || {
                join(
                    || E::Loops::value(&proof.c, &self.delta),
                    || join(|| self.value_for(public), || proof.is_well_formed()),
                )
            },
        );
        let of_sum = of_sum?;
        expect_members(are_members)?;
        outcome(E::Loops::is_one(of_a * of_c * of_sum * self.constant), self.weakness)
    }

    fn value_for(&self, public: &[E::Scalar]) -> Result<<E::Loops as MillerLoops<E>>::Value> {
        Ok(E::Loops::value(&self.key.sum_for(public)?, &self.gamma))
    }
}

//! bellman 0.15 with groth16 0.2, over bls12_381 0.9.

use ::bellman::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use ::groth16::Parameters;
use ark_bls12_381::Fr;
use ark_ff::BigInt;
use bls12_381::{Bls12, G1Affine, G2Affine};
use ff::Field;

use crate::prover::prover;
use crate::synthesis::{Place, Synthesis};

/// The circuits that are proved.
pub use ::bellman::Circuit;
/// A scalar of the circuits.
pub use bls12_381::Scalar;
/// The randomness of proofs.
pub use rand_core::Rng;

/// A proof, as groth16 has it.
pub type Proof = ::groth16::Proof<Bls12>;

prover! {
    /// The parameters of a circuit on a device, which make any number of proofs. They are those of groth16 0.2: from the same
    /// randomness, the same proof. A batch draws r and s of each circuit in turn, as so many calls of `create_random_proof`.
    ///
    /// ```
    /// use bellman::{Circuit, ConstraintSystem, SynthesisError};
    /// use bls12_381::{Bls12, Scalar};
    /// use ff::Field;
    /// use rand_chacha::ChaCha8Rng;
    /// use rand_core::SeedableRng;
    /// use wgalois_bellman::bellman::Prover;
    /// use wgalois_bellman::wgalois::{Cpu, Device};
    ///
    /// /// The prover knows a root of a public square.
    /// struct Root(Option<Scalar>);
    ///
    /// impl Circuit<Scalar> for Root {
    ///     fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
    ///         let value = self.0.ok_or(SynthesisError::AssignmentMissing);
    ///         let square = cs.alloc_input(|| "square", || self.0.map(|root| root.square()).ok_or(SynthesisError::AssignmentMissing))?;
    ///         let root = cs.alloc(|| "root", || value)?;
    ///         cs.enforce(|| "root * root = square", |lc| lc + root, |lc| lc + root, |lc| lc + square);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let mut rng = ChaCha8Rng::seed_from_u64(1);
    /// let params = groth16::generate_random_parameters::<Bls12, _, _>(Root(None), &mut rng)?;
    /// // Before: groth16::create_random_proof(Root(Some(Scalar::from(3))), &params, &mut rng)?
    /// let prover = Prover::new(&Device::Cpu(Cpu::default()), &params)?;
    /// let proof = prover.prove(Root(Some(Scalar::from(3))), &mut rng)?;
    /// let pvk = groth16::prepare_verifying_key(&params.vk);
    /// assert!(groth16::verify_proof(&pvk, &proof, &[Scalar::from(9)]).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
}

/// r and s of each circuit, in turn.
fn draw(count: usize, rng: &mut impl Rng) -> (Vec<Scalar>, Vec<Scalar>) {
    (0..count).map(|_| (Scalar::random(&mut *rng), Scalar::random(&mut *rng))).unzip()
}

fn to_library(scalar: &Scalar) -> Fr {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(scalar.to_bytes().as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    Fr::new(BigInt(words))
}

fn terms(combination: &LinearCombination<Scalar>) -> impl Iterator<Item = (Place, Scalar)> {
    combination.as_ref().iter().map(|(variable, coefficient)| {
        let place = match variable.get_unchecked() {
            Index::Input(i) => Place::Input(i),
            Index::Aux(i) => Place::Aux(i),
        };
        (place, *coefficient)
    })
}

impl ConstraintSystem<Scalar> for Synthesis<Scalar> {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        Ok(Variable::new_unchecked(Index::Aux(self.add_aux(value()?))))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        Ok(Variable::new_unchecked(Index::Input(self.add_input(value()?))))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, name: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let zero = LinearCombination::zero;
        let (a, b, c) = (a(zero()), b(zero()), c(zero()));
        self.add_constraint(terms(&a), terms(&b), terms(&c), || name().into());
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self {
        self
    }
}

//! bellperson 0.27, over blstrs 0.7.

use ::bellperson::groth16::{MappedParameters, Parameters};
use ::bellperson::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use ark_bls12_381::{Bls12_381, Fr};
use ark_ff::BigInt;
use blstrs::{Bls12, G1Affine, G2Affine};
use ff_13::Field;
use wgalois::Device;
use wgalois_io::Source;
use wgalois_io::points::Trust;
use wgalois_proofs::bellman::read_key;
use wgalois_proofs::groth16::ProvingKey;

use crate::Key;
use crate::prover::prover;
use crate::synthesis::{Place, Synthesis};

/// The circuits that are proved.
pub use ::bellperson::Circuit;
/// A scalar of the circuits.
pub use blstrs::Scalar;
/// The randomness of proofs.
pub use rand_core_6::RngCore as Rng;

/// A proof, as bellperson has it.
pub type Proof = ::bellperson::groth16::Proof<Bls12>;

prover! {
    /// The parameters of a circuit on a device, which make any number of proofs. They are those of bellperson 0.27: from the same
    /// randomness, the same proof. A batch draws all r, then all s, as `create_random_proof_batch`. Proofs with a priority have no
    /// place here: a device does one after the other.
    ///
    /// ```
    /// use bellperson::groth16::{generate_random_parameters, prepare_verifying_key, verify_proof};
    /// use bellperson::{Circuit, ConstraintSystem, SynthesisError};
    /// use blstrs::{Bls12, Scalar};
    /// use ff_13::Field;
    /// use rand_chacha_3::ChaCha8Rng;
    /// use rand_core_6::SeedableRng;
    /// use wgalois_bellman::bellperson::Prover;
    /// use wgalois_bellman::wgalois::{Cpu, Device};
    ///
    /// /// The prover knows a root of a public square.
    /// struct Root(Option<Scalar>);
    ///
    /// impl Circuit<Scalar> for Root {
    ///     fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
    ///         let value = |root: Option<Scalar>| root.ok_or(SynthesisError::AssignmentMissing);
    ///         let square = cs.alloc_input(|| "square", || Ok(value(self.0)?.square()))?;
    ///         let root = cs.alloc(|| "root", || value(self.0))?;
    ///         cs.enforce(|| "root * root = square", |lc| lc + root, |lc| lc + root, |lc| lc + square);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let mut rng = ChaCha8Rng::seed_from_u64(1);
    /// let params = generate_random_parameters::<Bls12, _, _>(Root(None), &mut rng)?;
    /// // Before: create_random_proof_batch(circuits, &params, &mut rng)?
    /// let prover = Prover::new(&Device::Cpu(Cpu::default()), &params)?;
    /// let circuits = vec![Root(Some(Scalar::from(3))), Root(Some(Scalar::from(4)))];
    /// let proofs = prover.prove_batch(circuits, &mut rng)?;
    /// let pvk = prepare_verifying_key(&params.vk);
    /// assert!(verify_proof(&pvk, &proofs[0], &[Scalar::from(9)])?);
    /// assert!(verify_proof(&pvk, &proofs[1], &[Scalar::from(16)])?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
}

/// r of all circuits, then s of all.
fn draw(count: usize, rng: &mut impl Rng) -> (Vec<Scalar>, Vec<Scalar>) {
    let mut of_all = || (0..count).map(|_| Scalar::random(&mut *rng)).collect();
    (of_all(), of_all())
}

fn to_library(scalar: &Scalar) -> Fr {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(scalar.to_bytes_le().as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    Fr::new(BigInt(words))
}

/// The file that was mapped is mapped once more: its points go to the device without a copy of the file in memory.
impl Key for MappedParameters<Bls12> {
    fn proving_key(&self, device: &Device) -> wgalois::Result<ProvingKey<Bls12_381>> {
        /// Bytes that tell a file that took the place of the mapped one: it holds the verifying key.
        const COMPARED: usize = 1 << 16;
        let source = Source::open(&self.param_file_path, u64::MAX)?;
        let (found, mapped) = (source.bytes(), &self.params[..]);
        let compared = COMPARED.min(mapped.len());
        if found.len() != mapped.len() || found[..compared] != mapped[..compared] {
            return Err(source.error("another file than the one that was mapped"));
        }
        let trust = if self.checked { Trust::Nothing } else { Trust::Everything };
        read_key(&source, device, trust, u64::MAX)
    }
}

fn terms(combination: &LinearCombination<Scalar>) -> impl Iterator<Item = (Place, Scalar)> {
    let inputs = combination.iter_inputs().map(|(i, coefficient)| (Place::Input(*i), *coefficient));
    inputs.chain(combination.iter_aux().map(|(i, coefficient)| (Place::Aux(*i), *coefficient)))
}

impl ConstraintSystem<Scalar> for Synthesis<Scalar> {
    type Root = Self;

    fn new() -> Self {
        Synthesis::empty()
    }

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        Ok(Variable(Index::Aux(self.add_aux(value()?))))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        Ok(Variable(Index::Input(self.add_input(value()?))))
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

    fn is_extensible() -> bool {
        true
    }

    fn extend(&mut self, other: &Self) {
        self.append(other);
    }
}

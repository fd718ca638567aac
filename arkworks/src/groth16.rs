//! Proofs by keys of ark-groth16.

use ark_ff::UniformRand;
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystem, ConstraintSystemRef, Matrix, OptimizationGoal,
    R1CS_PREDICATE_LABEL, SynthesisError, SynthesisMode,
};
use ark_std::rand::{CryptoRng, RngCore};
use wgalois::curve::PairingCurve;
use wgalois::task::Problem;
use wgalois::{Device, Error, Result};
use wgalois_proofs::groth16::{Proving, ProvingKey, Witness};

/// A proving key of ark-groth16 on a device, which makes any number of proofs. They are those of `Groth16<E>` with its
/// default reduction, `LibsnarkReduction`: from the same randomness, the same points.
///
/// `E` is the pairing, `Bls12_381`, `Bls12_377` or `Bn254` of arkworks' crates.
///
/// ```
/// use ark_bn254::{Bn254, Fr};
/// use ark_groth16::Groth16;
/// use ark_relations::gr1cs::{ConstraintSynthesizer, ConstraintSystemRef, SynthesisError};
/// use ark_snark::SNARK;
/// use ark_std::rand::{SeedableRng, rngs::StdRng};
/// use wgalois_arkworks::Prover;
/// use wgalois_arkworks::wgalois::{Cpu, Device};
///
/// /// The prover knows a root of a public square.
/// #[derive(Clone)]
/// struct Root(Option<Fr>);
///
/// impl ConstraintSynthesizer<Fr> for Root {
///     fn generate_constraints(self, cs: ConstraintSystemRef<Fr>) -> Result<(), SynthesisError> {
///         let root = self.0.ok_or(SynthesisError::AssignmentMissing);
///         let square = cs.new_input_variable(|| Ok(root? * root?))?;
///         let root = cs.new_witness_variable(|| root)?;
///         cs.enforce_r1cs_constraint(|| root.into(), || root.into(), || square.into())
///     }
/// }
///
/// let mut rng = StdRng::seed_from_u64(1);
/// let (pk, vk) = Groth16::<Bn254>::circuit_specific_setup(Root(None), &mut rng)?;
/// // Before: Groth16::<Bn254>::prove(&pk, Root(Some(Fr::from(3))), &mut rng)?
/// let prover = Prover::<Bn254>::new(&Device::Cpu(Cpu::default()), &pk, Root(None))?;
/// let proof = prover.prove(Root(Some(Fr::from(3))), &mut rng)?;
/// assert!(Groth16::<Bn254>::verify(&vk, &[Fr::from(9)], &proof)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Neither constant-time nor audited. [`wgalois_proofs::groth16`] says which vectors are overwritten; arkworks' constraint
/// systems are not.
///
/// # Errors
/// [`Error::Input`], one of:
/// - A circuit cannot be synthesised.
/// - The key is that of another circuit or reduction.
/// - There are fewer than two matrices, or they belong to another circuit.
/// - A circuit or an assignment has another number of variables than the key.
/// - The first value of an assignment is not 1.
pub struct Prover<E: PairingCurve> {
    prover: wgalois_proofs::groth16::Prover<E>,
}

impl<E: PairingCurve> From<wgalois_proofs::groth16::Prover<E>> for Prover<E> {
    fn from(prover: wgalois_proofs::groth16::Prover<E>) -> Self {
        Prover { prover }
    }
}

impl<E: PairingCurve> Prover<E> {
    /// Prepares a key. A key does not hold its circuit's constraints: they come from `circuit`, which needs no witness,
    /// as in the setup. The key's points are not checked, as ark-groth16 does not.
    pub fn new<C>(device: &Device, key: &ark_groth16::ProvingKey<E::Pairing>, circuit: C) -> Result<Self>
    where
        C: ConstraintSynthesizer<E::Scalar>,
    {
        let cs = synthesise(circuit, SynthesisMode::Setup)?;
        let matrices = cs.to_matrices().map_err(refused)?.remove(R1CS_PREDICATE_LABEL).unwrap_or_default();
        let (rows, constraints) = (matrices.first().map_or(0, Vec::len), cs.num_constraints());
        Error::expect_length("constraints of rank one", constraints, rows)?;
        Error::expect_length("variables of the circuit", key.a_query.len(), cs.num_variables())?;
        Error::expect_length("public variables", key.vk.gamma_abc_g1.len(), cs.num_instance_variables())?;
        Self::from_matrices(device, key, &matrices)
    }

    /// [`new`](Self::new) for a circuit that is known by its matrices A, B and C, as
    /// `Groth16::create_proof_with_reduction_and_matrices` takes them. C is not used.
    pub fn from_matrices(
        device: &Device,
        key: &ark_groth16::ProvingKey<E::Pairing>,
        matrices: &[Matrix<E::Scalar>],
    ) -> Result<Self> {
        let [a, b, ..] = matrices else {
            return Err(Error::TooFew { what: "matrices".into(), count: matrices.len() as u64, least: 2 });
        };
        let key = ProvingKey::<E>::from_arkworks(key, a, b)?;
        let plan = Proving::of(&key).plan(device)?;
        Ok(Prover { prover: wgalois_proofs::groth16::Prover::new(device, &plan, key)? })
    }

    /// The library's own form.
    pub fn library(&self) -> &wgalois_proofs::groth16::Prover<E> {
        &self.prover
    }

    /// A proof for a circuit with its witness, as `Groth16::prove`. Of the circuit only the variables are synthesised:
    /// the constraints are known.
    ///
    /// A witness that violates the constraints gives a proof that does not verify.
    pub fn prove<C, R>(&self, circuit: C, rng: &mut R) -> Result<ark_groth16::Proof<E::Pairing>>
    where
        C: ConstraintSynthesizer<E::Scalar>,
        R: RngCore + CryptoRng,
    {
        let (r, s) = (E::Scalar::rand(rng), E::Scalar::rand(rng));
        self.prove_assignment(&assignment(circuit)?, r, s)
    }

    /// One proof for each circuit. Their witnesses are held at the same time, and a device works on one while the host
    /// prepares the next.
    pub fn prove_many<C, R>(
        &self,
        circuits: impl IntoIterator<Item = C>,
        rng: &mut R,
    ) -> Result<Vec<ark_groth16::Proof<E::Pairing>>>
    where
        C: ConstraintSynthesizer<E::Scalar>,
        R: RngCore + CryptoRng,
    {
        let (mut witnesses, mut random) = (Vec::new(), Vec::new());
        for circuit in circuits {
            random.push((E::Scalar::rand(rng), E::Scalar::rand(rng)));
            witnesses.push(assignment(circuit)?);
        }
        let witnesses: Vec<&[E::Scalar]> = witnesses.iter().map(|witness| &witness[..]).collect();
        let proofs = self.prover.prove_with(&witnesses, &random)?;
        Ok(proofs.iter().map(wgalois_proofs::groth16::Proof::to_arkworks).collect())
    }

    /// A proof for the values of all variables, 1 first, then the public ones, then the others, with the randomness r
    /// and s, as `Groth16::create_proof_with_reduction_and_matrices`. With r and s 0 it is that of
    /// `create_proof_with_reduction_no_zk`, which hides nothing.
    pub fn prove_assignment(
        &self,
        full_assignment: &[E::Scalar],
        r: E::Scalar,
        s: E::Scalar,
    ) -> Result<ark_groth16::Proof<E::Pairing>> {
        let proofs = self.prover.prove_with(&[full_assignment], &[(r, s)])?;
        let proof = proofs.first().ok_or_else(|| Error::Device("one witness gave no proof".into()))?;
        Ok(proof.to_arkworks())
    }
}

/// The values of all variables of a circuit.
fn assignment<F: ark_ff::PrimeField, C: ConstraintSynthesizer<F>>(circuit: C) -> Result<Witness<F>> {
    let mode = SynthesisMode::Prove { construct_matrices: false, generate_lc_assignments: false };
    let cs = synthesise(circuit, mode)?;
    let cs = cs.borrow().ok_or_else(|| refused(SynthesisError::MissingCS))?;
    let known = cs.instance_assignment().map_err(refused)?;
    let secret = cs.witness_assignment().map_err(refused)?;
    Ok(Witness::from([known, secret].concat()))
}

/// The steps of ark-groth16's generator and prover.
fn synthesise<F: ark_ff::PrimeField, C: ConstraintSynthesizer<F>>(
    circuit: C,
    mode: SynthesisMode,
) -> Result<ConstraintSystemRef<F>> {
    let cs = ConstraintSystem::new_ref();
    cs.set_optimization_goal(OptimizationGoal::Constraints);
    cs.set_mode(mode);
    circuit.generate_constraints(cs.clone()).map_err(refused)?;
    cs.finalize();
    Ok(cs)
}

fn refused(error: SynthesisError) -> Error {
    Error::Input(format!("the circuit cannot be synthesised: {error}"))
}

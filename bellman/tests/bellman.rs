//! Proofs beside those of groth16 0.2.

#[path = "common/circuits.rs"]
mod circuits;
#[path = "common/proofs.rs"]
mod proofs;

mod peer {
    pub use bellman::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
    use bls12_381::Bls12;
    pub use bls12_381::Scalar;
    use rand_chacha::ChaCha8Rng;
    use rand_core::SeedableRng;
    use wgalois_bellman::Counts;
    pub use wgalois_bellman::bellman::{Proof, Prover};

    pub type Parameters = groth16::Parameters<Bls12>;

    pub fn rng(seed: u64) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(seed)
    }

    pub fn parameters(circuit: impl Circuit<Scalar>) -> Parameters {
        groth16::generate_random_parameters(circuit, &mut rng(1)).unwrap()
    }

    pub fn counts(params: &Parameters) -> Counts {
        let (inputs, aux) = (params.vk.ic.len(), params.l.len());
        Counts { inputs, aux, a: params.a.len(), b: params.b_g1.len(), h: params.h.len() }
    }

    pub fn write(params: &Parameters) -> Vec<u8> {
        let mut bytes = Vec::new();
        params.write(&mut bytes).unwrap();
        bytes
    }

    pub fn create_proof(circuit: impl Circuit<Scalar>, params: &Parameters, r: Scalar, s: Scalar) -> Proof {
        groth16::create_proof(circuit, params, r, s).unwrap()
    }

    pub fn create_random_proof(
        circuit: impl Circuit<Scalar>,
        params: &Parameters,
        rng: &mut ChaCha8Rng,
    ) -> Proof {
        groth16::create_random_proof(circuit, params, rng).unwrap()
    }

    /// groth16 has no batch: its proofs come one after the other.
    pub fn create_random_proof_batch<C: Circuit<Scalar>>(
        circuits: Vec<C>,
        params: &Parameters,
        rng: &mut ChaCha8Rng,
    ) -> Vec<Proof> {
        circuits.into_iter().map(|circuit| create_random_proof(circuit, params, rng)).collect()
    }

    pub fn accepts(params: &Parameters, proof: &Proof, inputs: &[Scalar]) -> bool {
        groth16::verify_proof(&groth16::prepare_verifying_key(&params.vk), proof, inputs).is_ok()
    }

    pub fn bytes(proof: &Proof) -> Vec<u8> {
        let mut bytes = Vec::new();
        proof.write(&mut bytes).unwrap();
        bytes
    }

    /// A circuit behind which a constraint names a variable that it does not have.
    pub struct Stray<C>(pub C);

    impl<C: Circuit<Scalar>> Circuit<Scalar> for Stray<C> {
        fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
            self.0.synthesize(cs)?;
            let stray = Variable::new_unchecked(Index::Aux(1000));
            cs.enforce(|| "stray", |lc| lc + stray, |lc| lc + CS::one(), |lc| lc + stray);
            Ok(())
        }
    }
}

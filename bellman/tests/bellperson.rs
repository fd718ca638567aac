//! Proofs beside those of bellperson 0.27.

#[path = "common/circuits.rs"]
mod circuits;
#[path = "common/proofs.rs"]
mod proofs;

mod peer {
    use bellperson::groth16;
    pub use bellperson::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
    use blstrs::Bls12;
    pub use blstrs::Scalar;
    use rand_chacha_3::ChaCha8Rng;
    use rand_core_6::SeedableRng;
    use wgalois_bellman::Counts;
    pub use wgalois_bellman::bellperson::{Proof, Prover};

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

    pub fn create_proof(
        circuit: impl Circuit<Scalar> + Send,
        params: &Parameters,
        r: Scalar,
        s: Scalar,
    ) -> Proof {
        groth16::create_proof(circuit, params, r, s).unwrap()
    }

    pub fn create_random_proof(
        circuit: impl Circuit<Scalar> + Send,
        params: &Parameters,
        rng: &mut ChaCha8Rng,
    ) -> Proof {
        groth16::create_random_proof(circuit, params, rng).unwrap()
    }

    pub fn create_random_proof_batch<C: Circuit<Scalar> + Send>(
        circuits: Vec<C>,
        params: &Parameters,
        rng: &mut ChaCha8Rng,
    ) -> Vec<Proof> {
        groth16::create_random_proof_batch(circuits, params, rng).unwrap()
    }

    pub fn accepts(params: &Parameters, proof: &Proof, inputs: &[Scalar]) -> bool {
        groth16::verify_proof(&groth16::prepare_verifying_key(&params.vk), proof, inputs).unwrap()
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
            let stray = Variable(Index::Aux(1000));
            cs.enforce(|| "stray", |lc| lc + stray, |lc| lc + CS::one(), |lc| lc + stray);
            Ok(())
        }
    }
}

/// What only bellperson has.
mod own {
    use std::fs;

    use bellperson::groth16::Parameters;
    use bellperson::{Circuit, ConstraintSystem, SynthesisError};
    use blstrs::{Bls12, Scalar};
    use wgalois_bellman::wgalois::{Cpu, Device};
    use wgalois_bellman::{Error, bellperson::Prover};

    use crate::circuits::System;
    use crate::peer;

    #[test]
    fn mapped_parameters_give_the_same_proofs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.params");
        let circuit = System::chain("", 3, 20);
        let params = peer::parameters(circuit.without_witness());
        fs::write(&path, peer::write(&params)).unwrap();
        let (r, s) = (Scalar::from(4), Scalar::from(5));
        let expected = peer::bytes(&peer::create_proof(circuit.clone(), &params, r, s));
        let device = Device::Cpu(Cpu::default());
        for checked in [true, false] {
            let mapped = Parameters::<Bls12>::build_mapped_parameters(path.clone(), checked).unwrap();
            let prover = Prover::new(&device, &mapped).unwrap();
            assert_eq!(peer::bytes(&prover.prove_with(circuit.clone(), r, s).unwrap()), expected);
        }
        // Another file takes the place of the mapped one.
        let mapped = Parameters::<Bls12>::build_mapped_parameters(path.clone(), true).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, peer::write(&peer::parameters(System::chain("", 3, 10).without_witness()))).unwrap();
        let refused = Prover::new(&device, &mapped).err().unwrap();
        assert!(refused.to_string().contains("another file than the one that was mapped"), "{refused}");
    }

    /// Parts that are synthesised on their own and then appended, as Filecoin's circuits are.
    #[derive(Clone)]
    struct Parts(Vec<System>);

    impl Circuit<Scalar> for Parts {
        fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
            if !CS::is_extensible() {
                return self.0.into_iter().try_for_each(|part| part.synthesize(cs));
            }
            for part in self.0 {
                let mut own = CS::new();
                own.alloc_input(|| "one", || Ok(Scalar::from(1)))?;
                part.synthesize(&mut own)?;
                cs.extend(&own);
            }
            Ok(())
        }
    }

    #[test]
    fn circuits_in_parts_give_the_same_proofs() {
        let parts = Parts([3, 5, 7].map(|first| System::chain("", first, 10)).to_vec());
        let params = peer::parameters(Parts(parts.0.iter().map(System::without_witness).collect()));
        let prover = Prover::new(&Device::Cpu(Cpu::default()), &params).unwrap();
        let (r, s) = (Scalar::from(4), Scalar::from(5));
        let ours = prover.prove_with(parts.clone(), r, s).unwrap();
        let theirs = peer::create_proof(parts.clone(), &params, r, s);
        assert_eq!(peer::bytes(&ours), peer::bytes(&theirs));
        // The constraints are counted through all parts.
        let mut bad = parts;
        bad.0[2].aux[4] += Scalar::from(1);
        let refused = prover.prove_with(bad, r, s);
        assert!(matches!(refused, Err(Error::Unsatisfied { constraint: 23, .. })), "{refused:?}");
    }
}

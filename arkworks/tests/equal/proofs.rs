//! Proofs beside ark-groth16's.

use ark_bls12_377::Bls12_377;
use ark_bls12_381::Bls12_381;
use ark_bn254::Bn254;
use ark_ec::pairing::Pairing;
use ark_ff::PrimeField;
use ark_groth16::{Groth16, ProvingKey};
use ark_r1cs_std::alloc::AllocVar;
use ark_r1cs_std::eq::EqGadget;
use ark_r1cs_std::fields::FieldVar;
use ark_r1cs_std::fields::fp::FpVar;
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystem, ConstraintSystemRef, LinearCombination, OptimizationGoal,
    R1CS_PREDICATE_LABEL, SynthesisError, Variable,
};
use ark_snark::SNARK;
use wgalois::Device;
use wgalois::curve::PairingCurve;
use wgalois_arkworks::Prover;

use crate::{cpu, gpu, rng};

/// y = f(x) for a public y, where f is applied `steps` times: by constraints as they are, and by gadgets.
#[derive(Clone, Copy)]
struct Steps<F> {
    x: Option<F>,
    steps: usize,
    gadgets: bool,
}

impl<F: PrimeField> Steps<F> {
    fn new(x: u64, steps: usize, gadgets: bool) -> Self {
        Steps { x: Some(F::from(x)), steps, gadgets }
    }

    fn without_witness(self) -> Self {
        Steps { x: None, ..self }
    }

    /// x is replaced by (x + 3)(2 x + 1).
    fn y(&self) -> F {
        let step = |x: F, _| (x + F::from(3u64)) * (x + x + F::ONE);
        (0..self.steps).fold(self.x.unwrap_or_default(), step)
    }
}

impl<F: PrimeField> ConstraintSynthesizer<F> for Steps<F> {
    fn generate_constraints(self, cs: ConstraintSystemRef<F>) -> Result<(), SynthesisError> {
        let value = |value: Option<F>| value.ok_or(SynthesisError::AssignmentMissing);
        let (y, three) = (self.x.map(|_| self.y()), F::from(3u64));
        if self.gadgets {
            let y = FpVar::new_input(cs.clone(), || value(y))?;
            let mut x = FpVar::new_witness(cs, || value(self.x))?;
            for _ in 0..self.steps {
                x = (&x + three) * (x.double()? + F::ONE);
            }
            return x.enforce_equal(&y);
        }
        let y = cs.new_input_variable(|| value(y))?;
        let mut at = self.x;
        let mut x = cs.new_witness_variable(|| value(self.x))?;
        for _ in 0..self.steps {
            at = at.map(|at| Steps { x: Some(at), steps: 1, ..self }.y());
            let next = cs.new_witness_variable(|| value(at))?;
            // A combination that others use is inlined.
            let double = cs.new_lc(|| LinearCombination(vec![(F::from(2u64), x)]))?;
            cs.enforce_r1cs_constraint(
                || LinearCombination(vec![(F::ONE, x), (three, Variable::One)]),
                || LinearCombination(vec![(F::ONE, double), (F::ONE, Variable::One)]),
                || next.into(),
            )?;
            x = next;
        }
        cs.enforce_r1cs_constraint(|| x.into(), || Variable::One.into(), || y.into())
    }
}

fn key<E: Pairing>(circuit: Steps<E::ScalarField>) -> ProvingKey<E> {
    Groth16::<E>::generate_random_parameters_with_reduction(circuit.without_witness(), &mut rng(1)).unwrap()
}

fn proofs_are_theirs<E>(device: &Device, circuits: &[(usize, bool)])
where
    E: Pairing + PairingCurve<Pairing = E, Scalar = <E as Pairing>::ScalarField>,
{
    for &(steps, gadgets) in circuits {
        let circuit = |x| Steps::<E::ScalarField>::new(x, steps, gadgets);
        let pk = key::<E>(circuit(0));
        let prover = Prover::<E>::new(device, &pk, circuit(0).without_witness()).unwrap();
        let pvk = ark_groth16::prepare_verifying_key(&pk.vk);
        // One proof, then two together, then arkworks' three, with the same random numbers.
        let mut random = rng(2);
        let mut proofs = vec![prover.prove(circuit(5), &mut random).unwrap()];
        proofs.extend(prover.prove_many([circuit(6), circuit(7)], &mut random).unwrap());
        let mut random = rng(2);
        for (x, ours) in [5, 6, 7].into_iter().zip(&proofs) {
            assert_eq!(
                *ours,
                Groth16::<E>::prove(&pk, circuit(x), &mut random).unwrap(),
                "{steps} {gadgets}"
            );
            let y = circuit(x).y();
            assert!(Groth16::<E>::verify_with_processed_vk(&pvk, &[y], ours).unwrap());
            assert!(!Groth16::<E>::verify_with_processed_vk(&pvk, &[y + y], ours).unwrap());
        }
    }
}

#[test]
fn proofs_on_the_cpu_engine() {
    proofs_are_theirs::<Bls12_381>(&cpu(), &[(5, false), (13, true)]);
    proofs_are_theirs::<Bls12_377>(&cpu(), &[(0, false), (6, true)]);
    proofs_are_theirs::<Bn254>(&cpu(), &[(1, false), (30, true)]);
}

#[test]
fn proofs_on_a_gpu() {
    proofs_are_theirs::<Bn254>(&gpu(), &[(30, true)]);
}

#[test]
fn proofs_by_matrices_and_assignments() {
    type F = ark_bn254::Fr;
    let circuit = Steps::<F>::new(9, 4, false);
    let pk = key::<Bn254>(circuit);
    let cs = ConstraintSystem::new_ref();
    cs.set_optimization_goal(OptimizationGoal::Constraints);
    circuit.generate_constraints(cs.clone()).unwrap();
    cs.finalize();
    let matrices = &cs.to_matrices().unwrap()[R1CS_PREDICATE_LABEL];
    let values = [cs.instance_assignment().unwrap(), cs.witness_assignment().unwrap()].concat();
    let prover = Prover::<Bn254>::from_matrices(&cpu(), &pk, matrices).unwrap();
    let (r, s) = (F::from(11), F::from(13));
    let theirs =
        Groth16::<Bn254>::create_proof_with_reduction_and_matrices(&pk, r, s, matrices, 2, 5, &values);
    assert_eq!(prover.prove_assignment(&values, r, s).unwrap(), theirs.unwrap());
    let zero = F::from(0);
    let theirs = Groth16::<Bn254>::create_proof_with_reduction_no_zk(circuit, &pk).unwrap();
    assert_eq!(prover.prove_assignment(&values, zero, zero).unwrap(), theirs);
    assert_eq!(prover.library().verifying().public.len(), 2);

    assert!(prover.prove_assignment(&values[1..], r, s).is_err_and(|error| error.exit_code() == 3));
    assert!(
        Prover::<Bn254>::from_matrices(&cpu(), &pk, &matrices[..1])
            .is_err_and(|error| error.exit_code() == 3)
    );
}

#[test]
fn other_circuits_and_keys_are_errors() {
    let circuit = Steps::new(9, 4, false);
    let pk = key::<Bn254>(circuit);
    let refused = |pk: &ProvingKey<Bn254>, circuit: Steps<_>| {
        assert!(Prover::<Bn254>::new(&cpu(), pk, circuit).is_err_and(|error| error.exit_code() == 3));
    };
    let blank = circuit.without_witness();
    refused(&pk, Steps { steps: 3, ..blank });
    refused(&pk, Steps { steps: 5, ..blank });
    // Bases of the quotient for the values, as keys of circom have them.
    let mut other = pk.clone();
    other.h_query.push(pk.delta_g1);
    refused(&other, blank);
    let mut other = pk.clone();
    other.l_query.pop();
    refused(&other, blank);

    let prover = Prover::<Bn254>::new(&cpu(), &pk, blank).unwrap();
    let random = &mut rng(3);
    assert!(prover.prove(blank, random).is_err_and(|error| error.exit_code() == 3));
    assert!(prover.prove(Steps::new(9, 5, false), random).is_err_and(|error| error.exit_code() == 3));
    assert!(prover.prove_many([circuit; 0], random).unwrap().is_empty());
    // A wrong witness is proved, and the proof is refused.
    let proof = prover.prove(Steps::new(10, 4, false), random).unwrap();
    assert!(!Groth16::<Bn254>::verify(&pk.vk, &[circuit.y()], &proof).unwrap());
}

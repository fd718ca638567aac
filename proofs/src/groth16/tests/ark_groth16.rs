//! Keys and proofs are those of ark-groth16.

use super::*;

#[test]
fn proofs_are_those_of_ark_groth16() {
    type Theirs = ::ark_groth16::Groth16<Bls>;
    let (circuit, witness) = chain::<ark_bls12_381::Fr>(20, 5);
    let ours = setup::<Bls>().key(&circuit, Basis::Powers).unwrap();
    let key = ::ark_groth16::ProvingKey {
        vk: ours.verifying.to_arkworks(),
        beta_g1: ours.beta,
        delta_g1: ours.delta,
        a_query: ours.queries.a.clone(),
        b_g1_query: ours.queries.b.clone(),
        b_g2_query: ours.queries.b2.clone(),
        h_query: ours.queries.quotient.clone(),
        l_query: ours.queries.secret.clone(),
    };
    let matrix = |part: usize| {
        let row = |row: &Row<_>| row.iter().map(|(factor, variable)| (*factor, *variable as usize)).collect();
        circuit.constraints.iter().map(|rows| row(&rows[part])).collect::<Vec<Vec<_>>>()
    };
    let [a, b, c] = [0, 1, 2].map(matrix);
    let read = ProvingKey::<Bls>::from_arkworks(&key, &a, &b).unwrap();
    assert_eq!(read, ours);
    let (r, s) = (ark_bls12_381::Fr::from(99u64), ark_bls12_381::Fr::from(88u64));
    let (known, count) = (circuit.public + 1, circuit.constraints.len());
    let matrices = [a.clone(), b, c];
    let theirs =
        Theirs::create_proof_with_reduction_and_matrices(&key, r, s, &matrices, known, count, &witness);
    let prover = prover(&read, &cpu());
    let proof = prover.prove_with(&[&witness], &[(r, s)]).unwrap()[0].to_arkworks();
    assert_eq!(proof, theirs.unwrap());
    let prepared = ::ark_groth16::prepare_verifying_key(&key.vk);
    let mut public = prover.public(&witness).unwrap().to_vec();
    assert!(Theirs::verify_proof(&prepared, &proof, &public).unwrap());
    prover.verifying().check(&Proof::from_arkworks(&proof), &public).unwrap();
    public[0] += ark_bls12_381::Fr::from(1u64);
    assert!(!Theirs::verify_proof(&prepared, &proof, &public).unwrap());
    assert!(ProvingKey::<Bls>::from_arkworks(&key, &a[1..], &a).is_err());
}

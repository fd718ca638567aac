//! Commitments to blobs, and proofs.

use crate::msm::Distribution;
use crate::plans::case::{Of, timed};
use crate::plans::{Case, Verb};
use ark_bls12_381::Bls12_381 as Bls12_381Pairing;
use ark_bn254::Bn254 as Bn254Pairing;
use ark_ec::AffineRepr;
use wgalois::curve::{Affine, Bls12_381, Bls12_381G2, PairingCurve};
use wgalois::msm::Known;
use wgalois_proofs::groth16::{Basis, Prover, Proving, ProvingKey, Setup, Witness, chain};
use wgalois_proofs::kzg::{Blob, Blobs, Committing, TrustedSetup};

/// The values of a blob.
const VALUES: usize = 4096;

pub fn commitments() -> Vec<Case> {
    let case = |count: usize| {
        Case::new((Verb::Kzg, "commit"), format!("{count} blobs"), move || {
            Ok(Of::new(
                Committing::new(VALUES).with_vectors(count),
                move || Ok((setup()?, blobs(count)?)),
                async |plan, device, (setup, blobs): &(TrustedSetup, Vec<Blob>)| {
                    let setup = setup.clone();
                    timed(async { Blobs::new(device, &plan, setup)?.commit(blobs) }).await
                },
                |_, (setup, blobs), commitments| setup.check_commitments(blobs, commitments).map(drop),
            ))
        })
    };
    [1, 8, 64].map(case).into()
}

/// Points in place of a ceremony's: a commitment to a blob is a sum of multiples of any points.
fn setup() -> wgalois::Result<TrustedSetup> {
    let second = [Affine::<Bls12_381G2>::generator(); 2];
    TrustedSetup::of_checked(Known::<Bls12_381>::random(VALUES, 1).points, &second, Vec::new())
}

fn blobs(count: usize) -> wgalois::Result<Vec<Blob>> {
    let values = |seed| Distribution::Uniform.draw::<Bls12_381>(VALUES, seed);
    (0..count as u64).map(|seed| Blob::of_values(values(seed))).collect()
}

pub fn proofs() -> Vec<Case> {
    let both = |log2: u32| [proof::<Bn254Pairing>(log2), proof::<Bls12_381Pairing>(log2)];
    [8, 12, 14, 16, 18].into_iter().flat_map(both).collect()
}

/// A proof of a circuit whose constraints and public values take 2^`log2` roots of unity.
pub fn proof<E: PairingCurve>(log2: u32) -> Case {
    Case::new((Verb::Groth16, E::NAME.as_str()), format!("2^{log2}"), move || {
        /// The public values of the circuit, and the constant.
        const PUBLIC: usize = 2;
        let constraints = (1usize << log2) - PUBLIC - 1;
        // Each constraint has a variable of its own, beside the constant and the first two; a, and the binding of public
        // values, and b have two coefficients a constraint.
        let problem = Proving::<E>::new(constraints + 3, PUBLIC, log2);
        let problem = problem.with_coefficients(4 * constraints + PUBLIC + 1);
        Ok(Of::new(
            problem,
            move || {
                let (circuit, witness) = chain::<E::Scalar>(constraints, 1);
                Ok((Setup::<E>::of_seed(1).key(&circuit, Basis::OddRoots)?, witness))
            },
            async |plan, device, (key, witness): &(ProvingKey<E>, Witness<E::Scalar>)| {
                let key = key.clone();
                timed(async { Prover::new_async(device, &plan, key).await?.prove_async(witness).await }).await
            },
            |_, (key, witness), proof| key.verifying.check(proof, &witness[1..=PUBLIC]).map(drop),
        ))
    })
}

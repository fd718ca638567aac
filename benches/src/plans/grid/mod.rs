//! The problems, from small to large.

mod boolean;
mod gf2;
mod msm;
mod ntt;
mod proofs;

use super::{Case, Verb};
use wgalois::curve::{Bls12_381, Bn254};

/// All problems of these verbs.
pub fn grid(verbs: &[Verb]) -> Vec<Case> {
    verbs.iter().flat_map(|&verb| of(verb)).collect()
}

/// One problem of each task, and a proof: what a report of a device shows.
pub fn sample() -> Vec<Case> {
    vec![
        ntt::transform(20),
        ntt::scalar_transform::<Bls12_381>(16),
        gf2::rank(4096),
        msm::multiplication::<Bls12_381>(16),
        msm::multiplication::<Bn254>(16),
        proofs::proof::<ark_bn254::Bn254>(12),
    ]
}

fn of(verb: Verb) -> Vec<Case> {
    match verb {
        Verb::Ntt => ntt::transforms(),
        Verb::Polymul => ntt::products(),
        Verb::Intmul => ntt::integers(),
        Verb::ScalarNtt => ntt::scalars(),
        Verb::Columns => ntt::columns(),
        Verb::Gf2 => gf2::dense().into_iter().chain(gf2::products()).chain(gf2::many()).collect(),
        Verb::Eliminate => gf2::systems(),
        Verb::Solve => boolean::systems(),
        Verb::Msm => msm::multiplications(),
        Verb::Kzg => proofs::commitments(),
        Verb::Groth16 => proofs::proofs(),
    }
}

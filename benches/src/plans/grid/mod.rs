//! The problems, from small to large.

mod boolean;
mod gf2;
mod msm;
mod ntt;
mod proofs;

use super::{Case, Verb};

/// All problems of these verbs.
pub fn grid(verbs: &[Verb]) -> Vec<Case> {
    verbs.iter().flat_map(|&verb| of(verb)).collect()
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

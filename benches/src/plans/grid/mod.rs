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

/// One problem of each task, and a proof: what a report of a device shows.
pub fn sample() -> Vec<Case> {
    const NAMES: [&str; 6] = [
        "ntt 2^20",
        "ntt bls12-381-fr 2^16",
        "gf2 rank 4096",
        "msm bls12-381 2^16",
        "msm bn254 2^16",
        "groth16 bn254 2^12",
    ];
    let cases = grid(&[Verb::Ntt, Verb::ScalarNtt, Verb::Gf2, Verb::Msm, Verb::Groth16]);
    cases.into_iter().filter(|case| NAMES.contains(&case.name().as_str())).collect()
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

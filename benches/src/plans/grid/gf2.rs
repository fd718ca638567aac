//! Matrices over GF(2).

use crate::plans::case::{Of, host, timed};
use crate::plans::{Case, Verb};
use wgalois::Result;
use wgalois::gf2::generate::course::CASES;
use wgalois::gf2::generate::matrix;
use wgalois::gf2::verify::Depth;
use wgalois::gf2::{BitMatrix, Dense, Elimination, Factors, Many, Product};

/// The right sides of systems.
const SIDES: usize = 64;

/// What is asked of a matrix of n rows and columns.
type Asked = fn(usize) -> Result<Dense>;

pub fn dense() -> Vec<Case> {
    let asked: [(&str, Asked); 6] = [
        ("rank", |n| Dense::rank(n, n)),
        ("echelon", |n| Dense::echelon(n, n)),
        ("rref", |n| Dense::rref(n, n)),
        ("solve", |n| Dense::solve(n, n, SIDES)),
        ("kernel", |n| Dense::kernel(n, n)),
        ("inverse", Dense::inverse),
    ];
    let sizes = [256, 1024, 2048, 4096, 8192, 16384, 32768, 65536];
    asked.into_iter().flat_map(|(series, ask)| sizes.map(|n| dense_case(series, ask, n))).collect()
}

/// The rank of a matrix of n rows and columns.
pub fn rank(n: usize) -> Case {
    dense_case("rank", |n| Dense::rank(n, n), n)
}

fn dense_case(series: &'static str, ask: Asked, n: usize) -> Case {
    Case::new((Verb::Gf2, series), format!("{n}"), move || {
        let problem = ask(n)?;
        Ok(Of::new(
            problem,
            move || Ok((matrix(n, n, 0.5, 1)?, matrix(n, SIDES, 0.5, 2)?)),
            async |plan, device, (a, b): &(BitMatrix, BitMatrix)| {
                let b = (plan.problem().other_columns() == SIDES).then_some(b);
                let (time, (answer, _)) = timed(plan.compute_async(device, (a, b))).await?;
                Ok((time, answer))
            },
            |problem, (a, b), answer| {
                let b = (problem.other_columns() == SIDES).then_some(b);
                problem.check(&host(), a, b, answer.as_answer()).map(drop)
            },
        ))
    })
}

pub fn products() -> Vec<Case> {
    let case = |n: usize| {
        Case::new((Verb::Gf2, "mul"), format!("{n}"), move || {
            Ok(Of::new(
                Product::new(n, n, n)?,
                move || Ok((matrix(n, n, 0.5, 1)?, matrix(n, n, 0.5, 2)?)),
                async |plan, device, (a, b): &(BitMatrix, BitMatrix)| {
                    let (time, (product, _)) =
                        timed(plan.compute_async(device, Factors::from((a, b)))).await?;
                    Ok((time, product))
                },
                |problem, (a, b), product| problem.check(a, b, product).map(drop),
            ))
        })
    };
    [256, 1024, 4096, 8192, 16384, 32768].map(case).into()
}

pub fn many() -> Vec<Case> {
    let case = |(matrices, n): (usize, usize)| {
        Case::new((Verb::Gf2, "many rref"), format!("{matrices} of {n}"), move || {
            let make = move || (0..matrices as u64).map(|seed| matrix(n, n, 0.5, seed)).collect();
            Ok(Of::new(
                Many::new(matrices, Dense::rref(n, n)?)?,
                make,
                async |plan, device, all: &Vec<BitMatrix>| {
                    let (time, (answers, _)) = timed(plan.compute_async(device, (all, None))).await?;
                    Ok((time, answers))
                },
                |problem, all, answers| problem.check(&host(), all, None, answers).map(drop),
            ))
        })
    };
    [(64, 64), (1024, 64), (256, 256), (4096, 256)].map(case).into()
}

/// The F4 matrices of a course, with its dimensions.
pub fn systems() -> Vec<Case> {
    let case = |number: usize| {
        let (columns, rows) = (CASES[number].columns, CASES[number].rows);
        Case::new((Verb::Eliminate, ""), format!("{rows} rows of {columns}"), move || {
            let f4 = CASES[number].stand_in(1)?;
            let is_same = |a: &Elimination, b: &Elimination| a.to_lists() == b.to_lists();
            Ok(Of::with_equality(
                f4.clone(),
                move || Ok(f4.clone()),
                async |plan, device, f4| {
                    let (time, (result, _)) = timed(plan.compute_async(device, f4)).await?;
                    Ok((time, result))
                },
                |f4, _, result| f4.check(&host(), result, Depth::Bounded).map(drop),
                is_same,
            ))
        })
    };
    (0..10).map(case).collect()
}

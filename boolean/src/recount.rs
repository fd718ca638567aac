//! The number of solutions once more, in another way: a check of counts.

use std::collections::BTreeSet;
use std::time::Duration;

use super::checks::Checks;
use super::{Count, Equations, Polynomial, Query, Simplified, Solve, SolveInput};
use wgalois::gpu::block_on;
use wgalois::parallel::*;
use wgalois::task::Problem;
use wgalois::verify::Guarantee;
use wgalois::{Device, Result};

/// The most terms of all blocks of 64 assignments that are evaluated.
const MOST_TERMS: u64 = 1 << 32;
/// Variables that differ within a block.
const LANES: usize = 6;
/// The bits of the lowest variables in a block of 64 assignments: bit i of word v is bit v of i.
pub const PATTERNS: [u64; LANES] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// Counts the solutions of equations: by an evaluation of all assignments, or, where these are too many, by a
/// simplification in another order than that of [`solve`](super::solve) and a search on `device`, if it is expected to take
/// at most `most`. Returns the number and what is known of it; `None` if it would take longer.
///
/// ```
/// use wgalois_boolean::{generate, recount};
/// use wgalois::{Cpu, Device};
/// use std::time::Duration;
///
/// let system = generate::random(12, 10, 2, 1, true)?;
/// let device = Device::Cpu(Cpu::default());
/// let (count, guarantee) = recount(&device, &system.equations, Duration::ZERO)?.unwrap();
/// println!("{count}, {guarantee}");
/// # Ok::<(), wgalois::Error>(())
/// ```
pub fn recount(device: &Device, equations: &Equations, most: Duration) -> Result<Option<(Count, Guarantee)>> {
    let occurring: BTreeSet<u32> = equations.polynomials().iter().flat_map(Polynomial::variables).collect();
    let occurring: Vec<u32> = occurring.into_iter().collect();
    let unused = equations.variables() - occurring.len();
    let blocks = occurring.len().saturating_sub(LANES);
    let terms = equations.terms().max(1) as u64;
    if blocks < 40 && terms << blocks <= MOST_TERMS {
        let count = evaluate(device, equations, &occurring, blocks)?;
        let claim = format!("all values of {} variables were put into all equations", occurring.len());
        return Ok(Some((Count::from(count).doubled(unused), Guarantee::certain(claim))));
    }
    let count = search(device, equations, most)?;
    Ok(count.map(|count| (count, Guarantee::repeated("the number of solutions"))))
}

/// Counts the assignments that solve all equations, 64 side by side.
fn evaluate(device: &Device, equations: &Equations, occurring: &[u32], blocks: usize) -> Result<u64> {
    let place = |variable: u32| occurring.partition_point(|&other| other < variable);
    // The values of the low variables' product in a block, and the high variables as a mask.
    let term = |variables: &[u32]| {
        variables.iter().fold((u64::MAX, 0u64), |(lanes, high), &variable| match place(variable) {
            low if low < LANES => (lanes & PATTERNS[low], high),
            place => (lanes, high | 1 << (place - LANES)),
        })
    };
    let terms = |p: &Polynomial| p.terms().iter().map(|t| term(t.variables())).collect::<Vec<_>>();
    let polynomials: Vec<_> = equations.polynomials().iter().map(terms).collect();
    let own = match 1u64.checked_shl(1 << occurring.len().min(LANES)) {
        Some(bit) => bit - 1,
        None => u64::MAX,
    };
    let block = |block: u64| -> Result<u64> {
        let mut left = own;
        for terms in &polynomials {
            if block.is_multiple_of(1024) || terms.len() > 1024 {
                device.timeline().check()?;
            }
            let sum =
                terms.iter().filter(|(_, high)| high & !block == 0).fold(0, |sum, (lanes, _)| sum ^ lanes);
            left &= !sum;
            if left == 0 {
                break;
            }
        }
        Ok(u64::from(left.count_ones()))
    };
    (0..1u64 << blocks).into_par_iter().map(block).sum()
}

/// Counts by a search, after a simplification in which variables and equations come in the reverse order.
fn search(device: &Device, equations: &Equations, most: Duration) -> Result<Option<Count>> {
    let last = equations.variables() as u32;
    let check = || device.timeline().check();
    let reversed = |p: &Polynomial| p.renumbered_within(|variable| last - 1 - variable, check);
    let names = equations.names().iter().rev().cloned().collect();
    let polynomials = equations.polynomials().iter().rev().map(reversed).collect::<Result<_>>()?;
    let reversed = Equations::new(names, polynomials)?;
    let simplified = block_on(Simplified::by(device, &reversed, &Checks::wanted()))?;
    let (core, free) = (simplified.core(), simplified.free().len());
    if simplified.is_contradiction() {
        return Ok(Some(Count::default()));
    }
    if core.polynomials().is_empty() {
        return Ok(Some(Count::from(1).doubled(free)));
    }
    let plan = Solve::of(core).with_query(Query::Count).plan(device)?;
    if plan.cost().time > most {
        return Ok(None);
    }
    let (solutions, _) = plan.prepare(device)?.run(SolveInput::new(core).with_checks(true))?;
    device.timeline().check()?;
    Ok(solutions.is_complete.then(|| solutions.count.doubled(free)))
}

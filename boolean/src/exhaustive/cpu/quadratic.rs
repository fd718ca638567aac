//! The walk of quadratic equations through a window.

use super::State;
use crate::exhaustive::lanes::Lanes;
use crate::exhaustive::table::{CHOOSE, gray};

/// Low variables: the targets of all steps, 16 KiB, stay in a core's nearest memory.
pub const LOW: usize = 8;
const BLOCK: usize = 1 << LOW;
/// The variables of a run.
const RUN: usize = 4;

/// Walks through a window. Within a block only the value of the equations changes, so that steps are grouped in runs, whose
/// comparisons are looked at together:
///
/// ```text
/// for each run of the block, in Gray code:
///     value += derivative of the run's variable
///     for each of the 16 steps of the first four variables:   value += derivative;  compare with the step's target
/// ```
///
/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
pub unsafe fn walk<L: Lanes>(state: &mut State, up: usize, found: &mut dyn FnMut(u64) -> bool) {
    // The value, and its derivatives.
    // SAFETY: the caller has the instructions.
    let mut low: [L; LOW + 1] = std::array::from_fn(|place| unsafe {
        L::load(&state.low[if place == 0 { 0 } else { 1 << (place - 1) }])
    });
    // SAFETY: the caller has the instructions.
    let targets: [L; BLOCK] = std::array::from_fn(|place| unsafe { L::load(&state.targets[place]) });
    for step in 0..1u64 << up {
        if step > 0 {
            // SAFETY: the caller has the instructions.
            unsafe { advance(state, &mut low, step) };
        }
        let mut value = low[0];
        let first: [L; RUN] = std::array::from_fn(|place| low[place + 1]);
        for (run, targets) in targets.chunks_exact(1 << RUN).enumerate() {
            // SAFETY: the caller has the instructions.
            let has_any = unsafe {
                if run > 0 {
                    value = value.xor(low[1 + RUN + run.trailing_zeros() as usize]);
                }
                let mut seen = [L::start(); 4];
                seen[0] = value.see(targets[0], seen[0]);
                for (r, &target) in targets.iter().enumerate().skip(1) {
                    value = value.xor(first[r.trailing_zeros() as usize]);
                    seen[r % 4] = value.see(target, seen[r % 4]);
                }
                L::any(seen)
            };
            if !has_any {
                continue;
            }
            let mut again = value;
            for r in (0..1usize << RUN).rev() {
                // SAFETY: the caller has the instructions.
                let mut lanes = unsafe { again.equal(targets[r]) };
                while lanes != 0 {
                    let block = gray((run << RUN | r) as u64) | gray(step) << LOW;
                    let lane = u64::from(lanes.trailing_zeros());
                    if found(block | lane << (LOW + up)) {
                        return;
                    }
                    lanes &= lanes - 1;
                }
                if r > 0 {
                    // SAFETY: the caller has the instructions.
                    again = unsafe { again.xor(first[r.trailing_zeros() as usize]) };
                }
            }
        }
    }
}

/// Changes the up variables to those of `step`. Derivatives change by constants.
///
/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
unsafe fn advance<L: Lanes>(state: &mut State, low: &mut [L; LOW + 1], step: u64) {
    let bit = step.trailing_zeros() as usize + LOW;
    let next = (step & (step - 1)).trailing_zeros() as usize;
    let own = state.ranks.offsets[1] + bit;
    // The numbers of the products of this variable with lower ones are next to each other.
    let pairs = state.ranks.offsets[2] + CHOOSE[bit][2] as usize;
    // SAFETY: the caller has the instructions.
    unsafe {
        let mut derivative = L::load(&state.up[own]);
        if next < 64 {
            let next = next + LOW;
            let change = state.constants[state.ranks.offsets[2] + CHOOSE[next][2] as usize + bit];
            derivative = derivative.xor(L::splat(change));
            state.up[own] = derivative.store();
        }
        low[0] = low[0].xor(derivative);
        for (low, &change) in low[1..].iter_mut().zip(&state.constants[pairs..]) {
            *low = low.xor(L::splat(change));
        }
    }
}

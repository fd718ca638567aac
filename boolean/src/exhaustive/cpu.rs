//! The search of one window on the CPU engine.
//!
//! A vector has 32 candidates with 16 equations each, which differ in the five highest variables of the window. The
//! low variables run through a block of 64 steps, whose comparisons are looked at together:
//!
//! ```text
//! for each step of the up variables, in Gray code:
//!     update the derivatives in which the changed variable counts
//!     for each of the 64 steps of the low variables, in Gray code:
//!         value += derivative                    and the additions to that derivative
//!         seen |= (value == target of the step)
//!     if seen: find the candidates
//! ```
//!
//! The targets are the sums of the terms of the highest degree in low variables, which are the same for all values of
//! the other variables: of degree 2 ([`quadratic`]), a candidate costs an addition and a comparison (after Bouillaguet et
//! al., CHES 2010, where it costs two additions and a test).

mod quadratic;

use super::lanes::{Lanes, Words};
use super::table::{CHOOSE, Layout, MAX_DEGREE, Packed, Ranks, Windows, gray, part};
use wgalois::Simd;

/// Variables of the lanes.
pub const LANES: usize = 5;
/// Low variables of equations of degree 3 and 4.
const LOW: usize = 6;
const BLOCK: usize = 1 << LOW;

/// The number of low variables for equations of a degree.
pub const fn low(degree: usize) -> usize {
    if degree == 2 { quadratic::LOW } else { LOW }
}

/// The derivatives of a window, for all lanes.
struct State {
    /// By mask of low variables, without up variables.
    low: Vec<Words>,
    /// By number of the monomial, those with up variables.
    up: Vec<Words>,
    /// By number of the monomial: the derivatives of the highest degree, which are constants.
    constants: Vec<u16>,
    targets: Vec<Words>,
    ranks: Ranks,
}

impl State {
    fn new(windows: &Windows, words: &[u32]) -> Self {
        let Layout { low, up, .. } = windows.layout;
        let degree = windows.degree;
        let ranks = Ranks::new(low + up, degree);
        // The sums over all divisors of a lane's value, by a transform.
        let of_lanes = |mask: u64| {
            let room = degree as u32 - mask.count_ones();
            let word = |lane: usize| match lane.count_ones() <= room {
                true => words[windows.ranks.of(mask | (lane as u64) << (low + up))] as u16,
                false => 0,
            };
            let mut lanes: Words = std::array::from_fn(word);
            for bit in (0..LANES).map(|variable| 1 << variable) {
                (0..lanes.len())
                    .filter(|lane| lane & bit != 0)
                    .for_each(|lane| lanes[lane] ^= lanes[lane ^ bit]);
            }
            lanes
        };
        let mut state = State {
            low: vec![[0; 32]; 1 << low],
            up: vec![[0; 32]; ranks.offsets[degree]],
            constants: vec![0; ranks.len()],
            targets: windows.targets.iter().map(|&target| [target as u16; 32]).collect(),
            ranks,
        };
        for mask in state.ranks.masks(low + up, degree) {
            let rank = state.ranks.of(mask);
            if mask.count_ones() as usize == degree {
                state.constants[rank] = words[windows.ranks.of(mask)] as u16;
                continue;
            }
            let lanes = of_lanes(mask);
            if mask >> low == 0 { state.low[mask as usize] = lanes } else { state.up[rank] = lanes }
        }
        state
    }
}

/// Searches a window. `found` gets every candidate that solves the first 16 equations, as the values of the window's
/// variables, and returns true to end the search.
pub fn search(
    simd: Simd,
    windows: &Windows,
    packed: &Packed,
    prefix: u64,
    found: &mut dyn FnMut(u64) -> bool,
) {
    let words = windows.derivatives(packed, prefix);
    let mut state = State::new(windows, &words);
    let up = windows.layout.up;
    match (simd, windows.degree) {
        #[cfg(target_arch = "x86_64")]
        (Simd::Avx512, degree)
            if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512f") =>
        {
            // SAFETY: the processor has the instructions.
            unsafe { avx512(degree, &mut state, up, found) }
        }
        #[cfg(target_arch = "x86_64")]
        (Simd::Avx512 | Simd::Avx2, degree) if is_x86_feature_detected!("avx2") => {
            // SAFETY: the processor has the instructions.
            unsafe { avx2(degree, &mut state, up, found) }
        }
        // SAFETY: these lanes need no instructions.
        (_, degree) => unsafe { portable(degree, &mut state, up, found) },
    }
}

macro_rules! by_degree {
    ($lanes:ty, $degree:expr, $state:expr, $up:expr, $found:expr) => {
        match $degree {
            2 => quadratic::walk::<$lanes>($state, $up, $found),
            3 => walk::<$lanes, 3>($state, $up, $found),
            _ => walk::<$lanes, 4>($state, $up, $found),
        }
    };
}

/// # Safety
/// The processor has the instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn avx512(degree: usize, state: &mut State, up: usize, found: &mut dyn FnMut(u64) -> bool) {
    // SAFETY: the caller has the instructions.
    unsafe { by_degree!(super::lanes::Avx512, degree, state, up, found) }
}

/// # Safety
/// The processor has the instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2(degree: usize, state: &mut State, up: usize, found: &mut dyn FnMut(u64) -> bool) {
    // SAFETY: the caller has the instructions.
    unsafe { by_degree!(super::lanes::Avx2, degree, state, up, found) }
}

/// # Safety
/// None is needed.
unsafe fn portable(degree: usize, state: &mut State, up: usize, found: &mut dyn FnMut(u64) -> bool) {
    // SAFETY: these lanes need no instructions.
    unsafe { by_degree!(Words, degree, state, up, found) }
}

/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
unsafe fn walk<L: Lanes, const D: usize>(state: &mut State, up: usize, found: &mut dyn FnMut(u64) -> bool) {
    // SAFETY: the caller has the instructions.
    let mut low: [L; BLOCK] = std::array::from_fn(|mask| unsafe { L::load(&state.low[mask]) });
    // SAFETY: the caller has the instructions.
    let targets: [L; BLOCK] = std::array::from_fn(|place| unsafe { L::load(&state.targets[place]) });
    // The subsets of low variables whose derivatives change.
    let mut subsets = Vec::with_capacity(BLOCK);
    subsets.extend(
        (0..BLOCK).filter(|mask| (mask.count_ones() as usize) < D).map(|mask| (mask, part(mask as u64))),
    );
    for step in 0..1u64 << up {
        if step > 0 {
            // SAFETY: the caller has the instructions.
            unsafe { advance::<L, D>(state, &mut low, &subsets, step) };
        }
        // SAFETY: the caller has the instructions.
        let is_over = unsafe {
            block::<L, D>(&low, &targets) && find::<L, D>(&low, &targets, gray(step) << LOW, LOW + up, found)
        };
        if is_over {
            return;
        }
    }
}

/// Changes the up variables to those of `step`: the highest derivatives first, each by the next higher one.
///
/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
unsafe fn advance<L: Lanes, const D: usize>(
    state: &mut State,
    low: &mut [L; BLOCK],
    subsets: &[(usize, usize)],
    step: u64,
) {
    let mut bits = [0; MAX_DEGREE];
    let mut count = 0;
    let mut rest = step;
    while rest != 0 && count < D {
        bits[count] = rest.trailing_zeros() as usize + LOW;
        rest &= rest - 1;
        count += 1;
    }
    for &(mask, part) in subsets {
        let size = mask.count_ones() as usize;
        let most = count.min(D - size);
        // ranks[k] is the number of the monomial of the subset and the first k bits.
        let mut ranks = [part; MAX_DEGREE + 1];
        for k in 1..=most {
            ranks[k] = ranks[k - 1] + CHOOSE[bits[k - 1]][size + k] as usize;
        }
        for k in (0..most).rev() {
            let from = state.ranks.offsets[size + k + 1] + ranks[k + 1];
            // SAFETY: the caller has the instructions.
            unsafe {
                let change = if size + k + 1 == D {
                    L::splat(state.constants[from])
                } else {
                    L::load(&state.up[from])
                };
                if k == 0 {
                    low[mask] = low[mask].xor(change);
                } else {
                    let to = state.ranks.offsets[size + k] + ranks[k];
                    state.up[to] = L::load(&state.up[to]).xor(change).store();
                }
            }
        }
    }
}

/// One step of a block: its number is R, so that all choices are made by the compiler.
///
/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
unsafe fn step<L: Lanes, const D: usize, const R: usize>(w: &mut [L; BLOCK], s: &[L; BLOCK]) {
    let one = R & R.wrapping_neg();
    let two = one | (R ^ one) & (R ^ one).wrapping_neg();
    let three = two | (R ^ two) & (R ^ two).wrapping_neg();
    let count = R.count_ones() as usize;
    // SAFETY: the caller has the instructions.
    unsafe {
        if D == 3 && count >= 2 {
            w[one] = w[one].xor(s[two]);
        }
        if D == 4 && count >= 3 {
            w[two] = w[two].xor(s[three]);
        }
        if D == 4 && count >= 2 {
            w[one] = w[one].xor(w[two]);
        }
        w[0] = w[0].xor(w[one]);
    }
}

macro_rules! steps {
    ($w:ident, $s:ident, $targets:ident, $seen:ident, $($r:literal)*) => {
        $(
            step::<L, D, $r>(&mut $w, $s);
            $seen[$r % 4] = $w[0].see($targets[$r], $seen[$r % 4]);
        )*
    };
}

/// Returns true if a candidate of a block may solve the equations.
///
/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
unsafe fn block<L: Lanes, const D: usize>(s: &[L; BLOCK], targets: &[L; BLOCK]) -> bool {
    let mut w = *s;
    // SAFETY: the caller has the instructions.
    unsafe {
        let mut seen = [L::start(); 4];
        seen[0] = w[0].see(targets[0], seen[0]);
        steps!(w, s, targets, seen,
            1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
            33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63);
        L::any(seen)
    }
}

/// Finds the candidates of a block. Returns true to end the search.
///
/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
unsafe fn find<L: Lanes, const D: usize>(
    s: &[L; BLOCK],
    targets: &[L; BLOCK],
    up: u64,
    lane_shift: usize,
    found: &mut dyn FnMut(u64) -> bool,
) -> bool {
    let mut w = *s;
    for (r, &target) in targets.iter().enumerate() {
        if r > 0 {
            let mut masks = [0; MAX_DEGREE + 1];
            let count = (r.count_ones() as usize).min(D - 1);
            let mut rest = r;
            for k in 1..=count {
                masks[k] = masks[k - 1] | rest & rest.wrapping_neg();
                rest &= rest - 1;
            }
            for k in (0..count).rev() {
                let change = if k + 1 == D - 1 { s[masks[k + 1]] } else { w[masks[k + 1]] };
                // SAFETY: the caller has the instructions.
                w[masks[k]] = unsafe { w[masks[k]].xor(change) };
            }
        }
        // SAFETY: the caller has the instructions.
        let mut lanes = unsafe { w[0].equal(target) };
        while lanes != 0 {
            if found(gray(r as u64) | up | u64::from(lanes.trailing_zeros()) << lane_shift) {
                return true;
            }
            lanes &= lanes - 1;
        }
    }
    false
}

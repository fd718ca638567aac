//! The division of the values that a GPU walks through, and the device memory that it takes.

use crate::exhaustive::table::CHOOSE;

/// The maximum number of variables that a thread walks through, on a software driver too.
const UP: usize = 9;
const SOFTWARE_UP: usize = 6;
/// The maximum number of threads, as a power of two.
const THREADS: usize = 17;
const SOFTWARE_THREADS: usize = 10;
/// The maximum number of hits of a dispatch.
pub const CAPACITY: usize = 1 << 20;
/// The maximum number of terms of the equations that the kernel evaluates.
pub const TERMS: usize = 1 << 14;

/// The number of monomials of a degree below `degree`.
pub fn below(variables: usize, degree: usize) -> usize {
    CHOOSE[variables][..degree].iter().map(|&count| count as usize).sum()
}

/// Words of the polynomials in `variables` variables, without the terms of the highest degree.
pub fn words(variables: usize, degree: usize, linear: usize) -> usize {
    linear * below(variables, degree - 1) + below(variables, degree)
}

/// The division of y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub walked: usize,
    pub up: usize,
    pub threads: usize,
}

impl Layout {
    /// The division of `walked` variables, at least one, in which a binding of `binding` bytes holds all states, and
    /// these take at most half of `memory` bytes: a power of two, so that a search that goes on later has the same division though a
    /// little more or less memory is free.
    pub fn new(
        (walked, degree, linear): (usize, usize, usize),
        (binding, memory): (u64, u64),
        is_software: bool,
    ) -> Self {
        let (up, threads) = if is_software { (SOFTWARE_UP, SOFTWARE_THREADS) } else { (UP, THREADS) };
        // The first variable that is given a value copies the polynomials, which the walk changes.
        let up = up.min(walked - 1);
        let mut layout = Layout { walked, up, threads: threads.min(walked - up) };
        let bytes = |layout: &Layout| 4 * layout.sides(degree, linear).into_iter().max().unwrap_or(0) as u64;
        let half = 1 << (memory.max(2).ilog2() - 1);
        while layout.threads > 1 && bytes(&layout) > binding.min(half) {
            layout.threads -= 1;
        }
        layout
    }

    /// The words of the two buffers that restricted polynomials are written to in turn.
    pub fn sides(&self, degree: usize, linear: usize) -> [usize; 2] {
        let mut sides = [0; 2];
        for (number, top) in (self.up..self.walked).rev().enumerate() {
            let tables = (self.up + self.threads).saturating_sub(top);
            let side = &mut sides[number % 2];
            *side = (words(top, degree, linear) << tables).max(*side);
        }
        sides
    }

    pub fn bytes(&self, degree: usize, linear: usize) -> u64 {
        let constants =
            linear * CHOOSE[self.walked][degree - 1] as usize + CHOOSE[self.walked][degree] as usize;
        let [a, b] = self.sides(degree, linear);
        let all = a + b + constants + words(self.walked, degree, linear) + 3 * TERMS + 2 * CAPACITY + 1;
        4 * all as u64
    }
}

//! Straight-line butterflies on registers, with a proven bound for every value.
//!
//! Values are reduced only as far as necessary: the generator knows a bound of every register, in multiples
//! of p, and inserts a reduction only if a sum could exceed 2^32. (Harvey, "Faster arithmetic for
//! number-theoretic transforms", 2014, does the same by hand for one prime size.)

use std::fmt::Write as _;

use super::reduction::Modulus;
use crate::field::bit_reverse;

/// One operation on registers.
#[derive(Clone, Copy, Debug)]
enum Op {
    /// x = min(x, x - k p): keeps words below k p and reduces the others.
    Reduce { x: usize, k: u32 },
    /// (u, v) = (u + v, u - v + lift p). Without a lift v is a signed word, for a product.
    Butterfly { u: usize, v: usize, lift: u32 },
    /// x = x w.
    Constant { x: usize, w: u32 },
    /// x = x t for the pair of words `t{step}_{x}`, a twiddle of the step.
    Twiddle { x: usize, step: usize },
    /// x = x t for the word `t{step}_{x}`, a twiddle of the step.
    TwiddleWord { x: usize, step: usize },
    /// x = x o for the pair of words `o{twiddle}`, a twiddle of the pass.
    OuterPair { x: usize, twiddle: usize },
    /// x = x o for the word `o{twiddle}`, a twiddle of the pass.
    OuterWord { x: usize, twiddle: usize },
}

/// Operations on the registers x0, x1, ..., which start below `bound` p.
#[derive(Clone, Debug)]
pub struct Program {
    modulus: Modulus,
    ops: Vec<Op>,
    bounds: Vec<u32>,
}

impl Program {
    /// No operations yet, on so many registers.
    pub fn new(modulus: Modulus, registers: usize, bound: u32) -> Self {
        Program { modulus, ops: Vec::new(), bounds: vec![bound; registers] }
    }

    /// Decimation in frequency, in place: the registers of `group` in natural order become
    /// their transform for the root `root` of order `group.len()`, in bit-reversed order.
    pub fn transform_dif(&mut self, group: &[usize], root: u32) {
        let mut size = group.len();
        while size > 1 {
            let w = self.modulus.prime.pow(root, (group.len() / size) as u64);
            for block in group.chunks(size) {
                let (us, vs) = block.split_at(size / 2);
                for (i, (&u, &v)) in us.iter().zip(vs).enumerate() {
                    self.butterfly(u, v);
                    self.constant(v, self.modulus.prime.pow(w, i as u64));
                }
            }
            size /= 2;
        }
    }

    /// Decimation in time, in place: from bit-reversed to natural order.
    pub(super) fn transform_dit(&mut self, group: &[usize], root: u32) {
        let mut size = 2;
        while size <= group.len() {
            let w = self.modulus.prime.pow(root, (group.len() / size) as u64);
            for block in group.chunks(size) {
                let (us, vs) = block.split_at(size / 2);
                for (i, (&u, &v)) in us.iter().zip(vs).enumerate() {
                    self.constant(v, self.modulus.prime.pow(w, i as u64));
                    self.butterfly(u, v);
                }
            }
            size *= 2;
        }
    }

    /// Multiplies register `x` by the pair `t{step}_{x}`.
    pub(super) fn twiddle(&mut self, x: usize, step: usize) {
        self.multiply_by_constant(x, Op::Twiddle { x, step });
    }

    /// Multiplies register `x` by the word `t{step}_{x}`.
    pub(super) fn twiddle_word(&mut self, x: usize, step: usize) {
        self.multiply_by_word(x, Op::TwiddleWord { x, step });
    }

    /// Multiplies register `x` by the pair `o{twiddle}`.
    pub fn outer_pair(&mut self, x: usize, twiddle: usize) {
        self.multiply_by_constant(x, Op::OuterPair { x, twiddle });
    }

    /// Multiplies register `x` by the word `o{twiddle}`.
    pub(super) fn outer_word(&mut self, x: usize, twiddle: usize) {
        self.multiply_by_word(x, Op::OuterWord { x, twiddle });
    }

    fn constant(&mut self, x: usize, w: u32) {
        if w != 1 {
            self.multiply_by_constant(x, Op::Constant { x, w });
        }
    }

    fn multiply_by_constant(&mut self, x: usize, op: Op) {
        if !(self.modulus.takes_differences() && self.take_back_lift(x)) {
            self.reduce(x, self.modulus.constant_factor_bound());
        }
        self.ops.push(op);
        self.bounds[x] = self.modulus.constant_product_bound();
    }

    fn multiply_by_word(&mut self, x: usize, op: Op) {
        self.reduce(x, self.modulus.factor_bound());
        self.ops.push(op);
        self.bounds[x] = 1;
    }

    /// Leaves `x` in (-p, p) if it is the difference of two words below p and nothing more.
    fn take_back_lift(&mut self, x: usize) -> bool {
        let touches = |op: &&mut Op| match **op {
            Op::Butterfly { u, v, .. } => u == x || v == x,
            Op::Reduce { x: y, .. }
            | Op::Constant { x: y, .. }
            | Op::Twiddle { x: y, .. }
            | Op::TwiddleWord { x: y, .. }
            | Op::OuterPair { x: y, .. }
            | Op::OuterWord { x: y, .. } => y == x,
        };
        match self.ops.iter_mut().rev().find(touches) {
            Some(Op::Butterfly { v, lift, .. }) if *v == x && self.bounds[x] == 2 => {
                *lift = 0;
                true
            }
            _ => false,
        }
    }

    /// Brings every register below `bound` p.
    pub fn reduce_all(&mut self, bound: u32) {
        for x in 0..self.bounds.len() {
            self.reduce(x, bound);
        }
    }

    fn butterfly(&mut self, u: usize, v: usize) {
        while self.bounds[u] + self.bounds[v] > self.modulus.capacity() {
            let larger = if self.bounds[u] > self.bounds[v] { u } else { v };
            self.reduce(larger, self.bounds[larger].div_ceil(2));
        }
        let lift = self.bounds[v];
        self.ops.push(Op::Butterfly { u, v, lift });
        let sum = self.bounds[u] + self.bounds[v];
        (self.bounds[u], self.bounds[v]) = (sum, sum);
    }

    fn reduce(&mut self, x: usize, bound: u32) {
        while self.bounds[x] > bound {
            let k = self.bounds[x].div_ceil(2);
            self.ops.push(Op::Reduce { x, k });
            self.bounds[x] = k;
        }
    }

    /// The operations as WGSL statements.
    pub fn to_wgsl(&self) -> String {
        let p = self.modulus.prime.value();
        let mut text = String::new();
        for op in &self.ops {
            let _ = match *op {
                Op::Reduce { x, k } => writeln!(text, "    x{x} = min(x{x}, x{x} - {}u);", k * p),
                Op::Butterfly { u, v, lift: 0 } => {
                    writeln!(text, "    s = x{v}; x{v} = x{u} - s; x{u} = x{u} + s;")
                }
                Op::Butterfly { u, v, lift } => {
                    writeln!(text, "    s = x{v}; x{v} = x{u} + {}u - s; x{u} = x{u} + s;", lift * p)
                }
                Op::Constant { x, w } => writeln!(text, "    x{x} = {};", self.modulus.product(x, w)),
                Op::Twiddle { x, step } => writeln!(text, "    x{x} = mul_const(x{x}, t{step}_{x});"),
                Op::TwiddleWord { x, step } => writeln!(text, "    x{x} = mul_var(x{x}, t{step}_{x});"),
                Op::OuterPair { x, twiddle } => writeln!(text, "    x{x} = mul_const(x{x}, o{twiddle});"),
                Op::OuterWord { x, twiddle } => writeln!(text, "    x{x} = mul_var(x{x}, o{twiddle});"),
            };
        }
        text
    }
}

/// The registers of each transform of size 2^`s` on bits [`low`, `low` + s) of the register
/// number, among 2^`r` registers.
pub(super) fn groups(r: u32, low: u32, s: u32) -> impl Iterator<Item = Vec<usize>> {
    let inside = ((1usize << s) - 1) << low;
    (0..1usize << r)
        .filter(move |k| k & inside == 0)
        .map(move |k| (0..1 << s).map(|a| k | a << low).collect())
}

/// The digit of frequency that stands in slot `a` of a transform of size 2^`s`.
pub(super) fn frequency(a: usize, s: u32) -> usize {
    bit_reverse(a, s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{NAMED, Prime};
    use crate::gpu::Arithmetic;
    use crate::ntt::{Reduction, Transform};

    /// Runs the operations on words; fails if a sum leaves the word or a bound is exceeded. Products return
    /// the largest value that their bound allows.
    fn run(program: &Program, mut x: Vec<u32>, bound: u32) -> Vec<u32> {
        let (m, p) = (program.modulus, u64::from(program.modulus.prime.value()));
        let mut replay = Program::new(m, x.len(), bound);
        for op in &program.ops {
            match *op {
                Op::Reduce { x: i, k } => x[i] = x[i].min(x[i].wrapping_sub(k * p as u32)),
                Op::Butterfly { u, v, lift } => {
                    let (a, b) = (u64::from(x[u]), u64::from(x[v]));
                    x[u] = u32::try_from(a + b).expect("a sum passes 2^32");
                    let difference = (a + u64::from(lift) * p).checked_sub(b);
                    x[v] = match lift {
                        0 => a.wrapping_sub(b) as u32,
                        _ => {
                            u32::try_from(difference.expect("below zero")).expect("a difference passes 2^32")
                        }
                    };
                }
                Op::Constant { x: i, w } => {
                    let factor = match m.takes_differences() {
                        true => i64::from(x[i] as i32),
                        false => i64::from(x[i]),
                    };
                    let bound = m.constant_factor_bound();
                    assert!(factor.unsigned_abs() < u64::from(bound) * p || bound > 1);
                    let exact = (i128::from(factor) * i128::from(w)).rem_euclid(i128::from(p)) as u64;
                    x[i] = (exact + u64::from(m.constant_product_bound() - 1) * p) as u32;
                }
                Op::Twiddle { .. } | Op::TwiddleWord { .. } | Op::OuterPair { .. } | Op::OuterWord { .. } => {
                    unreachable!("not in these programs")
                }
            }
        }
        replay.bounds.clone_from(&program.bounds);
        for (value, bound) in x.iter().zip(&replay.bounds) {
            assert!(u64::from(*value) < u64::from(*bound) * p, "{value} is not below {bound} p");
        }
        x
    }

    #[test]
    fn transforms_are_right_and_stay_in_bounds_at_the_extremes() {
        let primes =
            NAMED.iter().map(|(_, prime)| *prime).chain([97, 193, 257].map(|p| Prime::new(p).unwrap()));
        for prime in primes {
            for reduction in [Reduction::Shoup, Reduction::Montgomery, Reduction::Barrett] {
                for arithmetic in [Arithmetic::INT64, Arithmetic::PORTABLE] {
                    let modulus = Modulus::new(prime, reduction, arithmetic);
                    for log in 1..=4 {
                        check(modulus, log);
                    }
                }
            }
        }
    }

    fn check(modulus: Modulus, log: u32) {
        let (prime, n) = (modulus.prime, 1usize << log);
        let p = prime.value();
        let spec = Transform::new(prime, n).unwrap();
        let all: Vec<usize> = (0..n).collect();
        let bound = modulus.constant_product_bound();
        for seed in 0..20u32 {
            // Residues at their largest representative, then all p - 1, then mixed.
            let residues: Vec<u32> =
                (0..n as u32)
                    .map(|i| {
                        if seed == 0 {
                            p - 1
                        } else {
                            (i + 1).wrapping_mul(seed.wrapping_mul(0x9e37_79b9)) % p
                        }
                    })
                    .collect();
            let lifted: Vec<u32> =
                residues.iter().enumerate().map(|(i, r)| r + (i as u32 * seed) % bound * p).collect();
            let expected = spec.by_definition(&residues).unwrap();

            let mut dif = Program::new(modulus, n, bound);
            dif.transform_dif(&all, spec.root().unwrap());
            let values = run(&dif, lifted.clone(), bound);
            for (k, value) in values.iter().enumerate() {
                assert_eq!(value % p, expected[frequency(k, log)]);
            }
            let reversed: Vec<u32> = (0..n).map(|k| lifted[bit_reverse(k, log)]).collect();
            let mut dit = Program::new(modulus, n, bound);
            dit.transform_dit(&all, spec.root().unwrap());
            dit.reduce_all(1);
            assert_eq!(run(&dit, reversed, bound), expected);
        }
    }

    #[test]
    fn groups_split_the_register_number() {
        let all: Vec<_> = groups(3, 1, 2).collect();
        assert_eq!(all, [vec![0, 2, 4, 6], vec![1, 3, 5, 7]]);
    }
}

//! The tables of a transform, computed once: twiddles, and the twists of twigs and leaves.
//!
//! The whole vector stands for a polynomial modulo x^n - c^n with c = g. A block of m words
//! modulo x^m - c^m has the twiddle c^(m/2); its left half keeps c, its right half has
//! c w^(n/m), since the m/2-th power of w^(n/m) is -1. So among the 2^k blocks of level k,
//! block s has c = g w^e where e is s with its k bits reversed: bit j of s is worth
//! 2^(k-1-j). A table over s therefore doubles bit by bit, each time by one factor.

use super::arithmetic::{Factor, Shoup};
use super::kernels::Kernels;
use super::lanes::{Lanes, Square};
use crate::field::{Prime, bit_reverse};
use crate::parallel::*;

/// Words that a thread computes at a time.
const SHARE: usize = 1 << 15;

/// The levels of a twig that are done on whole vectors.
pub(super) const TWIG_LEVELS: u32 = 4;

/// One of the 2^`level` blocks into which `level` levels split a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    level: u32,
    index: usize,
}

impl Block {
    /// The whole vector.
    pub const ROOT: Block = Block { level: 0, index: 0 };

    /// The `i`th of the blocks into which `levels` levels split this one.
    #[inline(always)]
    pub fn descendant(self, levels: u32, i: usize) -> Self {
        Block { level: self.level + levels, index: (self.index << levels) + i }
    }
}

/// The definition of a transform, except the order of its entries and the instructions used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub prime: Prime,
    pub log_n: u32,
    /// w for the way down, 1/w for the way up.
    pub root: u32,
    /// g for the way down, 1/g for the way up.
    pub shift: u32,
    /// The factor of all results.
    pub scale: u32,
}

/// Words below p and their quotients, see [`Shoup`].
#[derive(Debug, Default)]
pub(super) struct Factors {
    pub w: Vec<u32>,
    pub quotients: Vec<u32>,
}

#[derive(Debug)]
pub(super) struct Tables {
    pub prime: Prime,
    pub scale: Shoup,
    /// Block s of level k: its twiddle is at s or, where there is a coset, at 2^k + s.
    twiddles: Factors,
    coset: bool,
    /// Twig s: C^l for every lane l, then the same times its twiddle.
    twists: Factors,
    /// Leaf j of a twig: z^l times `scale`, at (j / L, l, j % L).
    leaf_twists: Factors,
    /// The twiddles of a block of L words modulo x^L - 1.
    leaf_roots: [Shoup; 8],
}

impl Tables {
    /// Computes the tables. For `kernels` of one lane, or with one vector in each lane (`interleaved`), all
    /// levels need twiddles; otherwise the last levels are those of twigs and leaves.
    pub fn new(kernels: &Kernels, shape: Shape, interleaved: bool) -> Self {
        let log_lanes = if interleaved { 0 } else { kernels.lanes.ilog2() };
        let twiddles = shape.twiddles(kernels, shape.log_n - log_lanes);
        let (twists, leaf_twists) = if log_lanes == 0 {
            Default::default()
        } else {
            (shape.twists(kernels), shape.leaf_twists(kernels.lanes))
        };
        let roots = shape.roots(3);
        Tables {
            prime: shape.prime,
            scale: Shoup::new(shape.prime, shape.scale),
            twiddles: Factors::new(kernels, shape.prime, twiddles),
            coset: shape.shift != 1,
            twists: Factors::new(kernels, shape.prime, twists),
            leaf_twists: Factors::new(kernels, shape.prime, leaf_twists),
            leaf_roots: std::array::from_fn(|s| Shoup::new(shape.prime, *roots.get(s).unwrap_or(&1))),
        }
    }

    /// The twiddle of a block.
    #[inline(always)]
    pub fn twiddle(&self, at: Block) -> Shoup {
        self.twiddles.at(at.index + if self.coset { 1 << at.level } else { 0 })
    }

    /// The twists of a twig: without and with its twiddle.
    ///
    /// # Safety
    /// The processor must have the instructions of `V`, for which the tables were made.
    #[inline(always)]
    pub unsafe fn twist<V: Lanes>(&self, twig: Block) -> [Factor<V>; 2] {
        let i = 2 * V::COUNT * twig.index;
        // SAFETY: guaranteed by the caller.
        unsafe { [self.twists.load(i), self.twists.load(i + V::COUNT)] }
    }

    /// The factors of coefficient l of each of L leaves.
    ///
    /// # Safety
    /// As for [`Tables::twist`].
    #[inline(always)]
    pub unsafe fn leaf_twist<V: Square<L>, const L: usize>(&self, group: usize, l: usize) -> Factor<V> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.leaf_twists.load((group * L + l) * L) }
    }

    /// The twiddle of block s of any level of a leaf.
    #[inline(always)]
    pub fn leaf_root(&self, s: usize) -> Shoup {
        self.leaf_roots[s]
    }
}

/// The most bytes that [`Tables::new`] takes while it makes the tables of 2^`log_n` words for `lanes` lanes;
/// the finished tables are smaller.
pub(super) fn table_bytes(lanes: usize, log_n: u32, coset: bool, interleaved: bool) -> u64 {
    let log_lanes = if interleaved { 0 } else { lanes.ilog2() };
    let levels = log_n.saturating_sub(log_lanes);
    // A constant and its quotient take 8 bytes. The table of a coset is twice as long, and grows.
    let twiddles = if coset { 16u64 << levels } else { 8 << levels.saturating_sub(1) };
    let twists = match log_lanes {
        0 => 0,
        _ => {
            let by_twig = (16 * lanes as u64) << levels.saturating_sub(TWIG_LEVELS);
            by_twig + ((8 * lanes as u64) << TWIG_LEVELS)
        }
    };
    twiddles + twists
}

impl Factors {
    fn new(kernels: &Kernels, prime: Prime, w: Vec<u32>) -> Self {
        let mut quotients = vec![0; w.len()];
        crate::page_advice::prefer_huge(quotients.as_ptr(), quotients.len());
        let whole = w.len() / kernels.lanes * kernels.lanes;
        let shares = quotients[..whole].par_chunks_mut(SHARE).zip(w[..whole].par_chunks(SHARE));
        shares.for_each(|(quotients, w)| kernels.quotients(quotients, w, prime));
        for (quotient, &w) in quotients[whole..].iter_mut().zip(&w[whole..]) {
            *quotient = prime.shoup_quotient(w);
        }
        Factors { w, quotients }
    }

    #[inline(always)]
    fn at(&self, i: usize) -> Shoup {
        Shoup { w: self.w[i], quotient: self.quotients[i] }
    }

    /// # Safety
    /// The processor must have the instructions of `V`.
    #[inline(always)]
    unsafe fn load<V: Lanes>(&self, i: usize) -> Factor<V> {
        let (w, quotients) = (&self.w[i..i + V::COUNT], &self.quotients[i..i + V::COUNT]);
        // SAFETY: guaranteed by the caller; both slices hold a vector.
        unsafe { Factor::load(w.as_ptr(), quotients.as_ptr()) }
    }
}

impl Shape {
    /// w^e.
    fn power(&self, e: usize) -> u32 {
        self.prime.pow(self.root, e as u64)
    }

    /// The twiddles of the 2^`log_count` blocks of a level where g = 1: with m = n / 2^k,
    /// bit j of s is worth 2^(k-1-j) m / 2 = n / 2^(j+2), whatever the level.
    fn roots(&self, log_count: u32) -> Vec<u32> {
        let mut roots = vec![1];
        for j in 0..log_count.min(self.log_n.saturating_sub(1)) {
            let factor = self.power(1 << (self.log_n - j - 2));
            roots.extend_from_within(..);
            let half = roots.len() / 2;
            roots[half..].iter_mut().for_each(|w| *w = self.prime.mul(*w, factor));
        }
        roots
    }

    /// The twiddles of the first `levels` levels, as [`Tables`] holds them.
    fn twiddles(&self, kernels: &Kernels, levels: u32) -> Vec<u32> {
        let small = levels.saturating_sub(1).min(kernels.lanes.ilog2());
        let steps = (small..levels.saturating_sub(1)).map(|j| self.power(1 << (self.log_n - j - 2)));
        let factors = steps.map(|factor| vec![factor; 1 << small]);
        let roots = doubled(kernels, self.prime, self.roots(small), factors);
        if self.shift == 1 {
            return roots;
        }
        let mut twiddles = vec![0];
        for level in 0..levels {
            let factor = self.prime.pow(self.shift, 1 << (self.log_n - level - 1));
            twiddles.extend_from_slice(&roots[..1 << level]);
            scale(kernels, self.prime, &mut twiddles[1 << level..], vec![factor; kernels.lanes]);
        }
        twiddles
    }

    /// C^l and C^l C^(m/2) for the lanes l of every twig, C = g w^(e(s)).
    fn twists(&self, kernels: &Kernels) -> Vec<u32> {
        let half_twig = kernels.lanes << (TWIG_LEVELS - 1);
        let powers = |c: u32| {
            let exponents = (0..kernels.lanes).chain(half_twig..half_twig + kernels.lanes);
            exponents.map(|e| self.prime.pow(c, e as u64)).collect::<Vec<_>>()
        };
        let depth = self.log_n - kernels.lanes.ilog2() - TWIG_LEVELS;
        let factors = (0..depth).map(|j| powers(self.power(1 << (depth - j - 1))));
        doubled(kernels, self.prime, powers(self.shift), factors)
    }

    /// z^l for the 16 leaves of a twig, z = w^(e(j)) with the bits of j as those of a leaf's
    /// index that its twig's lacks.
    fn leaf_twists(&self, lanes: usize) -> Vec<u32> {
        let twig_root = self.power(1 << (self.log_n - TWIG_LEVELS - lanes.ilog2()));
        let entry = |i: usize| {
            let (group, l, lane) = (i / lanes / lanes, i / lanes % lanes, i % lanes);
            let exponent = bit_reverse(group * lanes + lane, TWIG_LEVELS) * l;
            self.prime.mul(self.scale, self.prime.pow(twig_root, exponent as u64))
        };
        (0..lanes << TWIG_LEVELS).map(entry).collect()
    }
}

/// `table` followed by itself times the next of `factors`, and so on. The factors are repeated as often as
/// needed.
fn doubled(
    kernels: &Kernels,
    prime: Prime,
    mut table: Vec<u32>,
    factors: impl ExactSizeIterator<Item = Vec<u32>>,
) -> Vec<u32> {
    table.reserve_exact((table.len() << factors.len()) - table.len());
    crate::page_advice::prefer_huge(table.as_ptr(), table.capacity());
    for factors in factors {
        let half = table.len();
        table.extend_from_within(..);
        scale(kernels, prime, &mut table[half..], factors);
    }
    table
}

/// Multiplies `words` by `factors`, which are repeated as often as needed.
fn scale(kernels: &Kernels, prime: Prime, words: &mut [u32], factors: Vec<u32>) {
    if words.len().is_multiple_of(factors.len()) {
        let share = SHARE.next_multiple_of(factors.len());
        let factors = Factors::new(kernels, prime, factors);
        words.par_chunks_mut(share).for_each(|words| kernels.scale(words, &factors, prime));
    } else {
        words.iter_mut().zip(factors).for_each(|(word, factor)| *word = prime.mul(*word, factor));
    }
}

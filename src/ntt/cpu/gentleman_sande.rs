//! From values in bit-reversed order back to coefficients in natural order: undoes every step of
//! `cooley_tukey.rs`, in the opposite order, up to a factor that the tables hold.
//!
//! The butterfly (x, y) -> (x + y, (x - y) / w) undoes that of Cooley and Tukey up to a factor 2; the tables
//! of this direction hold 1/w. Both x and y have to be below p.

use super::arithmetic::{Factor, Field};
use super::cooley_tukey::{load, store, twiddles};
use super::lanes::{Lanes, Square};
use super::tables::{Block, TWIG_LEVELS, Tables};
use std::ops::Range;

/// Transforms the values of a whole block up to its coefficients.
///
/// # Safety
/// The processor must have the instructions of `V`, and `data` hold a power of two of words, at
/// least 16 vectors, or where `L` is 1, one word.
#[inline(always)]
pub(super) unsafe fn block<V: Square<L>, const L: usize>(data: &mut [u32], tables: &Tables, at: Block) {
    debug_assert!(data.len().is_power_of_two() && (L == 1 || data.len() >= L << TWIG_LEVELS));
    // SAFETY: guaranteed by the caller; each level halves the blocks, and the last are twigs of 16 vectors.
    unsafe {
        if L == 1 {
            return interleaved::<V>(data, tables, at);
        }
        let depth = data.len().ilog2() - V::LOG - TWIG_LEVELS;
        twigs::<V, L>(data, tables, at.descendant(depth, 0));
        levels::<V>(data, tables, at, depth);
    }
}

/// Transforms the values of as many blocks as `V` has lanes up to their coefficients, each of them as the
/// block `at`: entry i of lane j is at i `V::COUNT` + j.
///
/// # Safety
/// The processor must have the instructions of `V`, and `data` hold a power of two of vectors.
#[inline(always)]
pub(super) unsafe fn interleaved<V: Lanes>(data: &mut [u32], tables: &Tables, at: Block) {
    debug_assert!(data.len().is_power_of_two() && data.len() >= V::COUNT);
    // SAFETY: guaranteed by the caller; chunks hold whole vectors.
    unsafe {
        if tables.scale.w != 1 {
            let (field, scale) = (Field::<V>::new(tables.prime), Factor::splat(tables.scale));
            for x in data.chunks_exact_mut(V::COUNT) {
                field.scale(V::load(x.as_ptr()), scale).store(x.as_mut_ptr());
            }
        }
        levels::<V>(data, tables, at, data.len().ilog2() - V::LOG);
    }
}

/// Does the upper two levels of the block `at` of four times `quarter` words, only in its `columns`, a range
/// within a quarter whose ends are multiples of `V::COUNT`.
///
/// # Safety
/// The block must be valid, no other thread may access its columns, and the processor must have the
/// instructions of `V`.
#[inline(always)]
pub(super) unsafe fn pass<V: Lanes>(
    block: *mut u32,
    quarter: usize,
    columns: Range<usize>,
    tables: &Tables,
    at: Block,
) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let field = Field::<V>::new(tables.prime);
        let (w, below) = twiddles(tables, at);
        for i in columns.step_by(V::COUNT) {
            let x = load(block.add(i), quarter);
            let [a, b, c, d] = radix_4::<V>(field, x, [w, w], below);
            store(block.add(i), quarter, [field.reduce(a), field.reduce(b), c, d]);
        }
    }
}

/// Does the upper `depth` levels of the block `at`, breadth first.
///
/// # Safety
/// The processor must have the instructions of `V`, and `data` hold
/// 2^`depth` times a power of two of whole vectors.
#[inline(always)]
unsafe fn levels<V: Lanes>(data: &mut [u32], tables: &Tables, at: Block, depth: u32) {
    // SAFETY: guaranteed by the caller; blocks hold whole vectors.
    unsafe {
        let mut left = depth;
        while left >= 2 {
            left -= 2;
            for (i, block) in data.chunks_exact_mut(data.len() >> left).enumerate() {
                let quarter = block.len() / 4;
                pass::<V>(block.as_mut_ptr(), quarter, 0..quarter, tables, at.descendant(left, i));
            }
        }
        if left == 1 {
            radix_2::<V>(data, tables, at);
        }
    }
}

/// Does the uppermost level of the block `at`.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn radix_2<V: Lanes>(data: &mut [u32], tables: &Tables, at: Block) {
    // SAFETY: guaranteed by the caller; halves hold whole vectors.
    unsafe {
        let field = Field::<V>::new(tables.prime);
        let w = Factor::splat(tables.twiddle(at));
        let (left, right) = data.split_at_mut(data.len() / 2);
        for (x, y) in left.chunks_exact_mut(V::COUNT).zip(right.chunks_exact_mut(V::COUNT)) {
            let (a, b) = (V::load(x.as_ptr()), V::load(y.as_ptr()));
            field.add(a, b).store(x.as_mut_ptr());
            field.scale(field.sub_lazy(a, b), w).store(y.as_mut_ptr());
        }
    }
}

/// Does two levels. The first two results are below 2p, the others below p.
#[inline(always)]
fn radix_4<V: Lanes>(
    field: Field<V>,
    [a, b, c, d]: [V; 4],
    w: [Factor<V>; 2],
    below: [Factor<V>; 2],
) -> [V; 4] {
    let (left, right) = (field.add(a, b), field.add(c, d));
    let b = field.scale(field.sub_lazy(a, b), below[0]);
    let d = field.scale(field.sub_lazy(c, d), below[1]);
    let c = field.scale(field.sub_lazy(left, right), w[0]);
    [field.add_lazy(left, right), field.add_lazy(b, d), c, field.scale(field.sub_lazy(b, d), w[1])]
}

/// Does the lowest levels of all twigs, beginning with `first`.
///
/// # Safety
/// The processor must have the instructions of `V`, and `L` be its lanes.
#[inline(always)]
unsafe fn twigs<V: Square<L>, const L: usize>(data: &mut [u32], tables: &Tables, first: Block) {
    // SAFETY: guaranteed by the caller; twigs hold 16 vectors.
    unsafe {
        let field = Field::<V>::new(tables.prime);
        for (i, twig) in data.chunks_exact_mut(L << TWIG_LEVELS).enumerate() {
            let at = first.descendant(0, i);
            for (j, square) in twig.chunks_exact_mut(L * L).enumerate() {
                leaves::<V, L>(field, square, tables, j);
            }
            for (j, part) in twig.chunks_exact_mut(4 * L).enumerate() {
                pass::<V>(part.as_mut_ptr(), L, 0..L, tables, at.descendant(2, j));
            }
            twisted::<V>(field, twig, tables, at);
        }
    }
}

/// Does the upper two levels of a twig and divides column l of every row by C^l.
///
/// # Safety
/// The processor must have the instructions of `V`, and `twig` hold 16 vectors.
#[inline(always)]
unsafe fn twisted<V: Lanes>(field: Field<V>, twig: &mut [u32], tables: &Tables, at: Block) {
    let quarter = twig.len() / 4;
    let twig = twig.as_mut_ptr();
    // SAFETY: guaranteed by the caller.
    unsafe {
        let (_, below) = twiddles(tables, at);
        let [twist, twist_w] = tables.twist(at);
        for i in 0..4 {
            let row = twig.add(i * V::COUNT);
            let [a, b, c, d] = radix_4::<V>(field, load(row, quarter), [twist_w, twist_w], below);
            store(row, quarter, [field.scale(a, twist), field.scale(b, twist), c, d]);
        }
    }
}

/// Transforms L leaves, the `group`th such group of the twig.
///
/// # Safety
/// The processor must have the instructions of `V`, and `square` hold `L` vectors.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "iterators over arrays of vectors do not unroll")]
unsafe fn leaves<V: Square<L>, const L: usize>(
    field: Field<V>,
    square: &mut [u32],
    tables: &Tables,
    group: usize,
) {
    // SAFETY: guaranteed by the caller; a square holds L vectors.
    unsafe {
        let mut x = [V::splat(0); L];
        for l in 0..L {
            x[l] = V::load(square.as_ptr().add(l * L));
        }
        x = V::transpose(x);
        stage::<V, L, 1>(field, tables, &mut x);
        stage::<V, L, 2>(field, tables, &mut x);
        if L >= 8 {
            stage::<V, L, 4>(field, tables, &mut x);
        }
        if L >= 16 {
            stage::<V, L, 8>(field, tables, &mut x);
        }
        for l in 0..L {
            x[l] = field.scale(x[l], tables.leaf_twist::<V, L>(group, l));
        }
        x = V::transpose(x);
        for l in 0..L {
            x[l].store(square.as_mut_ptr().add(l * L));
        }
    }
}

/// Does one level of the inverse transform modulo x^L - 1 across L vectors: butterflies `HALF` apart. The
/// last level's results are below 2p, since [`Field::scale`] comes next.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn stage<V: Square<L>, const L: usize, const HALF: usize>(
    field: Field<V>,
    tables: &Tables,
    x: &mut [V; L],
) {
    for block in 0..L / (2 * HALF) {
        for k in 0..HALF {
            let i = 2 * HALF * block + k;
            let (a, b) = (x[i], x[i + HALF]);
            if 2 * HALF == L {
                (x[i], x[i + HALF]) = (field.add_lazy(a, b), field.sub_lazy(a, b));
            } else if block == 0 {
                (x[i], x[i + HALF]) = (field.add(a, b), field.sub(a, b));
            } else {
                // SAFETY: guaranteed by the caller.
                let w = unsafe { Factor::splat(tables.leaf_root(block)) };
                (x[i], x[i + HALF]) = (field.add(a, b), field.scale(field.sub_lazy(a, b), w));
            }
        }
    }
}

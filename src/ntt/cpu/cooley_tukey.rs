//! From coefficients in natural order to values in bit-reversed order.
//!
//! A vector of n coefficients is a polynomial modulo
//!
//! ```text
//! x^n - c^n = (x^(n/2) - c^(n/2)) (x^(n/2) + c^(n/2))
//! ```
//!
//! Butterflies (x, y) -> (x + w y, x - w y), all with the one twiddle w = c^(n/2), leave its remainders
//! modulo the two factors in the two halves of the memory; the halves are treated likewise, down to the
//! values (Bernstein, "Multidigit multiplication for mathematicians", 2001, section 3). A coset only changes
//! the first c.
//!
//! An x must be below p, since x + w y has to fit into a word; a y need not be, since [`Field::scale`] takes
//! any word. So a result that is the y of the next level stays below 2p, which saves an eighth of the work;
//! the parameter `LAZY` selects this.

use super::arithmetic::{Factor, Field};
use super::lanes::{Lanes, Square};
use super::tables::{Block, TWIG_LEVELS, Tables};
use std::ops::Range;

/// Transforms a whole block down to its values.
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
        levels::<V>(data, tables, at, depth);
        twigs::<V, L>(data, tables, at.descendant(depth, 0));
    }
}

/// Transforms as many blocks as `V` has lanes down to their values, each of them as the block `at`: entry i
/// of lane j is at i `V::COUNT` + j.
///
/// # Safety
/// The processor must have the instructions of `V`, and `data` hold a power of two of vectors.
#[inline(always)]
pub(super) unsafe fn interleaved<V: Lanes>(data: &mut [u32], tables: &Tables, at: Block) {
    debug_assert!(data.len().is_power_of_two() && data.len() >= V::COUNT);
    // SAFETY: guaranteed by the caller; chunks hold whole vectors.
    unsafe {
        levels::<V>(data, tables, at, data.len().ilog2() - V::LOG);
        if tables.scale.w != 1 {
            let (field, scale) = (Field::<V>::new(tables.prime), Factor::splat(tables.scale));
            for x in data.chunks_exact_mut(V::COUNT) {
                field.scale(V::load(x.as_ptr()), scale).store(x.as_mut_ptr());
            }
        }
    }
}

/// Does two levels of the block `at` of four times `quarter` words, only in its `columns`, a range within a
/// quarter whose ends are multiples of `V::COUNT`.
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
        let lazy_from = if quarter > V::COUNT { quarter / 2 } else { quarter };
        for i in (columns.start..columns.end.min(lazy_from)).step_by(V::COUNT) {
            let x = load(block.add(i), quarter);
            store(block.add(i), quarter, radix_4::<V, false>(field, x, [w, w], below));
        }
        for i in (columns.start.max(lazy_from)..columns.end).step_by(V::COUNT) {
            let x = load(block.add(i), quarter);
            store(block.add(i), quarter, radix_4::<V, true>(field, x, [w, w], below));
        }
    }
}

/// Does `depth` levels of the block `at`, breadth first.
///
/// # Safety
/// The processor must have the instructions of `V`, and `data` hold
/// 2^`depth` times a power of two of whole vectors.
#[inline(always)]
unsafe fn levels<V: Lanes>(data: &mut [u32], tables: &Tables, at: Block, depth: u32) {
    // SAFETY: guaranteed by the caller; blocks hold whole vectors.
    unsafe {
        let mut done = depth % 2;
        if done == 1 {
            radix_2::<V>(data, tables, at);
        }
        while done < depth {
            for (i, block) in data.chunks_exact_mut(data.len() >> done).enumerate() {
                let quarter = block.len() / 4;
                pass::<V>(block.as_mut_ptr(), quarter, 0..quarter, tables, at.descendant(done, i));
            }
            done += 2;
        }
    }
}

/// Does one level of the block `at`.
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
            let (a, b) = (V::load(x.as_ptr()), field.scale(V::load(y.as_ptr()), w));
            field.add(a, b).store(x.as_mut_ptr());
            field.sub(a, b).store(y.as_mut_ptr());
        }
    }
}

/// The twiddle of a block, and those of its two halves.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn twiddles<V: Lanes>(tables: &Tables, at: Block) -> (Factor<V>, [Factor<V>; 2]) {
    let below = [at.descendant(1, 0), at.descendant(1, 1)];
    // SAFETY: guaranteed by the caller.
    unsafe {
        let [left, right] = [tables.twiddle(below[0]), tables.twiddle(below[1])];
        (Factor::splat(tables.twiddle(at)), [Factor::splat(left), Factor::splat(right)])
    }
}

/// Loads the four vectors at `from`, `quarter` words apart.
///
/// # Safety
/// The four vectors must be valid for reading, and the processor have the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn load<V: Lanes>(from: *const u32, quarter: usize) -> [V; 4] {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let [a, b] = [V::load(from), V::load(from.add(quarter))];
        [a, b, V::load(from.add(2 * quarter)), V::load(from.add(3 * quarter))]
    }
}

/// Stores four vectors to `to`, `quarter` words apart.
///
/// # Safety
/// The four vectors must be valid for writing, and the processor have the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn store<V: Lanes>(to: *mut u32, quarter: usize, [a, b, c, d]: [V; 4]) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        a.store(to);
        b.store(to.add(quarter));
        c.store(to.add(2 * quarter));
        d.store(to.add(3 * quarter));
    }
}

/// Does two levels: a, b, c, d are entries of the four quarters, c and d not yet multiplied.
#[inline(always)]
fn radix_4<V: Lanes, const LAZY: bool>(
    field: Field<V>,
    [a, b, c, d]: [V; 4],
    w: [Factor<V>; 2],
    below: [Factor<V>; 2],
) -> [V; 4] {
    let (c, d) = (field.scale(c, w[0]), field.scale(d, w[1]));
    let (sum, difference) = (field.add(a, c), field.sub(a, c));
    let left = field.scale(field.add_lazy(b, d), below[0]);
    let right = field.scale(field.sub_lazy(b, d), below[1]);
    if LAZY {
        let [x, y] = [field.add_lazy(sum, left), field.sub_lazy(sum, left)];
        [x, y, field.add_lazy(difference, right), field.sub_lazy(difference, right)]
    } else {
        let [x, y] = [field.add(sum, left), field.sub(sum, left)];
        [x, y, field.add(difference, right), field.sub(difference, right)]
    }
}

/// Does the last levels of all twigs, the blocks of 16 L coefficients, beginning with `first`: down to
/// leaves of L coefficients, then across the lanes.
///
/// A leaf modulo x^L - c^L is one modulo x^L - 1 in x/c: coefficient l is multiplied by c^l, then follows a
/// transform whose roots are the same for all leaves. With C the twig's c, c = C z where z depends only on
/// the leaf's place in its twig. The factors C^l cost little in the twig's first pass, which multiplies
/// anyway, and z^l is a constant. So a twig reads 4 L words and 14 twiddles instead of one twiddle per
/// butterfly.
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
            twisted::<V>(field, twig, tables, at);
            for (j, part) in twig.chunks_exact_mut(4 * L).enumerate() {
                let (w, below) = twiddles(tables, at.descendant(2, j));
                let x = load(part.as_ptr(), L);
                store(part.as_mut_ptr(), L, radix_4::<V, true>(field, x, [w, w], below));
            }
            for (j, square) in twig.chunks_exact_mut(L * L).enumerate() {
                leaves::<V, L>(field, square, tables, j);
            }
        }
    }
}

/// Does the first two levels of a twig and multiplies column l of every row by C^l.
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
            let [a, b, c, d] = load(row, quarter);
            let x = [field.scale(a, twist), field.scale(b, twist), c, d];
            let w = [twist_w, twist_w];
            let x = if i < 2 {
                radix_4::<V, false>(field, x, w, below)
            } else {
                radix_4::<V, true>(field, x, w, below)
            };
            store(row, quarter, x);
        }
    }
}

/// Transforms L leaves, the `group`th such group of the twig: transposed, lane j holds leaf j, and vector l
/// its coefficient of x^l.
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
        for l in 0..L {
            x[l] = field.scale(x[l], tables.leaf_twist::<V, L>(group, l));
        }
        if L >= 16 {
            stage::<V, L, 8>(field, tables, &mut x);
        }
        if L >= 8 {
            stage::<V, L, 4>(field, tables, &mut x);
        }
        stage::<V, L, 2>(field, tables, &mut x);
        stage::<V, L, 1>(field, tables, &mut x);
        x = V::transpose(x);
        for l in 0..L {
            x[l].store(square.as_mut_ptr().add(l * L));
        }
    }
}

/// Does one level of the transform modulo x^L - 1 across L vectors: butterflies `HALF` apart.
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
            // The first block's twiddle is 1: its y is not multiplied and has to be below p.
            let (a, b) = if block == 0 {
                (x[i], x[i + HALF])
            } else {
                // SAFETY: guaranteed by the caller.
                (x[i], field.scale(x[i + HALF], unsafe { Factor::splat(tables.leaf_root(block)) }))
            };
            let y_next = HALF > 1 && k >= HALF / 2;
            x[i] = if y_next && block > 0 { field.add_lazy(a, b) } else { field.add(a, b) };
            x[i + HALF] = if y_next { field.sub_lazy(a, b) } else { field.sub(a, b) };
        }
    }
}

//! What both directions share: which blocks are worked on, in what order, from the whole vector to the lanes of vectors. The
//! butterflies are those of `cooley_tukey` and `gentleman_sande`.

use super::arithmetic::{Factor, Field};
use super::lanes::{Lanes, Square};
use super::tables::{Block, TWIG_LEVELS, Tables};
use std::ops::Range;

/// From coefficients down to values, or from values up to coefficients: the same steps in the opposite order.
pub(super) trait Direction {
    /// True for the way down.
    const DOWN: bool;

    /// Does the upper two levels of the block `at` of four times `quarter` words, only in its `columns`, a range within a
    /// quarter whose ends are multiples of `V::COUNT`.
    ///
    /// # Safety
    /// The block must be valid, no other thread may access its columns, and the processor must have the
    /// instructions of `V`.
    unsafe fn pass<V: Lanes>(
        block: *mut u32,
        quarter: usize,
        columns: Range<usize>,
        tables: &Tables,
        at: Block,
    );

    /// Does one level of two entries of the halves of a block.
    fn butterfly<V: Lanes>(field: Field<V>, a: V, b: V, w: Factor<V>) -> [V; 2];

    /// Does the upper two levels of a twig, and multiplies or divides column l of every row by C^l.
    ///
    /// # Safety
    /// The processor must have the instructions of `V`, and `twig` hold 16 vectors.
    unsafe fn twisted<V: Lanes>(field: Field<V>, twig: &mut [u32], tables: &Tables, at: Block);

    /// Does the lower two levels of a quarter of a twig that are done on whole vectors.
    ///
    /// # Safety
    /// The processor must have the instructions of `V`, and `part` hold 4 vectors.
    unsafe fn lower<V: Lanes>(field: Field<V>, part: &mut [u32], tables: &Tables, at: Block);

    /// Does one level of the transform modulo x^L - 1 across L vectors: butterflies `HALF` apart.
    ///
    /// # Safety
    /// The processor must have the instructions of `V`.
    unsafe fn stage<V: Square<L>, const L: usize, const HALF: usize>(
        field: Field<V>,
        tables: &Tables,
        x: &mut [V; L],
    );
}

/// Transforms a whole block.
///
/// # Safety
/// The processor must have the instructions of `V`, and `data` hold a power of two of words, at
/// least 16 vectors, or where `L` is 1, one word.
#[inline(always)]
pub(super) unsafe fn block<D: Direction, V: Square<L>, const L: usize>(
    data: &mut [u32],
    tables: &Tables,
    at: Block,
) {
    debug_assert!(data.len().is_power_of_two() && (L == 1 || data.len() >= L << TWIG_LEVELS));
    // SAFETY: guaranteed by the caller; each level halves the blocks, and the last are twigs of 16 vectors.
    unsafe {
        if L == 1 {
            return interleaved::<D, V>(data, tables, at);
        }
        let depth = data.len().ilog2() - V::LOG - TWIG_LEVELS;
        if D::DOWN {
            levels::<D, V>(data, tables, at, depth);
        }
        let first = at.descendant(depth, 0);
        for (i, twig) in data.chunks_exact_mut(L << TWIG_LEVELS).enumerate() {
            self::twig::<D, V, L>(twig, tables, first.descendant(0, i));
        }
        if !D::DOWN {
            levels::<D, V>(data, tables, at, depth);
        }
    }
}

/// Transforms as many blocks as `V` has lanes, each of them as the block `at`: entry i of lane j is at i `V::COUNT` + j.
///
/// # Safety
/// The processor must have the instructions of `V`, and `data` hold a power of two of vectors.
#[inline(always)]
pub(super) unsafe fn interleaved<D: Direction, V: Lanes>(data: &mut [u32], tables: &Tables, at: Block) {
    debug_assert!(data.len().is_power_of_two() && data.len() >= V::COUNT);
    let depth = data.len().ilog2() - V::LOG;
    // SAFETY: guaranteed by the caller; chunks hold whole vectors.
    unsafe {
        if D::DOWN {
            levels::<D, V>(data, tables, at, depth);
        }
        if tables.scale.w != 1 {
            let (field, scale) = (Field::<V>::new(tables.prime), Factor::splat(tables.scale));
            for x in data.chunks_exact_mut(V::COUNT) {
                field.scale(V::load(x.as_ptr()), scale).store(x.as_mut_ptr());
            }
        }
        if !D::DOWN {
            levels::<D, V>(data, tables, at, depth);
        }
    }
}

/// Does the upper `depth` levels of the block `at`, breadth first.
///
/// # Safety
/// The processor must have the instructions of `V`, and `data` hold
/// 2^`depth` times a power of two of whole vectors.
#[inline(always)]
unsafe fn levels<D: Direction, V: Lanes>(data: &mut [u32], tables: &Tables, at: Block, depth: u32) {
    let alone = depth % 2;
    // SAFETY: guaranteed by the caller; blocks hold whole vectors.
    unsafe {
        if D::DOWN && alone == 1 {
            radix_2::<D, V>(data, tables, at);
        }
        for step in (alone..depth).step_by(2) {
            let level = if D::DOWN { step } else { depth - 2 - (step - alone) };
            for (i, block) in data.chunks_exact_mut(data.len() >> level).enumerate() {
                let quarter = block.len() / 4;
                D::pass::<V>(block.as_mut_ptr(), quarter, 0..quarter, tables, at.descendant(level, i));
            }
        }
        if !D::DOWN && alone == 1 {
            radix_2::<D, V>(data, tables, at);
        }
    }
}

/// Does the uppermost level of the block `at`.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn radix_2<D: Direction, V: Lanes>(data: &mut [u32], tables: &Tables, at: Block) {
    // SAFETY: guaranteed by the caller; halves hold whole vectors.
    unsafe {
        let field = Field::<V>::new(tables.prime);
        let w = Factor::splat(tables.twiddle(at));
        let (left, right) = data.split_at_mut(data.len() / 2);
        for (x, y) in left.chunks_exact_mut(V::COUNT).zip(right.chunks_exact_mut(V::COUNT)) {
            let [a, b] = D::butterfly(field, V::load(x.as_ptr()), V::load(y.as_ptr()), w);
            a.store(x.as_mut_ptr());
            b.store(y.as_mut_ptr());
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

/// Does all levels of a twig, a block of 16 L coefficients: between it and leaves of L coefficients, and across the lanes.
///
/// A leaf modulo x^L - c^L is one modulo x^L - 1 in x/c: coefficient l is multiplied by c^l, then follows a
/// transform whose roots are the same for all leaves. With C the twig's c, c = C z where z depends only on
/// the leaf's place in its twig. The factors C^l cost little in the twig's first pass, which multiplies
/// anyway, and z^l is a constant. So a twig reads 4 L words and 14 twiddles instead of one twiddle per
/// butterfly.
///
/// # Safety
/// The processor must have the instructions of `V`, `L` be its lanes, and `twig` hold 16 vectors.
#[inline(always)]
unsafe fn twig<D: Direction, V: Square<L>, const L: usize>(twig: &mut [u32], tables: &Tables, at: Block) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let field = Field::<V>::new(tables.prime);
        if D::DOWN {
            D::twisted::<V>(field, twig, tables, at);
        } else {
            squares::<D, V, L>(field, twig, tables);
        }
        for (j, part) in twig.chunks_exact_mut(4 * L).enumerate() {
            D::lower::<V>(field, part, tables, at.descendant(2, j));
        }
        if D::DOWN {
            squares::<D, V, L>(field, twig, tables);
        } else {
            D::twisted::<V>(field, twig, tables, at);
        }
    }
}

/// Transforms the leaves of a twig, L at a time: transposed, lane j holds leaf j, and vector l its coefficient of x^l.
///
/// # Safety
/// The processor must have the instructions of `V`, and `twig` hold whole squares.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "iterators over arrays of vectors do not unroll")]
unsafe fn squares<D: Direction, V: Square<L>, const L: usize>(
    field: Field<V>,
    twig: &mut [u32],
    tables: &Tables,
) {
    // SAFETY: guaranteed by the caller; a square holds L vectors.
    unsafe {
        for (group, square) in twig.chunks_exact_mut(L * L).enumerate() {
            let mut x = [V::splat(0); L];
            for l in 0..L {
                x[l] = V::load(square.as_ptr().add(l * L));
            }
            x = V::transpose(x);
            if !D::DOWN {
                D::stage::<V, L, 1>(field, tables, &mut x);
                D::stage::<V, L, 2>(field, tables, &mut x);
                if L >= 8 {
                    D::stage::<V, L, 4>(field, tables, &mut x);
                }
                if L >= 16 {
                    D::stage::<V, L, 8>(field, tables, &mut x);
                }
            }
            for l in 0..L {
                x[l] = field.scale(x[l], tables.leaf_twist::<V, L>(group, l));
            }
            if D::DOWN {
                if L >= 16 {
                    D::stage::<V, L, 8>(field, tables, &mut x);
                }
                if L >= 8 {
                    D::stage::<V, L, 4>(field, tables, &mut x);
                }
                D::stage::<V, L, 2>(field, tables, &mut x);
                D::stage::<V, L, 1>(field, tables, &mut x);
            }
            x = V::transpose(x);
            for l in 0..L {
                x[l].store(square.as_mut_ptr().add(l * L));
            }
        }
    }
}

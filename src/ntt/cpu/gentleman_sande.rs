//! From values in bit-reversed order back to coefficients in natural order: undoes every step of
//! `cooley_tukey.rs`, in the opposite order, up to a factor that the tables hold.
//!
//! The butterfly (x, y) -> (x + y, (x - y) / w) undoes that of Cooley and Tukey up to a factor 2; the tables
//! of this direction hold 1/w. Both x and y have to be below p.

use super::arithmetic::{Factor, Field};
use super::lanes::{Lanes, Square};
use super::network::{Direction, load, store, twiddles};
use super::tables::{Block, Tables};
use std::ops::Range;

/// The direction of this file.
#[derive(Debug)]
pub(super) struct Up;

impl Direction for Up {
    const DOWN: bool = false;

    #[inline(always)]
    unsafe fn pass<V: Lanes>(
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

    #[inline(always)]
    fn butterfly<V: Lanes>(field: Field<V>, a: V, b: V, w: Factor<V>) -> [V; 2] {
        [field.add(a, b), field.scale(field.sub_lazy(a, b), w)]
    }

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

    #[inline(always)]
    unsafe fn lower<V: Lanes>(_: Field<V>, part: &mut [u32], tables: &Tables, at: Block) {
        // SAFETY: guaranteed by the caller.
        unsafe { Self::pass::<V>(part.as_mut_ptr(), V::COUNT, 0..V::COUNT, tables, at) }
    }

    /// The last level's results are below 2p, since [`Field::scale`] comes next.
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

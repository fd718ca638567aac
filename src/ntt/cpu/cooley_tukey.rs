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
use super::network::{Direction, load, store, twiddles};
use super::tables::{Block, Tables};
use std::ops::Range;

/// The direction of this file.
#[derive(Debug)]
pub(super) struct Down;

impl Direction for Down {
    const DOWN: bool = true;

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

    #[inline(always)]
    fn butterfly<V: Lanes>(field: Field<V>, a: V, b: V, w: Factor<V>) -> [V; 2] {
        let b = field.scale(b, w);
        [field.add(a, b), field.sub(a, b)]
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

    #[inline(always)]
    unsafe fn lower<V: Lanes>(field: Field<V>, part: &mut [u32], tables: &Tables, at: Block) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let (w, below) = twiddles(tables, at);
            let x = load(part.as_ptr(), V::COUNT);
            store(part.as_mut_ptr(), V::COUNT, radix_4::<V, true>(field, x, [w, w], below));
        }
    }

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

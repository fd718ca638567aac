//! The multiples of a base of which its multiple by any scalar is a sum of few.

use ark_ff::AdditiveGroup;

use crate::curve::{Affine, Curve, Projective, normalized};
use crate::msm::affine_sums::Adder;
use crate::parallel::*;

/// The widest windows: the tables of G2 over BLS12-381 have 100 MB.
const WIDEST: u32 = 16;

/// Of a base, d 2^(`width` w) times it for each window w and each d from 1 to 2^(`width` - 1).
pub(super) struct Table<C: Curve> {
    pub width: u32,
    /// The points of one window after the other.
    pub points: Vec<Affine<C>>,
}

/// The points of a table of so many windows.
pub(super) fn points(width: u32, windows: u32) -> usize {
    (windows as usize) << (width - 1)
}

/// The width of windows for which the table and `count` multiples take the fewest additions, where scalars have `windows(width)`
/// windows and a table may have at most `most` points.
pub(super) fn best_width(count: usize, windows: impl Fn(u32) -> u32, most: usize) -> u32 {
    let additions = |width: &u32| points(*width, windows(*width)) + windows(*width) as usize * count;
    let fitting = (2..=WIDEST).filter(|&width| points(width, windows(width)) <= most);
    fitting.min_by_key(additions).unwrap_or(2)
}

impl<C: Curve> Table<C> {
    /// Computes the table of a base, on all threads.
    pub fn new(base: &Affine<C>, width: u32, windows: u32) -> Self {
        let mut power = Projective::<C>::from(*base);
        let next = |_| {
            let own = power;
            (0..width).for_each(|_| {
                power.double_in_place();
            });
            own
        };
        let powers = normalized(&(0..windows).map(next).collect::<Vec<_>>());
        let multiples = points(width, 1);
        let mut points = vec![Affine::identity(); multiples * windows as usize];
        let of_windows = points.par_chunks_mut(multiples).zip(&powers).with_max_len(1);
        of_windows.for_each(|(points, power)| fill(points, power));
        Table { width, points }
    }
}

/// Fills a window with the first multiples of its power. The sums of those that are known with the last of them are as many.
fn fill<C: Curve>(points: &mut [Affine<C>], power: &Affine<C>) {
    let mut adder = Adder::default();
    points[0] = *power;
    let mut known = 1;
    while known < points.len() {
        let (before, after) = points.split_at_mut(known);
        let last = before[known - 1];
        let pairs: Vec<[Affine<C>; 2]> = before.iter().map(|point| [*point, last]).collect();
        adder.add(pairs.len(), |i| &pairs[i], |i, sum| after[i] = sum);
        known *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Bn254;
    use ark_ec::{AffineRepr, CurveGroup};

    #[test]
    fn tables_have_all_multiples() {
        let base = Affine::<Bn254>::generator();
        for (width, windows) in [(2, 1), (3, 4), (6, 2)] {
            let Table { points, .. } = Table::new(&base, width, windows);
            let multiple = |i: usize| {
                let (window, digit) = (i >> (width - 1), i % (1 << (width - 1)) + 1);
                base.mul_bigint([(digit as u64) << (width * window as u32)])
            };
            let expected: Vec<Affine<Bn254>> = (0..points.len()).map(|i| multiple(i).into_affine()).collect();
            assert_eq!(points, expected);
            assert_eq!(points.len(), super::points(width, windows));
        }
        let nothing = Table::<Bn254>::new(&Affine::identity(), 3, 2);
        assert_eq!(nothing.points, [Affine::identity(); 8]);
    }

    #[test]
    fn more_scalars_have_wider_windows() {
        let windows = |width: u32| 255u32.div_ceil(width);
        let width = |count| best_width(count, windows, usize::MAX);
        assert_eq!([0, 1000, 1 << 25].map(width), [2, 8, WIDEST]);
        assert_eq!(best_width(1 << 25, windows, 1 << 12), 8);
    }
}

//! Points a_i G with known discrete logarithms a_i. Any result can be checked exactly with them: the
//! sum of k_i a_i G is (sum of k_i a_i) G.

use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::PrimeField;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::fixed_base::multiples;
use crate::curve::{Affine, Curve, Projective, normalized};
use crate::parallel::*;

/// Points a_i G together with the a_i.
#[derive(Clone, Debug)]
pub struct Known<C: Curve> {
    /// The points.
    pub points: Vec<Affine<C>>,
    /// The points' discrete logarithms to the base of the generator.
    pub logarithms: Vec<C::ScalarField>,
}

/// The number of sums that are normalized together.
const BLOCK: usize = 1 << 12;

impl<C: Curve> Known<C> {
    /// Makes `n` points, the same for the same seed on every machine. They are the sums of a point of
    /// one list and a point of another, two lists of about sqrt n random points, in random order: one
    /// addition per point. The order matters: in the order of the lists, neighbouring points satisfy
    /// relations of four points, which cause special cases that random points do not have.
    pub fn random(n: usize, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let side = (n as f64).sqrt().ceil().max(1.0) as usize;
        let mut lists = [(); 2].map(|()| scalars::<C>(side, &mut random));
        let points = lists.each_ref().map(|list| multiples(Affine::<C>::generator(), list));
        let mut places: Vec<u32> = (0..(side * side) as u32).collect();
        shuffle(&mut places, &mut random);
        places.truncate(n);
        let pair = |place: &u32| (*place as usize / side, *place as usize % side);
        let sums = |block: &[u32]| {
            let sums: Vec<Projective<C>> =
                block.iter().map(pair).map(|(i, j)| points[0][i] + points[1][j]).collect();
            normalized(&sums)
        };
        let [left, right] = &mut lists;
        let mut sums_of_places = vec![Affine::identity(); places.len()];
        let blocks = sums_of_places.par_chunks_mut(BLOCK).zip(places.par_chunks(BLOCK));
        blocks.for_each(|(to, block)| to.copy_from_slice(&sums(block)));
        Known {
            points: sums_of_places,
            logarithms: places.par_iter().map(pair).map(|(i, j)| left[i] + right[j]).collect(),
        }
    }

    /// The sum of `scalars[i]` times point i.
    pub fn sum(&self, scalars: &[C::ScalarField]) -> Affine<C> {
        let total: C::ScalarField =
            self.logarithms.par_iter().zip(scalars).map(|(log, scalar)| *log * scalar).sum();
        (Affine::<C>::generator() * total).into_affine()
    }
}

/// `n` random scalars below r, within 2^-250 of uniform.
pub fn scalars<C: Curve>(n: usize, random: &mut ChaCha8Rng) -> Vec<C::ScalarField> {
    let mut bytes = vec![0; 64 * n];
    random.fill_bytes(&mut bytes);
    bytes.par_chunks(64).map(C::ScalarField::from_le_bytes_mod_order).collect()
}

/// The Fisher-Yates shuffle.
fn shuffle(items: &mut [u32], random: &mut ChaCha8Rng) {
    for i in (1..items.len()).rev() {
        let j = (u128::from(random.next_u64()) * (i as u128 + 1)) >> 64;
        items.swap(i, j as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::CurveName;

    fn logarithms_are_true<C: Curve>() {
        for n in [0, 1, 2, 50] {
            let known = Known::<C>::random(n, 7);
            assert_eq!((known.points.len(), known.logarithms.len()), (n, n));
            for (point, log) in known.points.iter().zip(&known.logarithms) {
                assert_eq!(*point, Affine::<C>::generator() * log);
            }
            let scalars = scalars::<C>(n, &mut ChaCha8Rng::seed_from_u64(8));
            let integers: Vec<_> = scalars.iter().map(|k| k.into_bigint()).collect();
            assert_eq!(known.sum(&scalars), crate::curve::sum_by_arkworks(&known.points, &integers));
        }
    }

    #[test]
    fn known_logarithms_are_true() {
        for name in CurveName::all() {
            crate::with_curve!(name, C => logarithms_are_true::<C>());
        }
    }
}

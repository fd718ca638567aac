//! Scalars of which most are 0 or 1, as witnesses of circuits have them, put in order by one pass.

use std::ops::Range;

use crate::parallel::*;
use crate::scalars::Scalar;

/// Scalars that a thread looks at together.
const BLOCK: usize = 1 << 14;

/// The share of scalars that are 0 or 1, from 0 to 1; 1 of none.
pub fn share_of_bits<F: Scalar>(scalars: &[F]) -> f64 {
    let count = |block: &[F]| block.iter().filter(|scalar| scalar.is_zero() || scalar.is_one()).count();
    let bits: usize = scalars.par_chunks(BLOCK).map(count).sum();
    if scalars.is_empty() { 1.0 } else { bits as f64 / scalars.len() as f64 }
}

/// The places of the ones among some scalars, and the scalars that are neither 0 nor 1 with their places. They are overwritten
/// with zeros when they are dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SplitScalars<F: Scalar> {
    /// In ascending order.
    pub ones: Vec<u32>,
    /// In ascending order.
    pub places: Vec<u32>,
    /// The scalars at `places`.
    pub rest: Vec<F>,
}

impl<F: Scalar> SplitScalars<F> {
    /// Splits scalars, of which there are at most 2^32.
    pub fn of(scalars: &[F]) -> Self {
        let split = |(block, scalars): (usize, &[F])| {
            let mut own = SplitScalars { ones: Vec::new(), places: Vec::new(), rest: Vec::new() };
            for (place, scalar) in ((block * BLOCK) as u32..).zip(scalars) {
                if scalar.is_one() {
                    own.ones.push(place);
                } else if !scalar.is_zero() {
                    own.places.push(place);
                    own.rest.push(*scalar);
                }
            }
            own
        };
        let blocks: Vec<Self> = scalars.par_chunks(BLOCK).enumerate().map(split).collect();
        let mut whole = SplitScalars { ones: Vec::new(), places: Vec::new(), rest: Vec::new() };
        whole.ones.reserve_exact(blocks.iter().map(|block| block.ones.len()).sum());
        let rest = blocks.iter().map(|block| block.rest.len()).sum();
        whole.places.reserve_exact(rest);
        whole.rest.reserve_exact(rest);
        for block in &blocks {
            whole.ones.extend_from_slice(&block.ones);
            whole.places.extend_from_slice(&block.places);
            whole.rest.extend_from_slice(&block.rest);
        }
        whole
    }
}

/// The part of a sorted list within a range, as a range of its indices.
pub(crate) fn within(places: &[u32], range: &Range<usize>) -> Range<usize> {
    let before = |end: usize| places.partition_point(|&place| (place as usize) < end);
    before(range.start)..before(range.end)
}

impl<F: Scalar> Drop for SplitScalars<F> {
    fn drop(&mut self) {
        let SplitScalars { ones, places, rest } = self;
        ones.fill(0);
        places.fill(0);
        rest.fill(F::ZERO);
        // Otherwise the compiler may leave out what nobody reads.
        std::hint::black_box((ones, places, rest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bn254::Fr;

    #[test]
    fn scalars_are_split() {
        let scalars: Vec<Fr> = (0..3 * BLOCK as u64 + 5).map(|i| Fr::from(i * i % 7)).collect();
        let split = SplitScalars::of(&scalars);
        let mut joined = vec![Fr::from(0); scalars.len()];
        split.ones.iter().for_each(|&place| joined[place as usize] += Fr::from(1));
        for (&place, scalar) in split.places.iter().zip(&split.rest) {
            assert!(![Fr::from(0), Fr::from(1)].contains(scalar));
            joined[place as usize] += scalar;
        }
        assert_eq!(joined, scalars);
        assert!(split.ones.is_sorted() && split.places.is_sorted());
        // Squares modulo 7 are 0, 1, 2 and 4.
        assert!((share_of_bits(&scalars) - 3.0 / 7.0).abs() < 1e-3);
        assert_eq!(share_of_bits::<Fr>(&[]), 1.0);
        assert_eq!(within(&[2, 3, 5, 9], &(3..9)), 1..3);
        assert_eq!(within(&[], &(0..9)), 0..0);
    }
}

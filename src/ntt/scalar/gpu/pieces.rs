//! Vectors that no single binding holds, in numbers.
//!
//! A vector of n = 2^k m scalars lies in 2^k pieces of m, and index and piece have
//!
//! ```text
//! index     | number of the piece, k digits | place in it |
//!
//! frequency   steps across the pieces, from the highest digits down | transforms of length m of the pieces
//! time        transforms of length m of the pieces | steps across the pieces, from the lowest digits up
//! ```
//!
//! A vector of coefficients is a polynomial. A butterfly of decimation in frequency takes a polynomial modulo X^(2M) - z^(2M) to
//! its remainders modulo X^M - s and X^M + s, with s = z^M. So all places of a pair of pieces have one s. After k levels
//! piece P has the remainder modulo X^m - z^m, with z = g w^rev(P). Its coefficients times the powers z^i, which are weights as those of a
//! coset, are transformed as any vector of length m (Bailey, "FFTs in external or hierarchical memory", 1990). The values are
//! those of the whole transform whose indices are rev(P) modulo 2^k. Decimation in time does all this backwards.
//!
//! The whole transform's own weights, those of its coset and 1/n, stand at one of two ends of the pieces' transforms:
//!
//! ```text
//! near    between them and the steps: a weight is a factor of z, and of s
//! far     coefficient 2^k i + rev(P) is coefficient i of piece P: its weight is one of P, which goes to the powers of z, times
//!         that of i for the coset g^(2^k), which is the pieces' transforms' own
//! ```

use super::multiples::{FACTOR_BYTES, LONGEST_BYTES};
use super::two_levels::two_level_len;
use crate::Result;
use crate::field::bit_reverse;
use crate::gpu::Family;
use crate::ntt::scalar::problem::{Coset, Transform, Weights};
use crate::ntt::{Direction, Order};
use crate::scalars::{SCALAR_BYTES, Scalar};
use crate::task::GpuProfile;

/// log2 of the pieces that a step combines, at most.
pub(super) const LOG_RADIX: u32 = 2;
/// The pieces of which a dispatch interleaves scalars, log2, at most.
pub(super) const LOG_SOURCES: u32 = 2;

/// The pieces of a vector, and what combines them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pieces<F> {
    /// log2 of the scalars of a piece.
    pub log_piece: u32,
    /// log2 of the pieces of a vector.
    pub log_count: u32,
    /// Vectors of the batch.
    pub batch: usize,
    /// True for decimation in time.
    pub time: bool,
    /// True if the pieces are interleaved before all else: bit-reversed input becomes natural.
    pub interleaves_first: bool,
    /// True if they are interleaved at the end.
    pub interleaves_last: bool,
    /// The n-th root of this direction.
    root: F,
    /// The ratio of the weights at the near end.
    near: F,
    /// The ratio of those at the far end.
    far: F,
    /// The part of 1/n that is not the transforms' of the pieces.
    scale: F,
}

/// Butterflies on some digits of the numbers of pieces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The lowest of the digits.
    pub digit: u32,
    /// Their number.
    pub log_radix: u32,
}

impl Step {
    /// True if the step is next to the transforms of the pieces, and multiplies by weights.
    pub fn is_weighted(&self) -> bool {
        self.digit == 0
    }
}

impl<F: Scalar> Pieces<F> {
    /// The pieces of 2^`log_piece` scalars of a longer transform, and the transform of all pieces.
    pub fn new(spec: &Transform<F>, log_piece: u32) -> Result<(Self, Transform<F>)> {
        let log_count = spec.log_n() - log_piece;
        let (is_inverse, time) = match (spec.direction(), spec.input(), spec.output()) {
            (direction, Order::BitReversed, Order::Natural) => (direction == Direction::Inverse, true),
            (direction, ..) => (direction == Direction::Inverse, false),
        };
        let ratio = spec.weights()?.map_or(F::ONE, |weights| weights.ratio);
        let is_near = is_inverse == time;
        let (near, far) = if is_near { (ratio, F::ONE) } else { (F::ONE, ratio) };
        let scale =
            if is_inverse { F::from(1u64 << log_count).inverse().unwrap_or_default() } else { F::ONE };
        let shift = spec.shift()?.pow([1 << log_count]);
        let coset = if is_near || shift.is_one() { Coset::Subgroup } else { Coset::Shift(shift) };
        let of_pieces = Transform::new(1 << log_piece)?
            .with_batch(spec.batch() << log_count)
            .with_direction(spec.direction())
            .with_input(if time { Order::BitReversed } else { Order::Natural })
            .with_output(spec.output())
            .with_coset(coset);
        let pieces = Pieces {
            log_piece,
            log_count,
            batch: spec.batch(),
            time,
            interleaves_first: (spec.input(), spec.output()) == (Order::BitReversed, Order::BitReversed),
            interleaves_last: (spec.input(), spec.output()) == (Order::Natural, Order::Natural),
            root: spec.directed_root(),
            near,
            far,
            scale,
        };
        Ok((pieces, of_pieces))
    }

    /// The steps, in the order in which they are done.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut digit = self.log_count;
        while digit > 0 {
            let log_radix = digit.min(LOG_RADIX);
            digit -= log_radix;
            steps.push(Step { digit, log_radix });
        }
        if self.time {
            steps.reverse();
        }
        steps
    }

    /// The numbers of the pieces that a step combines, for each of its dispatches.
    pub fn groups(&self, step: &Step) -> impl Iterator<Item = Vec<usize>> + use<F> {
        let Step { digit, log_radix } = *step;
        let digits = ((1 << log_radix) - 1) << digit;
        let firsts = (0..1usize << self.log_count).filter(move |number| number & digits == 0);
        firsts.map(move |first| (0..1 << log_radix).map(|i| first | (i << digit)).collect())
    }

    /// g w^rev(`number`), for a number of so many digits.
    fn z(&self, number: usize, digits: u32) -> F {
        self.near * self.root.pow([bit_reverse(number, digits) as u64])
    }

    /// The factor s of the pairs of pieces that differ in `digit`, for the number that the digits above have.
    fn pair(&self, above: usize, digit: u32) -> F {
        let z = self.z(above, self.log_count - digit - 1);
        z.pow([1u64 << (self.log_piece + digit)])
    }

    /// The factors of the pairs of a dispatch whose first piece is `first`: of the higher digit, then of the lower one.
    pub fn pairs(&self, step: &Step, first: usize) -> Vec<F> {
        let Step { digit, log_radix } = *step;
        let above = first >> (digit + log_radix);
        match log_radix {
            1 => vec![self.pair(above, digit)],
            _ => vec![
                self.pair(above, digit + 1),
                self.pair(2 * above, digit),
                self.pair(2 * above + 1, digit),
            ],
        }
    }

    /// The weights of the scalars of a piece.
    pub fn weights(&self, piece: usize) -> Weights<F> {
        let reversed = bit_reverse(piece, self.log_count) as u64;
        Weights { first: self.scale * self.far.pow([reversed]), ratio: self.z(piece, self.log_count) }
    }

    /// Entries of the weights of a piece.
    pub fn weights_len(&self) -> u64 {
        two_level_len(self.log_piece)
    }

    /// Entries of the table of a dispatch.
    pub fn factors_len(&self, step: &Step) -> u64 {
        let radix = 1 << step.log_radix;
        let weights = if step.is_weighted() { radix * self.weights_len() } else { 0 };
        radix - 1 + weights
    }

    /// Bytes of the longest table of a dispatch.
    pub fn longest_table_bytes(&self) -> u64 {
        self.steps().iter().map(|step| LONGEST_BYTES * self.factors_len(step)).max().unwrap_or(0)
    }

    /// Bytes of all tables.
    pub fn table_bytes(&self) -> u64 {
        let of_step =
            |step: &Step| (FACTOR_BYTES * self.factors_len(step)) << (self.log_count - step.log_radix);
        self.steps().iter().map(of_step).sum()
    }

    /// How often the pieces are interleaved.
    fn interleavings(&self) -> usize {
        usize::from(self.interleaves_first) + usize::from(self.interleaves_last)
    }

    /// Passes over the data beside the transforms of the pieces.
    pub fn passes(&self) -> usize {
        self.steps().len() + self.interleavings()
    }

    /// Dispatches of these passes.
    pub fn dispatches(&self) -> usize {
        self.batch * self.dispatches_of_vector()
    }

    fn dispatches_of_vector(&self) -> usize {
        let count = 1usize << self.log_count;
        let of_steps: usize = self.steps().iter().map(|step| count >> step.log_radix).sum();
        let of_interleaving = count << (self.log_count - self.log_count.min(LOG_SOURCES));
        of_steps + self.interleavings() * of_interleaving
    }

    /// Seconds of these passes over `scalars` scalars. Each of them reads and writes every scalar. A step also multiplies: one of two
    /// scalars for each digit, and each scalar twice where it has a weight. Factors of 1 do not count: those of the first pair of
    /// every level and of the first piece, unless the coset or 1/n makes them others.
    pub fn seconds(&self, scalars: f64, gpu: &GpuProfile) -> f64 {
        let memory = 2.0 * SCALAR_BYTES as f64 / gpu.record.copied_bytes;
        let product = gpu.product_seconds(Family::of_bits(F::MODULUS_BIT_SIZE as usize));
        let multiplied = |digits: u32, has_units: bool| match has_units {
            true => 1.0 - 0.5f64.powi(digits as i32),
            false => 1.0,
        };
        let has_unit = self.near.is_one() && self.scale.is_one();
        let step = |step: &Step| {
            let digits = step.digit..step.digit + step.log_radix;
            let of_pair = |digit| 0.5 * multiplied(self.log_count - 1 - digit, self.near.is_one());
            let of_weights =
                if step.is_weighted() { 2.0 * multiplied(self.log_count, has_unit) } else { 0.0 };
            memory.max((digits.map(of_pair).sum::<f64>() + of_weights) * product)
        };
        let scalar: f64 = self.steps().iter().map(step).sum::<f64>() + self.interleavings() as f64 * memory;
        let vectors = scalars / 2f64.powi((self.log_count + self.log_piece) as i32);
        scalar * scalars + vectors * self.dispatches_of_vector() as f64 * gpu.record.dispatch
    }
}

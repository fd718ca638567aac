//! Powers of one scalar along a vector, in either order.

use super::problem::Weights;
use crate::field::bit_reverse;
use crate::ntt::Order;
use crate::parallel::*;
use crate::scalars::Scalar;

/// log2 of the scalars that one task handles.
const LOG_BLOCK: u32 = 10;

/// ratio^e for the exponents e that the places of a vector of 2^`log_n` scalars stand for: the place itself, or
/// the place with its binary digits reversed. A place is a block and a place in it; the power is the product of one
/// of the block and one from a table.
pub(super) struct Powers<F> {
    log_n: u32,
    order: Order,
    ratio: F,
    table: Vec<F>,
}

impl<F: Scalar> Powers<F> {
    pub fn new(ratio: F, log_n: u32, order: Order) -> Self {
        let log_block = log_n.min(LOG_BLOCK);
        let mut table = vec![F::ONE; 1 << log_block];
        let step = match order {
            Order::Natural => ratio,
            Order::BitReversed => ratio.pow([1 << (log_n - log_block)]),
        };
        for i in 1..table.len() {
            table[i] = table[i - 1] * step;
        }
        if order == Order::BitReversed {
            let sorted = table.clone();
            let reversed = |i: usize| sorted[bit_reverse(i, log_block)];
            table.iter_mut().enumerate().for_each(|(i, power)| *power = reversed(i));
        }
        Powers { log_n, order, ratio, table }
    }

    /// Scalars of a block.
    pub fn block(&self) -> usize {
        self.table.len()
    }

    /// The power of a block, and those within it.
    pub fn of_block(&self, block: usize) -> (F, &[F]) {
        let log_block = self.table.len().ilog2();
        let exponent = match self.order {
            Order::Natural => block << log_block,
            Order::BitReversed => bit_reverse(block, self.log_n - log_block),
        };
        (self.ratio.pow([exponent as u64]), &self.table)
    }

    /// The sum of `scalars[place]` times the power of the place.
    pub fn dot(&self, scalars: &[F]) -> F {
        let blocks = scalars.par_chunks(self.block()).enumerate().map(|(block, scalars)| {
            let (power, table) = self.of_block(block);
            power * scalars.iter().zip(table).map(|(x, power)| *x * power).sum::<F>()
        });
        blocks.sum()
    }
}

/// Multiplies every scalar of vectors of 2^`log_n` by the weight of its coefficient.
pub(super) fn weigh<F: Scalar>(data: &mut [F], weights: &Weights<F>, log_n: u32, order: Order) {
    let powers = Powers::new(weights.ratio, log_n, order);
    let blocks = (1usize << log_n) / powers.block();
    data.par_chunks_mut(powers.block()).enumerate().for_each(|(block, scalars)| {
        let (power, table) = powers.of_block(block % blocks);
        let first = power * weights.first;
        scalars.iter_mut().zip(table).for_each(|(x, power)| *x = x.times(&first.times(power)));
    });
}

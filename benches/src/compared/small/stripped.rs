//! The results of the forms that leave out a part of the work, by the host: a form without a part of its work
//! is only worth timing if the rest is done.

use super::{Ablation, POINTS};
use crate::compared::naive;
use wgalois::field::{Prime, bit_reverse};
use wgalois::ntt::Direction;
use wgalois::{Result, Wrong};

/// The constant that stands for every twiddle if none is read. Any residue but 0, 1 and p - 1 is as good.
pub(super) const TWIDDLE: u32 = 3;

const LOG_POINTS: u32 = POINTS.ilog2();

/// The words that `ablation` makes of a batch.
pub(super) fn result(prime: Prime, ablation: Ablation, data: &[u32]) -> Result<Vec<u32>> {
    match ablation {
        Ablation::GlobalMemory => {
            let mut words: Vec<u32> = (0..data.len()).map(made).collect();
            for vector in words.chunks_exact_mut(POINTS) {
                naive::transform(prime, Direction::Forward, vector)?;
            }
            Ok(words)
        }
        Ablation::Twiddles => {
            Ok(data.chunks_exact(POINTS).flat_map(|vector| with_one_twiddle(prime, vector)).collect())
        }
        // Bit reversal, and a change of places in each stage: the stages together complement the index.
        Ablation::Butterflies => {
            let from = |k: usize| bit_reverse(POINTS - 1 - k, LOG_POINTS);
            Ok(data
                .chunks_exact(POINTS)
                .flat_map(|vector| (0..POINTS).map(move |k| vector[from(k)]))
                .collect())
        }
        Ablation::ButterfliesAndWorkgroupMemory => Ok(data.to_vec()),
    }
}

/// Compares the result of a form that leaves out `ablation` with the host's.
pub(super) fn check(prime: Prime, ablation: Ablation, before: &[u32], after: &[u32]) -> Result<()> {
    let is_right = result(prime, ablation, before)? == after;
    Wrong::unless(is_right, format!("without {}: other words than the host's", ablation.name()))
}

/// Word i of the batch, where no input is read.
fn made(i: usize) -> u32 {
    ((i % POINTS) ^ (i / POINTS % 64)) as u32
}

/// The butterflies of a transform, all with the same twiddle.
fn with_one_twiddle(prime: Prime, vector: &[u32]) -> Vec<u32> {
    let mut x: Vec<u32> = (0..POINTS).map(|i| vector[bit_reverse(i, LOG_POINTS)]).collect();
    for half in (0..LOG_POINTS).map(|stage| 1 << stage) {
        for block in x.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (u, v) in low.iter_mut().zip(high) {
                let product = prime.mul(*v, TWIDDLE);
                (*u, *v) = (prime.add(*u, product), prime.sub(*u, product));
            }
        }
    }
    x
}

//! The passes of a transform and their order.

use super::split::{ONE_PASS, in_place_bits, transposed_bits};
use super::tile::Decimation;
use crate::ntt::{Order, Transform};

/// The vector seen as a product of passes, from the longest stride down.
pub(super) struct Outline {
    pub bits: Vec<u32>,
    pub decimation: Decimation,
    pub transposed: bool,
    /// True if the one pass of a short transform reorders its entries at either end.
    pub reversed_in: bool,
    pub reversed_out: bool,
    /// log2 of the length that the passes do; the rest is halving.
    pub log_inner: u32,
}

impl Outline {
    pub fn new(spec: &Transform, log_inner: u32, chunked: bool) -> Self {
        // A short transform is reordered within its one pass. A longer one goes from natural
        // to bit-reversed order by decimation in frequency, back by decimation in time, and
        // from natural to natural order by a transposing last pass.
        let decimation = match (spec.input, spec.output) {
            (Order::BitReversed, Order::Natural) => Decimation::Time,
            _ => Decimation::Frequency,
        };
        let transposed =
            !chunked && log_inner > ONE_PASS && (spec.input, spec.output) == (Order::Natural, Order::Natural);
        let bits = if transposed { transposed_bits(log_inner) } else { in_place_bits(log_inner) };
        let alone = bits.len() == 1 && !chunked && decimation == Decimation::Frequency;
        Outline {
            bits,
            decimation,
            transposed,
            reversed_in: alone && spec.input == Order::BitReversed,
            reversed_out: transposed || alone && spec.output == Order::Natural,
            log_inner,
        }
    }
}

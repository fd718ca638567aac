//! Passes by sums of products, for vectors that are too short to keep a device busy, in numbers.
//!
//! A pass transforms its rows in two steps, of radix 2^k each. Two results of a step, at z and at -z, share their 2^k products, the sums
//! of which over even and over odd powers of z are added or subtracted:
//!
//! ```text
//! digits of the rows    6 = 3 + 3    two steps of one product after the other, in place of 6 stages
//!                       5 = 3 + 2
//!                       4 = 2 + 2
//! ```

use std::ops::RangeInclusive;

use crate::field::bit_reverse;
use crate::task::GpuProfile;

/// log2 of the lengths of vectors for which sums are faster, and of the scalars of a batch, at most: with 2^12 an H200 takes 8.2 us
/// for 13.1, with 2^9 7.4 for 9.2.
const LOG_LENGTHS: RangeInclusive<u32> = 9..=12;
/// log2 of the results of a workgroup, at most: 2^12 scalars take 128 workgroups.
pub(super) const LOG_OUTPUTS: u32 = 5;
/// Invocations of the largest workgroup.
const THREADS: u32 = 128;

/// True if the batch is transformed by sums. They take 2.7 times as many products as stages, for which a device has to be idle.
pub(super) fn are_faster(log_n: u32, batch: usize, gpu: &GpuProfile) -> bool {
    LOG_LENGTHS.contains(&log_n)
        && batch <= 1 << (LOG_LENGTHS.end() - log_n)
        && gpu.is_discrete
        && gpu.workgroup_invocations >= THREADS
}

/// log2 of the radices of the two steps of a pass over rows of 2^`log_rows`.
pub(super) fn log_radices(log_rows: u32) -> [u32; 2] {
    let first = log_rows.div_ceil(2);
    [first, log_rows - first]
}

/// A step of a pass, on some digits of an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// log2 of the length of a vector.
    pub log_n: u32,
    /// The lowest of its digits.
    pub digit: u32,
    /// The number of its digits.
    pub log_radix: u32,
    /// True for decimation in time.
    pub time: bool,
}

impl Step {
    /// The number of its factors: those of all pairs of results, for each value of the digits above its own (decimation in
    /// frequency) or below.
    pub fn factors(&self) -> u64 {
        let log_contexts = if self.time { self.digit } else { self.log_n - self.digit - self.log_radix };
        1 << (log_contexts + 2 * self.log_radix - 1)
    }

    /// Of which power of the transform's root factor `at` is, below n. The digits of `at` are the context, the power of z, and
    /// the pair of results.
    pub fn exponent(&self, at: usize) -> usize {
        let k = self.log_radix;
        let (pair, power, context) = (low_digits(at, k - 1), low_digits(at >> (k - 1), k), at >> (2 * k - 1));
        let exponent = match self.time {
            // z and -z are at indices that differ in the highest digit of the step.
            true => (power * ((pair << self.digit) | context)) << (self.log_n - self.digit - k),
            // In its lowest digit.
            false => {
                (power * bit_reverse((context << k) | (2 * pair), self.log_n - self.digit)) << self.digit
            }
        };
        low_digits(exponent, self.log_n)
    }
}

fn low_digits(x: usize, count: u32) -> usize {
    x & ((1 << count) - 1)
}

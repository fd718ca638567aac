//! Tables of powers on the device.

use super::reduction::Modulus;
use crate::Result;
use crate::gpu::{DeviceVec, Gpu};
use crate::parallel::*;

/// Powers of one base from the low and the high digits of the exponent:
/// base^e = low[e mod 2^k] high[e div 2^k] factor.
#[derive(Debug)]
pub struct Powers {
    /// The low table, then the high one.
    pub words: DeviceVec<u32>,
    /// k.
    pub log_low: u32,
}

impl Powers {
    /// Bytes of the tables of [`Powers::new`].
    pub fn bytes(log_len: u32) -> u64 {
        let log_low = log_len.div_ceil(2);
        4 * ((1 << log_low) + (1 << (log_len - log_low)))
    }

    /// Powers of `base` for all exponents below 2^`log_len`, all multiplied by `factor`, in the
    /// form that `mul_var` takes.
    pub fn new(gpu: &Gpu, modulus: Modulus, base: u32, factor: u32, log_len: u32) -> Result<Self> {
        let log_low = log_len.div_ceil(2);
        let words = digits(modulus, base, factor, log_low, log_len - log_low);
        Ok(Powers { words: gpu.upload_table(&words)?, log_low })
    }
}

/// The low table, then the high one, which includes the factor.
pub(super) fn digits(modulus: Modulus, base: u32, factor: u32, log_low: u32, log_high: u32) -> Vec<u32> {
    let high_base = modulus.prime.pow(base, 1 << log_low);
    let low = geometric(modulus, base, 1, 1 << log_low);
    let high = geometric(modulus, high_base, factor, 1 << log_high);
    low.chain(high).map(|power| modulus.variable(power)).collect()
}

/// first, first base, first base^2, ...
pub(super) fn geometric(modulus: Modulus, base: u32, first: u32, count: usize) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(first), move |&power| Some(modulus.prime.mul(power, base))).take(count)
}

/// The twiddles between a pass of 2^`log_rows` rows, 2^`log_stride` places apart, and the next, as
/// pairs: at row k, column m, root^(br(k) m) weight^m.
pub(super) fn outer_pairs(
    modulus: Modulus,
    [root, weight]: [u32; 2],
    log_rows: u32,
    log_stride: u32,
) -> Vec<[u32; 2]> {
    let prime = modulus.prime;
    let mut table = vec![[0; 2]; 1 << (log_rows + log_stride)];
    table.par_chunks_mut(1 << log_stride).enumerate().for_each(|(k, row)| {
        let step = prime.mul(weight, prime.pow(root, crate::field::bit_reverse(k, log_rows) as u64));
        let mut power = 1;
        for pair in row {
            *pair = modulus.constant(power);
            power = prime.mul(power, step);
        }
    });
    table
}

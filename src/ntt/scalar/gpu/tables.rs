//! Tables of powers, in the form that the kernels multiply by: x 2^270 mod r, in eight words.

use rayon::prelude::*;

use super::kernels::kernel_factor;
use super::plan::{Factor, Pass};
use crate::Result;
use crate::field::bit_reverse;
use crate::gpu::{DeviceVec, Gpu};
use crate::ntt::Order;
use crate::ntt::scalar::cpu::room;
use crate::ntt::scalar::powers::weigh;
use crate::ntt::scalar::problem::{Transform, Weights};
use crate::scalars::{Scalar, words};

/// The entries of a table, before it goes to the device.
pub(super) struct Table<F> {
    entries: Vec<F>,
    factor: F,
}

impl<F: Scalar> Table<F> {
    /// An empty table with room for `len` entries.
    pub fn new(len: usize) -> Result<Self> {
        Ok(Table { entries: room(len)?, factor: kernel_factor() })
    }

    /// The number of entries so far.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Appends `first` times the powers of `ratio` from 0 to 2^`log_len` - 1.
    pub fn push_powers(&mut self, first: F, ratio: F, log_len: u32) {
        let begin = self.entries.len();
        self.entries.resize(begin + (1 << log_len), F::ONE);
        let weights = Weights { first: first * self.factor, ratio };
        weigh(&mut self.entries[begin..], &weights, log_len, Order::Natural);
    }

    /// Appends powers in two parts: `first` times `ratio`^e, for e below 2^`log_len`, is the product of entry e mod
    /// 2^k of the first part and entry e div 2^k of the second. Returns k.
    pub fn push_two_levels(&mut self, first: F, ratio: F, log_len: u32) -> u32 {
        let log_low = Pass::log_low(log_len);
        self.push_powers(F::ONE, ratio, log_low);
        self.push_powers(first, ratio.pow([1 << log_low]), log_len - log_low);
        log_low
    }

    /// Appends other values.
    pub fn push_all(&mut self, values: &[F]) {
        let factor = self.factor;
        self.entries.par_extend(values.par_iter().map(|value| *value * factor));
    }

    /// Appends the twiddles between passes: at row i and digits below b, `first` times `root`^(b rev(i)).
    fn push_direct(&mut self, first: F, root: F, log_rows: u32, log_below: u32) {
        let begin = self.entries.len();
        self.entries.resize(begin + (1 << (log_rows + log_below)), first * self.factor);
        self.entries[begin..].par_chunks_mut(1 << log_below).enumerate().for_each(|(row, entries)| {
            let step = root.pow([bit_reverse(row, log_rows) as u64]);
            for i in 1..entries.len() {
                entries[i] = entries[i - 1] * step;
            }
        });
    }

    /// Copies the table to the device.
    pub fn upload(&self, gpu: &Gpu) -> Result<DeviceVec<u32>> {
        gpu.upload_table(&words(&self.entries))
    }
}

/// The tables of a pass in one buffer, and where each begins.
#[derive(Debug)]
pub(super) struct PassTables {
    pub words: DeviceVec<u32>,
    pub outer_at: u32,
    pub log_low_outer: u32,
    pub weights_at: u32,
    pub log_low_weights: u32,
}

impl PassTables {
    /// The tables of `pass`, whose twiddles between passes include `scale`.
    pub fn new<F: Scalar>(
        gpu: &Gpu,
        spec: &Transform<F>,
        pass: &Pass,
        scale: F,
        weights: Option<Weights<F>>,
    ) -> Result<Self> {
        let log_rows = pass.shape.log_rows;
        let root_of = |log: u32| spec.directed_root().pow([1 << (spec.log_n() - log)]);
        let len = pass.table_len(spec.log_n());
        let mut table = Table::new(len as usize)?;
        table.push_powers(F::ONE, root_of(log_rows), log_rows - 1);
        let outer_at = table.len() as u32;
        let mut log_low_outer = 0;
        for factor in [pass.shape.load, pass.shape.store] {
            let root = root_of(pass.log_block());
            match factor {
                Factor::Direct => table.push_direct(scale, root, log_rows, pass.row_digit),
                Factor::Outer => log_low_outer = table.push_two_levels(scale, root, pass.log_block()),
                Factor::One | Factor::Weights => (),
            }
        }
        let weights_at = table.len() as u32;
        let log_low_weights =
            weights.map_or(0, |weights| table.push_two_levels(weights.first, weights.ratio, spec.log_n()));
        Ok(PassTables { words: table.upload(gpu)?, outer_at, log_low_outer, weights_at, log_low_weights })
    }
}

//! Tables of powers, in the form that the kernels multiply by: x R mod r in eight words, with R = 2^270; within passes
//! that of [`Multiples`].

use super::kernels::kernel_factor;
use super::modulus_limbs::{NARROW, PARTS, WIDE};
use super::multiples::Multiples;
use super::plan::{Factor, TransformPlan};
use super::two_levels::log_low;
use crate::Result;
use crate::gpu::{DeviceVec, Family, Gpu};
use crate::ntt::Order;
use crate::ntt::scalar::cpu::room;
use crate::ntt::scalar::powers::weigh;
use crate::ntt::scalar::problem::Weights;
use crate::parallel::*;
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

    /// An empty table of factors that become [`Multiples`].
    pub fn of_multiples(len: usize) -> Result<Self> {
        Ok(Table { entries: room(len)?, factor: F::ONE })
    }

    /// The number of entries so far.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Appends `first` times the powers of `ratio` from 0 to 2^`log_len` - 1.
    fn push_powers(&mut self, first: F, ratio: F, log_len: u32, order: Order) {
        let begin = self.entries.len();
        (0..1usize << log_len).into_par_iter().map(|_| F::ONE).append_to(&mut self.entries);
        let weights = Weights { first: first * self.factor, ratio };
        weigh(&mut self.entries[begin..], &weights, log_len, order);
    }

    /// Appends powers in two parts: `first` times `ratio`^e, for e below 2^`log_len`, is the product of entry e mod
    /// 2^k of the first part and entry e div 2^k of the second. Returns k.
    pub fn push_two_levels(&mut self, first: F, ratio: F, log_len: u32) -> u32 {
        let log_low = log_low(log_len);
        self.push_powers(F::ONE, ratio, log_low, Order::Natural);
        self.push_powers(first, ratio.pow([1 << log_low]), log_len - log_low, Order::Natural);
        log_low
    }

    /// Appends other values.
    pub fn push_all(&mut self, values: &[F]) {
        let factor = self.factor;
        values.par_iter().map(|value| *value * factor).append_to(&mut self.entries);
    }

    /// Copies the tables of the multiples of all entries to the device.
    pub fn upload_multiples(&self, gpu: &Gpu) -> Result<[DeviceVec<u32>; PARTS]> {
        // As the kernels are compiled.
        let int64 = gpu.arithmetic_of(Family::of_bits(F::MODULUS_BIT_SIZE as usize)).int64;
        let Multiples { tables } = Multiples::of(&self.entries, if int64 { NARROW } else { WIDE })?;
        let [first, second, third] = tables.each_ref().map(|table| gpu.upload_table(table.as_flattened()));
        Ok([first?, second?, third?])
    }

    /// Copies the table to the device.
    pub fn upload(&self, gpu: &Gpu) -> Result<DeviceVec<u32>> {
        gpu.upload_table(&words(&self.entries))
    }
}

/// The table of all passes of a transform, and where its parts begin.
#[derive(Debug)]
pub(super) struct TransformTable {
    /// The tables of the [`Multiples`] of the twiddles, or of the factors of sums, then of the factor or weights of coefficients.
    pub words: [DeviceVec<u32>; PARTS],
    /// The number of entries.
    pub factors: u32,
    /// The first entry of the weights.
    pub weights_at: u32,
    /// log2 of the length of the low part of these.
    pub log_low_weights: u32,
}

impl TransformTable {
    pub fn new<F: Scalar>(gpu: &Gpu, plan: &TransformPlan<F>) -> Result<Self> {
        let spec = &plan.spec;
        let mut table = Table::of_multiples(plan.table_len() as usize)?;
        let order = match plan.passes.first() {
            Some(pass) if pass.shape.time => Order::Natural,
            _ => Order::BitReversed,
        };
        if plan.steps().next().is_some() {
            let mut powers = Table { entries: Vec::new(), factor: F::ONE };
            powers.push_powers(F::ONE, spec.directed_root(), spec.log_n(), Order::Natural);
            for step in plan.steps() {
                let exponents = (0..step.factors() as usize).into_par_iter().map(|at| step.exponent(at));
                exponents.map(|exponent| powers.entries[exponent]).append_to(&mut table.entries);
            }
        } else {
            table.push_powers(F::ONE, spec.directed_root(), plan.log_twiddles, order);
        }
        let weights_at = table.len() as u32;
        let mut log_low_weights = 0;
        let factors = plan.passes.iter().flat_map(|pass| [pass.shape.load, pass.shape.store]);
        for (factor, weights) in factors.zip(std::iter::repeat(spec.weights()?)) {
            match (factor, weights) {
                (Factor::Scale, Some(weights)) => table.push_all(&[weights.first]),
                (Factor::Weights, Some(weights)) => {
                    log_low_weights = table.push_two_levels(weights.first, weights.ratio, spec.log_n());
                }
                _ => (),
            }
        }
        let factors = table.len() as u32;
        Ok(TransformTable { words: table.upload_multiples(gpu)?, factors, weights_at, log_low_weights })
    }
}

//! Operations on vectors of scalars on a GPU.

use super::kernels::{
    self, COMBINE, CombineBuffers, CombineParams, FLAT, Field, INVERT, InvertBuffers, InvertParams,
    Operation, SCALE, SHARED_INVERSIONS, SPARSE, ScaleBuffers, ScaleParams,
};
use super::tables::Table;
use crate::Result;
use crate::gpu::{DeviceVec, Gpu, Pipeline, Recorder, Written};
use crate::scalars::{DeviceScalars, SCALAR_WORDS, Scalar};
use std::marker::PhantomData;

/// The operations on one GPU. Kernels are compiled when they are first used.
#[derive(Debug)]
pub(in crate::ntt::scalar) struct VectorKernels<F> {
    gpu: Gpu,
    field: PhantomData<fn() -> F>,
}

/// A part of a vector in one buffer.
struct Part<'v> {
    buffer: &'v wgpu::Buffer,
    /// The index of its first scalar.
    first: usize,
    len: u32,
}

/// The vector's scalars, buffer by buffer, without those that were truncated.
fn parts<F: Scalar>(vector: &DeviceScalars<F>) -> impl Iterator<Item = Part<'_>> {
    let chunk = vector.words().chunk_len() / SCALAR_WORDS;
    vector.words().chunks().iter().enumerate().filter_map(move |(i, buffer)| {
        let first = i * chunk;
        let len = vector.len().saturating_sub(first).min(chunk) as u32;
        (len > 0).then_some(Part { buffer, first, len })
    })
}

impl<F: Scalar> VectorKernels<F> {
    pub fn new(gpu: &Gpu) -> Self {
        VectorKernels { gpu: gpu.clone(), field: PhantomData }
    }

    /// Compiles the kernels of sums, differences, products, and products with matrices.
    pub fn compile(&self) -> Result<()> {
        let operations = [Operation::Add, Operation::Subtract, Operation::Multiply];
        let combine = operations.map(|operation| (&COMBINE, kernels::combine(&Field::of::<F>(), operation)));
        let sparse =
            [false, true].map(|is_long| (&SPARSE, kernels::sparse(&Field::of::<F>(), is_long, false)));
        let wanted: Vec<_> = combine.into_iter().chain(sparse).collect();
        self.gpu.pipelines_of(&wanted).map(drop)
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// `a` = `a` operation `b`, of the same length.
    pub fn combine(&self, a: &DeviceScalars<F>, b: &DeviceScalars<F>, operation: Operation) -> Result<()> {
        self.gpu.expect_same_device([a.gpu(), b.gpu()])?;
        let pipeline = self.gpu.pipeline(&COMBINE, &kernels::combine(&Field::of::<F>(), operation))?;
        let mut recorder = self.gpu.record();
        for (a, b) in parts(a).zip(parts(b)) {
            let params = CombineParams { len: a.len };
            let groups = a.len.div_ceil(FLAT);
            let buffers = CombineBuffers { target_scalars: Written(a.buffer), other_scalars: b.buffer };
            recorder.dispatch(&pipeline, "combine", &buffers, &params, groups)?;
        }
        recorder.submit_later()
    }

    /// Multiplies scalar i by `first` `ratio`^i.
    pub fn scale_by_powers(&self, a: &DeviceScalars<F>, first: F, ratio: F) -> Result<()> {
        let log_len = a.len().next_power_of_two().ilog2();
        let mut table = Table::new(0)?;
        let log_low = table.push_two_levels(first, ratio, log_len);
        let pipeline = self.gpu.pipeline(&SCALE, &kernels::scale(&Field::of::<F>(), 2))?;
        self.scale(&pipeline, a, &table.upload(&self.gpu)?, |part| ScaleParams {
            len: part.len,
            first: part.first as u32,
            shift: 0,
            mask: (1 << log_low) - 1,
            second_shift: log_low,
            second_at: 1 << log_low,
        })
    }

    /// Multiplies scalar i by entry (i >> shift) of the table, modulo its length, a power of two.
    pub fn multiply_by_table(&self, a: &DeviceScalars<F>, table: &[F], shift: u32) -> Result<()> {
        let mask = table.len() as u32 - 1;
        let mut entries = Table::new(table.len())?;
        entries.push_all(table);
        let pipeline = self.gpu.pipeline(&SCALE, &kernels::scale(&Field::of::<F>(), 1))?;
        self.scale(&pipeline, a, &entries.upload(&self.gpu)?, |part| ScaleParams {
            len: part.len,
            first: part.first as u32,
            shift,
            mask,
            second_shift: 0,
            second_at: 0,
        })
    }

    fn scale(
        &self,
        pipeline: &Pipeline,
        a: &DeviceScalars<F>,
        table: &DeviceVec<u32>,
        params: impl Fn(&Part) -> ScaleParams,
    ) -> Result<()> {
        self.gpu.expect_same_device([a.gpu()])?;
        let mut recorder: Recorder = self.gpu.record();
        for part in parts(a) {
            let groups = part.len.div_ceil(FLAT);
            let buffers = ScaleBuffers { target_scalars: Written(part.buffer), tables: table.whole()? };
            recorder.dispatch(pipeline, "scale", &buffers, &params(&part), groups)?;
        }
        recorder.submit_later()
    }

    /// Replaces every scalar by its inverse; 0 stays.
    pub fn invert(&self, a: &DeviceScalars<F>) -> Result<()> {
        self.gpu.expect_same_device([a.gpu()])?;
        let pipeline = self.gpu.pipeline(&INVERT, &kernels::invert(&Field::of::<F>()))?;
        let products: DeviceVec<u32> = self.gpu.zeros(a.words().len())?;
        let mut recorder = self.gpu.record();
        for (part, products) in parts(a).zip(products.chunks()) {
            let threads = (part.len as usize).div_ceil(SHARED_INVERSIONS) as u32;
            let params = InvertParams { len: part.len, threads };
            let groups = threads.div_ceil(FLAT);
            let buffers = InvertBuffers { target_scalars: Written(part.buffer), products: Written(products) };
            recorder.dispatch(&pipeline, "inverses", &buffers, &params, groups)?;
        }
        recorder.submit_later()
    }
}

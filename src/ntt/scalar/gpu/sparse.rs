//! Products of sparse matrices and vectors on a GPU.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

use super::kernels::{self, FLAT, Field, SPARSE, SparseBuffers, SparseParams};
use super::tables::Table;
use crate::Result;
use crate::gpu::{DeviceVec, Gpu, Pipeline, Written};
use crate::ntt::scalar::SparseMatrix;
use crate::scalars::{DeviceScalars, SCALAR_BYTES, Scalar};

/// The entries of a row that one thread adds up, at most; a workgroup adds up those of longer rows.
const LONG: usize = 64;
/// Bytes of an entry, and of a row.
const ENTRY_BYTES: u64 = 8;

/// A sparse matrix on a GPU: its rows in parts, each of which fits the bindings.
#[derive(Debug)]
pub(in crate::ntt::scalar) struct DeviceMatrix<F> {
    parts: Vec<Part>,
    field: PhantomData<fn() -> F>,
}

/// Some rows, all short or all long.
#[derive(Debug)]
struct Part {
    pipeline: Arc<Pipeline>,
    groups: u32,
    count: u32,
    rows: DeviceVec<u32>,
    entries: DeviceVec<u32>,
    factors: DeviceVec<u32>,
}

/// A part, before it goes to the device.
struct Layout<F> {
    /// For each row its number and the place of its first entry.
    rows: Vec<u32>,
    /// For each entry its column and the place of its factor.
    entries: Vec<u32>,
    factors: Vec<F>,
    places: HashMap<F, u32>,
}

impl<F: Scalar> Layout<F> {
    fn new() -> Self {
        Layout { rows: Vec::new(), entries: Vec::new(), factors: Vec::new(), places: HashMap::new() }
    }

    fn len(&self) -> usize {
        self.entries.len() / 2
    }

    fn push(&mut self, row: usize, entries: impl Iterator<Item = (u32, F)>) {
        self.rows.extend([row as u32, self.len() as u32]);
        for (column, factor) in entries {
            // Most entries have the factor 1 or that of the entry before.
            let last = self.entries.last().map(|&place| place as usize);
            let place = match last.filter(|&place| self.factors[place] == factor) {
                Some(place) => place as u32,
                None => {
                    let next = self.factors.len() as u32;
                    let place = *self.places.entry(factor).or_insert(next);
                    if place == next {
                        self.factors.push(factor);
                    }
                    place
                }
            };
            self.entries.extend([column, place]);
        }
    }

    fn upload(mut self, gpu: &Gpu, is_long: bool) -> Result<Part> {
        let count = self.rows.len() as u32 / 2;
        // The last row ends where another would begin.
        self.rows.extend([0, self.len() as u32]);
        let mut factors = Table::new(self.factors.len())?;
        factors.push_all(&self.factors);
        Ok(Part {
            pipeline: gpu.pipeline(&SPARSE, &kernels::sparse(&Field::of::<F>(), is_long))?,
            groups: if is_long { count } else { count.div_ceil(FLAT) },
            count,
            rows: gpu.upload_table(&self.rows)?,
            entries: gpu.upload_table(&self.entries)?,
            factors: factors.upload(gpu)?,
        })
    }
}

impl<F: Scalar> DeviceMatrix<F> {
    /// Copies a matrix to the device.
    pub fn new(gpu: &Gpu, matrix: &SparseMatrix<F>) -> Result<Self> {
        let binding = gpu.binding_len::<u8>()? as u64;
        let most = |bytes: u64| usize::try_from(binding / bytes).unwrap_or(usize::MAX).max(1);
        let (most_entries, most_factors) = (most(ENTRY_BYTES), most(SCALAR_BYTES));
        // One more row stands behind the last.
        let most_rows = most_entries.saturating_sub(1);
        let mut parts = Vec::new();
        for is_long in [false, true] {
            let mut layout = Layout::new();
            for row in (0..matrix.rows()).filter(|&row| (matrix.row_len(row) > LONG) == is_long) {
                let own = matrix.row_len(row);
                let is_full = layout.len() + own > most_entries
                    || layout.factors.len() + own > most_factors
                    || layout.rows.len() / 2 >= most_rows;
                if is_full && !layout.rows.is_empty() {
                    parts.push(std::mem::replace(&mut layout, Layout::new()).upload(gpu, is_long)?);
                }
                layout.push(row, matrix.row(row));
            }
            if !layout.rows.is_empty() {
                parts.push(layout.upload(gpu, is_long)?);
            }
        }
        Ok(DeviceMatrix { parts, field: PhantomData })
    }

    /// `target` = this matrix times `source`, which have as many scalars as there are rows and columns.
    pub fn multiply(&self, source: &DeviceScalars<F>, target: &DeviceScalars<F>) -> Result<()> {
        let gpu = target.gpu();
        gpu.expect_same_device([source.gpu()])?;
        self.parts.iter().try_for_each(|part| gpu.expect_same_device([part.rows.gpu()]))?;
        let (source, target) = (source.words().whole()?, target.words().whole()?);
        let mut recorder = gpu.record();
        for part in &self.parts {
            let buffers = SparseBuffers {
                target_scalars: Written(target),
                source_scalars: source,
                rows: part.rows.whole()?,
                entries: part.entries.whole()?,
                factors: part.factors.whole()?,
            };
            let params = SparseParams { rows: part.count };
            recorder.dispatch(&part.pipeline, "matrix products", &buffers, &params, part.groups)?;
        }
        recorder.submit_later()
    }
}

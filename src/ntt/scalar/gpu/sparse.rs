//! Products of sparse matrices and vectors on a GPU.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

use super::kernels::{self, FLAT, Field, SPARSE, SparseBuffers, SparseParams};
use super::tables::Table;
use crate::gpu::{DeviceVec, Gpu, Pipeline, Written};
use crate::ntt::scalar::SparseMatrix;
use crate::parallel::*;
use crate::scalars::{DeviceScalars, SCALAR_BYTES, SCALAR_WORDS, Scalar};
use crate::{Error, Result};

/// The entries of a row that one thread adds up, at most; a workgroup adds up those of longer rows.
const LONG: usize = 64;
/// Rows that a thread lays out, at least.
const SHARE: usize = 1 << 12;
/// Bytes of an entry, and of a row.
const ENTRY_BYTES: u64 = 8;

/// A sparse matrix on a GPU, in parts, each of which fits the bindings.
#[derive(Debug)]
pub(in crate::ntt::scalar) struct DeviceMatrix<F> {
    parts: Vec<Part>,
    field: PhantomData<fn() -> F>,
}

/// Some rows, all short or all long, or their entries in the columns of one buffer.
#[derive(Debug)]
struct Part {
    /// The buffer of the product, by its number.
    target: usize,
    /// The buffer of the vector.
    source: usize,
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

    /// Appends rows that were laid out apart. A factor that both have is there twice.
    fn append(&mut self, other: Layout<F>) {
        let (entries, factors) = (self.len() as u32, self.factors.len() as u32);
        self.rows
            .extend(other.rows.as_chunks::<2>().0.iter().flat_map(|[row, begin]| [*row, begin + entries]));
        let places = other.entries.as_chunks::<2>().0.iter();
        self.entries.extend(places.flat_map(|[column, place]| [*column, place + factors]));
        self.factors.extend(other.factors);
    }

    fn upload(mut self, gpu: &Gpu, is_long: bool, adds: bool) -> Result<Part> {
        let count = self.rows.len() as u32 / 2;
        // The last row ends where another would begin.
        self.rows.extend([0, self.len() as u32]);
        let mut factors = Table::new(self.factors.len())?;
        factors.push_all(&self.factors);
        Ok(Part {
            target: 0,
            source: 0,
            pipeline: gpu.pipeline(&SPARSE, &kernels::sparse(&Field::of::<F>(), is_long, adds))?,
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
        let chunk = (gpu.chunk_len::<u32>()? / SCALAR_WORDS).max(1);
        let columns = matrix.largest_column().map_or(1, |column| column as usize + 1);
        let mut parts = Vec::new();
        for target in 0..matrix.rows().div_ceil(chunk) {
            for source in 0..columns.div_ceil(chunk) {
                let block = Block { matrix, chunk, target, source };
                for is_long in [false, true] {
                    block.upload(gpu, is_long, &mut parts)?;
                }
            }
        }
        Ok(DeviceMatrix { parts, field: PhantomData })
    }

    /// `target` = this matrix times `source`, which have as many scalars as there are rows and columns.
    pub fn multiply(&self, source: &DeviceScalars<F>, target: &DeviceScalars<F>) -> Result<()> {
        let gpu = target.gpu();
        gpu.expect_same_device([source.gpu()])?;
        self.parts.iter().try_for_each(|part| gpu.expect_same_device([part.rows.gpu()]))?;
        let mut recorder = gpu.record();
        for part in &self.parts {
            let buffers = SparseBuffers {
                target_scalars: Written(chunk_of(target, part.target)?),
                source_scalars: chunk_of(source, part.source)?,
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

/// One of the buffers of a vector.
fn chunk_of<F: Scalar>(vector: &DeviceScalars<F>, number: usize) -> Result<&wgpu::Buffer> {
    let chunk = vector.words().chunks().get(number);
    chunk.ok_or(Error::OtherPlan { what: "the binding limit of the device" })
}

/// The part of a matrix of which one buffer has the scalars of the columns, and one those of the rows.
struct Block<'m, F> {
    matrix: &'m SparseMatrix<F>,
    /// Scalars of a buffer.
    chunk: usize,
    target: usize,
    source: usize,
}

impl<F: Scalar> Block<'_, F> {
    /// The entries of a row in these columns.
    fn row(&self, row: usize) -> impl Iterator<Item = (u32, F)> + '_ {
        let first = self.source * self.chunk;
        let columns = first..first.saturating_add(self.chunk);
        let own = self.matrix.row(row).filter(move |(column, _)| columns.contains(&(*column as usize)));
        own.map(move |(column, factor)| (column - first as u32, factor))
    }

    /// Appends the parts with long rows, or those with others.
    fn upload(&self, gpu: &Gpu, is_long: bool, parts: &mut Vec<Part>) -> Result<()> {
        let binding = gpu.binding_len::<u8>()? as u64;
        let most = |bytes: u64| usize::try_from(binding / bytes).unwrap_or(usize::MAX).max(1);
        let (most_entries, most_factors) = (most(ENTRY_BYTES), most(SCALAR_BYTES));
        // One more row stands behind the last.
        let most_rows = most_entries.saturating_sub(1);
        let fits = |layout: &Layout<F>, [rows, entries, factors]: [usize; 3]| {
            layout.rows.len() / 2 + rows <= most_rows
                && layout.len() + entries <= most_entries
                && layout.factors.len() + factors <= most_factors
        };
        // The first columns set every scalar of the product, the others add to some.
        let adds = self.source > 0;
        let first = self.target * self.chunk;
        let rows = (first..self.matrix.rows().min(first + self.chunk)).into_par_iter().with_min_len(SHARE);
        let laid_out = rows.of_ranges(|rows| {
            let mut layouts = vec![Layout::new()];
            for row in rows {
                let own = self.row(row).count();
                if (own > LONG) != is_long || adds && own == 0 {
                    continue;
                }
                if layouts.last().is_none_or(|last| !fits(last, [1, own, own])) {
                    layouts.push(Layout::new());
                }
                if let Some(last) = layouts.last_mut() {
                    last.push(row - first, self.row(row));
                }
            }
            layouts
        });
        let mut push = |layout: Layout<F>| {
            if !layout.rows.is_empty() {
                let (target, source) = (self.target, self.source);
                let part = layout.upload(gpu, is_long, adds)?;
                parts.push(Part { target, source, ..part });
            }
            Ok::<_, Error>(())
        };
        let mut all = Layout::new();
        for layout in laid_out.into_iter().flatten() {
            if !fits(&all, [layout.rows.len() / 2, layout.len(), layout.factors.len()]) {
                push(std::mem::replace(&mut all, Layout::new()))?;
            }
            all.append(layout);
        }
        push(all)
    }
}

//! Echelon forms and products of matrices with ones anywhere.

use std::ops::Range;
use std::sync::Arc;

use super::blocks::{BATCH, Blocks, Look, Steps, blocks_bytes, info};
use super::kernels::{
    BLOCK, FACTORS, INFO, PANEL_FIRST, PANEL_FLAGGED, PANEL_REMAINDERS, PREDICT, UPDATE, UPDATE_NEXT,
};
use super::matrix::{DeviceMatrix, VECTOR, download_bytes, matrix_bytes, tiles_of, upload_bytes};
use super::shape::{Shape, ordered, panel};
use crate::gf2::{BitMatrix, Echelon};
use crate::gpu::{DeviceVec, Gpu, Pipeline, Recorder, Variant, block_on};
use crate::{Error, Result};

/// The echelon form of a matrix, reduced if `full`, with pivots in the first `limit` columns only.
pub(super) async fn echelon(gpu: &Gpu, matrix: &BitMatrix, limit: usize, full: bool) -> Result<Echelon> {
    let mut device = DeviceMatrix::upload(gpu, matrix)?;
    let pivots = device.eliminate_async(limit, full).await?;
    Ok(Echelon { matrix: device.download_echelon_async(&pivots, full).await?, pivots })
}

/// Bytes of device memory that [`echelon`] takes on a device with such a binding limit. A bound that
/// is met.
pub(super) fn dense_bytes(rows: usize, columns: usize, limit: usize, binding_bytes: u64) -> u64 {
    let eliminates = rows > 0 && columns.min(limit) > 0;
    let beside = [
        upload_bytes(rows, columns, binding_bytes),
        if eliminates { blocks_bytes(rows, columns, limit) } else { 0 },
        download_bytes(rows, columns, binding_bytes),
    ];
    matrix_bytes(rows, columns) + beside.into_iter().max().unwrap_or(0)
}

/// a * b; a has as many columns as b has rows.
pub(super) async fn multiply(gpu: &Gpu, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
    // The factors are dropped before the product is downloaded.
    let product = DeviceMatrix::upload(gpu, a)?.multiply(&DeviceMatrix::upload(gpu, b)?)?;
    product.download_async().await
}

/// Bytes of device memory that [`multiply`] takes for a factor of `rows` rows and `inner` columns
/// and one of `columns` columns, on a device with such a binding limit. A bound that is met.
pub(super) fn product_bytes(rows: usize, inner: usize, columns: usize, binding_bytes: u64) -> u64 {
    let a = matrix_bytes(rows, inner);
    let b = matrix_bytes(inner, columns);
    let product = matrix_bytes(rows, columns);
    let acting = VECTOR * (BLOCK * tiles_of(columns).max(1)) as u64;
    let outcome = 4 * OUTCOME_OF_PRODUCTS as u64;
    let times = [
        a + upload_bytes(rows, inner, binding_bytes),
        a + b + upload_bytes(inner, columns, binding_bytes),
        a + b + product + acting + outcome,
        product + download_bytes(rows, columns, binding_bytes),
    ];
    times.into_iter().max().unwrap_or(0)
}

/// Words of the outcome that a product's updates read: that of a panel which did not fail.
const OUTCOME_OF_PRODUCTS: usize = 4;

impl DeviceMatrix {
    /// The product of this matrix and `other`.
    ///
    /// # Errors
    /// [`Error::Input`] where this has other than as many columns as `other` has rows; those of the
    /// device.
    pub fn multiply(&self, other: &DeviceMatrix) -> Result<DeviceMatrix> {
        if self.columns() != other.rows() {
            let message = format!("a factor of {} columns and one of {} rows", self.columns(), other.rows());
            return Err(Error::Input(message));
        }
        let gpu = self.gpu();
        let product = DeviceMatrix::zeros(gpu, self.rows(), other.columns())?;
        let shape = Shape::of(gpu);
        let rows_a_thread = shape.rows_a_thread(self.rows(), other.tiles() as usize);
        let rows_a_group = shape.workgroup * rows_a_thread;
        let [factors, update] = gpu
            .pipelines([(&FACTORS, &Variant::plain(256)), (&UPDATE, &shape.variant(rows_a_thread, true))])?;
        let acting: DeviceVec<[u32; 4]> = gpu.zeros(BLOCK * other.tiles().max(1) as usize)?;
        let outcome: DeviceVec<u32> = gpu.zeros(OUTCOME_OF_PRODUCTS)?;
        let mut recorder = gpu.record();
        for block in 0..self.tiles() / 2 {
            for part in other.parts() {
                let params = [block, other.stride(), part.first_tile];
                let buffers = [part.buffer()?, acting.whole()?];
                recorder.dispatch(&factors, "factors", &buffers, &params, part.tiles)?;
            }
            let selecting = self.part_of(2 * block)?;
            for part in product.parts() {
                let (span, groups) = Shape::span_and_groups(part.tiles, self.rows() as u32, rows_a_group);
                let params = [
                    self.rows() as u32,
                    product.stride(),
                    part.first_tile,
                    part.first_tile,
                    part.tiles,
                    span,
                    1,
                    (2 * block - selecting.first_tile) * self.stride(),
                    self.stride(),
                    0,
                ];
                let buffers = [outcome.whole()?, part.buffer()?, acting.whole()?, selecting.buffer()?];
                recorder.dispatch(&update, "update", &buffers, &params, groups)?;
            }
        }
        recorder.submit()?;
        Ok(product)
    }

    /// Brings the matrix to echelon form in the first `limit` columns, reduced if `full`, and
    /// returns the pivots' columns; row i has pivot i. Without `full` what a row has before its
    /// pivot's block is not cleared: [`download_echelon`](Self::download_echelon) does.
    ///
    /// # Errors
    /// Those of the device.
    pub fn eliminate(&mut self, limit: usize, full: bool) -> Result<Vec<u32>> {
        block_on(self.eliminate_async(limit, full))
    }

    /// [`eliminate`](Self::eliminate) for the browser.
    pub async fn eliminate_async(&mut self, limit: usize, full: bool) -> Result<Vec<u32>> {
        let columns = limit.min(self.columns());
        if self.rows() == 0 || columns == 0 {
            return Ok(Vec::new());
        }
        Elimination::new(self, columns, full)?.run().await
    }

    /// The host's copy of a matrix brought to echelon form with these pivots.
    ///
    /// # Errors
    /// [`crate::Error::OutOfMemory`] on the host, [`crate::Error::DeviceLost`].
    pub fn download_echelon(&self, pivots: &[u32], full: bool) -> Result<BitMatrix> {
        block_on(self.download_echelon_async(pivots, full))
    }

    /// [`download_echelon`](Self::download_echelon) for the browser.
    pub async fn download_echelon_async(&self, pivots: &[u32], full: bool) -> Result<BitMatrix> {
        let first_tile = |row: usize| match pivots.get(row) {
            _ if full => 0,
            Some(&pivot) => 2 * (pivot / BLOCK as u32),
            None => self.tiles(),
        };
        let rows: Vec<[u32; 2]> = (0..self.rows()).map(|row| [row as u32, first_tile(row)]).collect();
        self.download_rows(&rows, false).await
    }
}

/// Where the pivots of a block are sought. The first block for which that is not enough is done
/// again, and it and the later ones with another search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    /// Among the first rows that are no pivots: enough for a random matrix.
    First,
    /// There, and then, where columns without a pivot are left, among the first rows that have
    /// anything left in them: for a matrix with equal columns, which has no such rows.
    FirstThenFlagged,
    /// Among the first rows that have anything left in the block: for a permutation.
    Flagged,
    /// The same, then once more.
    FlaggedTwice,
}

/// Pivots of a block among its first rows that make these worth a look.
const WORTH_A_LOOK: usize = BLOCK / 4;

impl Search {
    /// The search after one that failed, in a block for which it found `found` pivots.
    fn next(self, found: usize) -> Self {
        match self {
            Search::First if found >= WORTH_A_LOOK => Search::FirstThenFlagged,
            Search::First => Search::Flagged,
            Search::FirstThenFlagged | Search::Flagged | Search::FlaggedTwice => Search::FlaggedTwice,
        }
    }

    /// Whether the first panel of a block is over flagged rows.
    fn takes_flagged(self) -> bool {
        matches!(self, Search::Flagged | Search::FlaggedTwice)
    }

    fn looks_again(self) -> bool {
        matches!(self, Search::FirstThenFlagged | Search::FlaggedTwice)
    }
}

struct Elimination<'m> {
    blocks: Blocks<'m>,
    full: bool,
    search: Search,
    /// A block that failed. Some of its pivots are known, and a panel that takes rows as they are no
    /// longer fits.
    begun: Option<usize>,
    /// The next block that is not recorded, and pivot rows before it, at least.
    next: usize,
    done: u32,
    first: Arc<Pipeline>,
    flagged: Arc<Pipeline>,
    remainders: Arc<Pipeline>,
    predict: Arc<Pipeline>,
    update_next: Arc<Pipeline>,
}

impl<'m> Elimination<'m> {
    fn new(matrix: &'m DeviceMatrix, limit: usize, full: bool) -> Result<Self> {
        let gpu = matrix.gpu();
        let pipelines = || {
            gpu.pipelines([
                (&PANEL_FIRST, &panel("first", false)),
                (&PANEL_FLAGGED, &panel("flagged", false)),
                (&PANEL_REMAINDERS, &panel("remainders", false)),
                (&PREDICT, &ordered(false)),
                (&UPDATE_NEXT, &ordered(false)),
            ])
        };
        let blocks = || Blocks::new(matrix, limit, &info(limit, |_| true, |_| false), false, full);
        let ([first, flagged, remainders, predict, update_next], blocks) = gpu.beside(pipelines, blocks)?;
        Ok(Elimination {
            blocks,
            full,
            search: Search::First,
            begun: None,
            next: 0,
            done: 0,
            first,
            flagged,
            remainders,
            predict,
            update_next,
        })
    }

    /// Eliminates, and returns the pivots' columns.
    async fn run(mut self) -> Result<Vec<u32>> {
        let gpu = self.blocks.gpu.clone();
        let mut recorder = gpu.record();
        self.blocks.extract(&mut recorder, 0)?;
        while self.next < self.blocks.count {
            let end = self.blocks.count.min(self.next + BATCH);
            self.record(&mut recorder, self.next..end)?;
            recorder.submit()?;
            let (failed, done) = self.blocks.result(end).await?;
            (self.next, self.done) = (failed.unwrap_or(end), done);
            self.begun = failed;
            if let Some(block) = failed {
                self.search = self.search.next(self.found(block).await?);
            }
        }
        self.pivots().await
    }

    fn state(&self, recorder: &mut Recorder<'_>, block: usize, again: bool) -> Result<()> {
        self.blocks.state(recorder, block, self.done / 32 * 32..self.blocks.rows, again)
    }

    /// A panel over rows as the block's pivots that are known leave them.
    fn panel_over_remainders(&self, recorder: &mut Recorder<'_>, block: usize, look: Look) -> Result<()> {
        let blocks = &self.blocks;
        let buffers = [&self.panel_buffers(block)?[..], &[blocks.remainders.whole()?, blocks.flags.whole()?]];
        recorder.dispatch(&self.remainders, "panel", &buffers.concat(), &blocks.panel_params(block, look), 1)
    }

    /// The buffers that every panel takes.
    fn panel_buffers(&self, block: usize) -> Result<[&wgpu::Buffer; 5]> {
        let blocks = &self.blocks;
        Ok([
            blocks.previous(block)?,
            blocks.outcome(block)?,
            blocks.info.whole()?,
            blocks.states.whole()?,
            blocks.selections(block)?,
        ])
    }

    /// Pivots that a block has.
    async fn found(&self, block: usize) -> Result<usize> {
        let present = self.blocks.info.read_async(INFO * block..INFO * block + 8).await?;
        Ok(present.iter().map(|word| word.count_ones() as usize).sum())
    }

    async fn pivots(&self) -> Result<Vec<u32>> {
        let info = self.blocks.info.read_async(0..INFO * self.blocks.count).await?;
        let columns = info.chunks_exact(INFO).enumerate().flat_map(|(b, block)| {
            let has_pivot = |k: &usize| block[k / 32] >> (k % 32) & 1 == 1;
            (0..BLOCK).filter(has_pivot).map(move |k| (BLOCK * b + k) as u32).collect::<Vec<_>>()
        });
        Ok(columns.collect())
    }
}

impl<'m> Steps<'m> for Elimination<'m> {
    fn blocks(&self) -> &Blocks<'m> {
        &self.blocks
    }

    fn look(&self, recorder: &mut Recorder<'_>, block: usize) -> Result<()> {
        match self.begun == Some(block) {
            true => self.state(recorder, block, false),
            false => Ok(()),
        }
    }

    fn panel(&self, recorder: &mut Recorder<'_>, block: usize) -> Result<()> {
        let look = if self.search.looks_again() { Look::First } else { Look::Only };
        if self.begun == Some(block) {
            return self.panel_over_remainders(recorder, block, look);
        }
        let (buffers, params) = (self.panel_buffers(block)?, self.blocks.panel_params(block, look));
        if self.search.takes_flagged() {
            let buffers = [&buffers[..], &[self.blocks.flags.whole()?]].concat();
            return recorder.dispatch(&self.flagged, "panel", &buffers, &params, 1);
        }
        recorder.dispatch(&self.first, "panel", &buffers, &params, 1)
    }

    fn panel_again(&self, recorder: &mut Recorder<'_>, block: usize) -> Result<()> {
        if !self.search.looks_again() {
            return Ok(());
        }
        self.state(recorder, block, true)?;
        self.panel_over_remainders(recorder, block, Look::Second)
    }

    fn predict(&self, recorder: &mut Recorder<'_>, block: usize, tiles: Range<u32>) -> Result<()> {
        self.blocks.predict(recorder, &self.predict, block, tiles, None)
    }

    fn reach(&self, block: usize) -> (Range<u32>, Range<u32>) {
        let blocks = &self.blocks;
        // Without rows above to clear, nobody looks at the block's own columns again.
        if self.full {
            return (0..blocks.rows, blocks.tiles_from(block));
        }
        let found = if self.search == Search::First { (block - self.next) * BLOCK } else { 0 };
        (0..blocks.rows_after(self.done + found as u32), blocks.tiles_from(block + 1))
    }

    fn update_next(&self, recorder: &mut Recorder<'_>, block: usize, tiles: Range<u32>) -> Result<()> {
        let (rows, _) = self.reach(block);
        let own = [u32::from(self.full), u32::from(self.search.takes_flagged())];
        let flags = self.blocks.flags.whole()?;
        self.blocks.update_next(recorder, &self.update_next, block, (rows, tiles), flags, &own)
    }
}

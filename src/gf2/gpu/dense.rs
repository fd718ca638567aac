//! Echelon forms and products of matrices with ones anywhere.

use std::sync::Arc;

use super::blocks::{BATCH, Blocks, Look, info};
use super::kernels::{
    BLOCK, FACTORS, INFO, PANEL_FIRST, PANEL_FLAGGED, PREDICT, Shape, UPDATE, ordered, panel,
};
use super::matrix::DeviceMatrix;
use crate::gf2::{BitMatrix, Echelon};
use crate::gpu::{DeviceVec, Gpu, Pipeline, Recorder, Variant, block_on};
use crate::{Error, Result};

/// The echelon form of a matrix, reduced if `full`, with pivots in the first `limit` columns only.
pub(super) async fn echelon(gpu: &Gpu, matrix: &BitMatrix, limit: usize, full: bool) -> Result<Echelon> {
    let mut device = DeviceMatrix::upload(gpu, matrix)?;
    let pivots = device.eliminate_async(limit, full).await?;
    Ok(Echelon { matrix: device.download_echelon_async(&pivots, full).await?, pivots })
}

/// a * b; a has as many columns as b has rows.
pub(super) async fn multiply(gpu: &Gpu, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
    DeviceMatrix::upload(gpu, a)?.multiply(&DeviceMatrix::upload(gpu, b)?)?.download_async().await
}

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
        let factors = gpu.pipeline(&FACTORS, &Variant::plain(256))?;
        let update = gpu.pipeline(&UPDATE, &shape.variant(rows_a_thread, true))?;
        let acting: DeviceVec<[u32; 4]> = gpu.zeros(BLOCK * other.tiles().max(1) as usize)?;
        let (control, nowhere) = (gpu.zeros::<u32>(4)?, gpu.zeros::<[u32; 4]>(1)?);
        let mut recorder = gpu.record();
        for block in 0..self.tiles() / 2 {
            for part in other.parts() {
                let params = [block, other.stride(), part.first_tile];
                let buffers = [part.buffer()?, acting.whole()?];
                recorder.dispatch(&factors, "factors", &buffers, &params, part.tiles)?;
            }
            let selecting = self.part_of(2 * block)?;
            for part in product.parts() {
                let params = [
                    block,
                    self.rows() as u32,
                    product.stride(),
                    part.first_tile,
                    part.first_tile,
                    part.tiles,
                    u32::MAX,
                    1,
                    (2 * block - selecting.first_tile) * self.stride(),
                    self.stride(),
                    0,
                ];
                let buffers = [
                    control.whole()?,
                    part.buffer()?,
                    acting.whole()?,
                    selecting.buffer()?,
                    nowhere.whole()?,
                    control.whole()?,
                ];
                let groups = part.tiles * (self.rows() as u32).div_ceil(rows_a_group);
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

struct Elimination<'m> {
    blocks: Blocks<'m>,
    full: bool,
    moves: DeviceVec<u32>,
    first: Arc<Pipeline>,
    flagged: Arc<Pipeline>,
    predict: Arc<Pipeline>,
}

impl<'m> Elimination<'m> {
    fn new(matrix: &'m DeviceMatrix, limit: usize, full: bool) -> Result<Self> {
        let gpu = matrix.gpu();
        Ok(Elimination {
            blocks: Blocks::new(matrix, limit, &info(limit, |_| true, |_| false), false)?,
            full,
            moves: gpu.zeros(1 + 2 * BLOCK)?,
            first: gpu.pipeline(&PANEL_FIRST, &panel("first", false))?,
            flagged: gpu.pipeline(&PANEL_FLAGGED, &panel("flagged", false))?,
            predict: gpu.pipeline(&PREDICT, &ordered(false))?,
        })
    }

    /// Eliminates, and returns the pivots' columns.
    ///
    /// A matrix of full rank finds its pivots among the first rows of each block. The first block
    /// that does not ends this trust: from then on all rows are looked at in every block.
    async fn run(mut self) -> Result<Vec<u32>> {
        let gpu = self.blocks.gpu.clone();
        let mut recorder = gpu.record();
        self.blocks.extract(&mut recorder, 0)?;
        let (mut block, mut done, mut trusting) = (0, 0, true);
        let mut resumed = false;
        while block < self.blocks.count {
            let end = self.blocks.count.min(block + BATCH);
            for b in block..end {
                let seen = resumed && b == block;
                if !seen {
                    self.panel_first(&mut recorder, b, if trusting { Look::Only } else { Look::First })?;
                }
                if !trusting {
                    self.panel_flagged(&mut recorder, b, if seen { Look::Only } else { Look::Second })?;
                }
                let rows =
                    self.blocks.rows_after(if trusting { done + ((b - block) * BLOCK) as u32 } else { done });
                self.apply(&mut recorder, b, rows)?;
            }
            recorder.submit()?;
            let failed;
            (failed, done) = self.blocks.outcome(end).await?;
            (block, resumed) = (failed.unwrap_or(end), failed.is_some());
            trusting &= failed.is_none();
        }
        self.pivots().await
    }

    fn panel_first(&self, recorder: &mut Recorder<'_>, block: usize, look: Look) -> Result<()> {
        let blocks = &self.blocks;
        let buffers = [
            blocks.control.whole()?,
            blocks.info.whole()?,
            blocks.states.whole()?,
            blocks.selections(block)?,
            self.moves.whole()?,
        ];
        recorder.dispatch(&self.first, "panel", &buffers, &blocks.panel_params(block, look), 1)
    }

    fn panel_flagged(&self, recorder: &mut Recorder<'_>, block: usize, look: Look) -> Result<()> {
        let blocks = &self.blocks;
        blocks.state(recorder, block, 0..blocks.rows, look)?;
        let buffers = [
            blocks.control.whole()?,
            blocks.info.whole()?,
            blocks.states.whole()?,
            blocks.selections(block)?,
            self.moves.whole()?,
            blocks.remainders.whole()?,
            blocks.flags.whole()?,
        ];
        recorder.dispatch(&self.flagged, "panel", &buffers, &blocks.panel_params(block, look), 1)
    }

    /// Applies the block's pivots to `rows` rows at most.
    fn apply(&self, recorder: &mut Recorder<'_>, block: usize, rows: u32) -> Result<()> {
        let blocks = &self.blocks;
        blocks.matrix.over_tiles(recorder, blocks.tiles_from(block), |recorder, part, tiles| {
            let buffers = [
                blocks.control.whole()?,
                blocks.info.whole()?,
                blocks.states.whole()?,
                self.moves.whole()?,
                part.buffer()?,
                blocks.acting.whole()?,
            ];
            let params = [block as u32, blocks.matrix.stride(), part.first_tile, tiles.start];
            recorder.dispatch(&self.predict, "predict", &buffers, &params, tiles.len() as u32)
        })?;
        // Without rows above to clear, nobody looks at the block's own columns again.
        let (tiles, rows) = match self.full {
            true => (blocks.tiles_from(block), blocks.rows),
            false => (blocks.tiles_from(block + 1), rows),
        };
        blocks.update(recorder, block, tiles, 0..rows, self.full, blocks.control.whole()?)
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

//! The dispatches of a product by Strassen's recursion: sums of blocks, and products of these sums; see
//! [`strassen`](super::strassen).

use super::kernels::strassen::{StrassenParams, StrassenProductBuffers, StrassenStackBuffers, WORKGROUP};
use super::kernels::update::{UpdateBuffers, UpdateStackParams};
use super::matrix::{DeviceMatrix, Part};
use super::product::Multiplication;
use super::shape::{BLOCK, Shape};
use super::strassen::Recursion;
use crate::Result;
use crate::gpu::{Pipeline, Recorder};

/// The first row of a slab, and the rows of its blocks.
type Slab = (usize, usize);

/// The products of blocks of one slab.
pub struct Stacks<'a> {
    pub of: &'a Multiplication<'a>,
    pub recursion: Recursion,
    /// The products' first factors.
    pub left: DeviceMatrix,
    pub products: DeviceMatrix,
    /// The rows of a workgroup of an update.
    pub rows_a_group: u32,
}

impl Stacks<'_> {
    /// Adds up the blocks of the first factor.
    pub fn make_left(&self, recorder: &mut Recorder<'_>, pipeline: &Pipeline, slab: Slab) -> Result<()> {
        for to in self.left.parts() {
            for (k, from) in self.of.a.parts().iter().enumerate() {
                let params = self.sums(self.of.a, from, (self.left.stride(), to.first_tile), slab, k > 0);
                let buffers = StrassenStackBuffers { matrix: from.buffer()?, stack: to.written()? };
                recorder.dispatch(pipeline, "left sums", &buffers, &params, groups(to.tiles, slab.1))?;
            }
        }
        Ok(())
    }

    /// Adds up rows of the blocks of the second factor: 256 rows of each, block `block` of them.
    pub fn make_right(&self, recorder: &mut Recorder<'_>, pipeline: &Pipeline, block: u32) -> Result<()> {
        let (b, acting) = (&self.of.b, &self.of.acting);
        let block_tiles = self.recursion.block_tiles(b.columns()) as u32;
        let slab = (BLOCK * block as usize, BLOCK * self.recursion.block_tiles(b.rows()) / 2);
        for (k, from) in b.parts().iter().enumerate() {
            let params = self.sums(b, from, (0, 0), slab, k > 0);
            let buffers = StrassenStackBuffers { matrix: from.buffer()?, stack: acting.written()? };
            recorder.dispatch(pipeline, "right sums", &buffers, &params, groups(block_tiles, BLOCK))?;
        }
        Ok(())
    }

    /// Adds the rows of the second factors to the products.
    pub fn update(
        &self,
        recorder: &mut Recorder<'_>,
        pipeline: &Pipeline,
        block: u32,
        block_rows: usize,
    ) -> Result<()> {
        let selecting = self.left.part_of(2 * block)?;
        let rows = (self.recursion.stack_rows() / self.recursion.block_rows * block_rows) as u32;
        for part in self.products.parts() {
            let (span, groups) = Shape::span_and_groups(part.tiles, rows, self.rows_a_group);
            let params = UpdateStackParams {
                rows,
                stride: self.products.stride(),
                part_tile: part.first_tile,
                first_tile: part.first_tile,
                tiles: part.tiles,
                span,
                selection: (2 * block - selecting.first_tile) * self.left.stride(),
                selection_stride: self.left.stride(),
                first_row: 0,
                factor_rows: block_rows as u32,
                factor_tiles: self.products.tiles(),
            };
            let buffers = UpdateBuffers {
                outcome: self.of.outcome.whole()?,
                matrix: part.written()?,
                acting: self.of.acting.whole()?,
                selections: selecting.buffer()?,
            };
            recorder.dispatch(pipeline, "update", &buffers, &params, groups)?;
        }
        Ok(())
    }

    /// Adds up the products.
    pub fn add_products(&self, recorder: &mut Recorder<'_>, pipeline: &Pipeline, slab: Slab) -> Result<()> {
        for from in self.products.parts() {
            for to in self.of.product.parts() {
                let params =
                    self.sums(self.of.product, to, (self.products.stride(), from.first_tile), slab, false);
                let buffers = StrassenProductBuffers { stack: from.buffer()?, matrix: to.written()? };
                recorder.dispatch(pipeline, "product sums", &buffers, &params, groups(from.tiles, slab.1))?;
            }
        }
        Ok(())
    }

    /// The parameters of sums between a part of a matrix and one of a stack: its stride and first tile.
    fn sums(
        &self,
        matrix: &DeviceMatrix,
        part: &Part,
        (stack_stride, first_tile): (u32, u32),
        (first_row, block_rows): Slab,
        adds: bool,
    ) -> StrassenParams {
        StrassenParams {
            rows: matrix.rows() as u32,
            stride: matrix.stride(),
            part_tile: part.first_tile,
            end_tile: part.end(),
            first_row: first_row as u32,
            block_rows: block_rows as u32,
            block_tiles: self.recursion.block_tiles(matrix.columns()) as u32,
            stack_stride,
            first_tile,
            adds: u32::from(adds),
        }
    }
}

/// The workgroups for all words of so many tiles of `rows` rows, a multiple of 64.
fn groups(tiles: u32, rows: usize) -> u32 {
    tiles * (4 * rows / WORKGROUP) as u32
}

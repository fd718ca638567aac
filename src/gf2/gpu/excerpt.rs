//! Excerpts of an echelon form on the device: where only a small part of the form is read, the rest stays there.

use super::matrix::DeviceMatrix;
use super::shape::TILE;
use crate::Result;
use crate::gf2::row_reduction::{RowReduction, Wanted};
use crate::gf2::{BitMatrix, Echelon};
use crate::gpu::Gpu;

/// The rows of an echelon form whose pivots come from column `from` on.
pub async fn form_from(
    gpu: &Gpu,
    matrix: &BitMatrix,
    reduction: &RowReduction,
    from: usize,
) -> Result<Echelon> {
    let mut device = DeviceMatrix::upload(gpu, matrix)?;
    let mut pivots = device.reduce_to_echelon_async(reduction).await?;
    let first = pivots.partition_point(|&pivot| (pivot as usize) < from);
    let matrix = device.download_form(&pivots, reduction, first..pivots.len()).await?;
    Ok(Echelon { matrix, pivots: pivots.split_off(first) })
}

/// A basis of the kernel, as [`Echelon::kernel`] has it, and the columns of the pivots.
pub async fn kernel(gpu: &Gpu, matrix: &BitMatrix) -> Result<(BitMatrix, Vec<u32>)> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let mut device = DeviceMatrix::upload(gpu, matrix)?;
    let reduction = RowReduction { wanted: Wanted::Reduced, ..RowReduction::whole(rows, columns) };
    let pivots = device.reduce_to_echelon_async(&reduction).await?;
    let mut is_free = vec![true; columns];
    pivots.iter().for_each(|&pivot| is_free[pivot as usize] = false);
    let free: Vec<usize> = (0..columns).filter(|&column| is_free[column]).collect();
    let groups: Vec<&[usize]> = free.chunk_by(|a, b| a / TILE == b / TILE).collect();
    if 2 * groups.len() > device.tiles() as usize {
        let matrix = device.download_echelon_async(&pivots, &reduction).await?;
        let form = Echelon { matrix, pivots };
        return Ok((form.kernel()?, form.pivots));
    }
    // Only the tiles of the columns without a pivot.
    let mut basis = BitMatrix::zeros(free.len(), columns)?;
    let mut first = 0;
    for group in groups {
        let tile = device.download_tile((group[0] / TILE) as u32, pivots.len()).await?;
        for (vector, column) in (first..).zip(group) {
            let (word, bit) = (column % TILE / 32, column % 32);
            basis.set(vector, *column, true);
            let ones = tile.iter().zip(&pivots).filter(|(words, _)| words[word] >> bit & 1 == 1);
            ones.for_each(|(_, &pivot)| basis.set(vector, pivot as usize, true));
        }
        first += group.len();
    }
    Ok((basis, pivots))
}

//! Blocked elimination of an F4 matrix, with the tiles dealt out to processes. All of them have the whole F4 matrix.

use super::super::blocked::BlockedElimination;
use super::super::given::Reducers;
use super::super::panel::NONE;
use super::super::peers::{Peers, Team};
use super::super::run_context::RunContext;
use super::super::shape::Shape;
use super::super::storage::Kept;
use super::super::tiled::TiledMatrix;
use super::{message_of, own_units};
use crate::gf2::bit_matrix::LINE_BITS;
use crate::gf2::{Elimination, F4Matrix, RowReduction};
use crate::processes::{Reader, Transport};
use crate::{Cpu, Result};

/// Every process's part. Process 0 returns the result.
pub fn blocked(processes: &dyn Transport, cpu: &Cpu, f4: &F4Matrix) -> Result<Option<Elimination>> {
    let (own, leads) = eliminate(processes, cpu, f4)?;
    let size = processes.size();
    if processes.rank() > 0 {
        (0..own.count()).try_for_each(|place| processes.send(0, message_of(own.tile(place))))?;
        return Ok(None);
    }
    let mut tiles = TiledMatrix::zeros(f4.row_count(), f4.width())?;
    for t in 0..tiles.count() {
        match t % size {
            0 => tiles.tile_mut(t).copy_from_slice(own.tile(t / size)),
            from => Reader::new(&processes.receive(from)?).take_into(tiles.tile_mut(t))?,
        }
    }
    let rows: Vec<u32> = (0..f4.row_count() as u32).filter(|&row| leads[row as usize] != NONE).collect();
    Ok(Some(Elimination::new(f4, &rows, tiles.to_matrix_reversed(&rows)?)))
}

/// Returns this process's tiles after the elimination, and by row the place of its lead.
fn eliminate(processes: &dyn Transport, cpu: &Cpu, f4: &F4Matrix) -> Result<(TiledMatrix, Vec<u32>)> {
    let (rank, size) = (processes.rank(), processes.size());
    let count = f4.width().div_ceil(LINE_BITS);
    let mut own = TiledMatrix::zeros(f4.row_count(), LINE_BITS * own_units(count, rank, size).count())?;
    // Columns are reversed, so that a row's highest column comes first.
    let last_place = (LINE_BITS * count).saturating_sub(1);
    for (row, list) in f4.rows().iter().enumerate() {
        for place in list.iter().map(|&column| last_place - column as usize) {
            let tile = place / LINE_BITS;
            if tile % size == rank {
                own.flip(row, tile / size * LINE_BITS + place % LINE_BITS);
            }
        }
    }
    let given = Reducers { f4, last_place };
    let limit = LINE_BITS * count;
    let reduction = RowReduction { limit, ..RowReduction::whole(f4.row_count(), f4.width()) };
    let shape = Shape::in_memory(&reduction);
    let peers = Some(Peers { processes, team: &Team::new(cpu)? });
    let elimination =
        BlockedElimination { shape: &shape, given: Some(&given), peers, context: RunContext::on(cpu) };
    let leads = elimination.eliminate(&mut own, &mut Kept::default())?;
    Ok((own, leads))
}

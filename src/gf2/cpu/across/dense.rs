//! Echelon forms with the tiles dealt out to processes.

use std::ops::Range;

use super::super::blocked::BlockedElimination;
use super::super::panel::by_lead;
use super::super::peers::{Peers, Team};
use super::super::run_context::RunContext;
use super::super::shape::Shape;
use super::super::storage::Kept;
use super::super::tiled::TiledMatrix;
use super::{message_of, own_units};
use crate::gf2::bit_matrix::{LINE_BITS, Line};
use crate::gf2::{BitMatrix, Echelon, RowReduction};
use crate::processes::{Reader, Transport, malformed};
use crate::{Cpu, Result};

/// Bytes of the rows whose lines are sent together: while process 0 copies the next ones, the others copy these.
const BAND: usize = 4 << 20;

/// The rows of which process 0 sends the lines together.
fn bands(reduction: &RowReduction) -> impl Iterator<Item = Range<usize>> {
    let (rows, bytes) = (reduction.rows, reduction.columns.div_ceil(8).max(1));
    let band = (BAND / bytes).max(1);
    (0..rows).step_by(band).map(move |first| first..rows.min(first + band))
}

/// Process 0's part: deals out the tiles of `matrix`, whose rows it reads once, from the first to the last.
fn deal(processes: &dyn Transport, matrix: &BitMatrix, reduction: &RowReduction) -> Result<TiledMatrix> {
    let size = processes.size();
    let count = matrix.columns().div_ceil(LINE_BITS);
    let tiles_of = |rank: usize| own_units(count, rank, size).count();
    let mut own = TiledMatrix::zeros(matrix.rows(), LINE_BITS * tiles_of(0))?;
    for rows in bands(reduction) {
        let mut parts: Vec<Vec<Line>> =
            (1..size).map(|to| vec![Line::ZERO; rows.len() * tiles_of(to)]).collect();
        for (k, row) in rows.clone().enumerate() {
            for (t, words) in matrix.row64(row).chunks(8).take(count).enumerate() {
                let line = match t % size {
                    0 => &mut own.tile_mut(t / size)[row],
                    to => &mut parts[to - 1][t / size * rows.len() + k],
                };
                line.0[..words.len()].copy_from_slice(words);
            }
        }
        for (to, part) in (1..).zip(&parts).filter(|(_, part)| !part.is_empty()) {
            processes.send(to, message_of(part))?;
        }
    }
    Ok(own)
}

/// The part of the others: receives their tiles.
fn receive_tiles(processes: &dyn Transport, reduction: &RowReduction) -> Result<TiledMatrix> {
    let count = reduction.columns.div_ceil(LINE_BITS);
    let tiles = own_units(count, processes.rank(), processes.size()).count();
    let mut own = TiledMatrix::zeros(reduction.rows, LINE_BITS * tiles)?;
    for rows in bands(reduction).filter(|_| tiles > 0) {
        let message = processes.receive(0)?;
        let lines = Reader::new(&message).take_each::<Line>()?;
        if lines.len() != rows.len() * tiles {
            return Err(malformed());
        }
        for (k, line) in lines.enumerate() {
            own.tile_mut(k / rows.len())[rows.start + k % rows.len()] = line;
        }
    }
    Ok(own)
}

/// Every process's part. Process 0 passes the matrix and deals out its tiles; all eliminate; the others send their
/// tiles to process 0, which returns the form.
pub fn echelon(
    processes: &dyn Transport,
    cpu: &Cpu,
    matrix: Option<&BitMatrix>,
    reduction: &RowReduction,
) -> Result<Option<Echelon>> {
    let (rank, size) = (processes.rank(), processes.size());
    let count = reduction.columns.div_ceil(LINE_BITS);
    let mut own = match matrix {
        Some(matrix) => deal(processes, matrix, reduction)?,
        None => receive_tiles(processes, reduction)?,
    };
    let team = Team::new(cpu)?;
    let shape = Shape::in_memory(reduction);
    let peers = Some(Peers { processes, team: &team });
    let elimination = BlockedElimination { shape: &shape, given: None, peers, context: RunContext::on(cpu) };
    let leads = elimination.eliminate(&mut own, &mut Kept::default())?;
    if rank > 0 {
        if !reduction.has_no_form() {
            (0..own.count()).try_for_each(|place| processes.send(0, message_of(own.tile(place))))?;
        }
        return Ok(None);
    }
    let (order, pivots) = by_lead(&leads);
    if reduction.has_no_form() {
        return Ok(Some(Echelon { matrix: BitMatrix::zeros(0, 0)?, pivots }));
    }
    let mut matrix = BitMatrix::zeros(reduction.rows, reduction.columns)?;
    let mut received = vec![Line::ZERO; if size > 1 { reduction.rows } else { 0 }];
    for t in 0..count {
        let tile = match t % size {
            0 => own.tile(t / size),
            from => {
                Reader::new(&processes.receive(from)?).take_into(&mut received)?;
                &received[..]
            }
        };
        for (k, &row) in order.iter().enumerate() {
            let words = matrix.row64_mut(k)[8 * t..].iter_mut();
            words.zip(&tile[row as usize].0).for_each(|(to, word)| *to = *word);
        }
    }
    Ok(Some(Echelon { matrix, pivots }))
}

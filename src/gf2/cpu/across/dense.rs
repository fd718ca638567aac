//! Echelon forms with the tiles dealt out to processes.

use super::super::blocked::Plan;
use super::super::panel::NONE;
use super::super::tiles::Tiles;
use super::super::work::Work;
use super::{Team, blocked, own_units};
use crate::gf2::bit_matrix::{LINE_BITS, Line};
use crate::gf2::deal::Form;
use crate::gf2::{BitMatrix, Echelon};
use crate::processes::{Message, Processes, Reader, Writer};
use crate::{Cpu, Result};

/// Process 0's part: deals out the tiles of `matrix`.
fn deal(processes: &dyn Processes, matrix: &BitMatrix) -> Result<Tiles> {
    let size = processes.size();
    let count = matrix.columns().div_ceil(LINE_BITS);
    let mut own = Tiles::zeros(matrix.rows(), LINE_BITS * own_units(count, 0, size).count())?;
    for t in 0..count {
        if t % size == 0 {
            copy_tile(matrix, t, own.tile_mut(t / size));
        } else {
            let mut tile = vec![Line::ZERO; matrix.rows()];
            copy_tile(matrix, t, &mut tile);
            processes.send(t % size, message(&tile))?;
        }
    }
    Ok(own)
}

/// Copies columns 512 t to 512 t + 511 of a matrix.
fn copy_tile(matrix: &BitMatrix, t: usize, tile: &mut [Line]) {
    for (row, line) in tile.iter_mut().enumerate() {
        let words = matrix.row64(row)[8 * t..].iter().take(8);
        line.0.iter_mut().zip(words).for_each(|(to, word)| *to = *word);
    }
}

fn message(tile: &[Line]) -> Message {
    let mut message = Writer::default();
    message.put(tile);
    message.finish()
}

/// Every process's part. Process 0 passes the matrix and deals out its tiles; all eliminate; the others send their
/// tiles to process 0, which returns the form.
pub(in crate::gf2) fn echelon(
    processes: &dyn Processes,
    cpu: &Cpu,
    matrix: Option<&BitMatrix>,
    form: &Form,
) -> Result<Option<Echelon>> {
    let (rank, size) = (processes.rank(), processes.size());
    let count = form.columns.div_ceil(LINE_BITS);
    let mut own = match matrix {
        Some(matrix) => deal(processes, matrix)?,
        None => {
            let mut own = Tiles::zeros(form.rows, LINE_BITS * own_units(count, rank, size).count())?;
            for place in 0..own.count() {
                Reader::new(&processes.receive(0)?).take_into(own.tile_mut(place))?;
            }
            own
        }
    };
    let team = Team::new(cpu)?;
    let plan = Plan { given: None, limit: form.limit, full: form.full, record: false, work: Work::on(cpu) };
    let leads = blocked::eliminate(processes, &team, &mut own, &plan)?;
    if rank > 0 {
        if !form.pivots_only {
            (0..own.count()).try_for_each(|place| processes.send(0, message(own.tile(place))))?;
        }
        return Ok(None);
    }
    // Rows without a lead are last: the sort is stable, and the mark of no lead is the largest.
    let mut order: Vec<u32> = (0..form.rows as u32).collect();
    order.sort_by_key(|&row| leads[row as usize]);
    let pivots = order.iter().map(|&row| leads[row as usize]).take_while(|&lead| lead != NONE).collect();
    if form.pivots_only {
        return Ok(Some(Echelon { matrix: BitMatrix::zeros(0, 0)?, pivots }));
    }
    let mut matrix = BitMatrix::zeros(form.rows, form.columns)?;
    let mut received = vec![Line::ZERO; if size > 1 { form.rows } else { 0 }];
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

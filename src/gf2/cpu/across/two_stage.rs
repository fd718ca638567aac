//! Two-stage elimination with stages 1 and 4, which take most of the time, shared by processes.
//!
//! ```text
//! 1. narrow     every process: some groups of 512 missing columns for all rows, or of 512 rows for all columns
//! 2. choose     process 0
//! 3. combine    process 0
//! 4. widen      every process: some groups of 512 promoted rows
//! ```
//!
//! All processes have the whole system.

use rayon::prelude::*;

use super::super::blocked::{self, Plan};
use super::super::kernels::gather;
use super::super::panel::NONE;
use super::super::tiles::Tiles;
use super::super::two_stage::{combine, missing_columns, narrow_rows, reduced_columns, widen_rows};
use super::super::work::Work;
use super::{Team, own_units};
use crate::gf2::bit_matrix::{LINE_BITS, Line};
use crate::gf2::cost;
use crate::gf2::transpose::transpose_lines;
use crate::gf2::{BitMatrix, Elimination, System, SystemShape};
use crate::processes::{Processes, Reader, Writer, malformed};
use crate::{Cpu, Result};

/// Process 0's part.
pub(in crate::gf2) fn two_stage(
    processes: &dyn Processes,
    cpu: &Cpu,
    system: &System,
) -> Result<Elimination> {
    let (size, work, team) = (processes.size(), Work::on(cpu), Team::new(cpu)?);
    let missing = missing_columns(system);
    let division = Division::of(system, &missing);
    let own = team.run(|| division.compute(system, &missing, 0, size, work));
    let mut narrow = Tiles::zeros(system.row_count(), missing.len())?;
    let mut own = own.into_iter();
    for unit in 0..division.units {
        let lines = match unit % size {
            0 => own.next().unwrap_or_default(),
            from => Reader::new(&processes.receive(from)?).take()?,
        };
        division.write(unit, &lines, &mut narrow)?;
    }

    let plan = Plan { given: None, limit: missing.len(), full: false, record: true, work };
    let factors = team.run(|| blocked::eliminate(&mut narrow, &plan))?;
    drop(narrow);
    let mut rows: Vec<u32> =
        (0..system.row_count() as u32).filter(|&row| factors.leads[row as usize] != NONE).collect();
    rows.sort_unstable_by_key(|&row| factors.leads[row as usize]);
    let places: Vec<u32> = rows.iter().map(|&row| factors.leads[row as usize]).collect();
    let sums = match &factors.record {
        Some(record) => team.run(|| combine(record, &rows, &places, work))?,
        None => Tiles::zeros(0, 0)?,
    };
    drop(factors);
    let leads: Vec<u32> = places.iter().map(|&place| missing[place as usize]).collect();

    let mut message = Writer::default();
    message.put(&rows);
    message.put(&leads);
    processes.broadcast(&message.finish())?;
    let groups = rows.len().div_ceil(LINE_BITS);
    let sums_of = |group: usize| {
        let targets = LINE_BITS * group..rows.len().min(LINE_BITS * (group + 1));
        let sums = &sums;
        (0..=group).map(move |t| &sums.tile(t)[targets.clone()])
    };
    for group in (0..groups).filter(|group| group % size > 0) {
        let mut message = Writer::default();
        sums_of(group).for_each(|lines| message.put(lines));
        processes.send(group % size, message.finish())?;
    }
    let mut matrix = BitMatrix::zeros(rows.len(), system.width())?;
    let stride = matrix.stride64().max(1);
    let mut targets: Vec<&mut [u64]> = matrix.words64_mut().chunks_mut(LINE_BITS * stride).collect();
    team.run(|| {
        targets.par_iter_mut().enumerate().filter(|(group, _)| group % size == 0).for_each(
            |(group, target)| {
                let leads = &leads[LINE_BITS * group..rows.len().min(LINE_BITS * (group + 1))];
                widen_rows(system, &rows, leads, sums_of(group), work, target);
            },
        );
    });
    for (group, target) in targets.into_iter().enumerate().filter(|(group, _)| group % size > 0) {
        Reader::new(&processes.receive(group % size)?).take_into(target)?;
    }
    Ok(Elimination::new(system, &rows, matrix))
}

/// The part of the others.
pub(in crate::gf2) fn two_stage_share(processes: &dyn Processes, cpu: &Cpu, system: &System) -> Result<()> {
    let (rank, size) = (processes.rank(), processes.size());
    let (work, team) = (Work::on(cpu), Team::new(cpu)?);
    let missing = missing_columns(system);
    let division = Division::of(system, &missing);
    for lines in team.run(|| division.compute(system, &missing, rank, size, work)) {
        send(processes, &lines)?;
    }

    let message = processes.receive_broadcast(0)?;
    let mut message = Reader::new(&message);
    let (rows, leads): (Vec<u32>, Vec<u32>) = (message.take()?, message.take()?);
    let is_right = |&row: &u32| (row as usize) < system.row_count();
    if rows.len() != leads.len() || !rows.iter().all(is_right) {
        return Err(malformed());
    }
    let groups: Vec<&[u32]> = leads.chunks(LINE_BITS).collect();
    let mut sums: Vec<(usize, Vec<Vec<Line>>)> = Vec::new();
    for group in own_units(groups.len(), rank, size) {
        let message = processes.receive(0)?;
        let mut message = Reader::new(&message);
        let tiles = (0..=group).map(|_| message.take()).collect::<Result<Vec<Vec<Line>>>>()?;
        if tiles.iter().any(|lines| lines.len() != groups[group].len()) {
            return Err(malformed());
        }
        sums.push((group, tiles));
    }
    let stride = BitMatrix::zeros(0, system.width())?.stride64();
    let widened: Vec<Vec<u64>> = team.run(|| {
        let widen = |(group, sums): &(usize, Vec<Vec<Line>>)| {
            let mut target = vec![0; groups[*group].len() * stride];
            let sums = sums.iter().map(Vec::as_slice);
            widen_rows(system, &rows, groups[*group], sums, work, &mut target);
            target
        };
        sums.par_iter().map(widen).collect()
    });
    widened.iter().try_for_each(|words| send(processes, words))
}

fn send<T: bytemuck::NoUninit>(processes: &dyn Processes, values: &[T]) -> Result<()> {
    let mut message = Writer::default();
    message.put(values);
    processes.send(0, message.finish())
}

/// The units of stage 1: tiles of the narrow matrix, or groups of 512 rows.
struct Division {
    by_rows: bool,
    units: usize,
    rows: usize,
}

impl Division {
    /// The division that takes fewer additions; equal on all processes.
    fn of(system: &System, missing: &[u32]) -> Self {
        let (shape, rows) = (SystemShape::of(system), system.row_count());
        let by_rows = cost::cpu::swept_lines(&shape) < cost::cpu::gathered_lines(&shape);
        let units = match by_rows {
            true => rows.div_ceil(LINE_BITS),
            false => missing.len().div_ceil(LINE_BITS),
        };
        Division { by_rows, units, rows }
    }

    /// Computes the units of process `rank`, as many at a time as there are threads.
    fn compute(
        &self,
        system: &System,
        missing: &[u32],
        rank: usize,
        size: usize,
        work: Work<'_>,
    ) -> Vec<Vec<Line>> {
        let own: Vec<usize> = own_units(self.units, rank, size).collect();
        let mut all = Vec::with_capacity(own.len());
        for units in own.chunks(rayon::current_num_threads()) {
            if self.by_rows {
                let rows = |&unit: &usize| self.rows_of(unit, system, missing, work);
                all.par_extend(units.par_iter().map(rows));
                continue;
            }
            let table = |&unit: &usize| {
                let columns = &missing[LINE_BITS * unit..missing.len().min(LINE_BITS * (unit + 1))];
                reduced_columns(system, columns, work)
            };
            let tables: Vec<Vec<Line>> = units.par_iter().map(table).collect();
            let tile = |table: &Vec<Line>| {
                let mut tile = vec![Line::ZERO; self.rows];
                let lines = tile.par_iter_mut().with_min_len(1024).enumerate();
                lines.for_each(|(row, line)| gather(work.simd, line, table, system.rows().row(row)));
                tile
            };
            all.par_extend(tables.par_iter().map(tile));
        }
        all
    }

    /// The lines of group `unit` of the rows, tile after tile.
    fn rows_of(&self, unit: usize, system: &System, missing: &[u32], work: Work<'_>) -> Vec<Line> {
        let first = LINE_BITS * unit;
        let count = LINE_BITS.min(self.rows - first);
        let mut lines = vec![Line::ZERO; count * missing.len().div_ceil(LINE_BITS)];
        narrow_rows(system, missing, first, work, |t, columns| {
            transpose_lines(columns, &mut lines[count * t..count * (t + 1)]);
        });
        lines
    }

    /// Writes a unit's lines to the narrow matrix.
    fn write(&self, unit: usize, lines: &[Line], narrow: &mut Tiles) -> Result<()> {
        let count = LINE_BITS.min(self.rows.saturating_sub(LINE_BITS * unit));
        let expected = if self.by_rows { count * narrow.count() } else { self.rows };
        if lines.len() != expected {
            return Err(malformed());
        }
        if !self.by_rows {
            narrow.tile_mut(unit).copy_from_slice(lines);
            return Ok(());
        }
        for t in 0..narrow.count() {
            let lines = &lines[count * t..count * (t + 1)];
            narrow.tile_mut(t)[LINE_BITS * unit..][..count].copy_from_slice(lines);
        }
        Ok(())
    }
}

//! Two-stage elimination with the rows, and parts of stages 1 and 4, dealt out to processes.
//!
//! ```text
//! 0. deal       process 0: the reducers to all, the rows in a cycle
//! 1. narrow     every process: some of the tables of 512 missing columns, which it sends to the others;
//!               then the missing columns of its rows (or these at once, where that takes fewer additions)
//! 2. choose     every process: its rows, see [`super::choose`]
//! 3. combine    process 0
//! 4. widen      every process: some groups of 512 new pivots
//! ```
//!
//! Except for dealing out the rows, the time of what process 0 does alone does not grow with their number.

use std::cell::OnceCell;
use std::ops::Range;

use super::super::kernels::gather;
use super::super::peers::Team;
use super::super::run_context::RunContext;
use super::super::tiled::TiledMatrix;
use super::super::two_stage::{combine, missing_columns, narrow_rows, reduced_columns, widen_rows};
use super::choose::{Chosen, choose};
use super::message_of;
use crate::gf2::bit_matrix::{LINE_BITS, Line, zero_lines};
use crate::gf2::cost;
use crate::gf2::processes::lists::{receive_lists, send_rows};
use crate::gf2::transpose::transpose_lines;
use crate::gf2::{BitMatrix, Elimination, F4Matrix, F4Shape, IndexLists};
use crate::parallel::*;
use crate::processes::{Reader, Transport, Writer, malformed};
use crate::timeline::Meter;
use crate::{Cpu, Result};

/// Bytes of tables that a process may compute before it uses them, if they are more than one for each thread.
pub const TABLES: usize = if cfg!(test) { 1 << 16 } else { 32 << 20 };

/// Process 0's part.
pub fn two_stage(processes: &dyn Transport, cpu: &Cpu, f4: &F4Matrix) -> Result<Elimination> {
    let (size, team) = (processes.size(), Team::new(cpu)?);
    let at_a_time = (TABLES / (64 * f4.width().max(1))).max(size * team.run(threads));
    let all = All { rows: f4.row_count(), ones: f4.rows().ones(), tables_at_a_time: at_a_time };
    let mut message = Writer::default();
    message.put(&[f4.width(), all.rows, all.ones, at_a_time].map(|count| count as u64));
    send_rows(&mut message, f4.reducers().iter());
    processes.broadcast(&message.finish())?;
    for to in 1..size {
        let mut message = Writer::default();
        send_rows(&mut message, f4.rows().iter().skip(to).step_by(size));
        processes.send(to, message.finish())?;
    }
    let context = RunContext::on(cpu);
    let amounts = crate::gf2::cpu::times::stages(&F4Shape::of(f4)).map(|lines| lines / size as u64);
    let mut stages = context.stages(&amounts);
    stages.next();
    let share = Share::new(processes, &team, context, f4, all);
    let Chosen { rows, places, panels } =
        share.choose(|| Ok(Rows { lists: f4.rows(), step: size }), || stages.next())?;

    let mut message = Writer::default();
    send_rows(&mut message, rows.iter().map(|&row| f4.rows().row(row as usize)));
    processes.broadcast(&message.finish())?;
    let sums = team.run(|| combine(&panels, rows.len(), context))?;
    drop(panels);
    let leads = share.leads(&places);
    let groups = rows.len().div_ceil(LINE_BITS);
    let sums_of = |group: usize| {
        let targets = LINE_BITS * group..rows.len().min(LINE_BITS * (group + 1));
        let sums = &sums;
        (0..=group).map(move |t| &sums.tile(t)[targets.clone()])
    };
    for group in (0..groups).filter(|&group| widener(group, size) > 0) {
        let mut message = Writer::default();
        sums_of(group).for_each(|lines| message.put(lines));
        processes.send(widener(group, size), message.finish())?;
    }
    stages.next();
    let mut matrix = BitMatrix::zeros(rows.len(), f4.width())?;
    let stride = matrix.stride64().max(1);
    let meter = context.meter(groups as u64);
    let mut targets: Vec<&mut [u64]> = matrix.words64_mut().chunks_mut(LINE_BITS * stride).collect();
    team.run(|| {
        let own = targets.iter_mut().enumerate().filter(|&(group, _)| widener(group, size) == 0);
        own.collect::<Vec<_>>().par_iter_mut().for_each(|&mut (group, ref mut target)| {
            let leads = &leads[LINE_BITS * group..rows.len().min(LINE_BITS * (group + 1))];
            widen_rows(f4, (f4.rows(), &rows), leads, sums_of(group), context, target);
            meter.add(1);
        });
    });
    for (group, target) in targets.into_iter().enumerate() {
        let from = widener(group, size);
        if from > 0 {
            Reader::new(&processes.receive(from)?).take_into(target)?;
            meter.add(1);
        }
    }
    Ok(Elimination::new(f4, &rows, matrix))
}

/// The part of the others.
pub fn two_stage_share(processes: &dyn Transport, cpu: &Cpu) -> Result<()> {
    let (rank, size, team) = (processes.rank(), processes.size(), Team::new(cpu)?);
    let message = processes.receive_broadcast(0)?;
    let mut reader = Reader::new(&message);
    let [width, rows, ones, tables_at_a_time] =
        reader.take_array::<u64, 4>()?.map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    let f4 = F4Matrix::share(receive_lists(&mut reader)?, IndexLists::default(), width)?;
    drop(message);
    let all = All { rows, ones, tables_at_a_time: tables_at_a_time.max(1) };
    let context = RunContext::on(cpu);
    let share = Share::new(processes, &team, context, &f4, all);
    let checked = |lists: IndexLists, count: usize| {
        let fits = lists.highest().is_none_or(|highest| (highest as usize) < width);
        if lists.len() == count && fits { Ok(lists) } else { Err(malformed()) }
    };
    let own = OnceCell::new();
    let receive_rows = || {
        let lists = receive_lists(&mut Reader::new(&processes.receive(0)?))?;
        let lists = checked(lists, rows.saturating_sub(rank).div_ceil(size))?;
        Ok(Rows { lists: own.get_or_init(|| lists), step: 1 })
    };
    let chosen = share.choose(receive_rows, || ())?;
    drop(own);

    let new_pivots = receive_lists(&mut Reader::new(&processes.receive_broadcast(0)?))?;
    let new_pivots = checked(new_pivots, chosen.rows.len())?;
    let rows: Vec<u32> = (0..new_pivots.len() as u32).collect();
    let leads = share.leads(&chosen.places);
    let groups: Vec<&[u32]> = leads.chunks(LINE_BITS).collect();
    let mut sums: Vec<(usize, Vec<Vec<Line>>)> = Vec::new();
    for group in (0..groups.len()).filter(|&group| widener(group, size) == rank) {
        let message = processes.receive(0)?;
        let mut message = Reader::new(&message);
        let tiles = (0..=group).map(|_| message.take()).collect::<Result<Vec<Vec<Line>>>>()?;
        if tiles.iter().any(|lines| lines.len() != groups[group].len()) {
            return Err(malformed());
        }
        sums.push((group, tiles));
    }
    let stride = BitMatrix::zeros(0, width)?.stride64();
    let widened: Vec<Vec<u64>> = team.run(|| {
        let widen = |(group, sums): &(usize, Vec<Vec<Line>>)| {
            let mut target = vec![0; groups[*group].len() * stride];
            let sums = sums.iter().map(Vec::as_slice);
            widen_rows(&f4, (&new_pivots, &rows), groups[*group], sums, context, &mut target);
            target
        };
        sums.par_iter().map(widen).collect()
    });
    widened.iter().try_for_each(|words| processes.send(0, message_of(words)))
}

/// The process that widens a group of new pivots. Process 0, which combines, comes last.
fn widener(group: usize, size: usize) -> usize {
    size - 1 - group % size
}

/// The numbers of the whole F4 matrix, which all processes know.
struct All {
    rows: usize,
    /// Ones of all rows.
    ones: usize,
    /// Tables that are computed before they are used.
    tables_at_a_time: usize,
}

/// The rows of one process: every `step`-th of `lists`, from the first on.
struct Rows<'a> {
    lists: &'a IndexLists,
    step: usize,
}

impl<'a> Rows<'a> {
    fn len(&self) -> usize {
        self.lists.len().div_ceil(self.step)
    }

    fn row(&self, k: usize) -> &'a [u32] {
        self.lists.row(self.step * k)
    }
}

/// The work of one process in stages 1 and 2.
struct Share<'a> {
    processes: &'a dyn Transport,
    team: &'a Team,
    context: RunContext<'a>,
    /// The F4 matrix with all reducers.
    f4: &'a F4Matrix,
    all: All,
    missing: Vec<u32>,
    /// By group of 512 missing columns: the process that computes its table. Empty if there are no tables.
    owners: Vec<usize>,
}

impl<'a> Share<'a> {
    fn new(
        processes: &'a dyn Transport,
        team: &'a Team,
        context: RunContext<'a>,
        f4: &'a F4Matrix,
        all: All,
    ) -> Self {
        let missing = missing_columns(f4);
        let shape = F4Shape { rows: all.rows, row_ones: all.ones, ..F4Shape::of(f4) };
        let by_rows = cost::cpu::swept_lines(&shape) < cost::cpu::gathered_lines(&shape);
        let tables = if by_rows { 0 } else { missing.len().div_ceil(LINE_BITS) };
        let owners = owners(tables, processes.size(), &shape);
        Share { processes, team, context, f4, all, missing, owners }
    }

    fn leads(&self, places: &[u32]) -> Vec<u32> {
        places.iter().map(|&place| self.missing[place as usize]).collect()
    }

    /// Does stages 1 and 2, and calls `narrowed` in between. The first tables are computed before `rows` is called.
    fn choose<'r>(&self, rows: impl FnOnce() -> Result<Rows<'r>>, narrowed: impl FnOnce()) -> Result<Chosen> {
        // Messages are for the main thread alone: what the others compute with is taken out.
        let (tables, context) = (self.owners.len(), self.context);
        let batch = |first: usize| first..tables.min(first.saturating_add(self.all.tables_at_a_time));
        let own_rows = self.all.rows.div_ceil(self.processes.size());
        let meter = context.meter(if tables == 0 { own_rows } else { tables } as u64);
        let mut own = self.tables(batch(0))?;
        let rows = rows()?;
        let mut narrow = TiledMatrix::zeros(rows.len(), self.missing.len())?;
        if tables == 0 {
            self.sweep(&rows, &mut narrow, &meter);
        }
        let mut received = zero_lines(if tables > 0 { self.f4.width() } else { 0 })?;
        for first in (0..tables).step_by(self.all.tables_at_a_time) {
            if first > 0 {
                own = self.tables(batch(first))?;
            }
            let mut own = own.drain(..);
            for unit in batch(first) {
                let computed = match self.owners[unit] == self.processes.rank() {
                    true => own.next(),
                    false => {
                        let message = self.processes.receive(self.owners[unit])?;
                        Reader::new(&message).take_into(&mut received)?;
                        None
                    }
                };
                let table = computed.as_deref().unwrap_or(&received);
                self.team.run(|| {
                    let lines = narrow.tile_mut(unit).par_chunks_mut(1024).enumerate();
                    lines.for_each(|(chunk, lines)| {
                        let _task = context.task("narrow rows");
                        for (line, k) in lines.iter_mut().zip(1024 * chunk..) {
                            gather(context.simd, line, table, rows.row(k));
                        }
                    });
                });
                meter.add(1);
            }
        }
        drop(meter);
        narrowed();
        choose(self.processes, self.team, narrow, (self.all.rows, self.missing.len()), self.context)
    }

    /// Computes this process's tables of some groups of missing columns, and sends them to the others.
    fn tables(&self, units: Range<usize>) -> Result<Vec<Vec<Line>>> {
        let (rank, size) = (self.processes.rank(), self.processes.size());
        let own: Vec<usize> = units.filter(|&unit| self.owners[unit] == rank).collect();
        let (f4, missing, context) = (self.f4, &self.missing[..], self.context);
        let mut all = Vec::with_capacity(own.len());
        for units in own.chunks(self.team.run(threads)) {
            let table = |&unit: &usize| {
                let missing = &missing[LINE_BITS * unit..];
                reduced_columns(f4, &missing[..LINE_BITS.min(missing.len())], context)
            };
            let tables: Vec<Vec<Line>> = self.team.run(|| units.par_iter().map(table).collect());
            for table in tables {
                if size > 1 {
                    let message = message_of(&table);
                    let mut others = (0..size).filter(|&to| to != rank);
                    others.try_for_each(|to| self.processes.send(to, message.clone()))?;
                }
                all.push(table);
            }
        }
        Ok(all)
    }

    /// Computes the narrow rows of this process by sweeps of 512 rows.
    fn sweep(&self, rows: &Rows<'_>, narrow: &mut TiledMatrix, meter: &Meter) {
        let (f4, missing, context) = (self.f4, &self.missing[..], self.context);
        let firsts: Vec<usize> = (0..rows.len()).step_by(LINE_BITS).collect();
        let count = |first: usize| LINE_BITS.min(rows.len() - first);
        for firsts in firsts.chunks(self.team.run(threads)) {
            let narrowed = |&first: &usize| {
                let count = count(first);
                let mut lines = vec![Line::ZERO; count * narrow.count()];
                let rows = (first..first + count).map(|k| rows.row(k));
                narrow_rows(f4, missing, rows, context, |t, columns| {
                    transpose_lines(columns, &mut lines[count * t..count * (t + 1)]);
                });
                lines
            };
            let groups: Vec<Vec<Line>> = self.team.run(|| firsts.par_iter().map(narrowed).collect());
            for (&first, lines) in firsts.iter().zip(&groups) {
                let count = count(first);
                for (t, lines) in lines.chunks(count).enumerate() {
                    narrow.tile_mut(t)[first..first + count].copy_from_slice(lines);
                }
                meter.add(count as u64);
            }
        }
    }
}

/// By table: the process that computes it, each time the one with the least work so far. Before its first table,
/// process 0 has dealt out the lists; for each one of them that takes about half as long as an addition.
fn owners(tables: usize, size: usize, shape: &F4Shape) -> Vec<usize> {
    let mut loads = vec![0; size];
    if size > 1 {
        loads[0] = (shape.reducer_ones + shape.row_ones / size * (size - 1)) / 2;
    }
    let mut deal = |_| {
        let least = (0..size).min_by_key(|&process| loads[process]).unwrap_or(0);
        loads[least] += shape.reducer_ones + shape.columns;
        least
    };
    (0..tables).map(&mut deal).collect()
}

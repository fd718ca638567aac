//! The choice of the new pivots among rows that are dealt out to processes in a cycle: blocked elimination in the order
//! of the file, of which every process computes its rows.
//!
//! ```text
//! for each block of 512 columns:
//!     every process    finds those of its rows that would become pivots if it were alone, and sends them in these columns
//!     every process    factors the block from all these rows: the same pivots everywhere
//!                      sends those of its rows that became pivots in the columns to the right
//!                      adds the pivots to its other rows
//! ```
//!
//! In file order a row becomes a pivot if no sum of rows before it equals it in the columns so far. A row that equals
//! such a sum of its own process's rows therefore becomes none, and of each process at most 512 rows a block can.
//! What is sent does not grow with the number of rows.

use super::super::panel::{Block, Panel, RowStates};
use super::super::peers::Team;
use super::super::run_context::RunContext;
use super::super::tiled::TiledMatrix;
use super::super::update::{GROUP, Reduction};
use super::message_of;
use crate::Result;
use crate::gf2::bit_matrix::{LINE_BITS, Line, zero_lines};
use crate::parallel::*;
use crate::processes::{Reader, Transport, Writer, malformed};

/// The candidates in which a process looks for the pivots of a block before it looks in all of them: often enough.
const FIRST: usize = 1024;

/// The new pivots, equal on all processes.
pub struct Chosen {
    /// Their numbers among the rows of all processes, by ascending place.
    pub rows: Vec<u32>,
    /// By row of `rows`: the column of its lead.
    pub places: Vec<u32>,
    /// The panels of the blocks with pivots, whose row k is `rows[k]`; with multipliers on process 0 only.
    pub panels: Vec<Panel>,
}

/// Chooses among `all_rows` rows of `columns` columns, of which row k of `own` is row `k size + rank`.
pub fn choose(
    processes: &dyn Transport,
    team: &Team,
    own: TiledMatrix,
    (all_rows, columns): (usize, usize),
    context: RunContext<'_>,
) -> Result<Chosen> {
    let blocks = columns.div_ceil(LINE_BITS);
    let mut share = Share {
        processes,
        team,
        columns,
        context,
        states: RowStates::new(own.rows(), false),
        multipliers: TiledMatrix::zeros(own.rows(), columns)?,
        own,
        all_rows,
        rows: Vec::new(),
        places: Vec::new(),
        panels: Vec::new(),
    };
    let meter = context.meter(blocks as u64);
    for b in 0..blocks {
        share.eliminate(b)?;
        meter.add(1);
        if share.rows.len() == all_rows {
            break;
        }
    }
    share.finish()
}

/// The rows of one process, and the new pivots of all.
struct Share<'a> {
    processes: &'a dyn Transport,
    team: &'a Team,
    columns: usize,
    context: RunContext<'a>,
    own: TiledMatrix,
    all_rows: usize,
    states: RowStates,
    /// By own row: the reduced pivots that were added to it.
    multipliers: TiledMatrix,
    rows: Vec<u32>,
    places: Vec<u32>,
    /// Without multipliers.
    panels: Vec<Panel>,
}

/// A block's pivots, as all processes find them.
struct Found {
    /// New pivot k is row k of `rows`.
    block: Block,
    /// The new pivots' numbers among the rows of all processes, by ascending place.
    rows: Vec<u32>,
    /// By new pivot.
    multipliers: Vec<Line>,
}

impl Share<'_> {
    fn eliminate(&mut self, b: usize) -> Result<()> {
        let (numbers, lines) = self.exchange_candidates(b)?;
        if numbers.is_empty() {
            return Ok(());
        }
        let found = self.factor(b, &numbers, lines)?;
        if found.rows.is_empty() {
            return Err(malformed());
        }
        self.note(b, &found);
        let pivot_lines = self.exchange_pivot_lines(b, &found)?;
        self.update(b, &found, pivot_lines)
    }

    /// The number among all processes' rows of an own row.
    fn number(&self, own: u32) -> u32 {
        own * self.processes.size() as u32 + self.processes.rank() as u32
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let rank = self.processes.rank();
        (0..self.processes.size()).filter(move |&other| other != rank)
    }

    /// The rows of which their own processes would make pivots, with their lines in tile `b`, in the order of the file.
    fn exchange_candidates(&self, b: usize) -> Result<(Vec<u32>, Vec<Line>)> {
        let own = self.independent(b)?;
        let mut all: Vec<(u32, Line)> =
            own.iter().map(|&row| (self.number(row), *self.own.line(b, row as usize))).collect();
        let mut message = Writer::default();
        message.put_each(all.iter().map(|(number, _)| *number));
        message.put_each(all.iter().map(|(_, line)| *line));
        let message = message.finish();
        self.others().try_for_each(|to| self.processes.send(to, message.clone()))?;
        for from in self.others() {
            let message = self.processes.receive(from)?;
            let mut message = Reader::new(&message);
            let (numbers, lines): (Vec<u32>, Vec<Line>) = (message.take()?, message.take()?);
            let is_right = |&number: &u32| {
                number as usize % self.processes.size() == from && (number as usize) < self.all_rows
            };
            if numbers.len() != lines.len() || !numbers.iter().all(is_right) {
                return Err(malformed());
            }
            all.extend(numbers.into_iter().zip(lines));
        }
        all.sort_unstable_by_key(|(number, _)| *number);
        Ok(all.into_iter().unzip())
    }

    /// The candidates that are no sums of candidates before them in tile `b`.
    fn independent(&self, b: usize) -> Result<Vec<u32>> {
        let candidates = &self.states.candidates;
        let columns = LINE_BITS.min(self.columns - LINE_BITS * b);
        for count in [FIRST.min(candidates.len()), candidates.len()] {
            let mut lines = zero_lines(count)?;
            lines.iter_mut().zip(candidates).for_each(|(line, &row)| *line = *self.own.line(b, row as usize));
            let Block { pivots, .. } = self.factor_lines(b, &mut lines)?.0;
            if pivots.new_pivots.len() == columns || count == candidates.len() {
                let mut rows: Vec<u32> =
                    pivots.new_pivots.iter().map(|new_pivot| candidates[new_pivot.row as usize]).collect();
                rows.sort_unstable();
                return Ok(rows);
            }
        }
        Ok(Vec::new())
    }

    /// Factors block `b` from all rows of which any process would make pivots.
    fn factor(&self, b: usize, numbers: &[u32], mut lines: Vec<Line>) -> Result<Found> {
        let (mut block, multipliers) = self.factor_lines(b, &mut lines)?;
        let new_pivots = &mut block.pivots.new_pivots;
        let rows = new_pivots.iter().map(|new_pivot| numbers[new_pivot.row as usize]).collect();
        let multipliers = new_pivots.iter().map(|new_pivot| multipliers[new_pivot.row as usize]).collect();
        new_pivots.iter_mut().zip(0..).for_each(|(new_pivot, k)| new_pivot.row = k);
        Ok(Found { block, rows, multipliers })
    }

    /// Factors block `b` from rows with these lines in its tile. Returns it with the multipliers by row.
    fn factor_lines(&self, b: usize, lines: &mut [Line]) -> Result<(Block, Box<[Line]>)> {
        let (mut block, mut multipliers) = (Block::new(), zero_lines(lines.len())?);
        let mut states = RowStates::new(lines.len(), false);
        let (columns, context) = (self.columns, self.context);
        self.team.run(|| states.factor(&mut block, b, None, (lines, &mut multipliers), columns, context));
        Ok((block, multipliers))
    }

    /// Takes the new pivots out of the candidates.
    fn note(&mut self, b: usize, found: &Found) {
        let (first, mut pivots) = (self.rows.len() as u32, found.block.pivots.clone());
        let (rank, size) = (self.processes.rank(), self.processes.size());
        let mut own = Vec::new();
        for (((_, place), &number), line) in pivots.rows_with_leads().zip(&found.rows).zip(&found.multipliers)
        {
            if number as usize % size == rank {
                self.multipliers.tile_mut(b)[number as usize / size] = *line;
                own.push((number / size as u32, place));
            }
            self.rows.push(number);
            self.places.push(place);
        }
        self.states.note(own.into_iter());
        pivots.new_pivots.iter_mut().for_each(|new_pivot| new_pivot.row += first);
        self.panels.push(Panel { pivots, multipliers: Box::default() });
    }

    /// The lines of the new pivots in the tiles after `b`, tile after tile.
    fn exchange_pivot_lines(&self, b: usize, found: &Found) -> Result<Vec<Line>> {
        let (tiles, count) = (b + 1..self.own.count(), found.rows.len());
        let mut pivot_lines = vec![Line::ZERO; tiles.len() * count];
        let size = self.processes.size();
        let of = |process: usize| (0..count).filter(move |&k| found.rows[k] as usize % size == process);
        let places = |process: usize| {
            let tiles = 0..tiles.len();
            tiles.flat_map(move |t| of(process).map(move |k| t * count + k))
        };
        let rank = self.processes.rank();
        for (place, (t, k)) in places(rank).zip(tiles.clone().flat_map(|t| of(rank).map(move |k| (t, k)))) {
            pivot_lines[place] = *self.own.line(t, found.rows[k] as usize / size);
        }
        if tiles.is_empty() {
            return Ok(pivot_lines);
        }
        if of(rank).next().is_some() {
            let lines: Vec<Line> = places(rank).map(|place| pivot_lines[place]).collect();
            let message = message_of(&lines);
            self.others().try_for_each(|to| self.processes.send(to, message.clone()))?;
        }
        for from in self.others().filter(|&from| of(from).next().is_some()) {
            let lines: Vec<Line> = Reader::new(&self.processes.receive(from)?).take()?;
            if lines.len() != tiles.len() * of(from).count() {
                return Err(malformed());
            }
            places(from).zip(lines).for_each(|(place, line)| pivot_lines[place] = line);
        }
        Ok(pivot_lines)
    }

    /// Adds the block's pivots to the own candidates, in tile `b` and those after it.
    fn update(&mut self, b: usize, found: &Found, mut pivot_lines: Vec<Line>) -> Result<()> {
        let (rows, count, context) = (self.own.rows(), found.rows.len(), self.context);
        let Share { team, own, states, multipliers, .. } = self;
        if rows == 0 {
            return Ok(());
        }
        let multipliers = multipliers.tile_mut(b);
        team.run(|| states.reduce(&found.block, (own.tile_mut(b), &mut *multipliers), context));
        let mut reduced = zero_lines(LINE_BITS * GROUP.min(own.count() - b - 1))?;
        let reduction = Reduction::new(&found.block.pivots, &found.multipliers, false, context);
        let groups = own.tiles_from_mut(b + 1).chunks_mut(GROUP * rows);
        for (tiles, pivot_lines) in groups.zip(pivot_lines.chunks_mut(GROUP * count)) {
            let reduced = &mut reduced[..LINE_BITS * (tiles.len() / rows)];
            team.run(|| {
                let pairs = pivot_lines.par_chunks_mut(count).zip(reduced.par_chunks_mut(LINE_BITS));
                pairs.for_each(|(pivot_lines, reduced)| {
                    reduced.fill(Line::ZERO);
                    reduction.apply(pivot_lines, reduced);
                });
                reduction.add_to_others(tiles, reduced, &states.candidates, multipliers);
            });
        }
        Ok(())
    }

    /// Gathers at process 0 the multipliers of the new pivots.
    fn finish(mut self) -> Result<Chosen> {
        let size = self.processes.size();
        let (rows, of_own, panels) = (&self.rows[..], &self.multipliers, &mut self.panels);
        let of = |process: usize| (0..rows.len()).filter(move |&k| rows[k] as usize % size == process);
        let blocks: Vec<usize> = panels.iter().map(|panel| panel.pivots.index).collect();
        let own = |k: usize| blocks.iter().map(move |&b| *of_own.line(b, rows[k] as usize / size));
        if self.processes.rank() > 0 {
            let lines: Vec<Line> = of(self.processes.rank()).flat_map(own).collect();
            self.processes.send(0, message_of(&lines))?;
        } else {
            for panel in panels.iter_mut() {
                panel.multipliers = zero_lines(rows.len())?;
            }
            for from in 0..size {
                let lines: Vec<Line> = match from {
                    0 => of(0).flat_map(own).collect(),
                    _ => Reader::new(&self.processes.receive(from)?).take()?,
                };
                if lines.len() != blocks.len() * of(from).count() {
                    return Err(malformed());
                }
                for (k, lines) in of(from).zip(lines.chunks(blocks.len().max(1))) {
                    panels.iter_mut().zip(lines).for_each(|(panel, line)| panel.multipliers[k] = *line);
                }
            }
        }
        Ok(Chosen { rows: self.rows, places: self.places, panels: self.panels })
    }
}

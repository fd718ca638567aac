//! Blocked elimination: blocks of 512 columns, each factored in its own tile (see [`super::panel`]) and then applied to
//! the tiles after it (see [`super::update`]). One loop serves matrices in memory, on the disk and on several processes.
//!
//! ```text
//! for each group of tiles, from left to right:
//!     load the own tiles of the group
//!     for each block before the group:       [its panel is fetched while the one before it is applied]
//!         apply the block to the own tiles
//!     for each block of the group:
//!         factor it in its tile and send the panel to the others, or receive it from the owner of the tile
//!         apply it to the own tiles after it in the group; publish its panel
//!     finish the group: no later block changes it
//!
//!                 group 0     group 1     group 2
//!     block 0     factor -->  apply --->  apply        the multipliers of a block, 64 bytes a row,
//!     block 1     factor -->  apply --->  apply        are published once and fetched by every later group
//!     block 2                 factor -->  apply
//!     ...
//! ```
//!
//! A matrix in memory is one group. On the disk there are as many groups as memory demands: with g groups of equal size,
//! the multipliers are read (g - 1) / 2 times as a whole. Of several processes, each has every n-th tile. Every tile sees
//! the same blocks in the same order, so the result is the same, bit for bit.
//!
//! Reducers of an F4 matrix are either given pivots, which are expanded where they are needed, or the first rows, with
//! known leads. Such a row is a candidate only in the block of its lead, where it becomes a pivot as it is, since no other
//! pivot has that lead; no block changes it.

use std::ops::Range;

use super::panel::{Block, BlockPivots, Given, Panel, RowStates};
use super::peers::Peers;
use super::run_context::RunContext;
use super::shape::Shape;
use super::storage::{Panels, Tiles};
use super::update::{GROUP, Reduction};
use crate::Result;
use crate::gf2::bit_matrix::{LINE_BITS, Line, zero_lines};
use crate::parallel::*;

/// An elimination.
pub struct BlockedElimination<'a> {
    pub shape: &'a Shape,
    pub given: Option<&'a dyn Given>,
    /// The processes that share it; none if this process has all tiles and is on the engine's threads already.
    pub peers: Option<Peers<'a>>,
    pub context: RunContext<'a>,
}

impl BlockedElimination<'_> {
    /// Eliminates a matrix. Returns by row the column of its lead, or `u32::MAX`.
    pub fn eliminate(&self, tiles: &mut dyn Tiles, panels: &mut dyn Panels) -> Result<Vec<u32>> {
        let &Shape { rows, tiles: count, limit, at_a_time, .. } = self.shape;
        let (rank, size) = self.peers.as_ref().map_or((0, 1), |peers| (peers.rank(), peers.size()));
        let blocks = limit.div_ceil(LINE_BITS);
        let mut run = Run::new(self, at_a_time.min(count).div_ceil(size))?;
        let (mut now, mut next) = (Panel::default(), Panel::default());
        let meter = self.context.meter(effort(count, blocks));
        for first in (0..count).step_by(at_a_time) {
            let group = first..count.min(first + at_a_time);
            let lines = self.on_threads(|| tiles.load(group.clone()))?;
            let own = first + (rank + size - first % size) % size;
            let mut loaded = Loaded { lines, rows, first: own, step: size };
            if let Some(&b) = run.pivot_blocks.first() {
                now.make_room(rows)?;
                self.on_threads(|| panels.fetch(b, &mut now))?;
            }
            for k in 0..run.pivot_blocks.len() {
                let (b, following) = (run.pivot_blocks[k], run.pivot_blocks.get(k + 1).copied());
                next.make_room(if following.is_some() { rows } else { 0 })?;
                let (read, applied) = self.on_threads(|| {
                    let read = || following.map_or(Ok(()), |b| panels.fetch(b, &mut next));
                    join(read, || run.apply(&now, loaded.part(group.clone())))
                });
                read.and(applied)?;
                meter.reach(effort(first, blocks) + ((b + 1) * group.len()) as u64);
                std::mem::swap(&mut now, &mut next);
            }
            let end = group.end.min(blocks);
            let mut is_found = false;
            for b in first..end {
                // The tiles before b are done; the others have seen the blocks before b.
                meter.reach(effort(b, blocks) + (b * (group.end - b)) as u64);
                if !std::mem::take(&mut is_found) {
                    if run.rows.are_final() {
                        break;
                    }
                    self.find(&mut run, b, &mut now, &mut loaded)?;
                }
                // The others receive the next block while this process updates its other tiles.
                is_found = size > 1 && b + 1 < end && (b + 1) % size == rank && !run.rows.are_final();
                if is_found {
                    self.on_threads(|| run.apply(&now, loaded.part(b + 1..b + 2)))?;
                    self.find(&mut run, b + 1, &mut next, &mut loaded)?;
                }
                let after = b + 1 + usize::from(is_found)..group.end;
                self.on_threads(|| {
                    run.apply(&now, loaded.part(after))?;
                    match now.pivots.present.is_zero() {
                        true => Ok(()),
                        false => panels.publish(&mut now, group.end < count),
                    }
                })?;
                if is_found {
                    std::mem::swap(&mut now, &mut next);
                }
            }
            if group.end < count {
                meter.reach(effort(group.end, blocks));
            }
            if !self.on_threads(|| tiles.finish(group, &run.rows.leads))? {
                break;
            }
        }
        // The rank may be known before the last tile.
        meter.reach(effort(count, blocks));
        Ok(run.rows.leads)
    }

    /// Runs `work` on this process's threads.
    fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.peers {
            None => work(),
            Some(peers) => peers.team.run(work),
        }
    }

    /// Finds the pivots of block `b` in its tile and sends them to the others, or receives them from its owner.
    fn find(&self, run: &mut Run<'_>, b: usize, panel: &mut Panel, loaded: &mut Loaded<'_>) -> Result<()> {
        run.begin(b);
        panel.make_room(self.shape.rows)?;
        let Some(peers) = &self.peers else {
            run.factor(b, panel, loaded.part(b..b + 1).lines);
            return Ok(());
        };
        let changed = run.rows.eligible().to_vec();
        if b % peers.size() == peers.rank() {
            let tile = loaded.part(b..b + 1).lines;
            peers.team.run(|| run.factor(b, panel, tile));
            peers.send(panel, &changed)
        } else {
            peers.receive(b, panel, &changed)?;
            run.rows.note(panel.pivots.rows_with_leads());
            run.note(&panel.pivots);
            Ok(())
        }
    }
}

/// The work on the first `tiles` tiles, up to a factor: each sees the blocks before it, and its own.
fn effort(tiles: usize, blocks: usize) -> u64 {
    let (inside, outside) = (tiles.min(blocks) as u64, tiles.saturating_sub(blocks) as u64);
    inside * (inside + 1) / 2 + outside * blocks as u64
}

/// Own tiles in memory: tile `first + k * step` has the k-th lines, `rows` of them.
struct Loaded<'t> {
    lines: &'t mut [Line],
    rows: usize,
    first: usize,
    step: usize,
}

impl Loaded<'_> {
    /// The own tiles among these of the group.
    fn part(&mut self, tiles: Range<usize>) -> Loaded<'_> {
        let &mut Loaded { rows, first, step, .. } = self;
        let before = |tile: usize| tile.saturating_sub(first).div_ceil(step);
        let (from, to) = (before(tiles.start), before(tiles.end));
        Loaded { lines: &mut self.lines[rows * from..rows * to], rows, first: first + step * from, step }
    }
}

/// The state of an elimination.
struct Run<'a> {
    shape: &'a Shape,
    given: Option<&'a dyn Given>,
    context: RunContext<'a>,
    rows: RowStates,
    /// The known pivots of the blocks that were not begun.
    known: &'a [(u32, u32)],
    block: Block,
    /// The number of blocks that were factored, and those of them that have pivots.
    factored: usize,
    pivot_blocks: Vec<usize>,
    /// The reduced pivots of a block in some tiles: 512 lines a tile.
    reduced: Box<[Line]>,
}

impl<'a> Run<'a> {
    /// Begins an elimination with up to `most` own tiles in a group.
    fn new(elimination: &BlockedElimination<'a>, most: usize) -> Result<Self> {
        let &BlockedElimination { shape, given, context, .. } = elimination;
        let mut rows = RowStates::new(shape.rows, shape.is_reduced);
        rows.candidates.drain(..shape.known.rows);
        Ok(Run {
            shape,
            given,
            context,
            rows,
            known: &shape.known.leads,
            block: Block::new(),
            factored: 0,
            pivot_blocks: Vec::new(),
            reduced: zero_lines(LINE_BITS * most.min(GROUP))?,
        })
    }

    /// Makes the known pivots of block `b` candidates, before all others.
    fn begin(&mut self, b: usize) {
        let in_block = self.known.partition_point(|&(lead, _)| (lead as usize) < LINE_BITS * (b + 1));
        let (now, later) = self.known.split_at(in_block);
        self.known = later;
        let mut rows: Vec<u32> = now.iter().map(|&(_, row)| row).collect();
        rows.sort_unstable();
        self.rows.candidates.splice(0..0, rows);
    }

    /// Finds the pivots of block `b` in its tile and writes its panel.
    fn factor(&mut self, b: usize, panel: &mut Panel, tile: &mut [Line]) {
        let lines = (tile, &mut *panel.multipliers);
        self.rows.factor(&mut self.block, b, self.given, lines, self.shape.limit, self.context);
        std::mem::swap(&mut self.block.pivots, &mut panel.pivots);
        self.note(&panel.pivots);
    }

    fn note(&mut self, pivots: &BlockPivots) {
        self.factored = pivots.index + 1;
        // There may be millions of blocks without pivots.
        self.pivot_blocks.extend((!pivots.present.is_zero()).then_some(pivots.index));
    }

    /// Applies a block to tiles after its own.
    fn apply(&mut self, panel: &Panel, tiles: Loaded<'_>) -> Result<()> {
        let Run { shape, given, context, .. } = *self;
        let (Panel { pivots, multipliers }, Loaded { lines, rows, first, step }) = (panel, tiles);
        context.timeline().check()?;
        if pivots.present.is_zero() || lines.is_empty() {
            return Ok(());
        }
        let reduction = Reduction::new(pivots, multipliers, shape.is_reduced, context);
        let is_latest = pivots.index + 1 == self.factored;
        let updated = &*self.rows.updated(pivots.index, shape.known.rows, is_latest);
        for (lines, first) in lines.chunks_mut(GROUP * rows).zip((first..).step_by(GROUP * step)) {
            context.timeline().check()?;
            let reduced = &mut self.reduced[..LINE_BITS * (lines.len() / rows)];
            let pairs = lines.par_chunks_mut(rows).zip(reduced.par_chunks_mut(LINE_BITS));
            pairs.enumerate().for_each(|(k, (tile, reduced))| {
                let _task = context.task("pivots");
                match given {
                    Some(given) => given.expand(pivots.index, first + step * k, reduced),
                    None => reduced.fill(Line::ZERO),
                }
                reduction.apply(tile, reduced);
            });
            reduction.add_to_others(lines, reduced, updated, multipliers);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::peers::Team;
    use super::super::storage::Kept;
    use super::super::tiled::TiledMatrix;
    use super::*;
    use crate::Cpu;
    use crate::gf2::{RowReduction, Wanted, generate};
    use crate::processes::{Threads, Transport};

    /// One process's tiles of a matrix, of which a group is copied out at a time.
    struct InGroups<'m> {
        matrix: &'m TiledMatrix,
        rank: usize,
        size: usize,
        group: Vec<Line>,
        finished: Vec<(usize, Vec<Line>)>,
    }

    impl Tiles for InGroups<'_> {
        fn load(&mut self, group: Range<usize>) -> Result<&mut [Line]> {
            let own = group.filter(|t| t % self.size == self.rank);
            self.group = own.flat_map(|t| self.matrix.tile(t).to_vec()).collect();
            Ok(&mut self.group)
        }

        fn finish(&mut self, group: Range<usize>, _: &[u32]) -> Result<bool> {
            let own = group.filter(|t| t % self.size == self.rank);
            let tiles = self.group.chunks(self.matrix.rows()).map(<[Line]>::to_vec);
            self.finished.extend(own.zip(tiles));
            Ok(true)
        }
    }

    #[test]
    fn groups_and_processes_have_the_result_of_one_in_memory() {
        let cpu = Cpu { threads: 2, ..Cpu::default() };
        let tall = generate::matrix(900, 2600, 0.5, 1).unwrap();
        let deficient = generate::matrix_of_rank(700, 2600, 300, 2).unwrap();
        let wide = generate::matrix_of_rank(1400, 2100, 1200, 3).unwrap();
        for (matrix, limit) in [(tall, 2600), (deficient, 2600), (wide, 1100)] {
            let (rows, columns) = (matrix.rows(), matrix.columns());
            let tiles = TiledMatrix::from_view(matrix.view()).unwrap();
            for wanted in [Wanted::Echelon { from: 0 }, Wanted::Reduced] {
                let mut expected = TiledMatrix::from_view(matrix.view()).unwrap();
                let reduction = RowReduction::new(rows, columns, wanted).unwrap().with_pivots_within(limit);
                let shape = Shape::in_memory(&reduction);
                let elimination = BlockedElimination {
                    shape: &shape,
                    given: None,
                    peers: None,
                    context: RunContext::on(&cpu),
                };
                let leads = elimination.eliminate(&mut expected, &mut Kept::default()).unwrap();
                for (size, at_a_time) in [(1, 1), (1, 2), (1, 4), (2, 1), (2, 3), (3, 2), (3, 4), (4, 9)] {
                    let shape = Shape { at_a_time, ..Shape::in_memory(&reduction) };
                    let work = |processes: &Arc<dyn Transport>| {
                        let (rank, size, team) = (processes.rank(), processes.size(), Team::new(&cpu)?);
                        let peers = Some(Peers { processes: &**processes, team: &team });
                        let elimination = BlockedElimination {
                            shape: &shape,
                            given: None,
                            peers,
                            context: RunContext::on(&cpu),
                        };
                        let (group, finished) = (Vec::new(), Vec::new());
                        let mut own = InGroups { matrix: &tiles, rank, size, group, finished };
                        Ok((elimination.eliminate(&mut own, &mut Kept::default())?, own.finished))
                    };
                    let parts = Threads::run(size, work).unwrap();
                    let mut seen = 0;
                    for (found, finished) in parts {
                        assert_eq!(found, leads, "{rows} x {columns}, {wanted:?}, {size}, {at_a_time}");
                        for (t, tile) in finished {
                            assert!(tile == expected.tile(t), "tile {t}, {wanted:?}, {size}, {at_a_time}");
                            seen += 1;
                        }
                    }
                    assert_eq!(seen, tiles.count());
                }
            }
        }
    }
}

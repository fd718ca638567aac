//! Blocked elimination with the tiles dealt out to processes.
//!
//! ```text
//! for each block b of 512 columns, which is tile b:
//!     its owner        finds the block's pivots in tile b, and sends the multipliers of every row
//!     every process    receives them, and updates its own tiles after b
//! ```
//!
//! The owner of the next block updates that tile first, finds its pivots and sends them before it updates its other
//! tiles: the others receive them while they are at work. A block's messages have 64 bytes a row.

use super::super::blocked::{self, Plan, Reduction};
use super::super::panel::{Block, NONE, Promotion, RowStates};
use super::super::tiles::Tiles;
use super::Team;
use crate::Result;
use crate::gf2::bit_matrix::{LINE_BITS, Line, zero_lines};
use crate::parallel::*;
use crate::processes::{Message, Reader, Transport, Writer, malformed};

/// A factored block: its pivots, and by row the pivots that are added to it.
struct Panel {
    block: Block,
    multipliers: Box<[Line]>,
}

/// The state of the rows, equal on all processes.
struct State<'a> {
    plan: &'a Plan<'a>,
    rows: RowStates,
}

/// Eliminates a matrix of which `own` holds this process's tiles. Returns by row the column of its lead, or
/// [`NONE`]; the result of [`blocked::eliminate`](super::super::blocked::eliminate) on one process.
pub(super) fn eliminate(
    processes: &dyn Transport,
    team: &Team,
    own: &mut Tiles,
    plan: &Plan<'_>,
) -> Result<Vec<u32>> {
    let (rank, size) = (processes.rank(), processes.size());
    let mut state = State { plan, rows: RowStates::new(own.rows(), plan.full) };
    let blocks = plan.limit.div_ceil(LINE_BITS);
    let mut ahead = None;
    // As on one process: the others have as many tiles, up to one.
    let tiles = blocks.max(own.count() * size);
    let meter = plan.work.meter(blocked::effort(blocks, tiles));
    for b in 0..blocks {
        meter.reach(blocked::effort(b, tiles));
        let panel = match (b % size == rank, ahead.take()) {
            (false, _) => state.receive(processes, b)?,
            (true, Some(panel)) => panel,
            (true, None) => state.factor(processes, team, own, b)?,
        };
        let is_last = b + 1 == blocks || state.rows.candidates.is_empty() && !plan.full;
        // Factoring the next block takes rows out of the candidates that this block still updates.
        let updated = state.rows.updated(&panel.block).into_owned();
        let trail = Trail { panel: &panel, updated: &updated, plan };
        let mut first = (b + size - rank) / size;
        if !is_last && (b + 1) % size == rank {
            team.run(|| trail.update(own, first..first + 1, rank, size));
            ahead = Some(state.factor(processes, team, own, b + 1)?);
            first += 1;
        }
        let end = own.count();
        team.run(|| trail.update(own, first..end, rank, size));
        if is_last {
            break;
        }
    }
    meter.reach(blocked::effort(blocks, tiles));
    Ok(state.rows.leads)
}

impl State<'_> {
    /// Factors block `b`, whose tile this process has, and sends it to the others.
    fn factor(&mut self, processes: &dyn Transport, team: &Team, own: &mut Tiles, b: usize) -> Result<Panel> {
        let before = self.eligible();
        let mut given = zero_lines(LINE_BITS)?;
        let mut panel = Panel { block: Block::new(), multipliers: zero_lines(own.rows())? };
        let (plan, place) = (self.plan, b / processes.size());
        team.run(|| {
            let mut present = Line::ZERO;
            if let Some(pivots) = plan.given {
                pivots.expand(b, b, &mut given);
                present = pivots.present(b);
            }
            let Panel { block, multipliers } = &mut panel;
            let lines = (own.tile_mut(place), &mut **multipliers);
            self.rows.factor(block, b, (&given, present), lines, plan.limit, plan.work);
        });
        let message = panel.to_message(&before);
        let mut others = (0..processes.size()).filter(|&to| to != processes.rank());
        others.try_for_each(|to| processes.send(to, message.clone()))?;
        Ok(panel)
    }

    /// Receives block `b` from its owner.
    fn receive(&mut self, processes: &dyn Transport, b: usize) -> Result<Panel> {
        let message = processes.receive(b % processes.size())?;
        let panel = Panel::from_message(&message, b, &self.eligible(), self.rows.leads.len())?;
        for promotion in &panel.block.promotions {
            self.rows.leads[promotion.row as usize] = (LINE_BITS * b + promotion.place) as u32;
        }
        let RowStates { leads, candidates, .. } = &mut self.rows;
        candidates.retain(|&row| leads[row as usize] == NONE);
        Ok(panel)
    }

    /// The rows that the next block can change.
    fn eligible(&self) -> Vec<u32> {
        self.rows.all.as_ref().unwrap_or(&self.rows.candidates).clone()
    }
}

impl Panel {
    /// Writes the block and the multipliers of the rows that it could change.
    fn to_message(&self, rows: &[u32]) -> Message {
        let promotions = &self.block.promotions;
        let places: Vec<[u32; 2]> = promotions.iter().map(|p| [p.row, p.place as u32]).collect();
        let exact: Vec<u64> = promotions.iter().map(|p| p.exact).collect();
        let mut message = Writer::default();
        message.put(&places);
        message.put(&exact);
        message.put(&[self.block.present]);
        message.put(&self.block.coefficients);
        message.put_each(rows.iter().map(|&row| self.multipliers[row as usize]));
        message.finish()
    }

    fn from_message(message: &Message, index: usize, rows: &[u32], count: usize) -> Result<Self> {
        let mut message = Reader::new(message);
        let mut block = Block::new();
        block.index = index;
        let (places, exact): (Vec<[u32; 2]>, Vec<u64>) = (message.take()?, message.take()?);
        let is_right = |&[row, place]: &[u32; 2]| (row as usize) < count && (place as usize) < LINE_BITS;
        if places.len() != exact.len() || !places.iter().all(is_right) {
            return Err(malformed());
        }
        let promotion =
            |(&[row, place], &exact): (&[u32; 2], &u64)| Promotion { row, place: place as usize, exact };
        block.promotions = places.iter().zip(&exact).map(promotion).collect();
        [block.present] = message.take_array()?;
        message.take_into(&mut block.coefficients)?;
        let sent = message.take_each::<Line>()?;
        if sent.len() != rows.len() {
            return Err(malformed());
        }
        let mut multipliers = zero_lines(count)?;
        rows.iter().zip(sent).for_each(|(&row, line)| multipliers[row as usize] = line);
        Ok(Panel { block, multipliers })
    }
}

/// The update of tiles by a block.
struct Trail<'a> {
    panel: &'a Panel,
    updated: &'a [u32],
    plan: &'a Plan<'a>,
}

impl Trail<'_> {
    /// Updates the tiles of process `rank` with these places in `own`.
    fn update(&self, own: &mut Tiles, places: std::ops::Range<usize>, rank: usize, size: usize) {
        let (rows, block) = (own.rows(), &self.panel.block);
        if block.present.is_zero() || rows == 0 || places.is_empty() {
            return;
        }
        let reduction = Reduction::new(block, &self.panel.multipliers, self.plan);
        let tiles = &mut own.tiles_from_mut(places.start)[..rows * places.len()];
        tiles.par_chunks_mut(rows).zip(places.into_par_iter()).for_each(|(tile, place)| {
            let mut given = vec![Line::ZERO; LINE_BITS];
            let mut acting = vec![Line::ZERO; LINE_BITS];
            if let Some(pivots) = self.plan.given {
                pivots.expand(block.index, rank + place * size, &mut given);
            }
            reduction.apply(tile, &given, &mut acting);
            reduction.add_to_others(tile, &acting, self.updated, &self.panel.multipliers);
        });
    }
}

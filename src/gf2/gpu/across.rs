//! Echelon forms on several GPUs, each of which has some blocks of the columns ([`Deal`]).
//!
//! ```text
//! for each block:
//!     its owner        finds the block's pivots (panel) and sends what they do to every row: the outcome of the
//!                      panel, the states of the pivots, and the rows' selections, 32 bytes a row
//!     every device     computes the pivots in its own tiles from the block on (predict) and adds them to the
//!                      rows there (update)
//! ```
//!
//! The owner of the next block updates that block first, finds its pivots, and has them copied to the host while
//! it updates its other tiles:
//!
//! ```text
//! owner of b + 1    update next b | panel b + 1 | update b         | predict b + 1 ...
//!                                  copy to the host |
//! others            update b                             | write b + 1 | predict b + 1 ...
//! ```
//!
//! Every device has all rows in the same order. A device's tiles stand side by side, so that the kernels of one
//! device run on them; the selections and the states are those of the whole matrix.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::blocks::{Blocks, Next, Order};
use super::buffers::{Failure, Failures, SharedPanel, buffers_bytes, info, shared_bytes};
use super::dense::DensePolicy;
use super::matrix::{
    DeviceMatrix, VECTOR, chunk_len, download_bytes, download_traffic, matrix_bytes, stride_of, upload_bytes,
    upload_traffic,
};
use super::schedule::{Policy, Schedule};
use super::shape::{BLOCK, INFO};
use crate::gf2::block_cyclic::Deal;
use crate::gf2::dense::expect_pivots;
use crate::gf2::{BitMatrix, RowReduction};
use crate::gpu::{Gpu, ReadBack, Recorder, block_on};
use crate::processes::Transport;
use crate::task::Traffic;
use crate::timeline::Mark;
use crate::{Error, Result};

/// A member's part of an echelon form.
pub struct Part {
    /// Its columns; without rows if only the pivots are wanted.
    pub matrix: BitMatrix,
    /// The pivots in its blocks, ascending.
    pub pivots: Vec<u32>,
}

/// Bytes of device memory that [`eliminate`] takes for `member`. An upper bound.
pub fn across_bytes(deal: &Deal, member: usize, reduction: &RowReduction, binding_bytes: u64) -> u64 {
    let (own, rows) = (deal.columns_of(member), reduction.rows);
    let moved = upload_bytes(rows, own, binding_bytes).max(download_bytes(rows, own, binding_bytes));
    matrix_bytes(rows, own) + moved.max(buffers_bytes(rows, own, reduction.limit))
}

/// The data and the dispatches of all members for a matrix of the largest rank, whose first columns are
/// independent, like those of a random one. Of other matrices an echelon form that is not reduced sends the
/// selections of more rows, and a block whose panel fails is sent to the host once more.
pub fn across_traffic(deal: &Deal, reduction: &RowReduction, bindings: &[u64]) -> Traffic {
    let members = || (0..deal.members()).filter(|&member| deal.columns_of(member) > 0);
    let blocks = reduction.limit.min(reduction.rows).div_ceil(BLOCK);
    let tables = reduction.limit.div_ceil(BLOCK) as u64 * (4 * INFO as u64 + VECTOR * 2 * BLOCK as u64);
    let mut all: Vec<Traffic> = Vec::new();
    for member in members() {
        let (own, binding) = (deal.columns_of(member), bindings[member]);
        all.push(upload_traffic(reduction.rows, own, binding));
        if !reduction.has_no_form() {
            all.push(download_traffic(reduction.rows, own, binding));
        }
        let mut dispatches = 0;
        let parts = |tiles: Range<u32>| parts_within(tiles, reduction.rows, binding);
        for block in (0..blocks).filter(|&block| deal.is_busy(member, block)) {
            let is_last = block + 1 == blocks;
            let steps = deal.steps(member, block, reduction, is_last);
            let is_owner = deal.owner(block) == member;
            dispatches += u64::from(is_owner) + u64::from(is_owner && block == 0);
            dispatches += parts(steps.predict) + steps.next.map_or(0, &parts) + parts(steps.update);
            let message = shared_bytes(changed(reduction, BLOCK * block).len(), false) as u64;
            all.push(Traffic {
                upload: if is_owner { 0 } else { message },
                download: if is_owner { message } else { 0 },
                dispatches: Some(0),
            });
        }
        all.push(Traffic { upload: tables, download: 0, dispatches: Some(dispatches) });
    }
    Traffic::sum(all)
}

/// The number of buffers of a matrix of `rows` rows that have some of `tiles`.
pub fn parts_within(tiles: Range<u32>, rows: usize, binding_bytes: u64) -> u64 {
    let most = (chunk_len(binding_bytes, VECTOR) as usize / stride_of(rows) / 2 * 2).max(1) as u32;
    match tiles.is_empty() {
        true => 0,
        false => u64::from((tiles.end - 1) / most - tiles.start / most + 1),
    }
}

/// Bytes of the messages of all blocks, each counted once.
pub fn across_messages(reduction: &RowReduction) -> u64 {
    let blocks = 0..reduction.limit.min(reduction.rows).div_ceil(BLOCK);
    blocks.map(|block| shared_bytes(changed(reduction, BLOCK * block).len(), false) as u64).sum()
}

/// The maximum number of bytes of a message.
pub fn across_message_bytes(reduction: &RowReduction) -> u64 {
    shared_bytes(reduction.rows, false) as u64
}

/// The rows whose selections other devices need in a block with `done` pivot rows before it.
fn changed(reduction: &RowReduction, done: usize) -> Range<usize> {
    if reduction.is_reduced() { 0..reduction.rows } else { done.min(reduction.rows)..reduction.rows }
}

/// Eliminates the part `own` of this process's member, together with the other processes' members. Every process
/// is one member of the deal, and has a GPU.
pub fn eliminate(
    processes: &dyn Transport,
    gpu: &Gpu,
    own: BitMatrix,
    deal: &Deal,
    reduction: &RowReduction,
) -> Result<Part> {
    let rank = processes.rank();
    if own.columns() == 0 {
        return Ok(Part { matrix: own, pivots: Vec::new() });
    }
    let matrix = DeviceMatrix::upload(gpu, &own)?;
    drop(own);
    let mut pivots = reduce(processes, &matrix, deal, reduction)?;
    let rows = if reduction.has_no_form() { 0 } else { reduction.rows };
    let first_tile = |block: usize| 2 * deal.before(rank, block) as u32;
    let form_of_part = block_on(matrix.download_form_of(&pivots, reduction, 0..rows, first_tile))?;
    pivots.retain(|&pivot| deal.owner(pivot as usize / BLOCK) == rank);
    Ok(Part { matrix: form_of_part, pivots })
}

/// Eliminates a part that is on the device of this process's member, in place. Returns the pivots of all members.
pub fn reduce(
    processes: &dyn Transport,
    part: &DeviceMatrix,
    deal: &Deal,
    reduction: &RowReduction,
) -> Result<Vec<u32>> {
    if reduction.limit == 0 {
        return Ok(Vec::new());
    }
    let info = info(reduction.limit, |_| true, |_| false);
    let blocks = Blocks::new(part, &info, Order::PivotsFirst { all_rows: reduction.is_reduced() })?;
    let policy = DensePolicy::new(*reduction, part.tiles());
    let mut member = Member::new(processes, part.gpu(), (deal, reduction), blocks, policy)?;
    let count = member.blocks.count();
    member.run(count, |_, _| Ok(()))?;
    Ok(member.policy.pivots)
}

/// A policy of an elimination that several devices share, with all that the host notes of it.
pub trait SharedPolicy: Policy {
    /// The rows whose selections other devices need in a block.
    fn changed(&self, block: usize) -> Range<usize>;

    /// The number of pivot rows before the first block that is not done, if pivot rows stand first.
    fn done(&self) -> u32;

    /// Takes note of the pivots of a block. Returns true if no block after it changes anything. Refuses a panel that
    /// cannot be.
    fn note(&mut self, block: usize, panel: &SharedPanel<'_>) -> Result<bool>;

    /// By row: the place of its lead. Empty if pivot rows stand first.
    fn leads(&self) -> &[u32];
}

impl SharedPolicy for DensePolicy {
    fn changed(&self, _: usize) -> Range<usize> {
        changed(&self.reduction, self.done as usize)
    }

    fn done(&self) -> u32 {
        self.done
    }

    fn note(&mut self, block: usize, panel: &SharedPanel<'_>) -> Result<bool> {
        let done = panel.done();
        self.pivots.extend(panel.pivots().map(|pivot| (BLOCK * block) as u32 + pivot));
        if done as usize != self.pivots.len() {
            let fault = format!("has {done} pivot rows for {} pivots", self.pivots.len());
            return Err(Error::nonsense_at("block", block, fault));
        }
        expect_pivots(&self.pivots, self.reduction.rows, self.reduction.limit)?;
        self.advance(block + 1, done, None);
        Ok(done as usize == self.reduction.rows)
    }

    fn leads(&self) -> &[u32] {
        &[]
    }
}

/// One device in an elimination.
pub struct Member<'a, P> {
    processes: &'a dyn Transport,
    gpu: &'a Gpu,
    deal: &'a Deal,
    reduction: &'a RowReduction,
    blocks: Blocks<'a>,
    pub policy: P,
    read_back: ReadBack,
    /// The last messages, whose memory is used again once nobody reads them: new pages would take longer than the
    /// copies.
    sent: VecDeque<Arc<Vec<u8>>>,
}

/// Maximum number of messages of one member in memory: one on its way, and one that the others still read.
pub const MOST_SENT: usize = 2;

impl<'a, P: SharedPolicy> Member<'a, P> {
    pub fn new(
        processes: &'a dyn Transport,
        gpu: &'a Gpu,
        (deal, reduction): (&'a Deal, &'a RowReduction),
        blocks: Blocks<'a>,
        policy: P,
    ) -> Result<Self> {
        let read_back = ReadBack::new(gpu, shared_bytes(reduction.rows, blocks.is_in_order()))?;
        Ok(Member { processes, gpu, deal, reduction, blocks, policy, read_back, sent: VecDeque::new() })
    }

    /// Eliminates the blocks before `count`; `begin` records what comes before all of them.
    pub fn run(
        &mut self,
        count: usize,
        begin: impl FnOnce(&mut Recorder<'_>, &Blocks<'_>) -> Result<()>,
    ) -> Result<()> {
        let rank = self.processes.rank();
        let is_first = count > 0 && self.deal.owner(0) == rank;
        let mut recorder = self.gpu.record();
        begin(&mut recorder, &self.blocks)?;
        if is_first {
            self.blocks.extract(&mut recorder)?;
        }
        recorder.submit()?;
        if is_first {
            self.seek(0)?;
        }
        let meter = self.gpu.timeline().meter(self.blocks.effort(count, count));
        for block in 0..count {
            if !self.deal.is_busy(rank, block) {
                break;
            }
            meter.check()?;
            let message = if self.deal.owner(block) == rank { self.found(block)? } else { self.told(block)? };
            // A panel that failed has changed the schedule.
            let schedule = self.policy.schedule(block);
            let is_done = self.policy.note(block, &SharedPanel::new(&message, self.blocks.is_in_order()))?;
            drop(message);
            let is_last = block + 1 == count || is_done;
            let progress = (meter.mark(), self.blocks.effort(block + 1, count));
            self.apply(block, &schedule, is_last, progress)?;
            if is_last {
                break;
            }
        }
        Ok(())
    }

    /// Seeks the pivots of a block of this device, and has them copied to the host.
    fn seek(&mut self, block: usize) -> Result<()> {
        let schedule = self.policy.schedule(block);
        let mut recorder = self.gpu.record();
        self.blocks.search_first(&mut recorder, block, &schedule)?;
        self.blocks.search_again(&mut recorder, block, &schedule)?;
        recorder.submit()?;
        self.read_back.begin(&self.blocks.buffers.shared(block, &self.policy.changed(block))?)
    }

    /// Waits until the pivots of a block of this device are found, and sends them to the devices that need them.
    fn found(&mut self, block: usize) -> Result<Arc<Vec<u8>>> {
        let (mut message, mut failures) = (self.unread(), Failures::default());
        let message = loop {
            self.read_back.finish(&mut message)?;
            let panel = SharedPanel::new(&message, self.blocks.is_in_order());
            if !panel.has_failed() {
                break Arc::new(message);
            }
            let (done, found) = (self.policy.done(), panel.pivots().count());
            failures.note(Failure { block, found })?;
            self.blocks.buffers.allow_again(block, done)?;
            self.policy.advance(block, done, Some(Failure { block, found }));
            self.seek(block)?;
        };
        let others = (0..self.processes.size()).filter(|&to| to != self.processes.rank());
        for to in others.filter(|&to| self.deal.is_busy(to, block)) {
            self.processes.send(to, message.clone())?;
        }
        self.sent.push_back(message.clone());
        Ok(message)
    }

    /// The memory of an earlier message that nobody reads any more, or none. Forgets the oldest message if there
    /// would be more than [`MOST_SENT`].
    fn unread(&mut self) -> Vec<u8> {
        let unread = self.sent.iter().position(|message| Arc::strong_count(message) == 1);
        if unread.is_none() && self.sent.len() == MOST_SENT {
            self.sent.pop_front();
        }
        unread.and_then(|at| self.sent.remove(at)).and_then(Arc::into_inner).unwrap_or_default()
    }

    /// Receives the pivots of a block of another device.
    fn told(&mut self, block: usize) -> Result<Arc<Vec<u8>>> {
        let message = self.processes.receive(self.deal.owner(block))?;
        self.blocks.buffers.write_shared(block, &self.policy.changed(block), &message)?;
        Ok(message)
    }

    /// Adds a block's pivots in this device's tiles; `is_last` if no pivots are sought after it.
    fn apply(
        &mut self,
        block: usize,
        schedule: &Schedule,
        is_last: bool,
        (mark, done): (Mark, u64),
    ) -> Result<()> {
        let steps = self.deal.steps(self.processes.rank(), block, self.reduction, is_last);
        if steps.next.is_some() {
            self.blocks.write_leads(self.policy.leads())?;
        }
        let mut recorder = self.gpu.record();
        self.blocks.reducers_to_rows(&mut recorder, block, steps.predict.clone())?;
        self.blocks.predict(&mut recorder, block, steps.predict)?;
        if let Some(tiles) = steps.next {
            let next = Next { tiles, tile: steps.next_tile };
            self.blocks.update_next(&mut recorder, block, schedule, next)?;
            recorder.submit()?;
            self.seek(block + 1)?;
        }
        self.blocks.update(&mut recorder, block, &schedule.rows, steps.update)?;
        recorder.mark(mark, done);
        recorder.submit()
    }
}

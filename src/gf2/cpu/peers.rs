//! The processes that share an elimination: tile t is process t modulo n's, of n processes.
//!
//! The owner of the next block updates that tile first, finds its pivots and sends them before it updates its other
//! tiles: the others receive them while they are at work. A block's messages have 64 bytes a row.

use super::panel::{NewPivot, Panel};
use crate::gf2::bit_matrix::{LINE_BITS, Line};
use crate::parallel::Threads;
use crate::processes::{Reader, Transport, Writer, malformed};
use crate::{Cpu, Result};

/// The threads of one process.
pub struct Team(Threads);

impl Team {
    pub fn new(cpu: &Cpu) -> Result<Self> {
        cpu.simd.checked()?;
        Ok(Team(Threads::new(cpu.threads)?))
    }

    /// Runs `work` on the threads.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.0.enter(work)
    }
}

/// One of the processes. Its main thread alone sends and receives messages.
pub struct Peers<'p> {
    pub processes: &'p dyn Transport,
    pub team: &'p Team,
}

impl Peers<'_> {
    pub fn rank(&self) -> usize {
        self.processes.rank()
    }

    pub fn size(&self) -> usize {
        self.processes.size()
    }

    /// Sends a panel to the others: of the multipliers, those of the rows that the block could change.
    pub fn send(&self, panel: &Panel, rows: &[u32]) -> Result<()> {
        let mut others = (0..self.size()).filter(|&to| to != self.rank()).peekable();
        if others.peek().is_none() {
            return Ok(());
        }
        let Panel { pivots, multipliers } = panel;
        let places: Vec<[u32; 2]> = pivots.new_pivots.iter().map(|p| [p.row, p.place as u32]).collect();
        let exact: Vec<u64> = pivots.new_pivots.iter().map(|p| p.exact).collect();
        let mut message = Writer::default();
        message.put(&places);
        message.put(&exact);
        message.put(&[pivots.present]);
        message.put(&pivots.coefficients);
        message.put_each(rows.iter().map(|&row| multipliers[row as usize]));
        let message = message.finish();
        others.try_for_each(|to| self.processes.send(to, message.clone()))
    }

    /// Receives the panel of a block from its owner.
    pub fn receive(&self, block: usize, panel: &mut Panel, rows: &[u32]) -> Result<()> {
        let message = self.processes.receive(block % self.size())?;
        let mut message = Reader::new(&message);
        let Panel { pivots, multipliers } = panel;
        let (places, exact): (Vec<[u32; 2]>, Vec<u64>) = (message.take()?, message.take()?);
        let is_right =
            |&[row, place]: &[u32; 2]| (row as usize) < multipliers.len() && (place as usize) < LINE_BITS;
        let new_pivot =
            |(&[row, place], &exact): (&[u32; 2], &u64)| NewPivot { row, place: place as usize, exact };
        pivots.index = block;
        [pivots.present] = message.take_array()?;
        pivots.coefficients = message.take()?;
        let sent = message.take_each::<Line>()?;
        if places.len() != exact.len()
            || !places.iter().all(is_right)
            || !pivots.present.is_zero() && pivots.coefficients.len() != LINE_BITS
            || sent.len() != rows.len()
        {
            return Err(malformed());
        }
        pivots.new_pivots = places.iter().zip(&exact).map(new_pivot).collect();
        rows.iter().zip(sent).for_each(|(&row, line)| multipliers[row as usize] = line);
        Ok(())
    }
}

//! Problems whose matrices are larger than memory, and their plans.

use std::fmt;
use std::time::Duration;

use super::run::PreparedOutOfCore;
use crate::gf2::bit_matrix::LINE_BITS;
use crate::gf2::cpu::{state_bytes, tile_bytes};
use crate::gf2::{BitMatrix, Dense, Operation, cost};
use crate::task::{Cost, Engine, Plan, Problem, Profile};
use crate::{Device, Error, Result};

/// Bytes a second of scratch files and mapped files, for the expected time; it is not measured in advance.
const RATE: f64 = 1e9;

/// Bytes of a page of a mapped file.
const PAGE: u64 = 4096;

/// A [`Dense`] problem whose matrices stay in files.
///
/// ```
/// use wgalois::gf2::{BitMatrix, Dense, OutOfCore};
/// use wgalois::{Cpu, Device, task::Problem};
///
/// let device = Device::Cpu(Cpu::default());
/// let plan = OutOfCore::new(Dense::rank(2, 3)?)?.plan(&device)?;
/// let matrix = BitMatrix::zeros(2, 3)?;
/// let answer = plan.prepare(&device, &std::env::temp_dir())?.run(matrix.view(), None)?;
/// assert_eq!(answer.rank(), 0);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfCore {
    dense: Dense,
}

impl OutOfCore {
    /// Makes the problem. Columns that a proof carries along are not computed.
    ///
    /// # Errors
    /// [`Error::Usage`] for a transposition.
    pub fn new(dense: Dense) -> Result<Self> {
        match dense.operation() {
            Operation::Transpose => Err(Error::Usage("a transposition takes place in memory".into())),
            _ => Ok(OutOfCore { dense: dense.with_carried_columns(false) }),
        }
    }

    /// The operation and the shapes.
    pub fn dense(&self) -> &Dense {
        &self.dense
    }

    /// The tiles of A and of all that is eliminated.
    pub(super) fn tiles(&self) -> (usize, usize) {
        let of_a = self.dense.shape().1.div_ceil(LINE_BITS);
        let of_b = match self.dense.operation() {
            Operation::Solve | Operation::Inverse => self.dense.other_columns().div_ceil(LINE_BITS),
            _ => 0,
        };
        (of_a, of_a + of_b)
    }

    /// The finished tiles that the answer is read from, as many as there are from this one on.
    pub(super) fn first_kept_tile(&self) -> usize {
        let (of_a, all) = self.tiles();
        match self.dense.operation() {
            Operation::Rank | Operation::Multiply => all,
            Operation::Solve | Operation::Inverse => of_a,
            _ => 0,
        }
    }

    /// Bytes of the lists and buffers from which the answer is read, and the least bytes of a band.
    fn answer_bytes(&self) -> (u64, u64) {
        let (rows, columns) = self.dense.shape();
        let lists = 16 * rows as u64 + 16 * columns as u64 + (512 << 10);
        let row = |columns: usize| BitMatrix::bytes_of(1, columns as u64) + 16;
        match self.dense.operation() {
            Operation::Rank | Operation::Multiply => (0, 0),
            Operation::Kernel => (lists + 64 * rows as u64, 64 * row(columns)),
            Operation::Solve | Operation::Inverse => (lists, row(self.dense.other_columns())),
            _ => (lists, row(columns)),
        }
    }

    fn elimination(&self, profile: &Profile, threads: usize) -> Result<OutOfCorePlan> {
        let (rows, columns) = self.dense.shape();
        let (of_a, tiles) = self.tiles();
        let limit = self.dense.limit();
        let state = state_bytes(rows as u64, limit as u64);
        let tile = tile_bytes(rows as u64);
        let fitting = profile.host_memory.saturating_sub(state) / tile.max(1);
        let at_a_time = usize::try_from(fitting).unwrap_or(usize::MAX).clamp(1, tiles.max(1));
        let (lists, band) = self.answer_bytes();
        let elimination = state.saturating_add(tile.saturating_mul(at_a_time as u64));
        let host_bytes = elimination.max(lists.saturating_add(band));

        let tile = 64 * rows as u64;
        let blocks = limit.div_ceil(LINE_BITS);
        let groups = tiles.div_ceil(at_a_time);
        let last_group = groups.saturating_sub(1) * at_a_time;
        let again: u64 = (0..groups).map(|group| blocks.min(group * at_a_time) as u64).sum();
        let kept = (tiles - self.first_kept_tile()) as u64;
        // Whole pages of a mapped file are read, each by every group that has a part of it.
        let of_a_row = (4 * columns.div_ceil(32) as u64)
            .min((64 * at_a_time as u64).next_multiple_of(PAGE) * of_a.div_ceil(at_a_time) as u64);
        let of_b = match self.dense.operation() {
            Operation::Solve => rows as u64 * 4 * self.dense.other_columns().div_ceil(32) as u64,
            _ => 0,
        };
        let read_bytes = rows as u64 * of_a_row + of_b + tile.saturating_mul(again + kept);
        let written_bytes = tile.saturating_mul(blocks.min(last_group) as u64 + kept);
        let compute = cost::cpu::echelon_time(rows, LINE_BITS * tiles, self.dense.is_reduced(), threads);
        Ok(OutOfCorePlan {
            problem: *self,
            at_a_time,
            parts: groups,
            band: host_bytes - lists,
            read_bytes,
            written_bytes,
            cost: Cost { time: compute + transfer(read_bytes + written_bytes), host_bytes, device_bytes: 0 },
        })
    }

    fn product(&self, profile: &Profile, threads: usize) -> Result<OutOfCorePlan> {
        let (rows, inner) = self.dense.shape();
        let columns = self.dense.other_columns();
        let tiles = columns.div_ceil(LINE_BITS) as u64;
        let state = 64 * LINE_BITS as u64 * tiles + 2 * BitMatrix::bytes_of(1, columns as u64) + (2 << 20);
        let row = 64 * tiles + 64 + 4;
        let fitting = profile.host_memory.saturating_sub(state) / row;
        let at_a_time = usize::try_from(fitting).unwrap_or(usize::MAX).clamp(1, rows.max(1));
        let parts = rows.div_ceil(at_a_time);
        let band = row * at_a_time as u64;
        let b_bytes = inner as u64 * 4 * columns.div_ceil(32) as u64;
        let read_bytes = rows as u64 * 4 * inner.div_ceil(32) as u64 + b_bytes.saturating_mul(parts as u64);
        let compute = cost::cpu::product_time(rows, inner, columns, threads);
        Ok(OutOfCorePlan {
            problem: *self,
            at_a_time,
            parts,
            band,
            read_bytes,
            written_bytes: 0,
            cost: Cost { time: compute + transfer(read_bytes), host_bytes: state + band, device_bytes: 0 },
        })
    }
}

pub(super) fn transfer(bytes: u64) -> Duration {
    Duration::from_secs_f64(bytes as f64 / RATE)
}

impl Problem for OutOfCore {
    type Plan = OutOfCorePlan;

    fn plan_for(&self, profile: &Profile) -> Result<OutOfCorePlan> {
        let &Engine::Cpu { threads } = &profile.engine else {
            let message = "matrices larger than memory are for the CPU engine: --device cpu";
            return Err(Error::Usage(message.into()));
        };
        let plan = match self.dense.operation() {
            Operation::Multiply => self.product(profile, threads),
            _ => self.elimination(profile, threads),
        }?;
        plan.cost.check(profile, "this matrix, which stays on the disk,")?;
        Ok(plan)
    }
}

/// A plan to compute an [`OutOfCore`] problem.
#[derive(Clone, Debug)]
pub struct OutOfCorePlan {
    pub(super) problem: OutOfCore,
    /// Tiles in memory at a time; of a product, rows of the answer.
    pub(super) at_a_time: usize,
    parts: usize,
    /// Bytes that a band of the answer may take.
    pub(super) band: u64,
    read_bytes: u64,
    written_bytes: u64,
    cost: Cost,
}

impl OutOfCorePlan {
    /// The problem.
    pub fn problem(&self) -> &OutOfCore {
        &self.problem
    }

    /// The number of parts: groups of tiles, or bands of rows of a product. Every part reads the multipliers of all
    /// blocks before it, or the second factor.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// Bytes that are read from files, in whole pages.
    pub fn read_bytes(&self) -> u64 {
        self.read_bytes
    }

    /// Bytes that are written to scratch files.
    pub fn written_bytes(&self) -> u64 {
        self.written_bytes
    }

    /// Prepares the plan; scratch files are made in `scratch`.
    ///
    /// # Errors
    /// [`Error::Usage`] on a GPU.
    pub fn prepare(&self, device: &Device, scratch: &std::path::Path) -> Result<PreparedOutOfCore> {
        match device {
            Device::Cpu(cpu) => Ok(PreparedOutOfCore::new(cpu.clone(), self.clone(), scratch.to_owned())),
            _ => Err(Error::Usage("this plan was made for the CPU engine".into())),
        }
    }
}

impl Plan for OutOfCorePlan {
    fn cost(&self) -> Cost {
        self.cost
    }
}

impl fmt::Display for OutOfCorePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dense = self.problem.dense();
        let (rows, columns) = dense.shape();
        let (method, unit) = match dense.operation() {
            Operation::Multiply => ("tables of sums, on files", "rows of the answer"),
            _ => ("blocked, 512 columns at a time, on files", "tiles of 512 columns"),
        };
        writeln!(f, "operation      {}", format!("{:?}", dense.operation()).to_lowercase())?;
        writeln!(f, "matrix         {rows} x {columns}")?;
        if dense.other_columns() > 0 {
            writeln!(f, "second matrix  {} columns", dense.other_columns())?;
        }
        writeln!(f, "method         {method}")?;
        writeln!(f, "parts          {}, {} {unit} at a time", self.parts, self.at_a_time)?;
        writeln!(f, "reads          {} bytes", self.read_bytes)?;
        writeln!(f, "writes         {} bytes to scratch files", self.written_bytes)?;
        self.cost.fmt(f)
    }
}

//! Dense problems whose matrices are larger than memory, and the numbers of their plans.

use std::fmt;

use super::plan::{FilesPlan, OutOfCorePlan};
use crate::gf2::bit_matrix::LINE_BITS;
use crate::gf2::cpu::{state_bytes, tile_bytes};
use crate::gf2::{BitMatrix, Dense, Operation, Product, cost};
use crate::task::{Engine, Plan, Problem, Profile};
use crate::{Error, Result};

/// Bytes of a page of a mapped file.
const PAGE: u64 = 4096;
/// The fewest rows of a product at a time, unless it has fewer: all of B is read for each such part.
const LEAST_ROWS: usize = 128;

/// What is asked of matrices in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// What an elimination answers.
    Dense(Dense),
    /// A product.
    Product(Product),
}

impl From<Dense> for Asked {
    fn from(dense: Dense) -> Self {
        Asked::Dense(dense)
    }
}

impl From<Product> for Asked {
    fn from(product: Product) -> Self {
        Asked::Product(product)
    }
}

impl Asked {
    /// The operation.
    pub fn operation(&self) -> Operation {
        match self {
            Asked::Dense(dense) => dense.operation(),
            Asked::Product(_) => Operation::Multiply,
        }
    }

    /// The rows and columns of A.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Asked::Dense(dense) => dense.shape(),
            Asked::Product(product) => (product.shape().0, product.shape().1),
        }
    }

    /// The columns of B, or of the identity for an inverse; 0 if there is no B.
    pub fn other_columns(&self) -> usize {
        match self {
            Asked::Dense(dense) => dense.other_columns(),
            Asked::Product(product) => product.shape().2,
        }
    }

    /// The columns in which pivots are sought.
    pub(super) fn limit(&self) -> usize {
        match self {
            Asked::Dense(dense) => dense.of_a().limit(),
            Asked::Product(_) => 0,
        }
    }

    /// True if a reduced form is needed.
    pub(super) fn is_reduced(&self) -> bool {
        matches!(self, Asked::Dense(dense) if dense.of_a().is_reduced())
    }

    /// Returns an error for other rows and columns of matrices than the problem's.
    pub(super) fn expect_shapes(&self, a: (usize, usize), b: Option<(usize, usize)>) -> Result<()> {
        match self {
            Asked::Dense(dense) => dense.expect_shapes(a, b),
            Asked::Product(product) => product.expect_shapes(a, b.unwrap_or_default()),
        }
    }
}

/// A problem whose matrices stay in files.
///
/// ```
/// use wgalois::gf2::{BitMatrix, Dense, OutOfCore};
/// use wgalois::{Cpu, Device, task::Problem};
///
/// let device = Device::Cpu(Cpu::default());
/// let plan = OutOfCore::new(Dense::rank(2, 3)?).plan(&device)?;
/// let matrix = BitMatrix::zeros(2, 3)?;
/// let answer = plan.prepare(&device, &std::env::temp_dir())?.run(matrix.view(), None)?;
/// assert_eq!(answer.rank(), 0);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfCore {
    pub(super) dense: Asked,
    /// True if the elimination carries random columns, and the plan has room for a check.
    pub(super) carries: bool,
    /// Bytes of files that a check reads beside the elimination.
    pub(super) beside: u64,
}

/// The tiles of an elimination: those of A, the carried one, those of the right side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub of_a: usize,
    /// 1 or 0.
    pub carried: usize,
    pub right: usize,
}

impl Layout {
    /// The first tile of the right side.
    pub fn first_right(&self) -> usize {
        self.of_a + self.carried
    }

    pub fn all(&self) -> usize {
        self.first_right() + self.right
    }
}

impl OutOfCore {
    /// Makes the problem.
    pub fn new(asked: impl Into<Asked>) -> Self {
        OutOfCore { dense: asked.into(), carries: false, beside: 0 }
    }

    /// Includes the memory and the reads of a [`check`](super::PreparedOutOfCore::check) after the run, if `carries`, and
    /// carries 64 random columns through an elimination: it then takes a tile more, and keeps all tiles in a scratch file.
    #[must_use]
    pub fn with_carried_columns(self, carries: bool) -> Self {
        OutOfCore { carries, ..self }
    }

    /// The operation and the shapes.
    pub fn dense(&self) -> &Asked {
        &self.dense
    }

    pub(super) fn layout(&self) -> Layout {
        let of_a = self.dense.shape().1.div_ceil(LINE_BITS);
        let right = match self.dense.operation() {
            Operation::Solve | Operation::Inverse => self.dense.other_columns().div_ceil(LINE_BITS),
            _ => 0,
        };
        Layout { of_a, carried: usize::from(self.carries), right }
    }

    /// The finished tiles that the answer and the check are read from, as many as there are from this one on.
    pub(super) fn first_kept_tile(&self) -> usize {
        let layout = self.layout();
        match self.dense.operation() {
            Operation::Multiply => layout.all(),
            _ if self.carries => 0,
            Operation::Rank => layout.all(),
            Operation::Solve | Operation::Inverse => layout.first_right(),
            _ => 0,
        }
    }

    /// The bytes of a check beside the bands that it reads: vectors of the columns of A and B and of the rows, and a band
    /// of a file.
    pub fn check_bytes(&self) -> u64 {
        let ((rows, columns), others) = (self.dense.shape(), self.dense.other_columns());
        let vectors = 8 * (4 * (columns + 64) + 4 * (others + 64) + 5 * rows) as u64;
        vectors + BitMatrix::bytes_of(2, columns.max(others) as u64) + (2 << 20)
    }

    /// Bytes of the lists and buffers from which the answer is read, and the least bytes of a band.
    fn answer_bytes(&self) -> (u64, u64) {
        let (rows, columns) = self.dense.shape();
        let lists = 16 * rows as u64 + 16 * columns as u64 + (512 << 10);
        let row = |columns: usize| BitMatrix::bytes_of(1, columns as u64) + 16;
        let of_check = if self.carries { 8 * (rows + columns) as u64 } else { 0 };
        let lists = lists + of_check;
        match self.dense.operation() {
            Operation::Multiply => (0, 0),
            Operation::Rank if !self.carries => (0, 0),
            Operation::Kernel => (lists + 64 * rows as u64, 64 * row(columns)),
            Operation::Solve | Operation::Inverse => {
                let columns = if self.carries { columns } else { 0 };
                (lists, row(self.dense.other_columns().max(columns)))
            }
            _ => (lists, row(columns)),
        }
    }

    fn elimination(&self, profile: &Profile, threads: usize) -> FilesPlan {
        let (rows, columns) = self.dense.shape();
        let layout = self.layout();
        let (of_a, tiles) = (layout.of_a, layout.all());
        let limit = self.dense.limit();
        let check = if self.carries { self.check_bytes() } else { 0 };
        let state = state_bytes(rows as u64, limit as u64) + check;
        let tile = tile_bytes(rows as u64);
        let fitting = profile.host_memory.saturating_sub(state) / tile.max(1);
        let at_a_time = usize::try_from(fitting).unwrap_or(usize::MAX).clamp(1, tiles.max(1));
        let (lists, band) = self.answer_bytes();
        let lists = lists + check;
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
        let of_check = match self.carries {
            // The words of the carried tile, and the products at the end; the form forwards and backwards, and the answer.
            true => {
                let again = match self.dense.operation() {
                    Operation::Rank => 0,
                    Operation::Kernel => 2 * of_a,
                    Operation::Solve | Operation::Inverse => 3 * layout.right,
                    _ => of_a,
                };
                (2 * (rows * 4 * columns.div_ceil(32)) as u64 + 2 * of_b, tile * (of_a + again) as u64)
            }
            false => (0, 0),
        };
        let input_bytes = (rows as u64 * of_a_row + of_b + of_check.0).saturating_add(self.beside);
        let read_bytes = input_bytes.saturating_add(of_check.1 + tile.saturating_mul(again + kept));
        let written_bytes = tile.saturating_mul(blocks.min(last_group) as u64 + kept);
        let compute = cost::cpu::echelon_time(rows, LINE_BITS * tiles, self.dense.is_reduced(), threads);
        FilesPlan {
            at_a_time,
            parts: groups,
            band: host_bytes - lists,
            input_bytes,
            read_bytes,
            written_bytes,
            compute,
            host_bytes,
        }
    }

    fn product(&self, profile: &Profile, threads: usize) -> FilesPlan {
        let (rows, inner) = self.dense.shape();
        let columns = self.dense.other_columns();
        let tiles = columns.div_ceil(LINE_BITS) as u64;
        let state = 64 * LINE_BITS as u64 * tiles + 2 * BitMatrix::bytes_of(1, columns as u64) + (2 << 20);
        let check = if self.carries { self.check_bytes() } else { 0 };
        let state = state + check;
        let row = 64 * tiles + 64 + 4;
        let fitting = profile.host_memory.saturating_sub(state) / row;
        let at_a_time =
            usize::try_from(fitting).unwrap_or(usize::MAX).clamp(LEAST_ROWS.min(rows.max(1)), rows.max(1));
        let parts = rows.div_ceil(at_a_time);
        let band = row * at_a_time as u64;
        let b_bytes = inner as u64 * 4 * columns.div_ceil(32) as u64;
        let read_bytes = rows as u64 * 4 * inner.div_ceil(32) as u64 + b_bytes.saturating_mul(parts as u64);
        // A check reads both factors once more.
        let of_check = if self.carries { rows as u64 * 4 * inner.div_ceil(32) as u64 + b_bytes } else { 0 };
        let read_bytes = read_bytes + of_check;
        let compute = cost::cpu::product_time(rows, inner, columns, threads);
        let (input_bytes, host_bytes) = (read_bytes, state + band);
        FilesPlan { at_a_time, parts, band, input_bytes, read_bytes, written_bytes: 0, compute, host_bytes }
    }
}

impl Problem for OutOfCore {
    type Plan = OutOfCorePlan;

    fn plan_for(&self, profile: &Profile) -> Result<OutOfCorePlan> {
        let &Engine::Cpu { threads } = &profile.engine else {
            let message = "matrices larger than memory are for the CPU engine: --device cpu";
            return Err(Error::Usage(message.into()));
        };
        let files = match self.dense.operation() {
            Operation::Multiply => self.product(profile, threads),
            _ => self.elimination(profile, threads),
        };
        let plan = OutOfCorePlan { problem: *self, files };
        plan.cost().check(profile, "this matrix, which stays on the disk,")?;
        Ok(plan)
    }
}

impl fmt::Display for OutOfCorePlan<OutOfCore> {
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
        writeln!(f, "parts          {}, {} {unit} at a time", self.parts(), self.files.at_a_time)?;
        writeln!(
            f,
            "reads          {} bytes, {} of them of the input",
            self.read_bytes(),
            self.input_bytes()
        )?;
        writeln!(f, "writes         {} bytes to scratch files", self.written_bytes())?;
        self.cost().fmt(f)
    }
}

//! Dense problems whose matrices are larger than memory, and the numbers of their plans.

use std::fmt;
use std::path::Path;

use super::run::OnFilesAnswer;
use super::way::{FromFiles, ReadyFromFiles, StaysOnDisk};
use crate::Result;
use crate::gf2::bit_matrix::LINE_BITS;
use crate::gf2::cpu::{state_bytes, tile_bytes};
use crate::gf2::{BitMatrix, BitView, Dense, Operation, RowReduction};
use crate::task::{CpuProfile, Problem, Profile, Ways};

/// Bytes of a page of a mapped file.
const PAGE: u64 = 4096;

/// A question about a matrix that stays in a file.
///
/// ```
/// use wgalois::gf2::{BitMatrix, Dense, OnFiles};
/// use wgalois::{Cpu, Device, task::Problem};
///
/// let device = Device::Cpu(Cpu::default());
/// let plan = OnFiles::new(Dense::rank(2, 3)?).plan(&device)?;
/// let matrix = BitMatrix::zeros(2, 3)?;
/// let answer = plan.prepare_with(&device, &std::env::temp_dir())?.run((matrix.view(), None))?;
/// assert_eq!(answer.rank(), 0);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnFiles {
    pub(super) dense: Dense,
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

impl OnFiles {
    /// Makes the problem.
    pub fn new(dense: Dense) -> Self {
        OnFiles { dense, carries: false, beside: 0 }
    }

    /// Includes the memory and the reads of a [`check_carried`](Self::check_carried) after the run, if `carries`, and
    /// carries 64 random columns through an elimination: it then takes a tile more, and keeps all tiles in a scratch file.
    #[must_use]
    pub fn with_carried_columns(self, carries: bool) -> Self {
        OnFiles { carries, ..self }
    }

    /// The operation and the shapes.
    pub fn dense(&self) -> &Dense {
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
            _ if self.carries => 0,
            Operation::Rank => layout.all(),
            Operation::Solve | Operation::Inverse => layout.first_right(),
            _ => 0,
        }
    }

    /// The bytes of a check beside the bands that it reads.
    pub fn check_bytes(&self) -> u64 {
        check_bytes(self.dense.shape(), self.dense.other_columns())
    }

    /// Bytes of the lists and buffers from which the answer is read, and the least bytes of a band.
    fn answer_bytes(&self) -> (u64, u64) {
        let (rows, columns) = self.dense.shape();
        let lists = 16 * rows as u64 + 16 * columns as u64 + (512 << 10);
        let row = |columns: usize| BitMatrix::bytes_of(1, columns as u64) + 16;
        let of_check = if self.carries { 8 * (rows + columns) as u64 } else { 0 };
        let lists = lists + of_check;
        match self.dense.operation() {
            Operation::Rank if !self.carries => (0, 0),
            Operation::Kernel => (lists + 64 * rows as u64, 64 * row(columns)),
            Operation::Solve | Operation::Inverse => {
                let columns = if self.carries { columns } else { 0 };
                (lists, row(self.dense.other_columns().max(columns)))
            }
            _ => (lists, row(columns)),
        }
    }
}

/// The bytes of a check beside the bands that it reads: vectors of the columns of A and B and of the rows, and a band
/// of a file.
pub(super) fn check_bytes((rows, columns): (usize, usize), others: usize) -> u64 {
    let vectors = 8 * (4 * (columns + 64) + 4 * (others + 64) + 5 * rows) as u64;
    vectors + BitMatrix::bytes_of(2, columns.max(others) as u64) + (2 << 20)
}

/// Writes the lines of a plan that state the way, by a method that counts its parts in a unit.
pub(super) fn write_parts(
    files: &FromFiles,
    (method, unit): (&str, &str),
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let FromFiles { parts, at_a_time, read_bytes, input_bytes, written_bytes, .. } = files;
    writeln!(f, "method         {method}")?;
    writeln!(f, "parts          {parts}, {at_a_time} {unit} at a time")?;
    writeln!(f, "reads          {read_bytes} bytes, {input_bytes} of them of the input")?;
    writeln!(f, "writes         {written_bytes} bytes to scratch files")
}

impl Problem for OnFiles {
    const NAME: &'static str = "this matrix, which stays on the disk,";

    type Resident<'a> = &'a Path;
    /// A and, of equations, B: those of mapped files. Bits past the last column are ignored.
    type Input<'a> = (BitView<'a>, Option<BitView<'a>>);
    type Answer = OnFilesAnswer;
    type Kernels = ();

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        self.only_way(profile)
    }

    fn check_input(&self, (a, b): &Self::Input<'_>) -> Result<()> {
        let shape = |view: &BitView<'_>| (view.rows(), view.columns());
        self.dense.expect_shapes(shape(a), b.as_ref().map(shape))
    }

    fn reborrow<'s>(matrices: &'s mut Self::Input<'_>) -> Self::Input<'s> {
        *matrices
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.dense.write(f)
    }
}

impl StaysOnDisk for OnFiles {
    fn in_parts(&self, profile: &Profile, cpu: CpuProfile) -> FromFiles {
        let (rows, columns) = self.dense.shape();
        let layout = self.layout();
        let (of_a, tiles) = (layout.of_a, layout.all());
        let limit = self.dense.of_a().limit();
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
        let reduction = RowReduction { rows, columns: LINE_BITS * tiles, ..*self.dense.of_a() };
        let compute = crate::gf2::cpu::times::echelon(&reduction, cpu);
        FromFiles {
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

    fn write_parts(&self, files: &FromFiles, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_parts(files, ("blocked, 512 columns at a time, on files", "tiles of 512 columns"), f)
    }

    fn run_in_parts(&self, ready: &ReadyFromFiles<'_>, (a, b): Self::Input<'_>) -> Result<OnFilesAnswer> {
        self.eliminate(ready, a, b)
    }
}

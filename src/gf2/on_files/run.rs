//! Eliminations of matrices in files.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::dense::{Layout, OnFiles};
use super::evidence::{Carried, Evidence};
use super::scratch::{Scratch, StoredPanels};
use super::stored::{Pivot, Rows, StoredMatrix, StoredTiles, ZERO};
use super::way::ReadyFromFiles;
use crate::Result;
use crate::gf2::bit_matrix::{LINE_BITS, Line, zero_lines};
use crate::gf2::cpu::{self, KnownPivots, Shape, Tiles};
use crate::gf2::verify::places;
use crate::gf2::{BitView, Operation};
use crate::parallel::*;

/// Marks a row without a lead.
const NONE: u32 = u32::MAX;

/// Rows that one task reads.
const CHUNK: usize = 1024;

/// The answer to a question about a matrix in a file.
#[derive(Debug)]
pub struct OnFilesAnswer {
    /// The columns of the pivots of A, ascending.
    pub pivots: Vec<u32>,
    /// The right sides without a solution, ascending.
    pub inconsistent: Vec<u32>,
    /// The answer, unless only the rank was asked for, the matrix is singular, or there are right sides and none has a
    /// solution. Of equations it has a column for each right side with a solution, in their order.
    pub matrix: Option<StoredMatrix>,
    /// Of a run with carried columns.
    pub(super) evidence: Option<Evidence>,
}

impl OnFilesAnswer {
    /// The rank of A.
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }
}

impl OnFiles {
    /// Computes the answer, that of [`PreparedDense`](crate::gf2::PreparedDense), bit for bit.
    pub(super) fn eliminate(
        &self,
        ready: &ReadyFromFiles<'_>,
        a: BitView<'_>,
        b: Option<BitView<'_>>,
    ) -> Result<OnFilesAnswer> {
        let (dense, plan) = (self.dense(), &ready.files);
        let (rows, _) = dense.shape();
        let tiles = self.layout().all();
        let mut files = Files::new(self, ready.folder, a, b)?;
        let leads = match rows == 0 || tiles == 0 {
            true => vec![NONE; rows],
            false => {
                let at_a_time = plan.at_a_time;
                let (limit, is_reduced) = (dense.of_a().limit(), dense.of_a().is_reduced());
                let known = KnownPivots::default();
                let shape = Shape { rows, tiles, limit, is_reduced, at_a_time, known };
                files.group = zero_lines(rows * at_a_time.min(tiles))?;
                let mut panels = StoredPanels::within(ready.folder, 0)?;
                let leads = cpu::eliminate_on_files(&ready.cpu, &shape, &mut files, &mut panels)?;
                files.group = Box::default();
                leads
            }
        };
        let mut pivots: Vec<Pivot> = leads
            .iter()
            .zip(0..)
            .filter(|&(&column, _)| column != NONE)
            .map(|(&column, row)| Pivot { column, row })
            .collect();
        pivots.sort_unstable_by_key(|pivot| pivot.column);
        drop(leads);
        let left: Vec<u64> = files.left.iter().flat_map(|line| line.0).collect();
        let inconsistent = places(&left);
        let tiles = Arc::new(files.tiles);
        let columns: Vec<u32> = pivots.iter().map(|pivot| pivot.column).collect();
        let evidence = files.carried.map(|carried| Evidence {
            carried,
            tiles: tiles.clone(),
            order: Arc::new(form_order(&pivots, rows)),
            pivots: columns.clone(),
            tiles_of_a: files.layout.of_a,
            band: plan.band,
        });
        let matrix = self.matrix(tiles, (&pivots, &inconsistent), plan.band);
        Ok(OnFilesAnswer { pivots: columns, inconsistent, matrix, evidence })
    }

    /// The answer's matrix from the finished tiles, `band` bytes of it at a time.
    fn matrix(
        &self,
        tiles: Arc<StoredTiles>,
        (pivots, inconsistent): (&[Pivot], &[u32]),
        band: u64,
    ) -> Option<StoredMatrix> {
        let (dense, layout) = (self.dense(), self.layout());
        let (rows, columns) = dense.shape();
        let ordered = |tiles, first, order: Vec<u32>, columns, omitted: &[u32]| {
            let (rows, order) = (order.len(), Arc::new(order));
            let source = Rows::Ordered { tiles, first, order, omitted: omitted.to_vec() };
            Some(StoredMatrix { rows, columns, source, band })
        };
        let sides = dense.other_columns();
        match dense.operation() {
            Operation::Echelon | Operation::Rref => ordered(tiles, 0, form_order(pivots, rows), columns, &[]),
            Operation::Solve if sides == 0 || inconsistent.len() < sides => {
                let mut order = vec![ZERO; columns];
                pivots.iter().for_each(|pivot| order[pivot.column as usize] = pivot.row);
                ordered(tiles, layout.first_right(), order, sides - inconsistent.len(), inconsistent)
            }
            Operation::Inverse if pivots.len() == rows => {
                let order = pivots.iter().map(|pivot| pivot.row).collect();
                ordered(tiles, layout.first_right(), order, columns, &[])
            }
            Operation::Kernel => {
                let mut is_free = vec![true; columns];
                pivots.iter().for_each(|pivot| is_free[pivot.column as usize] = false);
                let free: Vec<u32> = (0..columns as u32).filter(|&c| is_free[c as usize]).collect();
                let source = Rows::Kernel { tiles, pivots: pivots.to_vec(), free };
                let rows = columns - pivots.len();
                Some(StoredMatrix { rows, columns, source, band })
            }
            _ => None,
        }
    }
}

/// The rows of a form by their numbers in the tiles: those with a pivot, by its column, then the others.
fn form_order(pivots: &[Pivot], rows: usize) -> Vec<u32> {
    let mut order: Vec<u32> = pivots.iter().map(|pivot| pivot.row).collect();
    let mut is_pivot = vec![false; rows];
    order.iter().for_each(|&row| is_pivot[row as usize] = true);
    order.extend((0..rows as u32).filter(|&row| !is_pivot[row as usize]));
    order
}

/// The files of an elimination.
struct Files<'a> {
    a: BitView<'a>,
    /// The right sides; without them, those of an inverse are the identity.
    b: Option<BitView<'a>>,
    operation: Operation,
    layout: Layout,
    /// The random columns, if they are carried, and their words by row.
    carried: Option<Carried>,
    words: Vec<u64>,
    /// The lines of a group of tiles.
    group: Box<[Line]>,
    tiles: StoredTiles,
    /// By tile of the right side: the columns in which a row without a pivot has a one.
    left: Vec<Line>,
}

impl<'a> Files<'a> {
    fn new(problem: &OnFiles, folder: &Path, a: BitView<'a>, b: Option<BitView<'a>>) -> Result<Self> {
        let operation = problem.dense().operation();
        let b = b.filter(|_| operation == Operation::Solve);
        let scratch = Scratch::within(folder)?;
        let tiles = StoredTiles { scratch, rows: a.rows(), first_tile: problem.first_kept_tile() };
        let layout = problem.layout();
        let (carried, words) = match problem.carries {
            true => Some(Carried::new(a, b)?).unzip(),
            false => (None, None),
        };
        Ok(Files {
            a,
            b,
            operation,
            layout,
            carried,
            words: words.unwrap_or_default(),
            group: Box::default(),
            tiles,
            left: vec![Line::ZERO; layout.right],
        })
    }

    /// Fills some rows of tile `t`, from row `first` on.
    fn fill(&self, t: usize, first: usize, lines: &mut [Line]) {
        let right = t.wrapping_sub(self.layout.first_right());
        match &self.b {
            _ if t < self.layout.of_a => self.a.copy_columns(t, first, lines),
            _ if t < self.layout.first_right() => {
                for (line, &word) in lines.iter_mut().zip(&self.words[first..]) {
                    *line = Line::ZERO;
                    line.0[0] = word;
                }
            }
            Some(b) => b.copy_columns(right, first, lines),
            None => {
                lines.fill(Line::ZERO);
                let ones = LINE_BITS * right..LINE_BITS * (right + 1);
                for (line, row) in lines.iter_mut().zip(first..).filter(|(_, row)| ones.contains(row)) {
                    line.flip(row - ones.start);
                }
            }
        }
    }
}

impl Tiles for Files<'_> {
    fn load(&mut self, group: Range<usize>) -> Result<&mut [Line]> {
        // All tiles of some rows at once: their words lie next to each other in the file.
        let rows = self.a.rows();
        let mut lines = std::mem::take(&mut self.group);
        let tiles = &mut lines[..rows * group.len()];
        let mut chunks: Vec<Vec<&mut [Line]>> = (0..rows.div_ceil(CHUNK)).map(|_| Vec::new()).collect();
        for tile in tiles.chunks_mut(rows) {
            chunks.iter_mut().zip(tile.chunks_mut(CHUNK)).for_each(|(chunk, lines)| chunk.push(lines));
        }
        chunks.par_iter_mut().enumerate().for_each(|(k, chunk)| {
            chunk.iter_mut().zip(group.clone()).for_each(|(lines, t)| self.fill(t, CHUNK * k, lines));
        });
        self.group = lines;
        Ok(&mut self.group[..rows * group.len()])
    }

    fn finish(&mut self, group: Range<usize>, leads: &[u32]) -> Result<bool> {
        let rows = self.a.rows();
        let Range { start: first_tile, end } = group;
        let tiles = &self.group[..rows * group.len()];
        // The carried tile is a part of the form.
        let is_form_known = end >= self.layout.first_right();
        let is_regular = leads.iter().all(|&lead| lead != NONE);
        let is_needed = match self.operation {
            Operation::Rank if self.carried.is_none() => return Ok(!is_regular),
            Operation::Inverse => !is_form_known || is_regular,
            _ => true,
        };
        let kept = self.tiles.first_tile.max(first_tile);
        if kept < end && (is_needed || self.carried.is_some()) {
            self.tiles.write(kept, &tiles[rows * (kept - first_tile)..])?;
        }
        let first_right = self.layout.first_right();
        if self.operation == Operation::Solve && first_right < end {
            let from = first_right.max(first_tile);
            let right = tiles[rows * (from - first_tile)..].chunks(rows);
            for (tile, left) in right.zip(&mut self.left[from - first_right..]) {
                tile.iter().zip(leads).filter(|&(_, &lead)| lead == NONE).for_each(|(line, _)| {
                    left.0.iter_mut().zip(&line.0).for_each(|(any, word)| *any |= word);
                });
            }
        }
        Ok(is_needed)
    }
}

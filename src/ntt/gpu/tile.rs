//! A tile: the part of a transform that one workgroup does in workgroup memory. `steps` has its text.
//!
//! A tile is 2^b rows by 2^c columns; every column is transformed along its rows. A thread holds 2^r rows of
//! one column in registers. The b bits of the row are done in steps of at most r bits: in each, r bits of
//! the row, the step's *window*, number the thread's registers, and the thread's own number gives the other
//! bits. Between two steps the tile passes through workgroup memory once; a thread writes only the slots
//! that it read last, so that one barrier per exchange is enough.

use serde::Serialize;

use crate::field::bit_reverse;

/// The direction of the butterflies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Decimation {
    /// Natural to bit-reversed order; twiddles after each step.
    Frequency,
    /// Bit-reversed to natural order; twiddles before each step.
    Time,
}

/// The layout of a tile's elements in workgroup memory, before swizzling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Layout {
    /// Columns side by side: row * 2^c + column. For passes along a stride.
    Interleaved,
    /// Columns one after the other: column * 2^b + row. For contiguous vectors.
    Stacked,
}

/// The bits of the row that number a thread's registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Window {
    /// The r bits from this one on.
    From(u32),
    /// The lowest two and the highest two: a thread holds whole vectors of four words.
    Vectors,
}

/// The shape of a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// b: log2 of the rows.
    pub rows: u32,
    /// c: log2 of the columns.
    pub columns: u32,
    /// r: log2 of the registers per thread.
    pub registers: u32,
    /// Bits of each step, from the top of the row down; their sum is b.
    pub steps: Vec<u32>,
    pub layout: Layout,
    /// True if the first and the last step hold whole vectors of four words.
    pub vectors: bool,
}

impl Shape {
    /// Rows and columns with `registers` bits in registers, in the fewest steps.
    pub fn new(rows: u32, columns: u32, registers: u32, layout: Layout) -> Self {
        let registers = registers.min(rows);
        let count = rows.div_ceil(registers);
        Shape { rows, columns, registers, steps: parts(rows, count), layout, vectors: false }
    }

    /// Contiguous vectors of at least 2^8 rows, read and written four words at a time: two
    /// bits in the first step, two in the last, the others between.
    pub fn of_vectors(rows: u32, columns: u32) -> Self {
        let middle = parts(rows - 4, (rows - 4).div_ceil(4));
        let steps = [2].into_iter().chain(middle).chain([2]).collect();
        Shape { rows, columns, registers: 4, steps, layout: Layout::Stacked, vectors: true }
    }

    /// Words of the tile.
    pub fn words(&self) -> u32 {
        1 << (self.rows + self.columns)
    }

    /// Threads of the workgroup.
    pub fn threads(&self) -> u32 {
        self.words() >> self.registers
    }

    /// The steps, from the top down.
    pub fn places(&self) -> Vec<Place> {
        let mut low = self.rows;
        let place = |(i, &bits): (usize, &u32)| {
            low -= bits;
            let outermost = i == 0 || i + 1 == self.steps.len();
            let window = match self.vectors && outermost {
                true => Window::Vectors,
                false => Window::From(low.min(self.rows - self.registers)),
            };
            Place { low, bits, window }
        };
        self.steps.iter().enumerate().map(place).collect()
    }

    /// The bits of the row that register `k` gives.
    pub fn row_of_register(&self, window: Window, k: u32) -> u32 {
        match window {
            Window::From(w) => k << w,
            Window::Vectors => (k & 3) | (k >> 2) << (self.rows - 2),
        }
    }
}

/// `total` as the sum of `count` numbers, the larger ones first.
fn parts(total: u32, count: u32) -> Vec<u32> {
    (0..count).map(|i| (total + count - 1 - i) / count).collect()
}

/// The bits [`low`, `low` + `bits`) of the row, done in one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub low: u32,
    pub bits: u32,
    pub window: Window,
}

impl Place {
    /// The first bit of the register's number that is active in the step.
    pub fn offset(self) -> u32 {
        match self.window {
            Window::From(w) => self.low - w,
            Window::Vectors if self.low > 0 => 2,
            Window::Vectors => 0,
        }
    }

    /// The row of register 0 of thread `q`, as WGSL.
    pub fn row(self, q: &str) -> String {
        match self.window {
            Window::From(w) => format!("row_of({q}, {w}u)"),
            Window::Vectors => format!("({q} << 2u)"),
        }
    }

    /// The bits of that row below the active ones.
    pub fn below(self, q: &str) -> String {
        match self.window {
            Window::From(w) => format!("({q} & {}u)", (1u64 << w) - 1),
            Window::Vectors => format!("({q} << 2u)"),
        }
    }
}

/// The place in the tile of an element whose row is `row`, in column 0.
pub(super) fn place(shape: &Shape, row: u32) -> u32 {
    match shape.layout {
        Layout::Interleaved => row << shape.columns,
        Layout::Stacked => row,
    }
}

/// The slots, relative to the first, of words k 2^t of contiguous vectors, t the log of the
/// threads; each vector in natural or in bit-reversed order.
pub(super) fn staged(shape: &Shape, reversed: bool) -> Vec<u32> {
    let place = |word: u32| {
        let row = word & ((1 << shape.rows) - 1);
        let turned = bit_reverse(row as usize, shape.rows) as u32;
        word - row + if reversed { turned } else { row }
    };
    (0..1 << shape.registers).map(|k| slot(place(k * shape.threads()))).collect()
}

/// The offset of the element of this place, in bytes, as `place` in `shaders/ntt/tile.wgsl` computes it.
pub(super) fn slot(place: u32) -> u32 {
    4 * swizzle(place)
}

/// The same permutation as in `shaders/ntt/tile.wgsl`, linear over GF(2).
fn swizzle(i: u32) -> u32 {
    i ^ ((i >> 3) & 28) ^ ((i >> 4) & 24) ^ ((i >> 5) & 23) ^ ((i >> 7) & 2) ^ ((i >> 9) & 15)
}

#[cfg(test)]
impl Shape {
    /// The largest number of threads among `lanes` neighbours that access the same one of 32 banks of
    /// workgroup memory, in any step.
    pub fn conflicts(&self, lanes: u32) -> usize {
        let threads = self.threads().min(lanes);
        let quotients = self.rows - self.registers;
        let bank = |window: Window, lane: u32| {
            let (q, column) = match self.layout {
                Layout::Interleaved => (lane >> self.columns, lane & ((1 << self.columns) - 1)),
                Layout::Stacked => (lane & ((1 << quotients) - 1), lane >> quotients),
            };
            let row = match window {
                Window::From(w) => ((q >> w) << (w + self.registers)) | (q & ((1 << w) - 1)),
                Window::Vectors => q << 2,
            };
            let slot = match self.layout {
                Layout::Interleaved => (row << self.columns) | column,
                Layout::Stacked => (column << self.rows) | row,
            };
            swizzle(slot) % 32
        };
        let meeting = |window: Window| {
            let mut banks = [0; 32];
            (0..threads).for_each(|lane| banks[bank(window, lane) as usize] += 1);
            banks.into_iter().max().unwrap_or(0)
        };
        self.places().into_iter().map(|place| meeting(place.window)).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swizzling_permutes_and_is_linear() {
        let mut seen = vec![false; 4096];
        for i in 0..4096 {
            seen[swizzle(i) as usize] = true;
            assert_eq!(swizzle(i ^ 0x5a5), swizzle(i) ^ swizzle(0x5a5));
        }
        assert!(seen.iter().all(|&s| s));
    }

    #[test]
    fn steps_cover_the_rows() {
        for rows in 1..=12 {
            for registers in [3, 4] {
                let shape = Shape::new(rows, 0, registers, Layout::Stacked);
                assert_eq!(shape.steps.iter().sum::<u32>(), rows);
                assert!(shape.steps.iter().all(|&s| s >= 1 && s <= shape.registers));
                assert_eq!(shape.places().last().map(|place| place.low), Some(0));
            }
        }
        for rows in 8..=12 {
            let shape = Shape::of_vectors(rows, 0);
            assert_eq!(shape.steps.iter().sum::<u32>(), rows);
            assert!(shape.steps.iter().all(|&s| s <= 4));
        }
    }
}

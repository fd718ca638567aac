//! A tile: the part of a transform that one workgroup does in workgroup memory.
//!
//! A tile is 2^b rows by 2^c columns; every column is transformed along its rows. A thread
//! holds 2^r rows of one column in registers. The b bits of the row are done in steps of at
//! most r bits: in each, the bits [w, w + r) of the row, the step's *window*, number the
//! thread's registers, and the thread's own number gives the other bits. Between two steps
//! the tile passes through workgroup memory once; a thread writes only the slots that it
//! read last, so one barrier an exchange is enough.

use std::fmt::Write as _;

use serde::Serialize;

use super::butterfly::{Program, frequency, groups};
use super::reduction::{Modulus, ModulusContext};

/// Which way the butterflies go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Decimation {
    /// Natural to bit-reversed order; twiddles after each step.
    Frequency,
    /// Bit-reversed to natural order; twiddles before each step.
    Time,
}

/// Where an element of the tile stands in workgroup memory, before swizzling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Layout {
    /// Columns side by side: row * 2^c + column. For passes along a stride.
    Interleaved,
    /// Columns one after the other: column * 2^b + row. For contiguous vectors.
    Stacked,
}

/// The shape of a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// b: log2 of the rows.
    pub rows: u32,
    /// c: log2 of the columns.
    pub columns: u32,
    /// r: log2 of the registers a thread.
    pub registers: u32,
    /// Bits of each step, from the top of the row down; their sum is b.
    pub steps: Vec<u32>,
    pub layout: Layout,
}

impl Shape {
    /// Rows and columns with `registers` bits in registers, in the fewest steps.
    pub fn new(rows: u32, columns: u32, registers: u32, layout: Layout) -> Self {
        let registers = registers.min(rows);
        let count = rows.div_ceil(registers);
        let steps = (0..count).map(|i| (rows + count - 1 - i) / count).collect();
        Shape { rows, columns, registers, steps, layout }
    }

    /// Words of the tile.
    pub fn words(&self) -> u32 {
        1 << (self.rows + self.columns)
    }

    /// Threads of the workgroup.
    pub fn threads(&self) -> u32 {
        self.words() >> self.registers
    }

    /// (lowest bit, bits, window) of each step, from the top down.
    fn places(&self) -> Vec<(u32, u32, u32)> {
        let mut low = self.rows;
        let place = |&bits: &u32| {
            low -= bits;
            (low, bits, low.min(self.rows - self.registers))
        };
        self.steps.iter().map(place).collect()
    }

    /// The twiddles of all steps: for each but the last, 2^s slots by 2^low powers, slot a
    /// and power m at (a << low) | m holding w_{2^(low + s)}^(frequency(a) m), where `root`
    /// is w_{2^b}.
    pub fn twiddles(&self, modulus: Modulus, root: u32) -> Vec<[u32; 2]> {
        let prime = modulus.prime;
        let mut table = Vec::new();
        for (low, bits, _) in self.places().into_iter().filter(|place| place.0 > 0) {
            let w = prime.pow(root, 1 << (self.rows - low - bits));
            for a in 0..1 << bits {
                let step = prime.pow(w, frequency(a, bits) as u64);
                let mut power = 1;
                for _ in 0..1 << low {
                    table.push(modulus.constant(power));
                    power = prime.mul(power, step);
                }
            }
        }
        table
    }
}

/// The template variables of a tile: see `shaders/ntt/tile.wgsl`.
#[derive(Serialize)]
pub(super) struct TileContext {
    #[serde(flatten)]
    modulus: ModulusContext,
    log_rows: u32,
    log_columns: u32,
    log_registers: u32,
    registers: u32,
    words: u32,
    threads: u32,
    layout: Layout,
}

/// The template variables of one step.
#[derive(Serialize)]
pub(super) struct StepContext {
    window: u32,
    /// Swizzled place of each register relative to register 0.
    slots: Vec<u32>,
    /// Declarations of the step's twiddles, from `low{step}`, the bits of q in the window's low part.
    loads: String,
    /// Statements on x0, x1, ...
    body: String,
}

pub(super) fn context(shape: &Shape, modulus: Modulus) -> TileContext {
    TileContext {
        modulus: modulus.context(),
        log_rows: shape.rows,
        log_columns: shape.columns,
        log_registers: shape.registers,
        registers: 1 << shape.registers,
        words: shape.words(),
        threads: shape.threads(),
        layout: shape.layout,
    }
}

/// The twiddles between this pass and the one with shorter blocks, which multiply the
/// frequency side of the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Outer {
    /// There are none.
    None,
    /// Words o0, o1, ... by frequency, made by multiplication.
    Words,
    /// Pairs o0, o1, ... by register, from a table.
    Pairs,
}

/// What a tile meets at its ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// Values come in below this many p.
    pub bound_in: u32,
    pub outer: Outer,
    /// Values go out below this many p.
    pub bound_out: u32,
}

/// The steps of a tile, in the order in which they run. `root` is the primitive 2^b-th root,
/// whose twiddles begin at `offset` in the kernel's table.
pub(super) fn steps(
    shape: &Shape,
    modulus: Modulus,
    decimation: Decimation,
    root: u32,
    ends: &Ends,
    mut offset: u32,
) -> Vec<StepContext> {
    let mut places: Vec<_> = shape.places();
    let mut offsets: Vec<u32> = Vec::new();
    for (low, bits, _) in &places {
        offsets.push(offset);
        offset += if *low > 0 { 1 << (low + bits) } else { 0 };
    }
    let last = places.len() - 1;
    if decimation == Decimation::Time {
        places.reverse();
        offsets.reverse();
    }
    let mut bound = ends.bound_in;
    let step = |(i, (&(low, bits, window), &offset)): (usize, (&(u32, u32, u32), &u32))| {
        let mut program = Program::new(modulus, 1 << shape.registers, bound);
        let w = modulus.prime.pow(root, 1 << (shape.rows - bits));
        let table = (low > 0).then_some(Table { low, bits, window, offset, registers: shape.registers });
        let loads = table.as_ref().map(|table| table.loads(i)).unwrap_or_default();
        match decimation {
            Decimation::Frequency => {
                for group in groups(shape.registers, low - window, bits) {
                    program.transform_dif(&group, w);
                }
                if let Some(table) = &table {
                    table.used().for_each(|k| program.twiddle(k, i));
                } else {
                    outer(&mut program, shape.registers, ends);
                }
            }
            Decimation::Time => {
                if let Some(table) = &table {
                    table.used().for_each(|k| program.twiddle(k, i));
                } else {
                    outer(&mut program, shape.registers, ends);
                }
                for group in groups(shape.registers, low - window, bits) {
                    program.transform_dit(&group, w);
                }
            }
        }
        // One bound for all registers, since an exchange mixes them.
        bound = if i == last { ends.bound_out } else { modulus.constant_product_bound() };
        program.reduce_all(bound);
        let slots = (0..1u32 << shape.registers).map(|k| swizzle(place(shape, k << window))).collect();
        StepContext { window, slots, loads, body: program.to_wgsl() }
    };
    places.iter().zip(&offsets).enumerate().map(step).collect()
}

/// Multiplies by the twiddles of the pass, which the kernel has put into t0, t1, ...
fn outer(program: &mut Program, registers: u32, ends: &Ends) {
    for k in 0..1usize << registers {
        match ends.outer {
            Outer::None => {}
            Outer::Words => program.outer_word(k, frequency(k, registers)),
            Outer::Pairs => program.outer_pair(k, k),
        }
    }
}

/// The twiddles that a step reads from its table.
struct Table {
    low: u32,
    bits: u32,
    window: u32,
    offset: u32,
    registers: u32,
}

impl Table {
    /// The digit that register `k` holds in the step.
    fn digit(&self, k: usize) -> u32 {
        (k as u32 >> (self.low - self.window)) & ((1 << self.bits) - 1)
    }

    /// The registers whose twiddle is not always 1.
    fn used(&self) -> impl Iterator<Item = usize> {
        (0..1 << self.registers).filter(|&k| self.digit(k) != 0)
    }

    fn loads(&self, step: usize) -> String {
        let mut text = String::new();
        for k in self.used() {
            let within = (k as u32 & ((1 << (self.low - self.window)) - 1)) << self.window;
            let at = self.offset + (self.digit(k) << self.low) + within;
            let _ = writeln!(text, "    let t{step}_{k} = twiddles[low{step} + {at}u];");
        }
        text
    }
}

/// The place in the tile of an element whose row is `row`, in column 0.
fn place(shape: &Shape, row: u32) -> u32 {
    match shape.layout {
        Layout::Interleaved => row << shape.columns,
        Layout::Stacked => row,
    }
}

/// The same permutation as in `shaders/ntt/tile.wgsl`, linear over GF(2).
fn swizzle(i: u32) -> u32 {
    i ^ ((i >> 5) & 15) ^ ((i >> 9) & 3) ^ ((((i >> 7) ^ (i >> 8) ^ (i >> 11)) & 1) << 4)
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
                assert_eq!(shape.places().last().map(|place| place.0), Some(0));
            }
        }
    }
}

//! The text of a tile's steps: butterflies on registers, twiddles, and the slots of workgroup memory.

use serde::Serialize;

use super::butterfly::{Program, frequency, groups};
use super::reduction::{Modulus, ModulusContext};
use super::tile::{Decimation, Layout, Place, Shape, place, slot};
use super::twiddles::StepTable;

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
    /// The row of register 0, for threads numbered `q` and `q_late`.
    row: String,
    row_late: String,
    /// The bits of it that choose the step's twiddles.
    below: String,
    below_late: String,
    /// The row of each register relative to register 0.
    rows: Vec<u32>,
    /// The slot of each register relative to register 0.
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

/// The bounds of the values and the twiddles at the ends of a tile.
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
    for place in &places {
        offsets.push(offset);
        offset += place.twiddles();
    }
    let last = places.len() - 1;
    if decimation == Decimation::Time {
        places.reverse();
        offsets.reverse();
    }
    let mut bound = ends.bound_in;
    let step = |(i, (&at, &offset)): (usize, (&Place, &u32))| {
        let Place { low, bits, window } = at;
        let mut program = Program::new(modulus, 1 << shape.registers, bound);
        let w = modulus.prime.pow(root, 1 << (shape.rows - bits));
        let table = (low > 0).then_some(StepTable { at, offset, registers: shape.registers });
        let loads = table.as_ref().map(|table| table.loads(i)).unwrap_or_default();
        match decimation {
            Decimation::Frequency => {
                for group in groups(shape.registers, at.offset(), bits) {
                    program.transform_dif(&group, w);
                }
                if let Some(table) = &table {
                    table.multiply(&mut program, i);
                } else {
                    outer(&mut program, shape.registers, ends);
                }
            }
            Decimation::Time => {
                if let Some(table) = &table {
                    table.multiply(&mut program, i);
                } else {
                    outer(&mut program, shape.registers, ends);
                }
                for group in groups(shape.registers, at.offset(), bits) {
                    program.transform_dit(&group, w);
                }
            }
        }
        // One bound for all registers, since an exchange mixes them.
        bound = if i == last { ends.bound_out } else { modulus.constant_product_bound() };
        program.reduce_all(bound);
        let rows: Vec<u32> = (0..1 << shape.registers).map(|k| shape.row_of_register(window, k)).collect();
        StepContext {
            row: at.row("q"),
            row_late: at.row("q_late"),
            below: at.below("q"),
            below_late: at.below("q_late"),
            slots: rows.iter().map(|&row| slot(place(shape, row))).collect(),
            rows,
            loads,
            body: program.to_wgsl(),
        }
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

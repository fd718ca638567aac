//! Compiles the kernels of a plan before its first run. The device keeps them, and runs find them there.

use super::compiled::{Build, builds};
use super::kernels::convert::{EXPAND, PACK, UNPACK};
use super::kernels::substitute::{ELSEWHERE, GATHER, SUBSTITUTE, UNITS};
use super::matrix::tiles_of;
use super::shape::{ONES_A_THREAD, reversed, shared};
use super::strassen::{ProductShape, Recursion};
use super::{product, rounds};
use crate::Result;
use crate::gf2::{F4Method, F4Shape, Grid};
use crate::gpu::{Gpu, Variant};

/// Compiles the kernels of an echelon form of a host matrix of `rows` rows and `columns` columns, `part`
/// rows at a time.
pub fn prepare_echelon(gpu: &Gpu, rows: usize, columns: usize, part: usize) -> Result<()> {
    if rows == 0 || columns == 0 {
        return Ok(());
    }
    let mut all = transfers().to_vec();
    all.extend(builds(gpu, rows.min(part), tiles_of(columns), false));
    if part < rows {
        // Parts are reduced by each other with products.
        all.extend(product::builds(gpu, Recursion::NONE, part, columns));
    }
    gpu.pipelines_of(&all).map(drop)
}

/// Compiles the kernels of a product, `part` rows of both factors at a time, in `memory` bytes. The last parts may have
/// fewer rows, and need other kernels.
pub fn prepare_product(gpu: &Gpu, shape: ProductShape, part: usize, memory: u64) -> Result<()> {
    let (rows, inner, columns) = (shape.0.min(part), shape.1.min(part), shape.2);
    if rows == 0 || columns == 0 {
        return Ok(());
    }
    let recursion = Recursion::choose((rows, inner, columns), gpu.binding_bytes(), memory);
    let all = [transfers().to_vec(), product::builds(gpu, recursion, rows, columns)].concat();
    gpu.pipelines_of(&all).map(drop)
}

/// Compiles the kernels of an F4 matrix, `part` rows at a time. Only one is missing in two stages: the number
/// of new pivots, which only a run finds, decides how many rows a thread of their update takes, and the
/// most that can become pivots are assumed.
pub fn prepare_f4(
    gpu: &Gpu,
    shape: &F4Shape,
    (method, grid): (F4Method, Option<Grid>),
    part: usize,
) -> Result<()> {
    let (rows, columns, missing) = (shape.rows.min(part), shape.columns, shape.missing());
    match method {
        _ if rows == 0 || columns == 0 => Ok(()),
        F4Method::Rounds => gpu.pipelines_of(&[rounds::build(grid)]).map(drop),
        F4Method::TwoStage => prepare_f4_across(gpu, (rows, missing), (rows.min(missing), columns)),
        _ => prepare_f4_across(gpu, (rows, 0), (rows, columns)),
    }
}

/// Compiles the kernels of a member's part of an F4 matrix: `rows` rows in the member's `narrow` of the missing columns, in
/// two stages, and `wide` rows in `columns` of all.
pub fn prepare_f4_across(
    gpu: &Gpu,
    (rows, narrow): (usize, usize),
    (wide, columns): (usize, usize),
) -> Result<()> {
    let mut all = vec![(&EXPAND, shared(ONES_A_THREAD)), (&UNPACK, reversed(true))];
    if narrow > 0 {
        let kernels = [&UNITS, &ELSEWHERE, &SUBSTITUTE, &GATHER];
        all.extend(kernels.map(|kernel| (kernel, Variant::plain(256))));
        all.extend(builds(gpu, rows, tiles_of(narrow), true));
    }
    if wide > 0 {
        all.extend(builds(gpu, wide, tiles_of(columns), true));
    }
    gpu.pipelines_of(&all).map(drop)
}

/// The kernels that bring a matrix to the device and back.
fn transfers() -> [Build; 2] {
    [(&PACK, Variant::plain(256)), (&UNPACK, reversed(false))]
}

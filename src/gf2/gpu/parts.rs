//! Eliminations and products with all rows on the device at a time or, if the plan says so, one part.

use std::ops::Range;

use super::matrix::{DeviceMatrix, most_columns, most_rows};
use super::strassen::{ProductShape, Recursion};
use super::{dense, f4, product, rounds, two_stage};
use crate::gf2::dense::expect_pivots;
use crate::gf2::row_reduction::{RowReduction, Wanted};
use crate::gf2::{BitMatrix, Echelon, Elimination, F4Matrix, F4Method, F4Shape, Grid, IndexLists};
use crate::gpu::Gpu;
use crate::parallel::*;
use crate::task::Traffic;
use crate::{Error, Result, Shortage, Side};

/// Returns an error for more rows than a device with this binding limit holds at a time.
pub fn expect_rows(rows: usize, binding_bytes: u64) -> Result<()> {
    match (rows as u64, most_rows(binding_bytes)) {
        (value, most) if value > most => {
            Err(Error::Setting { what: "rows on this device", value, least: 0, most })
        }
        _ => Ok(()),
    }
}

/// Returns an error for more columns than a device with this binding limit can hold the pivots of.
pub fn expect_columns(columns: usize, binding_bytes: u64) -> Result<()> {
    let most = most_columns(binding_bytes);
    if columns as u64 > most {
        let message = format!("{columns} columns: bindings of this device hold the pivots of {most}");
        return Err(Error::OutOfMemory(Shortage { side: Some(Side::Device), ..message.into() }));
    }
    Ok(())
}

/// How many times as fast as without recursion such a product is, if it uses recursion.
pub fn product_gain(shape: ProductShape, binding_bytes: u64, memory: u64) -> Option<f64> {
    let recursion = Recursion::choose(shape, binding_bytes, memory);
    (recursion.levels > 0).then(|| Recursion::NONE.time(shape) / recursion.time(shape))
}

/// The data and the dispatches of a product, by `part` rows of both factors at a time, in `memory` bytes.
pub fn product_traffic(shape: ProductShape, part: usize, binding_bytes: u64, memory: u64) -> Traffic {
    let (rows, inner, columns) = shape;
    if part >= rows.max(inner) {
        return product::product_traffic(shape, binding_bytes, memory);
    }
    let lengths = |whole: usize| (0..whole).step_by(part).map(move |first| part.min(whole - first));
    let of_inner = |inner| {
        lengths(rows).map(move |rows| product::product_traffic((rows, inner, columns), binding_bytes, memory))
    };
    Traffic::sum(lengths(inner).flat_map(of_inner))
}

/// Bytes of device memory of an F4 matrix by [`F4Method::Blocked`] or [`F4Method::TwoStage`]. An upper bound.
pub fn f4_bytes(shape: &F4Shape, method: F4Method, binding_bytes: u64) -> u64 {
    match method {
        F4Method::TwoStage => two_stage::two_stage_bytes(shape, binding_bytes),
        _ => f4::blocked_bytes(shape, binding_bytes),
    }
}

/// Eliminates an F4 matrix by the plan's method, never [`F4Method::Auto`], `part` rows at a time; in rounds by
/// the grid, if the plan has one.
pub async fn eliminate(
    gpu: &Gpu,
    f4: &F4Matrix,
    (method, grid): (F4Method, Option<Grid>),
    part: usize,
) -> Result<Elimination> {
    match method {
        F4Method::Rounds => rounds::eliminate_in_rounds(gpu, grid, f4, |_| true).await,
        F4Method::Bands | F4Method::XorThreads => Err(method.only_for("the CPU engine")),
        _ if part >= f4.row_count() => in_file_order(gpu, f4, method).await,
        _ => in_file_order_by_parts(gpu, f4, method, part).await,
    }
}

/// Eliminates an F4 matrix that fits the device's memory, in file order.
async fn in_file_order(gpu: &Gpu, f4: &F4Matrix, method: F4Method) -> Result<Elimination> {
    match method {
        F4Method::Blocked => f4::eliminate_in_file_order(gpu, f4).await,
        _ => two_stage::eliminate_in_two_stages(gpu, f4).await,
    }
}

/// Eliminates an F4 matrix part by part. A row is reduced only by reducers and by rows before it:
///
/// ```text
/// for each part of the rows, in order:
///     eliminate it
///     its new pivots become reducers
/// ```
async fn in_file_order_by_parts(
    gpu: &Gpu,
    f4: &F4Matrix,
    method: F4Method,
    part_rows: usize,
) -> Result<Elimination> {
    let mut reducers = f4.reducers().clone();
    let given = reducers.len();
    let mut new_pivots = Vec::new();
    for first in (0..f4.row_count()).step_by(part_rows) {
        let mut rows = IndexLists::default();
        for row in first..f4.row_count().min(first + part_rows) {
            rows.push(f4.rows().row(row))?;
        }
        // The F4 matrix's own reducers are valid, those that became pivots may be anything.
        let part = F4Matrix::new(reducers.clone(), rows, Some(f4.width())).map_err(|error| match error {
            error if reducers.len() > given && error.exit_code() == 3 => {
                Error::Nonsense(error.to_string().into())
            }
            other => other,
        })?;
        let result = in_file_order(gpu, &part, method).await?;
        for (k, &row) in result.new_pivots().iter().enumerate() {
            reducers.push(&result.new_pivot(k).collect::<Vec<_>>())?;
            new_pivots.push(first as u32 + row);
        }
    }
    let mut matrix = BitMatrix::zeros(new_pivots.len(), f4.width())?;
    for k in 0..new_pivots.len() {
        reducers.row(given + k).iter().for_each(|&column| matrix.set(k, column as usize, true));
    }
    Ok(Elimination::new(f4, &new_pivots, matrix))
}

/// The columns of the pivots of a matrix, ascending, by `part` rows at a time.
pub async fn pivots(gpu: &Gpu, matrix: &BitMatrix, part: usize) -> Result<Vec<u32>> {
    let reduction = &RowReduction::whole(matrix.rows(), matrix.columns());
    match part >= matrix.rows() {
        // Only the pivots leave the device.
        true => DeviceMatrix::upload(gpu, matrix)?.reduce_to_echelon_async(reduction).await,
        false => Ok(echelon_by_parts(gpu, matrix, reduction, part).await?.pivots),
    }
}

/// The echelon form of a matrix, with all rows, by `part` rows at a time.
pub async fn echelon(
    gpu: &Gpu,
    matrix: &BitMatrix,
    reduction: &RowReduction,
    part: usize,
) -> Result<Echelon> {
    match part >= matrix.rows() {
        true => dense::echelon(gpu, matrix, reduction).await,
        false => echelon_by_parts(gpu, matrix, reduction, part).await,
    }
}

/// Computes an echelon form part by part:
///
/// ```text
/// for each part of the rows, in order:
///     clear the pivots' columns of the earlier parts in it
///     bring it to its reduced form
///     if the form of all is to be reduced: clear the columns of its pivots in the earlier parts
/// order all rows by their pivots
/// ```
async fn echelon_by_parts(
    gpu: &Gpu,
    matrix: &BitMatrix,
    reduction: &RowReduction,
    part_rows: usize,
) -> Result<Echelon> {
    let of_parts = RowReduction { wanted: Wanted::Reduced, ..*reduction };
    let mut parts: Vec<Echelon> = Vec::new();
    for first in (0..matrix.rows()).step_by(part_rows) {
        let mut part = submatrix(matrix, first..matrix.rows().min(first + part_rows), 0..matrix.columns())?;
        for earlier in &parts {
            reduce(gpu, &mut part, earlier, part_rows).await?;
        }
        let part = dense::echelon(gpu, &part, &of_parts).await?;
        if reduction.is_reduced() {
            for earlier in &mut parts {
                reduce(gpu, &mut earlier.matrix, &part, part_rows).await?;
            }
        }
        parts.push(part);
    }
    let mut order = Vec::new();
    for (k, part) in parts.iter().enumerate() {
        let pivots = part.pivots.iter().map(|&pivot| Some(pivot)).chain(std::iter::repeat(None));
        order.extend((0..part.matrix.rows()).zip(pivots).map(|(row, pivot)| (pivot, k, row)));
    }
    // Rows without a pivot are last.
    order.sort_by_key(|&(pivot, ..)| (pivot.is_none(), pivot));
    let mut sorted = BitMatrix::zeros(matrix.rows(), matrix.columns())?;
    for (row, &(_, k, from)) in order.iter().enumerate() {
        sorted.row64_mut(row).copy_from_slice(parts[k].matrix.row64(from));
    }
    let pivots: Vec<u32> = order.iter().map_while(|&(pivot, ..)| pivot).collect();
    expect_pivots(&pivots, matrix.rows(), reduction.of(matrix).limit)?;
    Ok(Echelon { pivots, matrix: sorted })
}

/// Clears the columns of a reduced form's pivots in `target`.
async fn reduce(gpu: &Gpu, target: &mut BitMatrix, by: &Echelon, part: usize) -> Result<()> {
    if by.pivots.is_empty() || target.rows() == 0 {
        return Ok(());
    }
    let mut selections = BitMatrix::zeros(target.rows(), by.rank())?;
    let stride = selections.stride64();
    let rows = selections.words64_mut().par_chunks_mut(stride).enumerate();
    rows.for_each(|(row, words)| {
        for (k, &pivot) in by.pivots.iter().enumerate() {
            words[k / 64] |= u64::from(target.get(row, pivot as usize)) << (k % 64);
        }
    });
    let pivots = submatrix(&by.matrix, 0..by.rank(), 0..by.matrix.columns())?;
    // Plans of eliminations count no memory for recursion.
    let sum = multiply_by_parts(gpu, &selections, &pivots, (part, 0)).await?;
    add(target, 0, &sum);
    Ok(())
}

/// The product a * b, by `part` rows of both factors at a time, in `memory` bytes of the device; a has as many
/// columns as b has rows.
pub async fn multiply(
    gpu: &Gpu,
    a: &BitMatrix,
    b: &BitMatrix,
    (part, memory): (usize, u64),
) -> Result<BitMatrix> {
    match part >= a.rows().max(b.rows()) {
        true => product::multiply(gpu, a, b, memory).await,
        false => multiply_by_parts(gpu, a, b, (part, memory)).await,
    }
}

/// Multiplies part by part; `part` is a multiple of 64, so that the columns of a are cut between words.
async fn multiply_by_parts(
    gpu: &Gpu,
    a: &BitMatrix,
    b: &BitMatrix,
    (part, memory): (usize, u64),
) -> Result<BitMatrix> {
    let mut product = BitMatrix::zeros(a.rows(), b.columns())?;
    for inner in (0..b.rows()).step_by(part) {
        let inner = inner..b.rows().min(inner + part);
        let right = submatrix(b, inner.clone(), 0..b.columns())?;
        for first in (0..a.rows()).step_by(part) {
            let left = submatrix(a, first..a.rows().min(first + part), inner.clone())?;
            add(&mut product, first, &product::multiply(gpu, &left, &right, memory).await?);
        }
    }
    Ok(product)
}

/// Copies some rows and columns of a matrix. The column range begins at a multiple of 64 and ends at
/// one or at the matrix's last column.
fn submatrix(matrix: &BitMatrix, rows: Range<usize>, columns: Range<usize>) -> Result<BitMatrix> {
    let mut copy = BitMatrix::zeros(rows.len(), columns.len())?;
    let words = columns.start / 64..columns.end.div_ceil(64);
    for (to, from) in rows.enumerate() {
        copy.row64_mut(to)[..words.len()].copy_from_slice(&matrix.row64(from)[words.clone()]);
    }
    Ok(copy)
}

/// Adds `other`, which has as many columns, to the rows of `target` from `first` on.
fn add(target: &mut BitMatrix, first: usize, other: &BitMatrix) {
    for row in 0..other.rows() {
        let words = target.row64_mut(first + row).iter_mut();
        words.zip(other.row64(row)).for_each(|(to, word)| *to ^= word);
    }
}

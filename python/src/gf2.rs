//! Linear algebra over GF(2): one matrix, many small ones, and F4 matrices in file order.

use crate::prelude::*;
use wgalois::Cpu;
use wgalois::gf2::{self, Dense, DenseAnswer, F4Matrix, Inverse, Many, Product};
use wgalois::parallel::*;

use crate::bits::{BitMatrix, lists, pack, unpack};

/// Rows and columns of a matrix that is reduced within a millisecond.
pub const SHORT: usize = 768;

/// The name of products among the operations.
pub const MATMUL: &str = "matmul";

/// The question of an operation by name; `limit` restricts the pivots of a form to the first columns.
pub fn dense(
    operation: &str,
    (rows, columns): (usize, usize),
    others: usize,
    limit: Option<usize>,
) -> Result<Dense> {
    let problem = match operation {
        "rank" => Dense::rank(rows, columns)?,
        "echelon" => Dense::echelon(rows, columns)?,
        "rref" => Dense::rref(rows, columns)?,
        "solve" => Dense::solve(rows, columns, others)?,
        "null_space" => Dense::kernel(rows, columns)?,
        "inv" if rows != columns => {
            return Err(Error::NotSquare { rows, columns });
        }
        "inv" => Dense::inverse(rows)?,
        _ => {
            let known = ["rank", "echelon", "rref", "solve", "null_space", "inv", "matmul"];
            return Err(Error::unknown("operation", operation, known));
        }
    };
    Ok(limit.map_or(problem, |limit| problem.with_pivots_within(limit)))
}

/// An answer: matrix or None, columns of the pivots, right sides without a solution, rank.
pub type Answer = (Option<BitMatrix>, Vec<u32>, Vec<u32>, usize);

pub fn answer(answer: DenseAnswer) -> Answer {
    let (matrix, pivots, inconsistent, rank) = match answer {
        DenseAnswer::Pivots(pivots) => (None, pivots, Vec::new(), None),
        DenseAnswer::Form(form) => (Some(form.matrix), form.pivots, Vec::new(), None),
        DenseAnswer::Solution(solution) => {
            (Some(solution.x), Vec::new(), solution.inconsistent, Some(solution.rank))
        }
        DenseAnswer::Kernel { basis, pivots } => (Some(basis), pivots, Vec::new(), None),
        DenseAnswer::Inverse(Inverse::Regular(matrix)) => {
            let rank = Some(matrix.rows());
            (Some(matrix), Vec::new(), Vec::new(), rank)
        }
        DenseAnswer::Inverse(Inverse::Singular { rank }) => (None, Vec::new(), Vec::new(), Some(rank)),
    };
    let rank = rank.unwrap_or(pivots.len());
    (matrix.map(BitMatrix::from), pivots, inconsistent, rank)
}

/// A product in the form of an [`answer`].
pub fn product(matrix: gf2::BitMatrix) -> Answer {
    (Some(BitMatrix::from(matrix)), Vec::new(), Vec::new(), 0)
}

/// The error of a product of one matrix.
pub fn one_factor() -> Error {
    Error::Input("a product takes two matrices".into())
}

/// Computes an operation for one matrix, or two.
#[pyfunction]
#[pyo3(signature = (operation, a, b, limit, device))]
pub fn gf2_compute(
    py: Python<'_>,
    operation: String,
    a: &BitMatrix,
    b: Option<&BitMatrix>,
    limit: Option<usize>,
    device: DeviceName,
) -> PyResult<Answer> {
    let (a, b) = (Arc::clone(&a.0), b.map(|b| Arc::clone(&b.0)));
    let sizes = a.rows() + a.columns() + b.as_ref().map_or(0, |b| b.columns());
    let is_short = sizes <= SHORT && device::is_cpu_if_short(&device);
    work::run_short(py, is_short, (), move |()| {
        if operation == MATMUL {
            let b = b.ok_or_else(one_factor)?;
            let problem = Product::new(a.rows(), a.columns(), b.columns())?;
            return gf2::multiply(&device::select(&device, &problem)?, &a, &b).map(product);
        }
        let others = b.as_ref().map_or(0, |b| b.columns());
        let problem = dense(&operation, (a.rows(), a.columns()), others, limit)?;
        gf2::compute(&device::select(&device, &problem)?, &problem, &a, b.as_deref()).map(answer)
    })
}

/// The arrays of a batch: the matrices, one or two for each problem; the results and the ranks.
type Batch = ((Input<u8>, Option<Input<u8>>), (Output<u8>, Output<i64>));

/// The answer for one matrix of a batch, and its rank.
type Small = (Option<BitMatrix>, i64);

/// Computes an operation for `count` matrices of one shape, which stand one after the other in `a`.
///
/// `out` gets the resulting matrices, where all have one shape; `ranks` the ranks. A right side without a solution, and
/// a matrix without an inverse, have rank -1 - rank, and zeros in `out`. Null spaces have no common shape and are returned.
///
/// Eliminations run beside each other on any device. Of products, the CPU engine computes one on each thread, and a GPU
/// computes them one after the other.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python half names them")]
#[pyo3(signature = (operation, a, shape, b, other_shape, out, ranks, device))]
pub fn gf2_many(
    py: Python<'_>,
    operation: String,
    a: &Bound<'_, PyAny>,
    shape: (usize, usize, usize),
    b: Option<&Bound<'_, PyAny>>,
    other_shape: (usize, usize),
    out: &Bound<'_, PyAny>,
    ranks: &Bound<'_, PyAny>,
    device: DeviceName,
) -> PyResult<Vec<BitMatrix>> {
    let ((count, rows, columns), others) = (shape, other_shape.1);
    let inputs = (Input::<u8>::new(a)?, b.map(Input::<u8>::new).transpose()?);
    let outputs = (Output::<u8>::new(out)?, Output::<i64>::new(ranks)?);
    let many = move |((a, b), (out, ranks)): &mut Batch| {
        let is_product = operation == MATMUL;
        let each = if is_product { None } else { Some(dense(&operation, (rows, columns), others, None)?) };
        let a = packed(a.get(), count, (rows, columns))?;
        let b = b.as_ref().map(|b| packed(b.get(), count, other_shape)).transpose()?;
        let answers: Vec<Small> = match each {
            Some(each) => {
                let device = device::select(&device, &Many::new(count, each)?)?;
                let answers = gf2::compute_many(&device, &each, &a, b.as_deref())?;
                answers.into_iter().map(small).collect()
            }
            None => {
                let problem = Product::new(rows, columns, others)?;
                let products = products(&device, &problem, &a, &b.ok_or_else(one_factor)?)?;
                products.into_iter().map(|matrix| (Some(matrix.into()), 0)).collect()
            }
        };
        answers.iter().zip(ranks.get()).for_each(|((_, own), rank)| *rank = *own);
        let size = out.get().len() / count.max(1);
        if size == 0 {
            return Ok(answers.into_iter().filter_map(|(matrix, _)| matrix).collect());
        }
        let places = out.get().par_chunks_mut(size);
        places.zip(&answers).for_each(|(place, (matrix, _))| {
            if let Some(matrix) = matrix {
                unpack(&matrix.0, place);
            }
        });
        Ok(Vec::new())
    };
    work::run(py, (inputs, outputs), many)
}

/// Packs `count` matrices of one shape.
fn packed(entries: &[u8], count: usize, (rows, columns): (usize, usize)) -> Result<Vec<gf2::BitMatrix>> {
    let size = rows * columns;
    let one = |k: usize| pack(&entries[k * size..(k + 1) * size], rows, columns).map_err(|e| in_matrix(k, e));
    (0..count).into_par_iter().map(one).try_collect()
}

/// Products: on the CPU engine beside each other unless a GPU is named.
fn products(
    device: &str,
    each: &Product,
    a: &[gf2::BitMatrix],
    b: &[gf2::BitMatrix],
) -> Result<Vec<gf2::BitMatrix>> {
    if !["auto", "", "cpu"].contains(&device) {
        let device = device::select(device, each)?;
        return a.iter().zip(b).map(|(a, b)| gf2::multiply(&device, a, b)).collect();
    }
    // Each run has a record of its own, so that they do not wait for one another.
    let check = work::asks();
    let one = |(a, b): (&gf2::BitMatrix, &gf2::BitMatrix)| {
        check()?;
        gf2::multiply(&Device::Cpu(Cpu::default()), a, b)
    };
    a.par_iter().zip(b).map(one).try_collect()
}

fn in_matrix(k: usize, error: Error) -> Error {
    match error.exit_code() {
        3 => error.of(format!("matrix {k}")),
        _ => error,
    }
}

fn small(found: DenseAnswer) -> Small {
    let lacks = match &found {
        DenseAnswer::Solution(solution) => !solution.inconsistent.is_empty(),
        DenseAnswer::Inverse(Inverse::Singular { .. }) => true,
        _ => false,
    };
    let (matrix, .., rank) = answer(found);
    if lacks { (None, -1 - rank as i64) } else { (matrix, rank as i64) }
}

/// Eliminates an F4 matrix in file order. Returns the new pivots, and all rows as compressed rows: bytes of 64-bit
/// offsets and of 32-bit indices, descending in a row.
#[pyfunction]
pub fn eliminate<'py>(
    py: Python<'py>,
    eliminators: (Bound<'py, PyAny>, Bound<'py, PyAny>),
    rows: (Bound<'py, PyAny>, Bound<'py, PyAny>),
    columns: usize,
    method: String,
    device: DeviceName,
) -> PyResult<(Vec<u32>, Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let pair = |(offsets, indices): (Bound<'py, PyAny>, Bound<'py, PyAny>)| {
        PyResult::Ok((Input::<i64>::new(&offsets)?, Input::<i64>::new(&indices)?))
    };
    let inputs = (pair(eliminators)?, pair(rows)?);
    let method = raised(py, method.parse())?;
    let (new_pivots, offsets, lists) = work::run(py, inputs, move |((e, f), (r, s))| {
        let (reducers, rows) = (lists(e.get(), f.get(), columns)?, lists(r.get(), s.get(), columns)?);
        let f4 = F4Matrix::new(reducers, rows, Some(columns))?.with_method(method);
        let result = gf2::eliminate(&device::select(&device, &f4)?, &f4)?;
        let lists = result.to_lists();
        let offsets: Vec<u64> = lists.offsets().iter().map(|&offset| offset as u64).collect();
        Ok((result.new_pivots().to_vec(), offsets, lists))
    })?;
    let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
    Ok((new_pivots, bytes(bytemuck::cast_slice(&offsets)), bytes(bytemuck::cast_slice(lists.indices()))))
}

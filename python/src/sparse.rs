//! Large sparse matrices over GF(2), which stay lists.

use crate::prelude::*;
use wgalois::gf2::verify::Bands;
use wgalois::gf2::{DenseAnswer, IndexLists, Sparse, SparseAnswer, SparseRank, Triangle};

use crate::bits::{BitMatrix, Compressed, lists};
use crate::gf2::{Answer, answer};

/// A sparse matrix, which never changes.
#[pyclass(frozen, module = "wgalois._native")]
pub struct Lists {
    rows: Arc<IndexLists>,
    columns: usize,
}

#[pymethods]
impl Lists {
    /// True if a matrix of this shape with so many ones is better kept as lists.
    #[staticmethod]
    fn pay(rows: usize, columns: usize, ones: usize) -> bool {
        SparseRank::pays(rows, columns, ones)
    }

    /// Makes a matrix from compressed rows.
    #[staticmethod]
    fn of(
        py: Python<'_>,
        offsets: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        columns: usize,
    ) -> PyResult<Self> {
        let arrays = (Input::<i64>::new(offsets)?, Input::<i64>::new(indices)?);
        let rows =
            work::run(py, arrays, move |(offsets, indices)| lists(offsets.get(), indices.get(), columns))?;
        Ok(Lists { rows: Arc::new(rows), columns })
    }

    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.rows.len(), self.columns)
    }

    fn rank(&self, py: Python<'_>, device: DeviceName) -> PyResult<usize> {
        self.run(py, move |rows, triangle| {
            let problem = SparseRank::new(triangle);
            let device = device::select(&device, &problem)?;
            Ok(problem.plan(&device)?.compute(&device, (rows, triangle))?.0.rank)
        })
    }

    /// Rows that are a basis of the row space, ascending.
    fn row_basis(&self, py: Python<'_>, device: DeviceName) -> PyResult<Vec<u32>> {
        self.run(py, move |rows, triangle| {
            compute(&device, Sparse::rows(triangle), (rows, triangle, None))?.into_rows()
        })
    }

    /// A basis of the kernel as compressed rows: bytes of 64-bit offsets, and of 32-bit indices, ascending.
    fn kernel<'py>(
        &self,
        py: Python<'py>,
        device: DeviceName,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let rows = self.run(py, move |rows, triangle| {
            let answer = compute(&device, Sparse::kernel(triangle), (rows, triangle, None))?;
            let (kernel, check) = (answer.into_kernel()?, work::asks());
            let mut vectors = Compressed::default();
            kernel.vectors(rows, triangle)?.bands(&mut |band| {
                vectors.append(band);
                check()
            })?;
            Ok(vectors)
        })?;
        Ok(rows.bytes(py))
    }

    /// Solves for the columns of `b`.
    fn solve(&self, py: Python<'_>, b: &BitMatrix, device: DeviceName) -> PyResult<Answer> {
        let b = Arc::clone(&b.0);
        self.run(py, move |rows, triangle| {
            let problem = Sparse::solve(triangle, b.columns())?;
            let solution = compute(&device, problem, (rows, triangle, Some(&b)))?.into_solution()?;
            Ok(answer(DenseAnswer::Solution(solution)))
        })
    }
}

impl Lists {
    /// Does work with the matrix and a triangle of it, without the interpreter's lock.
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&IndexLists, &Triangle) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let (rows, columns) = (Arc::clone(&self.rows), self.columns);
        work::run(py, (), move |()| work(&rows, &Triangle::find(&rows, columns)?))
    }
}

fn compute(
    name: &str,
    problem: Sparse,
    input: (&IndexLists, &Triangle, Option<&wgalois::gf2::BitMatrix>),
) -> Result<SparseAnswer> {
    let device = device::select(name, &problem)?;
    Ok(problem.plan(&device)?.compute(&device, input)?.0.0)
}

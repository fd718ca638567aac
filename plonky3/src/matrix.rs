//! Plonky3's matrices, as transforms take them.

use p3_field::BasedVectorSpace;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use crate::field::Field31;
use crate::job::Shape;

pub(crate) fn shape<F: Field31>(matrix: &RowMajorMatrix<F>) -> Shape {
    [matrix.height(), matrix.width()]
}

/// Transforms the coordinates of vectors, each of which is a column of its own.
pub(crate) fn by_coordinates<F: Field31, V: BasedVectorSpace<F> + Clone + Send + Sync>(
    matrix: RowMajorMatrix<V>,
    transform: impl FnOnce(RowMajorMatrix<F>) -> RowMajorMatrix<F>,
) -> RowMajorMatrix<V> {
    let width = matrix.width();
    let coordinates = RowMajorMatrix::new(V::flatten_to_base(matrix.values), width * V::DIMENSION);
    RowMajorMatrix::new(V::reconstitute_from_base(transform(coordinates).values), width)
}

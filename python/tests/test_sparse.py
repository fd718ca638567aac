"""Large sparse matrices, which are not packed: beside ldpc, and by their definitions."""

import ldpc.mod2
import numpy as np
import pytest
import scipy.sparse
from wgalois import errors, gf2, mod2


def toric(size):
    """The vertex checks of a toric code: all rows sum to zero, and no other set of rows does."""
    v = np.arange(size * size)
    x, y = v % size, v // size
    left, up = y * size + (x + size - 1) % size, (y + size - 1) % size * size + x
    columns = np.stack([v, left, size * size + v, size * size + up])
    ones = np.ones(columns.size, np.uint8)
    return scipy.sparse.csr_matrix((ones, (np.tile(v, 4), columns.ravel())), shape=(size * size, 2 * size * size))


def random(rows, columns, ones, seed):
    """Columns of so many ones at random places; a place that is drawn twice is 0."""
    rng = np.random.default_rng(seed)
    places = (rng.integers(0, rows, ones * columns), np.repeat(np.arange(columns), ones))
    counts = scipy.sparse.coo_matrix((np.ones(ones * columns, np.int64), places), shape=(rows, columns)).tocsr()
    counts.data %= 2
    counts.eliminate_zeros()
    return counts.astype(np.uint8)


MATRICES = [toric(80), random(5000, 9000, 3, 1), random(9000, 6000, 4, 2)]


def times(a, b):
    """A product of matrices or arrays modulo 2, an array."""
    product = a.astype(np.int64) @ b.astype(np.int64)
    return (product.toarray() if scipy.sparse.issparse(product) else np.asarray(product)) % 2


@pytest.mark.parametrize("a", MATRICES, ids=["toric", "wide", "tall"])
def test_large_sparse_matrices_beside_ldpc(a):
    rank = ldpc.mod2.rank(a)
    for given in (a, scipy.sparse.csc_matrix(a), scipy.sparse.csr_array(a).astype(bool)):
        assert gf2.rank(given, device="cpu") == rank
    assert mod2.rank(a) == rank

    basis = gf2.row_basis(a, device="cpu")
    assert isinstance(basis, scipy.sparse.csr_array) and basis.dtype == np.uint8 and basis.shape == (rank, a.shape[1])
    assert ldpc.mod2.rank(scipy.sparse.csr_matrix(basis)) == rank
    of_a = {row.tobytes() for row in np.split(a.indices, a.indptr[1:-1])}
    assert all(row.astype(a.indices.dtype).tobytes() in of_a for row in np.split(basis.indices, basis.indptr[1:-1]))

    sums = np.random.default_rng(3).integers(0, 2, (a.shape[1], 70)).astype(np.uint8)
    b = times(a, sums).astype(np.uint8)
    x = gf2.solve(a, b, device="cpu")
    assert type(x) is np.ndarray and np.array_equal(times(a, x), b)
    one = gf2.solve(a, b[:, 0], device="cpu")
    assert one.shape == (a.shape[1],) and np.array_equal(times(a, one), b[:, 0])
    both = gf2.solve(a, scipy.sparse.csr_matrix(b), device="cpu")
    assert scipy.sparse.issparse(both) and np.array_equal(both.toarray(), x)


@pytest.mark.parametrize("a", MATRICES, ids=["toric", "wide", "tall"])
def test_kernels_of_large_sparse_matrices(a):
    kernel = gf2.kernel(a, device="cpu")
    assert isinstance(kernel, scipy.sparse.csr_array) and kernel.dtype == np.uint8
    assert kernel.shape == (a.shape[1] - gf2.rank(a), a.shape[1])
    products = a.astype(np.int64) @ kernel.astype(np.int64).T
    assert not (products.data % 2).any()
    # Each vector has a one in a column in which the others have none.
    assert np.count_nonzero(kernel.sum(axis=0) == 1) >= kernel.shape[0]
    assert gf2.rank(gf2.BitMatrix(kernel), device="cpu") == kernel.shape[0]


def test_right_sides_of_large_sparse_matrices_without_a_solution():
    a = toric(80)
    b = np.zeros((6400, 3), np.uint8)
    b[0] = 1
    b[1, [0, 2]] = 1
    with pytest.raises(errors.NoSolutionError) as caught:
        gf2.solve(a, b, device="cpu")
    assert list(caught.value.columns) == [1]
    # The others have theirs.
    b[:, 1] = 0
    assert np.array_equal(times(a, caught.value.solutions), b)
    with pytest.raises(errors.InputError):
        gf2.solve(a, b[1:], device="cpu")
    with pytest.raises(errors.InputError, match="holds 2"):
        gf2.rank(2 * a, device="cpu")

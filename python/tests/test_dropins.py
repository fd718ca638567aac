"""The drop-in names: types and values beside ldpc's and galois's own, on 1000 random matrices each."""

import galois
import ldpc.mod2
import numpy as np
import pytest
import scipy.sparse
import wgalois
from wgalois import galois2, gf2, mod2

GF2 = galois.GF(2)
MATRICES = 1000


def matrices(seed):
    """Random matrices of all densities, many of them of low rank, some tall, wide, empty of ones or with equal rows."""
    rng = np.random.default_rng(seed)
    for k in range(MATRICES):
        rows, columns = rng.integers(1, 40 if k % 10 == 0 else 12, 2)
        a = (rng.random((rows, columns)) < rng.random()).astype(np.uint8)
        if k % 3 == 0:
            a = a[rng.integers(0, rows, rows)]
        yield a


def same(ours, theirs):
    """Asserts that two results have the same types, all the way down, and the same values."""
    assert type(ours) is type(theirs), (type(ours), type(theirs))
    if isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs):
            same(a, b)
    elif scipy.sparse.issparse(theirs):
        assert (ours.shape, ours.dtype, ours.format) == (theirs.shape, theirs.dtype, theirs.format)
        assert np.array_equal(ours.toarray(), theirs.toarray())
    elif isinstance(theirs, np.ndarray):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype) and np.array_equal(ours, theirs)
    else:
        assert ours == theirs


@pytest.mark.parametrize("name", ["kernel", "nullspace", "row_basis", "pivot_rows", "row_echelon", "reduced_row_echelon", "rank"])
def test_names_of_ldpc_beside_ldpc(name):
    ours, theirs = getattr(mod2, name), getattr(ldpc.mod2, name)
    for k, a in enumerate(matrices(1)):
        kind = [np.asarray, scipy.sparse.csr_matrix, lambda a: a.astype(int), scipy.sparse.csc_matrix, lambda a: a.astype(float)][
            k % 5
        ]
        same(ours(kind(a)), theirs(kind(a)))


def test_echelon_forms_and_inverses_beside_ldpc():
    inverses = 0
    for a in matrices(2):
        same(mod2.row_echelon(a, full=True), ldpc.mod2.row_echelon(a, full=True))
        square = a[: min(a.shape), : min(a.shape)]
        for matrix in (a, square, np.vstack([np.eye(a.shape[1], dtype=np.uint8), a])[::-1].copy()):
            try:
                theirs = ldpc.mod2.inverse(matrix)
            except ValueError:
                with pytest.raises(wgalois.errors.SingularError):
                    mod2.inverse(matrix)
            else:
                same(mod2.inverse(matrix), theirs)
                inverses += 1
    assert inverses > MATRICES


def test_spans_and_decompositions_beside_ldpc():
    rng = np.random.default_rng(3)
    for a in matrices(3):
        small = a[:6]
        same(mod2.row_span(small), ldpc.mod2.row_span(small))
        ours, theirs = mod2.PluDecomposition(a), ldpc.mod2.PluDecomposition(a)
        assert ours.rank == theirs.rank
        same(ours.pivots, theirs.pivots)
        y = a @ rng.integers(0, 2, a.shape[1]) % 2
        same(ours.lu_solve(y), theirs.lu_solve(y.astype(np.uint8)))


@pytest.mark.parametrize("name", ["null_space", "left_null_space", "row_space", "column_space", "row_reduce"])
def test_names_of_galois_beside_galois(name):
    for a in matrices(4):
        ours, theirs = getattr(galois2, name)(GF2(a)), getattr(GF2(a), name)()
        assert type(ours) is type(theirs) is GF2 and ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs) or ours.size == theirs.size == 0
        plain = getattr(galois2, name)(a)
        assert type(plain) is np.ndarray and np.array_equal(plain, np.asarray(ours))


def test_linear_algebra_of_galois_beside_galois():
    rng = np.random.default_rng(5)
    regular = 0
    for a in matrices(5):
        assert galois2.matrix_rank(GF2(a)) == np.linalg.matrix_rank(GF2(a))
        square = GF2(a[: min(a.shape), : min(a.shape)])
        det = np.linalg.det(square)
        assert galois2.det(square) == det and type(galois2.det(square)) is type(det)
        assert gf2.det(np.asarray(square)) == int(det)
        if det == 1:
            regular += 1
            b = GF2(rng.integers(0, 2, (len(square), 3), np.uint8))
            for ours, theirs in [
                (galois2.inv(square), np.linalg.inv(square)),
                (galois2.solve(square, b), np.linalg.solve(square, b)),
                (galois2.solve(square, b[:, 0]), np.linalg.solve(square, b[:, 0])),
            ]:
                assert type(ours) is type(theirs) is GF2 and np.array_equal(ours, theirs)
    assert regular > 100


def test_larger_matrices_beside_ldpc():
    rng = np.random.default_rng(6)
    for shape in [(130, 520), (300, 150), (70, 70)]:
        a = rng.integers(0, 2, shape, np.uint8)
        a[40:60] = a[:20]
        for name in ("kernel", "row_basis", "row_echelon", "reduced_row_echelon"):
            same(getattr(mod2, name)(a), getattr(ldpc.mod2, name)(a))


def test_other_forms_and_faults():
    a = [[1, 1, 0], [0, 1, 1]]
    assert mod2.kernel(gf2.BitMatrix(a)).toarray().tolist() == [[1, 1, 1]]
    assert mod2.rank(a, method="sparse") == 2
    with pytest.raises(wgalois.errors.UsageError, match="dense or sparse"):
        mod2.kernel(a, method="fast")
    with pytest.raises(wgalois.errors.NoSolutionError):
        mod2.PluDecomposition([[1, 1], [1, 1]]).lu_solve([0, 1])
    with pytest.raises(wgalois.errors.InputError, match="2\\*\\*30"):
        mod2.row_span(np.eye(30, dtype=np.uint8))
    # Names of one library are not those of another.
    assert not hasattr(mod2, "null_space") and not hasattr(galois2, "kernel")

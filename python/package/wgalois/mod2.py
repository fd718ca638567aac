"""The names of ``ldpc.mod2``, with its types and values: ``from wgalois import mod2`` in the place of ``from ldpc import mod2``.

Kernels, bases and spans are ``scipy.sparse.csr_matrix`` of uint8; echelon forms are arrays of the matrix's type, operations on
rows and inverses arrays of int64, and pivots lists. The choice of bases is that of ldpc 2.4. Beside arrays and ``scipy.sparse``
matrices, the other forms of :mod:`wgalois.gf2` are taken. SciPy must be installed. The work runs on the CPU engine.

:mod:`wgalois.gf2` has functions of its own for the same ends, whose results have the form of the input and which run on any
device.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native, gf2
from ._bits import BitMatrix, MatrixLike, _is_sparse, _lists_of, _packed
from ._codes import _sums
from .errors import SingularError, UsageError

__all__ = [
    "PluDecomposition",
    "inverse",
    "kernel",
    "nullspace",
    "pivot_rows",
    "rank",
    "reduced_row_echelon",
    "row_basis",
    "row_echelon",
    "row_span",
]

# A ``scipy.sparse.csr_matrix``.
Csr = Any


def _csr(native: _native.BitMatrix) -> Csr:
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

    offsets, columns = _lists_of(native)
    ones = np.ones(len(columns), np.uint8)
    return csr_matrix((ones, columns.astype(np.int32), offsets.astype(np.int32)), shape=native.shape)


def _expect_method(method: str) -> None:
    if method not in ("dense", "sparse"):
        raise UsageError(f"method {method!r}: expected dense or sparse")


def _array(native: _native.BitMatrix, dtype: Any) -> NDArray:
    return BitMatrix._of(native).to_numpy().astype(dtype, copy=False)


def _dtype(a: Any) -> np.dtype:
    """The type of the entries of a matrix."""
    is_typed = _is_sparse(a) or isinstance(a, np.ndarray)
    return np.dtype(a.dtype) if is_typed else np.dtype(np.uint8)


def rank(pcm: MatrixLike, method: str = "dense") -> int:
    """The rank. ``method``, "dense" or "sparse", has no effect.

    >>> from wgalois import mod2
    >>> mod2.rank([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    2
    """
    _expect_method(method)
    return int(gf2.rank(pcm, device="cpu"))


def nullspace(pcm: MatrixLike, method: str = "dense") -> Csr:
    """A basis of ``{x : pcm @ x == 0}``, one vector a row. ``method``, "dense" or "sparse", has no effect."""
    _expect_method(method)
    native = _packed(pcm)[0]
    rows, columns = native.shape
    both, pivots = _native.gf2_by_swaps(native.transposed(), False)
    return _csr(both.tail(len(pivots)).columns(rows, rows + columns))


def kernel(pcm: MatrixLike, method: str = "dense") -> Csr:
    """:func:`nullspace` by another name.

    >>> from wgalois import mod2
    >>> mod2.kernel([[1, 1, 0], [0, 1, 1]]).toarray()
    array([[1, 1, 1]], dtype=uint8)
    """
    return nullspace(pcm, method)


def pivot_rows(mat: MatrixLike) -> NDArray[np.int64]:
    """The rows that are no sum of rows above them, ascending."""
    return gf2.pivot_rows(mat, device="cpu")


def row_basis(pcm: MatrixLike) -> Csr:
    """The rows of :func:`pivot_rows`: a basis of the row space. Of a sparse matrix, a matrix of its format and type."""
    chosen = pivot_rows(pcm)
    if _is_sparse(pcm) and not isinstance(pcm, BitMatrix):
        from scipy.sparse import csr_matrix

        matrix: Any = pcm.copy() if hasattr(pcm, "copy") else csr_matrix(pcm)
        matrix.eliminate_zeros()
        kind = matrix.dtype
        return (matrix.astype(np.uint8) if kind.kind == "f" else matrix)[chosen, :]
    return _csr(_packed(pcm)[0])[chosen, :]


def row_echelon(matrix: MatrixLike, full: bool = False) -> list[Any]:
    """[form, rank, operations, columns of the pivots], with ``operations @ matrix == form`` modulo 2.

    The form is reduced if ``full``.

    >>> from wgalois import mod2
    >>> form, rank, operations, pivots = mod2.row_echelon([[0, 1], [1, 1]])
    >>> form.tolist(), rank, operations.tolist(), pivots
    ([[1, 1], [0, 1]], 2, [[0, 1], [1, 0]], [0, 1])
    """
    native = _packed(matrix)[0]
    rows, columns = native.shape
    both, pivots = _native.gf2_by_swaps(native, bool(full))
    form = _array(both.columns(0, columns), _dtype(matrix))
    return [form, len(pivots), _array(both.columns(columns, columns + rows), np.int64), list(pivots)]


def reduced_row_echelon(matrix: MatrixLike) -> list[Any]:
    """[form, rank, rows, columns], with ``rows @ matrix @ columns == form`` modulo 2. The form begins with an identity."""
    native = _packed(matrix)[0]
    rows, columns = native.shape
    pivots = [int(c) for c in _native.gf2_compute("rank", native, None, None, "cpu")[1]]
    order = np.array(pivots + sorted(set(range(columns)) - set(pivots)), np.int64)
    place = np.empty(columns, np.int64)
    place[order] = np.arange(columns)
    permutation = _native.BitMatrix.of_lists(np.arange(columns + 1, dtype=np.int64), place, columns)
    moved = _native.gf2_compute("matmul", native, permutation, None, "cpu")[0]
    both, _ = _native.gf2_by_swaps(moved, True)
    dtype = np.result_type(_dtype(matrix), np.int64)
    return [
        _array(both.columns(0, columns), dtype),
        len(pivots),
        _array(both.columns(columns, columns + rows), np.int64),
        _array(permutation, np.int64),
    ]


def inverse(matrix: MatrixLike) -> NDArray:
    """The inverse of a square matrix, or the left inverse of one with full column rank.

    Raises
    ------
    SingularError
        A ``ValueError``, for a matrix that has none.
    """
    native = _packed(matrix)[0]
    rows, columns = native.shape
    both, pivots = _native.gf2_by_swaps(native, True)
    if rows < columns or len(pivots) < columns:
        raise SingularError("no inverse", len(pivots), columns)
    operations = both.columns(columns, columns + rows)
    if rows == columns:
        return _array(operations, np.int64)
    # The form is an identity above zeros.
    return _array(operations.head(columns), np.result_type(_dtype(matrix), np.int64))


def row_span(pcm: MatrixLike) -> Csr:
    """The sums of all sets of rows, 2**rows of them: row i of the result is the sum of the rows whose bits the number i has.

    >>> from wgalois import mod2
    >>> mod2.row_span([[1, 1, 0], [0, 1, 1]]).toarray().tolist()
    [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]]
    """
    return _csr(_sums(_packed(pcm)[0], "cpu"))


class PluDecomposition:
    """A matrix that is eliminated once, and then solves for many right sides; :func:`wgalois.gf2.factor` does so on any device.

    >>> from wgalois import mod2
    >>> mod2.PluDecomposition([[1, 1, 0], [0, 1, 1]]).lu_solve([1, 0])
    array([1, 0, 0], dtype=uint8)
    """

    __slots__ = ("_factored",)

    def __init__(self, pcm: MatrixLike, full_reduce: bool = False, lower_triangular: bool = True):
        """Eliminates the matrix. The flags are ldpc's, and have no effect."""
        self._factored = gf2.factor(pcm, device="cpu")

    def lu_solve(self, y: Any) -> NDArray[np.uint8]:
        """A solution x of ``pcm @ x == y``; unknowns of columns without a pivot are 0.

        Raises :class:`~wgalois.errors.NoSolutionError` where ldpc returns a vector that is none.
        """
        return np.asarray(self._factored.solve(np.asarray(y)), np.uint8)

    @property
    def rank(self) -> int:
        """The rank."""
        return self._factored.rank

    @property
    def pivots(self) -> NDArray:
        """The columns of the pivots."""
        return self._factored.pivots.astype(np.int32)

"""Linear algebra over GF(2), the field of 0 and 1.

A matrix is any of

- an array of bool or of numbers 0 and 1, of two dimensions; of three, many matrices of one shape,
- a ``scipy.sparse`` matrix or array,
- a path: Matrix Market (.mtx), NumPy (.npy), SciPy (.npz), 0/1 text, index lists (.lists) or packed (.gf2),
- a :class:`BitMatrix`: packed bits.

A result has the form of its (first) input: an array for an array (uint8, or bool for bool), a ``scipy.sparse`` CSR array for
a sparse matrix, a :class:`BitMatrix` for a path or a :class:`BitMatrix`. Vectors of a basis are rows.

All functions take ``device=`` with the meaning of the program's ``--device``: "auto", "cpu", "gpu", "all", the number or
a part of the name of an adapter. Many matrices of one shape are computed beside each other: on a GPU a workgroup each, on
the CPU engine a thread each.

The names of ``galois`` (:func:`row_reduce`, :func:`column_space`, :func:`left_null_space`) and of ``ldpc.mod2``
(:func:`reduced_row_echelon`, :func:`row_echelon`, :func:`nullspace`, :func:`kernel`, :func:`inverse`,
:func:`row_basis`, :func:`pivot_rows`) are here too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _matrices as matrices
from . import _native
from ._matrices import BitMatrix
from .errors import InputError, NoSolutionError, SingularError, UsageError

__all__ = [
    "BitMatrix",
    "Echelon",
    "Elimination",
    "column_space",
    "echelon",
    "eliminate",
    "inv",
    "inverse",
    "kernel",
    "left_null_space",
    "matmul",
    "null_space",
    "nullspace",
    "pivot_rows",
    "pivots",
    "rank",
    "reduced_row_echelon",
    "row_basis",
    "row_echelon",
    "row_reduce",
    "row_space",
    "rref",
    "solve",
]


class Echelon(NamedTuple):
    """A row echelon form and the columns of its pivots, ascending; there are as many as the rank."""

    matrix: object
    pivots: NDArray[np.int64]


class Elimination(NamedTuple):
    """A system after its elimination: all rows, those reduced to zero included, and the numbers of the promoted ones."""

    rows: object
    promoted: NDArray[np.int64]


def _compute(operation, a, device, b=None, limit=None):
    """(matrix, pivots, right sides without a solution, rank) as native values, and the form of the input."""
    native, form = matrices.packed(a)
    other = None if b is None else matrices.packed(b)[0]
    return _native.gf2_compute(operation, native, other, limit, device), form


def _many(operation, a, device, b=None, shape=None):
    """Computes many matrices: the results of one shape, the ranks, and the matrices without a common shape."""
    a = np.asarray(a)
    count, rows, columns = a.shape
    other, other_shape = None, (0, 0)
    if b is not None:
        b = np.asarray(b)
        other, other_shape = matrices.bits(b).reshape(-1), b.shape[1:]
    out = np.zeros((count,) + (shape or (0, 0)), np.uint8)
    ranks = np.zeros(count, np.int64)
    left = _native.gf2_many(
        operation, matrices.bits(a).reshape(-1), (count, rows, columns), other, other_shape, out.reshape(-1), ranks, device
    )
    dtype = np.dtype(bool) if a.dtype.kind == "b" else np.dtype(np.uint8)
    return out.view(dtype), ranks, left, dtype


def rank(a, *, device: str = "auto"):
    """The rank of a matrix; of many, an array of their ranks.

    >>> from wgalois import gf2
    >>> gf2.rank([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    2
    """
    if matrices.dimensions(a) == 3:
        return _many("rank", a, device)[1]
    return _compute("rank", a, device)[0][3]


def pivots(a, *, device: str = "auto") -> NDArray[np.int64]:
    """The columns of the pivots of the matrix's echelon forms, ascending: as many as the rank."""
    return np.array(_compute("rank", a, device)[0][1], np.int64)


def echelon(a, *, device: str = "auto") -> Echelon:
    """A row echelon form, not reduced, and the columns of its pivots. Rows of zeros come last."""
    (matrix, columns, _, _), form = _compute("echelon", a, device)
    return Echelon(form(matrix), np.array(columns, np.int64))


def rref(a, *, ncols: int | None = None, device: str = "auto"):
    """The reduced row echelon form: each pivot is the only one in its column. It is unique; rows of zeros come last.

    With ``ncols``, pivots are in the first ``ncols`` columns only, and the others follow the row operations. Of many
    matrices, the array of their forms. :func:`pivots` has the columns of the pivots.

    >>> from wgalois import gf2
    >>> gf2.rref([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    array([[1, 0, 1],
           [0, 1, 1],
           [0, 0, 0]], dtype=uint8)
    """
    if matrices.dimensions(a) == 3:
        if ncols is not None:
            raise UsageError("ncols= is for one matrix")
        return _many("rref", a, device, shape=np.shape(a)[1:])[0]
    if ncols is not None:
        native, form = matrices.packed(a)
        if not 0 <= ncols <= native.shape[1]:
            raise InputError(f"pivots in {ncols} columns of a matrix that has {native.shape[1]}")
        return form(_native.gf2_compute("rref", native, None, int(ncols), device)[0])
    (matrix, _, _, _), form = _compute("rref", a, device)
    return form(matrix)


def row_space(a, *, device: str = "auto"):
    """The basis of the row space in reduced echelon form, as rows; of many matrices, a list of bases.

    >>> from wgalois import gf2
    >>> gf2.row_space([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    array([[1, 0, 1],
           [0, 1, 1]], dtype=uint8)
    """
    if matrices.dimensions(a) == 3:
        forms, ranks, _, _ = _many("rref", a, device, shape=np.shape(a)[1:])
        return [form[:r].copy() for form, r in zip(forms, ranks)]
    (matrix, columns, _, _), form = _compute("rref", a, device)
    return form(matrix.head(len(columns)))


def null_space(a, *, device: str = "auto"):
    """A basis of ``{x : a @ x == 0}``, one vector a row; of many matrices, a list of bases.

    Among the columns without a pivot, vector k has a one in the k-th only.

    >>> from wgalois import gf2
    >>> gf2.null_space([[1, 1, 0], [0, 1, 1]])
    array([[1, 1, 1]], dtype=uint8)
    """
    if matrices.dimensions(a) == 3:
        _, _, left, dtype = _many("null_space", a, device)
        return [matrices.unpacked(basis, dtype) for basis in left]
    (matrix, _, _, _), form = _compute("null_space", a, device)
    return form(matrix)


def solve(a, b, *, device: str = "auto"):
    """A solution x of ``a @ x == b``, for a vector b or for every column of a matrix b.

    Unknowns of columns without a pivot are 0. Of many matrices, b has the right sides of each, of two or three
    dimensions.

    Raises
    ------
    NoSolutionError
        A ``numpy.linalg.LinAlgError``, with the numbers of the right sides without a solution.

    >>> from wgalois import gf2
    >>> gf2.solve([[1, 1, 0], [0, 1, 1]], [1, 0])
    array([1, 0, 0], dtype=uint8)
    """
    if matrices.dimensions(a) == 3:
        a, b = np.asarray(a), np.asarray(b)
        sides = b[:, :, None] if b.ndim == 2 else b
        if sides.ndim != 3 or sides.shape[0] != a.shape[0]:
            raise InputError(f"{a.shape[0]} matrices, and right sides of shape {b.shape}")
        x, ranks, _, _ = _many("solve", a, device, sides, (a.shape[2], sides.shape[2]))
        if (ranks < 0).any():
            raise NoSolutionError(f"matrix {int(np.argmax(ranks < 0))}: no solution")
        return x[:, :, 0] if b.ndim == 2 else x
    is_vector = matrices.dimensions(b) == 1
    sides = np.asarray(b)[:, None] if is_vector else b
    (x, _, inconsistent, _), form = _compute("solve", a, device, sides)
    if inconsistent:
        if is_vector:
            raise NoSolutionError("no solution")
        raise NoSolutionError(f"no solution for columns {', '.join(map(str, inconsistent[:20]))} of the right sides")
    if is_vector:
        return matrices.unpacked(x, np.dtype(np.uint8))[:, 0]
    return form(x)


def inv(a, *, device: str = "auto"):
    """The inverse of a square matrix; of many, the array of their inverses.

    Raises
    ------
    SingularError
        A ``numpy.linalg.LinAlgError``, for a matrix without an inverse.

    >>> from wgalois import gf2
    >>> gf2.inv([[1, 1], [0, 1]])
    array([[1, 1],
           [0, 1]], dtype=uint8)
    """
    if matrices.dimensions(a) == 3:
        inverses, ranks, _, _ = _many("inv", a, device, shape=np.shape(a)[1:])
        if (ranks < 0).any():
            k = int(np.argmax(ranks < 0))
            raise SingularError(f"matrix {k}: no inverse: the rank is {-1 - int(ranks[k])}, less than {np.shape(a)[1]}")
        return inverses
    (matrix, _, _, r), form = _compute("inv", a, device)
    if matrix is None:
        raise SingularError(f"no inverse: the rank is {r}, less than the number of rows")
    return form(matrix)


def matmul(a, b, *, device: str = "auto"):
    """The product ``a @ b`` modulo 2; b may be a vector. Of many matrices, a and b have three dimensions.

    >>> from wgalois import gf2
    >>> gf2.matmul([[1, 1], [0, 1]], [[1, 0], [1, 1]])
    array([[0, 1],
           [1, 1]], dtype=uint8)
    """
    if matrices.dimensions(a) == 3:
        a, b = np.asarray(a), np.asarray(b)
        if b.ndim != 3 or a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
            raise InputError(f"factors of shapes {a.shape} and {b.shape}")
        return _many("matmul", a, device, b, (a.shape[1], b.shape[2]))[0]
    is_vector = matrices.dimensions(b) == 1
    native, form = matrices.packed(a)
    other = matrices.packed(np.asarray(b)[:, None] if is_vector else b)[0]
    if native.shape[1] != other.shape[0]:
        raise InputError(f"a factor of {native.shape[1]} columns and one of {other.shape[0]} rows")
    product = _native.gf2_compute("matmul", native, other, None, device)[0]
    return matrices.unpacked(product, np.dtype(np.uint8))[:, 0] if is_vector else form(product)


def eliminate(eliminators, rows, *, columns: int | None = None, method: str = "auto", device: str = "auto") -> Elimination:
    """The special elimination of Groebner bases: reduces ``rows`` by ``eliminators``, in order.

    The lead of a row is its highest column with a one; no two eliminators have the same lead. ::

        for each row, in order:
            while the row is not zero:
                if no eliminator has its lead: the row becomes an eliminator (is promoted); stop
                row += the eliminator with that lead

    Parameters
    ----------
    eliminators, rows
        Matrices, or lists of rows, each the columns of its ones.
    columns : int, optional
        The number of columns, for lists.
    method : str
        "auto", "bands", "rounds", "xor-threads", "blocked" or "two-stage". "rounds" promotes other rows than defined
        above, with the same leads.

    >>> from wgalois import gf2
    >>> gf2.eliminate([[3, 1]], [[3, 0], [3, 1], [1]])
    Elimination(rows=[[1, 0], [], [0]], promoted=array([0, 2]))
    """
    e, width, _ = matrices.lists(eliminators, columns)
    r, columns_of_rows, form = matrices.lists(rows, columns)
    both = max(width, columns_of_rows)
    numbers, starts, columns_of_ones = _native.eliminate(e, r, both, method, device)
    promoted = np.array(numbers, np.int64)
    offsets, indices = np.frombuffer(starts, np.int64), np.frombuffer(columns_of_ones, np.uint32)
    if form == "lists":
        reduced = [indices[a:b].tolist() for a, b in zip(offsets, offsets[1:])]
        return Elimination(reduced, promoted)
    native = _native.BitMatrix.of_lists(offsets, indices.astype(np.int64), both)
    return Elimination(form(native), promoted)


def row_reduce(a, ncols: int | None = None, *, device: str = "auto"):
    """:func:`rref` by galois's name."""
    return rref(a, ncols=ncols, device=device)


def column_space(a, *, device: str = "auto"):
    """The basis of the column space in reduced echelon form, as rows, as galois returns it."""
    native, form = matrices.packed(a)
    matrix, columns, _, _ = _native.gf2_compute("rref", native.transposed(), None, None, device)
    return form(matrix.head(len(columns)))


def left_null_space(a, *, device: str = "auto"):
    """A basis of ``{x : x @ a == 0}``, one vector a row, in reduced echelon form, as galois returns it."""
    native, form = matrices.packed(a)
    basis = _native.gf2_compute("null_space", native.transposed(), None, None, device)[0]
    return form(_native.gf2_compute("rref", basis, None, None, device)[0])


def nullspace(a, *, device: str = "auto"):
    """:func:`null_space` by the name of ldpc.mod2."""
    return null_space(a, device=device)


def kernel(a, *, device: str = "auto"):
    """:func:`null_space` by the name of ldpc.mod2."""
    return null_space(a, device=device)


def inverse(a, *, device: str = "auto"):
    """:func:`inv` by the name of ldpc.mod2; as there, also the left inverse of a matrix of full column rank."""
    native, form = matrices.packed(a)
    rows, columns = native.shape
    if rows == columns:
        return inv(a, device=device)
    matrix, found, _, _ = _native.gf2_compute("rref", native.beside_identity(), None, columns, device)
    if len(found) < columns:
        raise SingularError(f"no left inverse: the rank is {len(found)}, less than the number of columns")
    return form(matrix.head(columns).columns(columns, columns + rows))


def _with_transform(a, operation, device):
    native, form = matrices.packed(a)
    rows, columns = native.shape
    matrix, found, _, _ = _native.gf2_compute(operation, native.beside_identity(), None, columns, device)
    transform = form(matrix.columns(columns, columns + rows))
    return form(matrix.columns(0, columns)), len(found), transform, np.array(found, np.int64)


def row_echelon(a, full: bool = False, *, device: str = "auto"):
    """As ldpc.mod2: (form, rank, transform, columns of the pivots), with ``transform @ a == form`` modulo 2.

    The form is reduced if ``full``.
    """
    return _with_transform(a, "rref" if full else "echelon", device)


def reduced_row_echelon(a, *, device: str = "auto"):
    """As ldpc.mod2: (form, rank, row transform, column permutation), with ``rows @ a @ columns == form`` modulo 2.

    The pivots are moved to the first columns: the form begins with an identity. :func:`rref` leaves the columns where
    they are.
    """
    native, form = matrices.packed(a)
    rows, columns = native.shape
    matrix, r, transform, found = _with_transform(BitMatrix._of(native), "rref", device)
    first = [int(c) for c in found]
    order = first + sorted(set(range(columns)) - set(first))
    offsets = np.arange(columns + 1, dtype=np.int64)
    place = np.empty(columns, np.int64)
    place[order] = np.arange(columns)
    permutation = _native.BitMatrix.of_lists(offsets, place, columns)
    moved = _native.gf2_compute("matmul", matrix._native, permutation, None, device)[0]
    return form(moved), r, form(transform._native), form(permutation)


def pivot_rows(a, *, device: str = "auto") -> NDArray[np.int64]:
    """The rows that are no sum of rows above them, ascending: a basis of the row space out of the rows of a."""
    native, _ = matrices.packed(a)
    return np.array(_native.gf2_compute("rank", native.transposed(), None, None, device)[1], np.int64)


def row_basis(a, *, device: str = "auto"):
    """A basis of the row space out of the rows of a: those of :func:`pivot_rows`."""
    native, form = matrices.packed(a)
    rows = np.array(_native.gf2_compute("rank", native.transposed(), None, None, device)[1], np.int64)
    chosen = _native.BitMatrix.of_lists(np.arange(len(rows) + 1, dtype=np.int64), rows, native.shape[0])
    return form(_native.gf2_compute("matmul", chosen, native, None, device)[0])

"""Linear algebra over GF(2), the field of 0 and 1.

A matrix is any of

- an array of bool or of numbers 0 and 1, of two dimensions,
- for :func:`rank`, :func:`rref`, :func:`row_space`, :func:`null_space`, :func:`solve`, :func:`inv` and :func:`matmul` also
  an array of three dimensions: many matrices of one shape,
- a ``scipy.sparse`` matrix or array,
- a path: Matrix Market (.mtx), NumPy (.npy), SciPy (.npz), 0/1 text, index lists (.lists), alist (.alist) or packed (.gf2),
- a :class:`BitMatrix`: packed bits,
- for some functions a :class:`DeviceMatrix`, which stays on a device.

A result has the form of its (first) input: an array for an array (uint8, or bool for bool), a ``scipy.sparse`` CSR array for
a sparse matrix, a :class:`BitMatrix` for a path or a :class:`BitMatrix`. Vectors of a basis are rows. With a vector as
second operand, the result is an array of one dimension, of bool if the matrix is one; of a sparse matrix with an array, it is an
array. Masked arrays, and galois's arrays over other fields, are refused.

A large sparse matrix (4 MiB or more packed, at most a one for 64 places) is not packed by :func:`rank`, :func:`null_space`,
:func:`row_basis` and :func:`solve`: rows and columns that are pivots without any arithmetic leave a smaller matrix. The choice of
a basis, and of the unknowns that are 0, is another one than that of the packed matrix.

All functions take ``device=`` with the meaning of the program's ``--device``: "auto", "cpu", "gpu", "all", the number or
a part of the name of an adapter. A :class:`DeviceMatrix` stays where it is. Eliminations of many matrices of one shape run
beside each other: on a GPU a workgroup each, on the CPU engine a thread each. Of many products, the CPU engine computes one
on each thread, and a GPU one after the other.

The names of ``galois`` (:func:`row_reduce`, :func:`column_space`, :func:`left_null_space`) and of ``ldpc.mod2``
(:func:`reduced_row_echelon`, :func:`row_echelon`, :func:`nullspace`, :func:`kernel`, :func:`inverse`,
:func:`row_basis`, :func:`pivot_rows`) are here too, for the forms of this module: :mod:`wgalois.mod2` and
:mod:`wgalois.galois2` return what these libraries return, type for type.
"""

from __future__ import annotations

from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._arrays import Device, expect_plain, index
from ._bits import (
    BitMatrix,
    DeviceMatrix,
    MatrixLike,
    _bits,
    _compressed,
    _csr_array,
    _dtype_of,
    _Form,
    _is_batch,
    _lists,
    _packed,
    _second,
    _unpacked,
)
from ._codes import Distance, distance, estimate_distance, row_span
from ._eliminate import Elimination, eliminate
from ._factor import Factored, _solved, factor
from ._typed import Numbers, Packed, of_bases, of_one
from .errors import InputError, NoSolutionError, SingularError, UsageError

__all__ = [
    "BitMatrix",
    "DeviceMatrix",
    "Distance",
    "Echelon",
    "Elimination",
    "Factored",
    "column_space",
    "det",
    "distance",
    "echelon",
    "eliminate",
    "estimate_distance",
    "factor",
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
    "row_span",
    "rref",
    "solve",
]


class Echelon(NamedTuple):
    """A row echelon form and the columns of its pivots, ascending; there are as many as the rank."""

    matrix: Any
    pivots: NDArray[np.int64]


def _compute(operation, a, device, b=None, limit=None):
    """(matrix, pivots, right sides without a solution, rank) as native values, and the form of the input."""
    native, form = _packed(a)
    other = None if b is None else _packed(b)[0]
    return _native.gf2_compute(operation, native, other, limit, device), form


def _many(operation, a, device, b=None, shape=None):
    """Computes many matrices: the results of one shape, the ranks, and the matrices without a common shape."""
    a = np.asarray(a)
    count, rows, columns = a.shape
    other, other_shape = None, (0, 0)
    if b is not None:
        b = np.asarray(b)
        other, other_shape = _bits(b).reshape(-1), b.shape[1:]
    out = np.zeros((count,) + (shape or (0, 0)), np.uint8)
    ranks = np.zeros(count, np.int64)
    left = _native.gf2_many(
        operation, _bits(a).reshape(-1), (count, rows, columns), other, other_shape, out.reshape(-1), ranks, device
    )
    dtype = _dtype_of(a)
    return out.view(dtype), ranks, left, dtype


def _shape_of_each(a) -> tuple[int, ...]:
    """The shape of the matrices of an array of three dimensions."""
    return np.shape(a)[1:]


# What a matrix that comes in has, its result has too: an array, a sparse array, packed bits.
Result = Any


def rank(a: MatrixLike, *, device: Device = "auto") -> Any:
    """The rank of a matrix; of many, an array of their ranks.

    >>> from wgalois import gf2
    >>> gf2.rank([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    2
    """
    if isinstance(a, DeviceMatrix):
        a._expect_here(device)
        return len(a._pivots())
    if _is_batch(a):
        return _many("rank", a, device)[1]
    if (lists := _lists(a)) is not None:
        return lists.rank(device)
    return _compute("rank", a, device)[0][3]


def pivots(a: MatrixLike, *, device: Device = "auto") -> NDArray[np.int64]:
    """The columns of the pivots of the matrix's echelon forms, ascending: as many as the rank."""
    if isinstance(a, DeviceMatrix):
        a._expect_here(device)
        return np.array(a._pivots(), np.int64)
    return np.array(_compute("rank", a, device)[0][1], np.int64)


def echelon(a: MatrixLike, *, device: Device = "auto") -> Echelon:
    """A row echelon form, not reduced, and the columns of its pivots. Rows of zeros come last."""
    (matrix, columns, _, _), form = _compute("echelon", a, device)
    return Echelon(form(matrix), np.array(columns, np.int64))


def _pivots_within(ncols: int, columns: int) -> int:
    ncols = index(ncols, "ncols")
    if not 0 <= ncols <= columns:
        raise InputError(f"pivots in {ncols} columns of a matrix that has {columns}")
    return ncols


@overload
def rref(a: DeviceMatrix, *, ncols: int | None = None, device: Device = "auto") -> DeviceMatrix: ...
@overload
def rref(a: Packed, *, ncols: int | None = None, device: Device = "auto") -> BitMatrix: ...  # type: ignore[overload-overlap]
@overload
def rref(  # type: ignore[overload-overlap]
    a: NDArray[np.bool_], *, ncols: int | None = None, device: Device = "auto"
) -> NDArray[np.bool_]: ...
@overload
def rref(a: Numbers, *, ncols: int | None = None, device: Device = "auto") -> NDArray[np.uint8]: ...
@overload
def rref(a: MatrixLike, *, ncols: int | None = None, device: Device = "auto") -> Result: ...
def rref(a: Any, *, ncols: int | None = None, device: Device = "auto") -> Result:
    """The reduced row echelon form: each pivot is the only one in its column. It is unique; rows of zeros come last.

    With ``ncols``, pivots are in the first ``ncols`` columns only, and the others follow the row operations. Of many
    matrices, the array of their forms. :func:`pivots` has the columns of the pivots.

    >>> from wgalois import gf2
    >>> gf2.rref([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    array([[1, 0, 1],
           [0, 1, 1],
           [0, 0, 0]], dtype=uint8)
    """
    if _is_batch(a):
        if ncols is not None:
            raise UsageError("ncols= is for one matrix")
        return _many("rref", a, device, shape=_shape_of_each(a))[0]
    if isinstance(a, DeviceMatrix):
        a._expect_here(device)
        return a._reduced(None if ncols is None else _pivots_within(ncols, a.shape[1]))
    if ncols is not None:
        native, form = _packed(a)
        limit = _pivots_within(ncols, native.shape[1])
        return form(_native.gf2_compute("rref", native, None, limit, device)[0])
    (matrix, _, _, _), form = _compute("rref", a, device)
    return form(matrix)


@of_bases
def row_space(a: MatrixLike, *, device: Device = "auto") -> Result:
    """The basis of the row space in reduced echelon form, as rows; of many matrices, a list of bases.

    >>> from wgalois import gf2
    >>> gf2.row_space([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    array([[1, 0, 1],
           [0, 1, 1]], dtype=uint8)
    """
    if _is_batch(a):
        forms, ranks, _, _ = _many("rref", a, device, shape=_shape_of_each(a))
        return [form[:r].copy() for form, r in zip(forms, ranks)]
    (matrix, columns, _, _), form = _compute("rref", a, device)
    return form(matrix.head(len(columns)))


@of_bases
def null_space(a: MatrixLike, *, device: Device = "auto") -> Result:
    """A basis of ``{x : a @ x == 0}``, one vector a row; of many matrices, a list of bases.

    Among the columns without a pivot, vector k has a one in the k-th only. Of a large sparse matrix (see the module), vector k
    has a one in a column of its own, where the others have none.

    >>> from wgalois import gf2
    >>> gf2.null_space([[1, 1, 0], [0, 1, 1]])
    array([[1, 1, 1]], dtype=uint8)
    """
    if _is_batch(a):
        _, _, left, dtype = _many("null_space", a, device)
        return [_unpacked(basis, dtype) for basis in left]
    if (lists := _lists(a)) is not None:
        rows = lists.kernel(device)
        return _csr_array(rows, (len(rows[0]) // 8 - 1, lists.shape[1]))
    (matrix, _, _, _), form = _compute("null_space", a, device)
    return form(matrix)


@overload
def solve(a: NDArray[np.bool_], b: ArrayLike, *, device: Device = "auto") -> NDArray[np.bool_]: ...  # type: ignore[overload-overlap]
@overload
def solve(a: Numbers, b: ArrayLike, *, device: Device = "auto") -> NDArray[np.uint8]: ...
@overload
def solve(a: MatrixLike, b: MatrixLike, *, device: Device = "auto") -> Result: ...
def solve(a: Any, b: Any, *, device: Device = "auto") -> Result:
    """A solution x of ``a @ x == b``, for a vector b or for every column of a matrix b.

    Unknowns of columns without a pivot are 0. :func:`factor` eliminates a matrix once for right sides that come later. With a
    sparse a and a dense b, x is dense. Of many matrices, b has the right sides of each, of two or three dimensions.

    Raises
    ------
    NoSolutionError
        A ``numpy.linalg.LinAlgError``, with the numbers of the right sides without a solution, and the solutions of the others.

    >>> from wgalois import gf2
    >>> gf2.solve([[1, 1, 0], [0, 1, 1]], [1, 0])
    array([1, 0, 0], dtype=uint8)
    """
    if _is_batch(a):
        expect_plain(b, 2, "the right sides")
        matrices, given = np.asarray(a), np.asarray(b)
        sides = given[:, :, None] if given.ndim == 2 else given
        if sides.ndim != 3 or sides.shape[0] != matrices.shape[0]:
            raise InputError(f"{matrices.shape[0]} matrices, and right sides of shape {given.shape}")
        x, ranks, _, _ = _many("solve", matrices, device, sides, (matrices.shape[2], sides.shape[2]))
        x = x[:, :, 0] if given.ndim == 2 else x
        if (ranks < 0).any():
            systems = np.flatnonzero(ranks < 0)
            raise NoSolutionError(f"matrix {systems[0]}: no solution", None, x, systems)
        return x
    right, beside, is_vector = _second(b)
    if (lists := _lists(a)) is not None:
        form = _Form("sparse")
        found, _, inconsistent, _ = lists.solve(right, device)
    else:
        native, form = _packed(a)
        found, _, inconsistent, _ = _native.gf2_compute("solve", native, right, None, device)
    return _solved(form if is_vector else form.beside(beside), is_vector, found, inconsistent)


@of_one
def inv(a: MatrixLike, *, device: Device = "auto") -> Result:
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
    if _is_batch(a):
        inverses, ranks, _, _ = _many("inv", a, device, shape=_shape_of_each(a))
        if (ranks < 0).any():
            k = int(np.argmax(ranks < 0))
            raise SingularError(f"matrix {k}: no inverse", -1 - int(ranks[k]), _shape_of_each(a)[0])
        return inverses
    native, form = _packed(a)
    matrix, _, _, r = _native.gf2_compute("inv", native, None, None, device)
    if matrix is None:
        raise SingularError("no inverse", r, native.shape[0])
    return form(matrix)


def det(a: MatrixLike, *, device: Device = "auto") -> Any:
    """The determinant of a square matrix, 0 or 1; of many, an array of them.

    >>> from wgalois import gf2
    >>> gf2.det([[1, 1], [0, 1]])
    1
    """
    rows, columns = _shape_of_each(a) if _is_batch(a) else a.shape if isinstance(a, DeviceMatrix) else _packed(a)[0].shape
    if rows != columns:
        raise InputError(f"no determinant: the matrix has {rows} rows and {columns} columns")
    ranks = rank(a, device=device)
    return (ranks == rows).astype(np.uint8) if _is_batch(a) else int(ranks == rows)


@overload
def matmul(a: DeviceMatrix, b: DeviceMatrix, *, device: Device = "auto") -> DeviceMatrix: ...
@overload
def matmul(a: BitMatrix, b: BitMatrix, *, device: Device = "auto") -> BitMatrix: ...
@overload
def matmul(a: MatrixLike, b: MatrixLike, *, device: Device = "auto") -> Result: ...
def matmul(a: Any, b: Any, *, device: Device = "auto") -> Result:
    """The product ``a @ b`` modulo 2; b may be a vector. Of many matrices, a and b have three dimensions.

    >>> from wgalois import gf2
    >>> gf2.matmul([[1, 1], [0, 1]], [[1, 0], [1, 1]])
    array([[0, 1],
           [1, 1]], dtype=uint8)
    """
    if isinstance(a, DeviceMatrix):
        a._expect_here(device)
        return a._times(b)
    if _is_batch(a):
        expect_plain(b, 2, "the second factors")
        a, b = np.asarray(a), np.asarray(b)
        if b.ndim != 3 or a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
            raise InputError(f"factors of shapes {a.shape} and {b.shape}")
        return _many("matmul", a, device, b, (a.shape[1], b.shape[2]))[0]
    native, form = _packed(a)
    other, beside, is_vector = _second(b)
    if native.shape[1] != other.shape[0]:
        raise InputError(f"cannot multiply: A has {native.shape[1]} columns, B has {other.shape[0]} rows")
    product = _native.gf2_compute("matmul", native, other, None, device)[0]
    return form.vector(product) if is_vector else form.beside(beside)(product)


def row_reduce(a: MatrixLike, ncols: int | None = None, *, device: Device = "auto") -> Result:
    """:func:`rref` by galois's name."""
    return rref(a, ncols=ncols, device=device)


@of_one
def column_space(a: MatrixLike, *, device: Device = "auto") -> Result:
    """The basis of the column space in reduced echelon form, as rows, as galois returns it."""
    native, form = _packed(a)
    matrix, columns, _, _ = _native.gf2_compute("rref", native.transposed(), None, None, device)
    return form(matrix.head(len(columns)))


@of_one
def left_null_space(a: MatrixLike, *, device: Device = "auto") -> Result:
    """A basis of ``{x : x @ a == 0}``, one vector a row, in reduced echelon form, as galois returns it."""
    native, form = _packed(a)
    basis = _native.gf2_compute("null_space", native.transposed(), None, None, device)[0]
    return form(_native.gf2_compute("rref", basis, None, None, device)[0])


@of_bases
def nullspace(a: MatrixLike, *, device: Device = "auto") -> Result:
    """:func:`null_space` by the name of ldpc.mod2."""
    return null_space(a, device=device)


@of_bases
def kernel(a: MatrixLike, *, device: Device = "auto") -> Result:
    """:func:`null_space` by the name of ldpc.mod2."""
    return null_space(a, device=device)


@of_one
def inverse(a: MatrixLike, *, device: Device = "auto") -> Result:
    """:func:`inv` by the name of ldpc.mod2; as there, also the left inverse of a matrix of full column rank."""
    native, form = _packed(a)
    rows, columns = native.shape
    if rows == columns:
        return inv(a, device=device)
    matrix, found, _, _ = _native.gf2_compute("rref", native.beside_identity(), None, columns, device)
    if len(found) < columns:
        raise SingularError("no left inverse", len(found), columns)
    return form(matrix.head(columns).columns(columns, columns + rows))


def _with_transform(a, operation, device):
    native, form = _packed(a)
    rows, columns = native.shape
    matrix, found, _, _ = _native.gf2_compute(operation, native.beside_identity(), None, columns, device)
    transform = form(matrix.columns(columns, columns + rows))
    return form(matrix.columns(0, columns)), len(found), transform, np.array(found, np.int64)


def row_echelon(a: MatrixLike, full: bool = False, *, device: Device = "auto") -> tuple[Result, int, Result, NDArray[np.int64]]:
    """As ldpc.mod2: (form, rank, transform, columns of the pivots), with ``transform @ a == form`` modulo 2.

    The form is reduced if ``full``.
    """
    return _with_transform(a, "rref" if full else "echelon", device)


def reduced_row_echelon(a: MatrixLike, *, device: Device = "auto") -> tuple[Result, int, Result, Result]:
    """As ldpc.mod2: (form, rank, row transform, column permutation), with ``rows @ a @ columns == form`` modulo 2.

    The pivots are moved to the first columns: the form begins with an identity. :func:`rref` leaves the columns where
    they are.
    """
    native, form = _packed(a)
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


def pivot_rows(a: MatrixLike, *, device: Device = "auto") -> NDArray[np.int64]:
    """The rows that are no sum of rows above them, ascending: a basis of the row space out of the rows of a."""
    native, _ = _packed(a)
    return np.array(_native.gf2_compute("rank", native.transposed(), None, None, device)[1], np.int64)


def _sparse_rows(a: Any, rows: list[int]) -> Any:
    """Some rows of a sparse matrix, as a result."""
    from scipy.sparse import csr_array  # type: ignore[import-untyped]

    chosen = csr_array(_compressed(a))[np.array(rows, np.int64), :]
    return chosen.astype(np.uint8)


@of_one
def row_basis(a: MatrixLike, *, device: Device = "auto") -> Result:
    """A basis of the row space out of the rows of a: those of :func:`pivot_rows`, of a large sparse matrix (see the module)
    others."""
    if (lists := _lists(a)) is not None:
        return _sparse_rows(a, lists.row_basis(device))
    native, form = _packed(a)
    rows = np.array(_native.gf2_compute("rank", native.transposed(), None, None, device)[1], np.int64)
    chosen = _native.BitMatrix.of_lists(np.arange(len(rows) + 1, dtype=np.int64), rows, native.shape[0])
    return form(_native.gf2_compute("matmul", chosen, native, None, device)[0])

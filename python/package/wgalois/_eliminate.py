"""The special elimination of Groebner bases, of matrices and of lists of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._arrays import Device, index
from ._bits import MatrixLike, _compressed, _Form, _is_sparse, _lists_of, _packed
from .errors import InputError


class Elimination(NamedTuple):
    """A system after its elimination: all rows, those reduced to zero included, and the numbers of the promoted ones."""

    rows: Any
    promoted: NDArray[np.int64]


def _lists(rows, columns):
    """Sparse rows as offsets and indices, their number of columns, and the form of the input."""
    if isinstance(rows, (list, tuple)) and all(np.ndim(row) == 1 for row in rows) and not _is_matrix(rows):
        offsets = np.cumsum([0] + [len(row) for row in rows], dtype=np.int64)
        indices = np.concatenate([_indices(row) for row in rows] + [np.zeros(0, np.int64)])
        occurring = int(indices.max()) + 1 if len(indices) else 0
        return (offsets, indices), columns if columns is not None else occurring, "lists"
    if _is_sparse(rows):
        a = _compressed(rows)
        return (a.indptr.astype(np.int64), a.indices.astype(np.int64)), a.shape[1], _Form("sparse")
    native, form = _packed(rows)
    return _lists_of(native), native.shape[1], form


def _indices(row) -> NDArray[np.int64]:
    """The columns of a row's ones."""
    a = np.asarray(row)
    if a.size and a.dtype.kind not in "iu":
        raise InputError(f"a list of a row: integers were expected, not {a.dtype}")
    return a.astype(np.int64)


def _is_matrix(rows) -> bool:
    """True for lists that are rows of a matrix: arrays of bool. Lists of integers are indices."""
    return any(np.asarray(row).dtype.kind == "b" for row in rows)


def eliminate(
    eliminators: MatrixLike | Sequence[ArrayLike],
    rows: MatrixLike | Sequence[ArrayLike],
    *,
    columns: int | None = None,
    method: str = "auto",
    device: Device = "auto",
) -> Elimination:
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
        The number of columns of lists; that of a matrix is its own.
    method : str
        "auto", "bands", "rounds", "xor-threads", "blocked" or "two-stage". "rounds" promotes other rows than defined
        above, with the same leads.

    >>> from wgalois import gf2
    >>> gf2.eliminate([[3, 1]], [[3, 0], [3, 1], [1]])
    Elimination(rows=[[1, 0], [], [0]], promoted=array([0, 2]))
    """
    columns = None if columns is None else index(columns, "columns")
    e, width, _ = _lists(eliminators, columns)
    r, columns_of_rows, form = _lists(rows, columns)
    both = max(width, columns_of_rows)
    if columns is not None and columns != both:
        raise InputError(f"columns={columns}, and a matrix has {both} columns")
    numbers, starts, columns_of_ones = _native.eliminate(e, r, both, method, device)
    promoted = np.array(numbers, np.int64)
    offsets, indices = np.frombuffer(starts, np.int64), np.frombuffer(columns_of_ones, np.uint32)
    if form == "lists":
        reduced = [indices[a:b].tolist() for a, b in zip(offsets, offsets[1:])]
        return Elimination(reduced, promoted)
    native = _native.BitMatrix.of_lists(offsets, indices.astype(np.int64), both)
    return Elimination(form(native), promoted)

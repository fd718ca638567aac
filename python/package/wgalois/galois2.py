"""The methods of a ``galois.GF2`` array as functions, with galois's values: of a GF2 array the result is one, too.

>>> from wgalois import galois2
>>> galois2.null_space([[1, 1, 0, 0], [0, 0, 1, 1]])
array([[1, 1, 0, 0],
       [0, 0, 1, 1]], dtype=uint8)

``A.null_space()`` of galois is ``galois2.null_space(A)`` here. The other forms of :mod:`wgalois.gf2` are taken, too, whose
functions return plain arrays of uint8 for arrays. All take ``device=`` with the meaning of the program's ``--device``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import gf2
from ._arrays import Device
from ._bits import MatrixLike

__all__ = ["column_space", "det", "inv", "left_null_space", "matrix_rank", "null_space", "row_reduce", "row_space", "solve"]


def _of(a: Any, result: Any) -> Any:
    """A result as an array of the class of ``a``."""
    is_field = isinstance(a, np.ndarray) and getattr(type(a), "order", None) == 2
    return type(a)(result) if is_field else result


def row_reduce(a: MatrixLike, ncols: int | None = None, *, device: Device = "auto") -> Any:
    """The reduced row echelon form, with pivots in the first ``ncols`` columns."""
    return _of(a, gf2.rref(a, ncols=ncols, device=device))


def row_space(a: MatrixLike, *, device: Device = "auto") -> Any:
    """The basis of the row space in reduced echelon form, as rows."""
    return _of(a, gf2.row_space(a, device=device))


def column_space(a: MatrixLike, *, device: Device = "auto") -> Any:
    """The basis of the column space in reduced echelon form, as rows."""
    return _of(a, gf2.column_space(a, device=device))


def null_space(a: MatrixLike, *, device: Device = "auto") -> Any:
    """A basis of ``{x : a @ x == 0}`` in reduced echelon form, one vector a row."""
    return _of(a, gf2.rref(gf2.null_space(a, device=device), device=device))


def left_null_space(a: MatrixLike, *, device: Device = "auto") -> Any:
    """A basis of ``{x : x @ a == 0}`` in reduced echelon form, one vector a row."""
    return _of(a, gf2.left_null_space(a, device=device))


def matrix_rank(a: MatrixLike, *, device: Device = "auto") -> int:
    """The rank, as ``numpy.linalg.matrix_rank`` of a GF2 array has it."""
    return int(gf2.rank(a, device=device))


def det(a: MatrixLike, *, device: Device = "auto") -> Any:
    """The determinant, as ``numpy.linalg.det`` of a GF2 array has it."""
    return _of(a, gf2.det(a, device=device))


def inv(a: MatrixLike, *, device: Device = "auto") -> Any:
    """The inverse, as ``numpy.linalg.inv`` of a GF2 array has it."""
    return _of(a, gf2.inv(a, device=device))


def solve(a: MatrixLike, b: MatrixLike, *, device: Device = "auto") -> Any:
    """A solution of ``a @ x == b``, as ``numpy.linalg.solve`` of GF2 arrays has it, also where it is not the only one."""
    return _of(a, gf2.solve(a, b, device=device))

"""Solutions of linear systems over GF(2): of one matrix with many right sides, and the right sides without a solution."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._arrays import Device
from ._bits import MatrixLike, _Form, _packed, _second
from .errors import InputError, NoSolutionError


def _solved(form: _Form, is_vector: bool, x: _native.BitMatrix, inconsistent: list[int]) -> Any:
    """The solutions in their form; an error that has them if some are missing."""
    shaped = form.vector if is_vector else form
    if not inconsistent:
        return shaped(x)
    if is_vector:
        raise NoSolutionError("no solution", [0], None)
    others = sorted(set(range(x.shape[1])) - set(inconsistent))
    ones = _native.BitMatrix.of_lists(np.arange(len(others) + 1, dtype=np.int64), np.array(others, np.int64), x.shape[1])
    kept = _native.gf2_compute("matmul", x, ones.placed(others, x.shape[1]), None, "cpu")[0]
    numbers = ", ".join(map(str, inconsistent[:20]))
    raise NoSolutionError(f"no solution for columns {numbers} of the right sides", inconsistent, shaped(kept))


class Factored:
    """A matrix that was eliminated once, made by :func:`factor`. It does not change.

    >>> from wgalois import gf2
    >>> factored = gf2.factor([[1, 1, 0], [0, 1, 1]])
    >>> factored.solve([1, 0]), factored.rank, factored.pivots
    (array([1, 0, 0], dtype=uint8), 2, array([0, 1]))
    """

    __slots__ = ("_device", "_form", "_operations", "_pivots", "_shape")

    def __init__(self, a: MatrixLike, *, device: Device = "auto"):
        """Eliminates a matrix of any form that :mod:`wgalois.gf2` takes."""
        native, self._form = _packed(a)
        rows, columns = self._shape = native.shape
        both, pivots, _, _ = _native.gf2_compute("rref", native.beside_identity(), None, columns, device)
        self._operations = both.columns(columns, columns + rows)
        self._pivots, self._device = list(pivots), device

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns of the matrix."""
        return self._shape

    @property
    def rank(self) -> int:
        """The rank."""
        return len(self._pivots)

    @property
    def pivots(self) -> NDArray[np.int64]:
        """The columns of the pivots, ascending."""
        return np.array(self._pivots, np.int64)

    def solve(self, b: MatrixLike) -> Any:
        """A solution x of ``a @ x == b``, as :func:`wgalois.gf2.solve` returns it: one product of bits for any number of
        right sides."""
        sides, beside, is_vector = _second(b)
        rows, columns = self._shape
        if sides.shape[0] != rows:
            raise InputError(f"cannot solve: A has {rows} rows, B has {sides.shape[0]} rows")
        moved = _native.gf2_compute("matmul", self._operations, sides, None, self._device)[0]
        inconsistent = moved.occupied(self.rank)
        x = moved.head(self.rank).placed(self._pivots, columns)
        form = self._form if is_vector else self._form.beside(beside)
        return _solved(form, is_vector, x, inconsistent)

    def __repr__(self) -> str:
        rows, columns = self._shape
        return f"Factored({rows} x {columns} over GF(2), rank {self.rank})"


def factor(a: MatrixLike, *, device: Device = "auto") -> Factored:
    """Eliminates a matrix once, to solve ``a @ x == b`` for right sides that come later.

    >>> from wgalois import gf2
    >>> gf2.factor([[1, 1], [0, 1]]).solve([[1, 0], [0, 1]])
    array([[1, 1],
           [0, 1]], dtype=uint8)
    """
    return Factored(a, device=device)

"""The types of functions whose result has the form of their matrix, for type checkers: a function is what it was."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import Device
from ._bits import BitMatrix, Sparse

# A matrix whose results are packed bits.
Packed = BitMatrix | str | os.PathLike[str]


# One whose results are arrays of uint8.
Numbers = NDArray[np.integer] | NDArray[np.floating] | Sequence[Sequence[float]]


class OneMatrix(Protocol):
    """A function of a matrix whose result is a matrix, of many matrices an array of matrices."""

    @overload
    def __call__(self, a: Packed, *, device: Device = ...) -> BitMatrix: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, a: NDArray[np.bool_], *, device: Device = ...) -> NDArray[np.bool_]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, a: Numbers, *, device: Device = ...) -> NDArray[np.uint8]: ...
    @overload
    def __call__(self, a: ArrayLike | Sparse, *, device: Device = ...) -> Any: ...


class OneBasis(Protocol):
    """A function of a matrix whose result is a matrix, of many matrices a list of matrices."""

    @overload
    def __call__(self, a: Packed, *, device: Device = ...) -> BitMatrix: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, a: ArrayLike | Sparse, *, device: Device = ...) -> Any: ...


def of_one(function: Callable[..., Any]) -> OneMatrix:
    """The function."""
    return function


def of_bases(function: Callable[..., Any]) -> OneBasis:
    """The function."""
    return function

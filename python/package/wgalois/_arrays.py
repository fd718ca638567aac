"""Arrays of residues: their types, their ranges, and the axis along which they are vectors."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from .errors import InputError, UsageError

Prime = int | str

# What ``device=`` takes.
Device = int | str


def expect_plain(a: Any, order: int | None, what: str) -> None:
    """Refuses arrays whose entries are not what they look like: masked ones, and elements of another field.

    ``order`` is the number of elements of the field; None for integers. The arrays of galois know theirs.
    """
    if isinstance(a, np.ma.MaskedArray):
        raise InputError(f"{what}: a masked array; a.filled(VALUE) has a number in every place")
    own = getattr(type(a), "order", None) if isinstance(a, np.ndarray) else None
    if isinstance(own, int) and own != order:
        wanted = "integers were" if order is None else f"the field of {order} was"
        raise InputError(f"{what}: elements of the field of {own}, where {wanted} expected; a.view(numpy.ndarray) has numbers")


def prime_text(prime: Prime) -> str:
    """A prime by value or name, as the library reads it."""
    if isinstance(prime, str):
        return prime
    if not isinstance(prime, (int, np.integer)):
        raise InputError(f"prime {prime!r}: an integer or a name was expected")
    return str(int(prime))


def index(value: Any, what: str) -> int:
    """An integer of any integer type. Floats are refused, whole ones too."""
    try:
        return operator.index(value)
    except TypeError:
        raise InputError(f"{what}: an integer was expected, not {type(value).__name__}") from None


def integers(a: ArrayLike, what: str) -> NDArray:
    """``a`` as an array of integers. An empty list counts as one of integers."""
    a = np.asarray(a)
    if a.size == 0 and a.dtype == np.float64:
        a = a.astype(np.int64)
    if a.dtype == object and all(isinstance(x, (int, np.integer)) for x in a.flat):
        return a
    if a.dtype.kind not in "iu":
        raise InputError(f"{what}: an array of integers was expected, not of {a.dtype}")
    return a


def result_dtype(*arrays: NDArray) -> np.dtype:
    """The type of residues computed from these: theirs if it has at least 32 bits, otherwise ``uint32``."""
    if any(a.dtype == object for a in arrays):
        return np.dtype(np.int64)
    dtype = np.result_type(*arrays)
    if dtype.kind == "f":
        return np.dtype(np.int64)  # of uint64 and a signed type
    return dtype if dtype.itemsize >= 4 else np.dtype(np.uint32)


def residues(a: NDArray, prime: int, wrap: bool, what: str) -> NDArray[np.uint32]:
    """``a`` as contiguous 32-bit words below ``prime``; ``a`` itself if it is that already.

    The library checks 32-bit words; other types are checked here, before they are cut to 32 bits.
    """
    if wrap:
        # A prime may be outside the range of a narrow type.
        a = (a.astype(np.int64) if a.dtype.kind in "iu" and a.itemsize < 8 else a) % prime
    if a.dtype != np.uint32 and a.size:
        low, high = a.min(), a.max()
        if low < 0 or high >= prime:
            place = int(np.argmax(((a < 0) | (a >= prime)).ravel()))
            value = a.ravel()[place]
            fault = "negative: reduce with wrap=True" if value < 0 else f"not below the modulus {prime}"
            raise InputError(f"{what} {place} is {value}, {fault}")
    return np.ascontiguousarray(a, dtype=np.uint32)


def expect_no_length(n: int | None) -> None:
    """Refuses a length of the ring for a product that is in none."""
    if n is not None:
        raise UsageError("n=: only products of mode cyclic or negacyclic have a length of their own")


def expect_vectors(given: int, planned: int) -> None:
    """Refuses vectors of another length than a plan's."""
    if given != planned:
        raise InputError(f"vectors of {given} entries, and the plan is for {planned}")


def expect_factors(given: tuple[int, ...], planned: tuple[int, int]) -> None:
    """Refuses factors of other numbers of coefficients than a plan's."""
    if given != planned:
        raise InputError(f"factors of {given[0]} and {given[1]} coefficients where {planned[0]} and {planned[1]} were expected")


def last_axis(a: NDArray, axis: int) -> NDArray:
    """``a`` with its vectors along the last axis."""
    if a.ndim == 0:
        raise InputError("an array of at least one dimension was expected")
    axis = index(axis, "axis")
    if not -a.ndim <= axis < a.ndim:
        raise InputError(f"axis {axis} of an array of {a.ndim} dimensions")
    return a if axis in (-1, a.ndim - 1) else np.moveaxis(a, axis, -1)


def back_to_axis(a: NDArray, axis: int) -> NDArray:
    """``a`` with its vectors, which are along the last axis, along ``axis``."""
    return a if axis in (-1, a.ndim - 1) else np.moveaxis(a, -1, axis)


def prime_value(prime: Prime) -> int:
    """The value of a prime given by value or name; of a scalar field, its order.

    >>> prime_value("babybear")
    2013265921
    >>> prime_value("bn254-fr") % 2**28
    1
    """
    from . import _fields

    if _fields.is_field(prime):
        return _fields.order(str(prime))
    return _value(prime_text(prime))


@functools.lru_cache(64)
def _value(prime: str) -> int:
    """The value of a prime, whose test takes as long as a short transform."""
    return _native.prime_value(prime)


def order_is_reversed(order: str, what: str) -> bool:
    """True for "bit-reversed"."""
    names = {"natural": False, "bitrev": True, "bit-reversed": True}
    if order not in names:
        raise InputError(f"{what}={order!r}: expected natural or bit-reversed")
    return names[order]

"""Multi-scalar multiplication."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._arrays import Device, expect_plain, index
from ._points import PointForm, is_points, of_coordinates
from .errors import InputError, UsageError

_WORDS = dict(_native.curves())

Bytes = bytes | bytearray | memoryview
# A point by its coordinates: (x, y), or None for infinity. A coordinate of G2 is a pair.
Point = Sequence[Any] | None
Points = Bytes | NDArray[np.uint8] | NDArray[np.uint64] | Sequence[Point]
Scalars = Bytes | NDArray[np.integer] | Sequence[int]
Sum = Any


def _words_of(curve: str) -> int:
    words = _WORDS.get(curve.lower())
    if words is None:
        raise UsageError(f'no curve "{curve}"; there are {", ".join(_WORDS)}')
    return words


def _points(points: Any, curve: str) -> tuple[NDArray[np.uint8], PointForm]:
    """The bytes of the points, and their form."""
    words = _words_of(curve)
    if isinstance(points, Bytes):
        return np.frombuffer(points, np.uint8), PointForm("bytes", words)
    if is_points(points):
        return of_coordinates(points, words, 2 if curve.lower().endswith("-g2") else 1)
    expect_plain(points, None, "the points")
    points = np.asarray(points)
    if points.dtype == np.uint8:
        return np.ascontiguousarray(points).reshape(-1), PointForm("bytes", words)
    if points.dtype != np.uint64:
        raise InputError(f"points: bytes, or an array of uint64, were expected, not of {points.dtype}")
    if points.shape[1:] not in ((2 * words,), (2, words)):
        raise InputError(f"points of shape {points.shape}: n x 2 x {words} limbs were expected")
    return np.ascontiguousarray(points).reshape(-1).view(np.uint8), PointForm("limbs", words)


def _scalars(scalars):
    """The bytes of the scalars, 32 each."""
    expect_plain(scalars, None, "the scalars")
    if isinstance(scalars, Bytes):
        return np.frombuffer(scalars, np.uint8)
    if isinstance(scalars, np.ndarray) and scalars.dtype == np.uint8 and scalars.ndim == 2:
        if scalars.shape[1] != 32:
            raise InputError(f"scalars of shape {scalars.shape}: n x 32 bytes were expected")
        return np.ascontiguousarray(scalars).reshape(-1)
    if isinstance(scalars, np.ndarray) and scalars.dtype == np.uint64 and scalars.ndim == 2:
        if scalars.shape[1] != 4:
            raise InputError(f"scalars of shape {scalars.shape}: n x 4 limbs were expected")
        return np.ascontiguousarray(scalars).reshape(-1).view(np.uint8)
    integers = list(scalars)
    for i, k in enumerate(integers):
        if not isinstance(k, (int, np.integer)) or not 0 <= int(k) < 2**256:
            raise InputError(f"scalar {i} is {k}: an integer from 0 to r - 1 was expected")
    return np.frombuffer(b"".join(int(k).to_bytes(32, "little") for k in integers), np.uint8)


def _expect_form(form: PointForm, compressed: bool) -> None:
    if form.is_raw and compressed:
        raise UsageError(f"compressed=: the sum of points given as {form.kind} is returned as {form.kind}")


def msm(
    points: Points,
    scalars: Scalars,
    curve: str = "bls12-381",
    *,
    compressed: bool = False,
    check: bool = True,
    device: Device = "auto",
) -> Sum:
    """The sum of ``scalars[i]`` times ``points[i]`` on a curve.

    Parameters
    ----------
    points : bytes, an array of uint64, or a list of points
        Consecutive encodings, all compressed or all uncompressed (ZCash's for BLS12-381, arkworks' for the other
        curves), as bytes or an array of uint8; or the limbs of x and y, least significant first, of shape (n, 2, words)
        or (n, 2 * words), with zeros for infinity. A coordinate of G2 is c0 + c1 u: the words of c0, then those of c1. At
        least as many as scalars; the rest is not multiplied.
    scalars : bytes, an array of uint64 of shape (n, 4) or of uint8 of shape (n, 32), or integers
        Below the order r of the subgroup; as bytes 32 each, little-endian.
    curve : "bls12-381", "bls12-377", "bn254" or "bls24-315"
        G1; with "-g2" behind the name G2, of the first three.
    compressed : bool
        Return the compressed encoding; not for points given as limbs.
    check : bool
        Check that the points lie on the curve and in the subgroup of order r. Without it, other points give wrong sums.
    device
        As for :func:`wgalois.ntt`.

    Returns
    -------
    bytes, the encoding of the sum; for limbs, an array of shape (2, words), zeros for infinity; for a list of points, a point
    of the same types.

    The time depends on the scalars: not for secret ones.

    Examples
    --------
    >>> import numpy as np, wgalois
    >>> generator = np.array([[[1, 0, 0, 0], [2, 0, 0, 0]]], np.uint64)  # of bn254
    >>> wgalois.msm(generator, [1], "bn254")
    array([[1, 0, 0, 0],
           [2, 0, 0, 0]], dtype=uint64)
    >>> wgalois.msm([(1, 2), None], [1, 5], "bn254")
    (1, 2)
    """
    bytes_of_points, form = _points(points, curve)
    _expect_form(form, compressed)
    raw = form.is_raw
    return form(_native.msm(curve.lower(), bytes_of_points, _scalars(scalars), raw, bool(compressed), bool(check), device))


class Bases:
    """Points kept ready for many multiplications: on a GPU, in its memory.

    >>> import numpy as np, wgalois
    >>> generator = np.array([[[1, 0, 0, 0], [2, 0, 0, 0]]], np.uint64)
    >>> bases = wgalois.Bases(generator, "bn254", device="cpu")
    >>> bases.msm([1])[0, 0], len(bases)
    (np.uint64(1), 1)
    """

    __slots__ = ("_form", "_native", "curve")

    def __init__(
        self,
        points: Points,
        curve: str = "bls12-381",
        *,
        vectors: int = 1,
        precompute: str = "halves",
        compressed: bool = False,
        check: bool = True,
        device: Device = "auto",
    ):
        """Reads, checks and prepares points; the parameters are those of :func:`msm`.

        The plan counts the time and memory of ``vectors`` vectors of scalars; any number can be multiplied.
        ``precompute`` has the multiples of every point that a GPU stores: "none"; "halves", one that divides scalars into
        halves, where that is expected to be faster; "doublings:T"; or "windows".
        """
        bytes_of_points, self._form = _points(points, curve)
        _expect_form(self._form, compressed)
        self.curve = curve.lower()
        self._native = _native.Bases.of(
            self.curve,
            bytes_of_points,
            self._form.is_raw,
            bool(compressed),
            bool(check),
            index(vectors, "vectors"),
            precompute,
            device,
        )

    def msm(self, scalars: Scalars, first: int = 0) -> Sum:
        """The sum of ``scalars[i]`` times point ``first + i``; as :func:`msm` returns it."""
        return self.msm_many([scalars], [first])[0]

    def msm_many(self, vectors: Iterable[Scalars], firsts: Sequence[int] | None = None) -> list[Sum]:
        """The sums for several vectors of scalars, which may have different lengths.

        Vector k is multiplied by the points from ``firsts[k]`` on, without ``firsts`` by the first ones. A GPU multiplies the
        points before them by zeros.
        """
        given = [_scalars(scalars) for scalars in vectors]
        places = [0] * len(given) if firsts is None else [index(first, "first") for first in firsts]
        if len(places) != len(given):
            raise InputError(f"{len(given)} vectors of scalars, and {len(places)} first points")
        if any(first < 0 for first in places):
            raise InputError(f"first point {min(places)}: a number from 0 was expected")
        return [self._form(result) for result in self._native.run(list(zip(places, given)))]

    @property
    def device(self) -> str:
        """The name of the device."""
        return self._native.device

    def __len__(self) -> int:
        return len(self._native)

    def __reduce__(self) -> tuple:
        raise TypeError("bases hold prepared points and are not pickled: pickle the points")

    def __copy__(self) -> Bases:
        return self

    def __deepcopy__(self, memo: dict) -> Bases:
        return self

    def __str__(self) -> str:
        return str(self._native)

    def __repr__(self) -> str:
        return f"Bases({len(self)} points of {self.curve}, device={self.device!r})"

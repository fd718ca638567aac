"""Multi-scalar multiplication."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._arrays import index
from .errors import InputError, UsageError

_WORDS = dict(_native.curves())

Bytes = bytes | bytearray | memoryview
Points = Bytes | NDArray[np.uint8] | NDArray[np.uint64]
Scalars = Bytes | NDArray[np.integer] | Sequence[int]
Sum = bytes | NDArray[np.uint64]


def _words_of(curve: str) -> int:
    words = _WORDS.get(curve.lower())
    if words is None:
        raise UsageError(f'no curve "{curve}"; there are {", ".join(_WORDS)}')
    return words


def _points(points, curve):
    """The bytes of the points, and whether they are limbs."""
    words = _words_of(curve)
    if isinstance(points, Bytes):
        return np.frombuffer(points, np.uint8), False
    points = np.asarray(points)
    if points.dtype == np.uint8:
        return np.ascontiguousarray(points).reshape(-1), False
    if points.dtype != np.uint64:
        raise InputError(f"points: bytes, or an array of uint64, were expected, not of {points.dtype}")
    if points.shape[1:] not in ((2 * words,), (2, words)):
        raise InputError(f"points of shape {points.shape}: n x 2 x {words} limbs were expected")
    return np.ascontiguousarray(points).reshape(-1).view(np.uint8), True


def _scalars(scalars):
    """The bytes of the scalars, 32 each."""
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


def _expect_form(raw: bool, compressed: bool) -> None:
    if raw and compressed:
        raise UsageError("compressed=: the sum of points given as limbs is returned as limbs")


def _sum(result: bytes, raw: bool, words: int):
    return np.frombuffer(result, np.uint64).reshape(2, words).copy() if raw else result


def msm(
    points: Points,
    scalars: Scalars,
    curve: str = "bls12-381",
    *,
    compressed: bool = False,
    check: bool = True,
    device: str = "auto",
) -> Sum:
    """The sum of ``scalars[i]`` times ``points[i]`` on a curve.

    Parameters
    ----------
    points : bytes, or an array of uint64
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
    bytes, the encoding of the sum; or for limbs, an array of shape (2, words), zeros for infinity.

    The time depends on the scalars: not for secret ones.

    Examples
    --------
    >>> import numpy as np, wgalois
    >>> generator = np.array([[[1, 0, 0, 0], [2, 0, 0, 0]]], np.uint64)  # of bn254
    >>> wgalois.msm(generator, [1], "bn254")
    array([[1, 0, 0, 0],
           [2, 0, 0, 0]], dtype=uint64)
    """
    bytes_of_points, raw = _points(points, curve)
    _expect_form(raw, compressed)
    result = _native.msm(curve.lower(), bytes_of_points, _scalars(scalars), raw, bool(compressed), bool(check), device)
    return _sum(result, raw, _words_of(curve))


class Bases:
    """Points kept ready for many multiplications: on a GPU, in its memory.

    >>> import numpy as np, wgalois
    >>> generator = np.array([[[1, 0, 0, 0], [2, 0, 0, 0]]], np.uint64)
    >>> bases = wgalois.Bases(generator, "bn254", device="cpu")
    >>> bases.msm([1])[0, 0], len(bases)
    (np.uint64(1), 1)
    """

    __slots__ = ("_native", "_raw", "_words", "curve")

    def __init__(
        self,
        points: Points,
        curve: str = "bls12-381",
        *,
        vectors: int = 1,
        precompute: str = "halves",
        compressed: bool = False,
        check: bool = True,
        device: str = "auto",
    ):
        """Reads, checks and prepares points; the parameters are those of :func:`msm`.

        The plan counts the time and memory of ``vectors`` vectors of scalars; any number can be multiplied.
        ``precompute`` has the multiples of every point that a GPU stores: "none"; "halves", one that divides scalars into
        halves, where that is expected to be faster; "doublings:T"; or "windows".
        """
        bytes_of_points, self._raw = _points(points, curve)
        _expect_form(self._raw, compressed)
        self._words = _words_of(curve)
        self.curve = curve.lower()
        self._native = _native.Bases.of(
            self.curve, bytes_of_points, self._raw, bool(compressed), bool(check), index(vectors, "vectors"), precompute, device
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
        return [_sum(result, self._raw, self._words) for result in self._native.run(list(zip(places, given)))]

    @property
    def device(self) -> str:
        """The name of the device."""
        return self._native.device

    def __len__(self) -> int:
        return len(self._native)

    def __str__(self) -> str:
        return str(self._native)

    def __repr__(self) -> str:
        return f"Bases({len(self)} points of {self.curve}, device={self.device!r})"

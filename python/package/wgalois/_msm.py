"""Multi-scalar multiplication."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from . import _native
from .errors import InputError, UsageError

_WORDS = dict(_native.curves())

Bytes = bytes | bytearray | memoryview


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


def _sum(result: bytes, raw: bool, words: int):
    return np.frombuffer(result, np.uint64).reshape(2, words).copy() if raw else result


def msm(
    points,
    scalars,
    curve: str = "bls12-381",
    *,
    compressed: bool = False,
    check: bool = True,
    device: str = "auto",
) -> bytes | NDArray[np.uint64]:
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
        Return the compressed encoding.
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
    result = _native.msm(
        curve.lower(), bytes_of_points, _scalars(scalars), raw, bool(compressed), bool(check), device
    )
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
        points,
        curve: str = "bls12-381",
        *,
        vectors: int = 1,
        precompute: str = "none",
        compressed: bool = False,
        check: bool = True,
        device: str = "auto",
    ):
        """Reads, checks and prepares points; the parameters are those of :func:`msm`.

        The plan counts the time and memory of ``vectors`` vectors of scalars; any number can be multiplied.
        ``precompute`` has the multiples of every point that a GPU stores: "none", "doublings:T" or "windows".
        """
        bytes_of_points, self._raw = _points(points, curve)
        self._words = _words_of(curve)
        self.curve = curve.lower()
        self._native = _native.Bases.of(
            self.curve, bytes_of_points, self._raw, bool(compressed), bool(check), int(vectors), precompute, device
        )

    def msm(self, scalars) -> bytes | NDArray[np.uint64]:
        """The sum of ``scalars[i]`` times point i; as :func:`msm` returns it."""
        return _sum(self._native.run(_scalars(scalars), 1)[0], self._raw, self._words)

    def msm_many(self, vectors: Iterable) -> list:
        """The sums for several vectors of scalars of one length."""
        vectors = [_scalars(scalars) for scalars in vectors]
        if len({len(scalars) for scalars in vectors}) > 1:
            raise InputError("vectors of scalars of different lengths")
        if not vectors:
            return []
        sums = self._native.run(np.concatenate(vectors), len(vectors))
        return [_sum(result, self._raw, self._words) for result in sums]

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

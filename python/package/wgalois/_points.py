"""Points of curves as Python's integers, and as those of py_ecc."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InputError

_WORD = 2**64 - 1


class PointForm:
    """How points were given, in which their sum is returned: "bytes", "limbs", or pairs of "coordinates"."""

    __slots__ = ("example", "kind", "parts", "words")

    def __init__(self, kind: str, words: int, parts: int = 1, example: Any = None):
        self.kind, self.words = kind, words
        # The integers of a coordinate, and a point that was given, for the types of the sum's.
        self.parts, self.example = parts, example

    @property
    def is_raw(self) -> bool:
        """True for limbs and coordinates, which go to the library as limbs."""
        return self.kind != "bytes"

    def __call__(self, result: bytes) -> Any:
        """A sum in this form."""
        if self.kind == "bytes":
            return result
        limbs = np.frombuffer(result, np.uint64).reshape(2, self.words)
        if self.kind == "limbs":
            return limbs.copy()
        is_projective = self.example is not None and len(self.example) == 3
        if limbs.any():
            x, y = (self._coordinate(_integers(row, self.parts)) for row in limbs)
            return (x, y, self._small(1)) if is_projective else (x, y)
        return (self._small(1), self._small(1), self._small(0)) if is_projective else None

    def _small(self, value: int) -> Any:
        return self._coordinate([value] + [0] * (self.parts - 1))

    def _coordinate(self, integers: list[int]) -> Any:
        """A coordinate of the type of those that were given: a field element, an integer, or a pair."""
        kind: Any = int if self.example is None else type(self.example[0])
        if kind in (int, tuple, list) or issubclass(kind, np.integer):
            return integers[0] if self.parts == 1 else tuple(integers)
        return kind(integers[0] if self.parts == 1 else integers)


def _integers(limbs: NDArray[np.uint64], parts: int) -> list[int]:
    """The integers of limbs, the least significant first."""
    halves = np.ascontiguousarray(limbs, "<u8").reshape(parts, -1)
    return [int.from_bytes(half.tobytes(), "little") for half in halves]


def is_points(points: Any) -> bool:
    """True for a sequence of points by their coordinates."""
    if not isinstance(points, (list, tuple)) or not points:
        return False
    return all(p is None or (isinstance(p, (tuple, list)) and len(p) in (2, 3)) for p in points)


def of_coordinates(points: Sequence[Any], words: int, parts: int) -> tuple[NDArray[np.uint8], PointForm]:
    """The limbs of points by their coordinates, and their form.

    A point is (x, y), None for infinity, or (x, y, z) for x / z and y / z, as py_ecc's optimized curves have them. A coordinate
    has ``parts`` integers: it is an integer, or a pair of them for c0 + c1 u, or py_ecc's field element.
    """
    limbs = np.zeros((len(points), 2, words), np.uint64)
    for k, point in enumerate(points):
        if point is None:
            continue
        x, y = point[:2]
        if len(point) == 3:
            z = point[2]
            if isinstance(z, (int, tuple, list)):
                raise InputError(f"point {k} has three numbers: (x, y) was expected, or field elements")
            if z == z - z:
                continue
            x, y = x / z, y / z
        limbs[k, 0], limbs[k, 1] = _limbs(x, words, parts, k), _limbs(y, words, parts, k)
    example = next((p for p in points if p is not None), None)
    return limbs.reshape(-1).view(np.uint8), PointForm("coordinates", words, parts, example)


def _limbs(coordinate: Any, words: int, parts: int, k: int) -> list[int]:
    given = getattr(coordinate, "coeffs", coordinate)
    given = list(given) if isinstance(given, (tuple, list)) else [given]
    integers = [getattr(part, "n", part) for part in given]
    if len(integers) != parts or not all(isinstance(part, (int, np.integer)) for part in integers):
        expected = "an integer was" if parts == 1 else f"{parts} integers were"
        raise InputError(f"point {k}: a coordinate is {coordinate!r}, and {expected} expected")
    width = words // parts
    limbs = []
    for value in map(int, integers):
        if not 0 <= value < 1 << 64 * width:
            raise InputError(f"point {k}: a coordinate has {value}, which is not below the order of the field")
        limbs += [value >> 64 * i & _WORD for i in range(width)]
    return limbs

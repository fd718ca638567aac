"""Matrices over GF(2) in their forms: packed, arrays, sparse, files."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from .errors import InputError, UsageError


class BitMatrix:
    """A packed matrix: a bit for an entry, on the host. It does not change.

    >>> import numpy as np
    >>> from wgalois import gf2
    >>> a = gf2.BitMatrix.from_packed(np.packbits([[1, 0, 1], [0, 1, 1]], axis=1), columns=3)
    >>> a.shape, gf2.rank(a)
    ((2, 3), 2)
    >>> np.asarray(a)
    array([[1, 0, 1],
           [0, 1, 1]], dtype=uint8)
    """

    __slots__ = ("_native",)

    def __init__(self, a):
        """Packs a matrix of any form that the functions of this module take."""
        self._native = packed(a)[0]

    @classmethod
    def _of(cls, native: _native.BitMatrix) -> BitMatrix:
        matrix = cls.__new__(cls)
        matrix._native = native
        return matrix

    @classmethod
    def from_packed(cls, a: ArrayLike, columns: int | None = None, bitorder: str = "big") -> BitMatrix:
        """A matrix from packed bytes, as ``numpy.packbits(matrix, axis=1, bitorder=bitorder)`` returns them.

        ``columns`` is the number of columns, by default eight times that of bytes in a row.
        """
        a = np.asarray(a)
        if a.ndim != 2 or a.dtype != np.uint8:
            raise InputError(f"packed bits: an array of uint8 of two dimensions was expected, not of {a.dtype} of {a.ndim}")
        columns = 8 * a.shape[1] if columns is None else int(columns)
        if columns < 0 or -(-columns // 8) != a.shape[1]:
            raise InputError(f"{columns} columns do not take {a.shape[1]} bytes")
        words = np.ascontiguousarray(a).reshape(-1)
        return cls._of(_native.BitMatrix.of_packed(words, a.shape[0], columns, is_big(bitorder)))

    def to_packed(self, bitorder: str = "big") -> NDArray[np.uint8]:
        """The packed bytes, as of ``numpy.packbits(matrix, axis=1, bitorder=bitorder)``."""
        rows, columns = self.shape
        out = np.zeros((rows, -(-columns // 8)), np.uint8)
        self._native.pack(out.reshape(-1), is_big(bitorder))
        return out

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self._native.shape

    @property
    def ndim(self) -> int:
        """2."""
        return 2

    @property
    def T(self) -> BitMatrix:
        """The transpose."""
        return BitMatrix._of(self._native.transposed())

    def count_nonzero(self) -> int:
        """The number of ones."""
        return self._native.ones

    def to_numpy(self) -> NDArray[np.uint8]:
        """The entries as an array of uint8."""
        return unpacked(self._native, np.dtype(np.uint8))

    def __array__(self, dtype=None, copy=None) -> NDArray:
        if copy is False:
            raise UsageError("packed bits are copied to an array")
        a = self.to_numpy()
        return a if dtype is None else a.astype(dtype)

    def __len__(self) -> int:
        return self.shape[0]

    def __matmul__(self, other) -> BitMatrix:
        from .gf2 import matmul

        return matmul(self, other)

    def __eq__(self, other) -> bool:
        return isinstance(other, BitMatrix) and self._native.equals(other._native)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"BitMatrix({rows} x {columns} over GF(2))"


def is_big(bitorder: str) -> bool:
    if bitorder not in ("big", "little"):
        raise UsageError(f"bitorder={bitorder!r}: expected big or little")
    return bitorder == "big"


def is_sparse(a) -> bool:
    return hasattr(a, "tocsr") and hasattr(a, "nnz")


def bits(a: NDArray) -> NDArray[np.uint8]:
    """Entries as contiguous bytes; without a copy for contiguous arrays of bool, uint8 and int8."""
    if a.dtype.kind == "b" or a.dtype in (np.uint8, np.int8):
        return np.ascontiguousarray(a).view(np.uint8)
    if a.size == 0:
        return np.zeros(a.shape, np.uint8)
    if a.dtype.kind not in "iuf":
        raise InputError(f"an array of bool or of numbers 0 and 1 was expected, not of {a.dtype}")
    outside = (a != 0) & (a != 1)
    if outside.any():
        place = np.unravel_index(int(np.argmax(outside)), a.shape)
        where = ", ".join(str(int(i)) for i in place)
        raise InputError(f"entry ({where}) is {a[place]}: 0 or 1 was expected")
    return np.ascontiguousarray(a.astype(np.uint8))


def compressed(a):
    """A sparse matrix as compressed rows with ones only."""
    a = a.tocsr(copy=True)
    a.sum_duplicates()
    if a.nnz:
        data = np.asarray(a.data)
        outside = (data != 0) & (data != 1)
        if outside.any():
            raise InputError(f"a sparse matrix holds {data[int(np.argmax(outside))]}: 0 or 1 was expected")
    a.eliminate_zeros()
    return a


def packed(a):
    """A matrix packed, and the function that gives a result the form of the input."""
    if isinstance(a, BitMatrix):
        return a._native, BitMatrix._of
    if isinstance(a, (str, os.PathLike)):
        return _native.BitMatrix.read(os.fspath(a)), BitMatrix._of
    if is_sparse(a):
        if len(a.shape) != 2:
            raise InputError(f"a matrix has two dimensions, not {len(a.shape)}")
        a = compressed(a)
        offsets, indices = a.indptr.astype(np.int64), a.indices.astype(np.int64)
        return _native.BitMatrix.of_lists(offsets, indices, a.shape[1]), sparse
    a = np.asarray(a)
    if a.ndim != 2:
        raise InputError(f"a matrix has two dimensions, not {a.ndim}")
    dtype = np.dtype(bool) if a.dtype.kind == "b" else np.dtype(np.uint8)
    native = _native.BitMatrix.of_bytes(bits(a).reshape(-1), *a.shape)
    return native, lambda result: unpacked(result, dtype)


def unpacked(native, dtype) -> NDArray:
    out = np.zeros(native.shape, np.uint8)
    if out.size:
        native.unpack(out.reshape(-1))
    return out.view(dtype)


def sparse(native):
    from scipy.sparse import csr_array  # type: ignore[import-untyped]

    offsets, indices = lists_of(native)
    ones = np.ones(len(indices), np.uint8)
    return csr_array((ones, indices, offsets), shape=native.shape)


def lists_of(native):
    """The rows as offsets and indices."""
    offsets, indices = native.lists()
    return np.frombuffer(offsets, np.int64), np.frombuffer(indices, np.uint32).astype(np.int64)


def lists(rows, columns):
    """Sparse rows as offsets and indices, their number of columns, and the form of the input."""
    if isinstance(rows, (list, tuple)) and all(np.ndim(row) == 1 for row in rows) and not has_entries(rows):
        offsets = np.cumsum([0] + [len(row) for row in rows], dtype=np.int64)
        indices = np.concatenate([np.asarray(row, np.int64) for row in rows] + [np.zeros(0, np.int64)])
        occurring = int(indices.max()) + 1 if len(indices) else 0
        return (offsets, indices), columns if columns is not None else occurring, "lists"
    if is_sparse(rows):
        a = compressed(rows)
        return (a.indptr.astype(np.int64), a.indices.astype(np.int64)), a.shape[1], sparse
    native, form = packed(rows)
    return lists_of(native), native.shape[1], form


def has_entries(rows) -> bool:
    """True for lists that are rows of a matrix: arrays of bool. Lists of integers are indices."""
    return any(np.asarray(row).dtype.kind == "b" for row in rows)


def dimensions(a) -> int:
    """The number of dimensions of an array; 2 for every other form of a matrix."""
    return 2 if isinstance(a, (BitMatrix, str, os.PathLike)) or is_sparse(a) else np.ndim(a)

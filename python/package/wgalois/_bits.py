"""Matrices over GF(2) in the forms that functions take, packed, and on a device."""

from __future__ import annotations

import os
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._arrays import Device, expect_plain, index
from .errors import InputError, UsageError


class Sparse(Protocol):
    """A matrix or an array of ``scipy.sparse``."""

    @property
    def shape(self) -> Any: ...
    @property
    def nnz(self) -> int: ...
    def tocsr(self, copy: bool = ...) -> Any: ...


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

    def __init__(self, a: MatrixLike):
        """Packs a matrix of any form that the functions of this module take."""
        self._native = _packed(a)[0]

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
        columns = 8 * a.shape[1] if columns is None else index(columns, "columns")
        if columns < 0 or -(-columns // 8) != a.shape[1]:
            raise InputError(f"{columns} columns do not take {a.shape[1]} bytes")
        words = np.ascontiguousarray(a).reshape(-1)
        return cls._of(_native.BitMatrix.of_packed(words, a.shape[0], columns, _is_big(bitorder)))

    def to_packed(self, bitorder: str = "big") -> NDArray[np.uint8]:
        """The packed bytes, as of ``numpy.packbits(matrix, axis=1, bitorder=bitorder)``."""
        rows, columns = self.shape
        out = np.zeros((rows, -(-columns // 8)), np.uint8)
        self._native.pack(out.reshape(-1), _is_big(bitorder))
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
        return _unpacked(self._native, np.dtype(np.uint8))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        if copy is False:
            raise UsageError("packed bits are copied to an array")
        a = self.to_numpy()
        return a if dtype is None else a.astype(dtype)

    def __len__(self) -> int:
        return self.shape[0]

    def __matmul__(self, other: MatrixLike) -> BitMatrix:
        from .gf2 import matmul

        return matmul(self, other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BitMatrix) and self._native.equals(other._native)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple:
        return _unpickled, (self.to_packed("little"), self.shape)

    def __copy__(self) -> BitMatrix:
        return self

    def __deepcopy__(self, memo: dict) -> BitMatrix:
        return self

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"BitMatrix({rows} x {columns} over GF(2))"


def _unpickled(packed: NDArray[np.uint8], shape: tuple[int, int]) -> BitMatrix:
    """A packed matrix that was pickled."""
    return BitMatrix._of(_native.BitMatrix.of_packed(packed.reshape(-1), *shape, False))


class DeviceMatrix:
    """A matrix over GF(2) that stays on a device, made by :func:`wgalois.asdevice`. It does not change.

    :func:`wgalois.gf2.rank`, :func:`~wgalois.gf2.pivots`, :func:`~wgalois.gf2.rref` (``row_reduce``) and
    :func:`~wgalois.gf2.matmul` (``@``) take it; a resulting matrix is on the same device, and nothing but the numbers of
    the pivots goes through the host. The other functions take their matrices from the host: ``x.to_host()``. The matrix of
    ``device="cpu"`` is a copy on the host, so that programs run without a GPU.

    >>> import numpy as np, wgalois
    >>> from wgalois import gf2
    >>> x = wgalois.asdevice([[1, 1, 0], [0, 1, 1], [1, 0, 1]], device="cpu")
    >>> gf2.rank(x), gf2.rref(x @ x)
    (2, DeviceMatrix(3 x 3 over GF(2), device='cpu'))
    """

    __slots__ = ("_native",)

    def __init__(self, a: MatrixLike, *, device: Device = "auto"):
        """Copies a matrix of any form that :mod:`wgalois.gf2` takes to a device."""
        self._native = _native.DeviceMatrix.of(_packed(a)[0], device)

    @classmethod
    def _of(cls, native: _native.DeviceMatrix) -> DeviceMatrix:
        matrix = cls.__new__(cls)
        matrix._native = native
        return matrix

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self._native.shape

    @property
    def ndim(self) -> int:
        """2."""
        return 2

    @property
    def device(self) -> str:
        """The name of the device: that of the adapter, or "cpu"."""
        return self._native.device

    def to_host(self) -> BitMatrix:
        """A copy on the host, packed."""
        return BitMatrix._of(self._native.download())

    def to_numpy(self) -> NDArray[np.uint8]:
        """The entries as an array of uint8."""
        return self.to_host().to_numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        if copy is False:
            raise UsageError("a device matrix is copied to the host")
        a = self.to_numpy()
        return a if dtype is None else a.astype(dtype)

    def __len__(self) -> int:
        return self.shape[0]

    def __matmul__(self, other: DeviceMatrix) -> DeviceMatrix:
        return self._times(other)

    def __reduce__(self) -> tuple:
        return _matrix_again, (self.to_host(), self.device)

    def __copy__(self) -> DeviceMatrix:
        return self

    def __deepcopy__(self, memo: dict) -> DeviceMatrix:
        return self

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"DeviceMatrix({rows} x {columns} over GF(2), device={self.device!r})"

    def _expect_here(self, device: Device) -> None:
        """Refuses a ``device=`` that would have no effect."""
        if device != "auto":
            raise UsageError(f"device=: a device matrix stays where it is, on {self.device}")

    def _pivots(self) -> list[int]:
        return self._native.pivots()

    def _reduced(self, limit: int | None) -> DeviceMatrix:
        return DeviceMatrix._of(self._native.rref(limit)[0])

    def _times(self, other) -> DeviceMatrix:
        if not isinstance(other, DeviceMatrix):
            raise UsageError("a device matrix is multiplied by a device matrix")
        return DeviceMatrix._of(self._native.matmul(other._native))


def _matrix_again(a: BitMatrix, device: str) -> DeviceMatrix:
    """A matrix that was pickled, on the device of the same name."""
    return DeviceMatrix(a, device=device)


MatrixLike = ArrayLike | str | os.PathLike[str] | Sparse | BitMatrix | DeviceMatrix


def _is_big(bitorder: str) -> bool:
    if bitorder not in ("big", "little"):
        raise UsageError(f"bitorder={bitorder!r}: expected big or little")
    return bitorder == "big"


def _is_sparse(a) -> bool:
    return hasattr(a, "tocsr") and hasattr(a, "nnz")


def _bits(a: NDArray) -> NDArray[np.uint8]:
    """Entries as contiguous bytes; without a copy for contiguous arrays of bool, uint8, and int8 from 0."""
    is_byte = a.dtype == np.uint8 or (a.dtype == np.int8 and (a.size == 0 or a.min() >= 0))
    if a.dtype.kind == "b" or is_byte:
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


def _compressed(a):
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


def _rows_of(a) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """The rows of a sparse matrix as offsets and indices, and the number of its columns."""
    if len(a.shape) != 2:
        raise InputError(f"a matrix has two dimensions, not {len(a.shape)}")
    a = _compressed(a)
    return a.indptr.astype(np.int64), a.indices.astype(np.int64), a.shape[1]


def _lists(a: Any) -> _native.Lists | None:
    """A large sparse matrix, which is better not packed; of others None."""
    if not _is_sparse(a) or len(a.shape) != 2:
        return None
    rows, columns = a.shape
    return _native.Lists.of(*_rows_of(a)) if _native.Lists.pay(rows, columns, a.nnz) else None


class _Form:
    """The form of a matrix, which its results get: an array of one of the types, a sparse array, or packed bits."""

    __slots__ = ("dtype", "kind")

    def __init__(self, kind: str, dtype: Any = np.uint8):
        self.kind = kind
        self.dtype = np.dtype(dtype)

    def __call__(self, native: _native.BitMatrix) -> Any:
        """A result in this form."""
        if self.kind == "array":
            return _unpacked(native, self.dtype)
        return _sparse(native) if self.kind == "sparse" else BitMatrix._of(native)

    def vector(self, native: _native.BitMatrix) -> NDArray:
        """A result of one column as a vector."""
        return _unpacked(native, self.dtype)[:, 0]

    def beside(self, other: _Form) -> _Form:
        """The form of what a matrix of this form gives with another: dense beside a dense one, as SciPy has it."""
        return other if self.kind == "sparse" and other.kind == "array" else self


def _packed(a: Any) -> tuple[_native.BitMatrix, _Form]:
    """A matrix packed, and the form of its results."""
    if isinstance(a, BitMatrix):
        return a._native, _Form("bits")
    if isinstance(a, DeviceMatrix):
        raise UsageError("this operation takes its matrices from the host: those of device matrices are x.to_host()")
    if isinstance(a, (str, os.PathLike)):
        return _native.BitMatrix.read(os.fspath(a)), _Form("bits")
    expect_plain(a, 2, "the matrix")
    if _is_sparse(a):
        return _native.BitMatrix.of_lists(*_rows_of(a)), _Form("sparse")
    a = np.asarray(a)
    if a.ndim != 2:
        raise InputError(f"a matrix has two dimensions, not {a.ndim}")
    native = _native.BitMatrix.of_bytes(_bits(a).reshape(-1), *a.shape)
    return native, _Form("array", _dtype_of(a))


def _dtype_of(a) -> np.dtype:
    """The type of the entries of a result: bool for an array of bool."""
    is_bool = isinstance(a, np.ndarray) and a.dtype.kind == "b"
    return np.dtype(bool) if is_bool else np.dtype(np.uint8)


def _is_vector(b) -> bool:
    """True for an array of one dimension."""
    if b is None or isinstance(b, (BitMatrix, DeviceMatrix, str, os.PathLike)) or _is_sparse(b):
        return False
    return np.ndim(b) == 1


def _second(b: Any) -> tuple[_native.BitMatrix, _Form, bool]:
    """A second operand packed, its form, and whether it is a vector, which is packed as a column."""
    expect_plain(b, 2, "the second operand")
    is_vector = _is_vector(b)
    native, form = _packed(np.asarray(b)[:, None] if is_vector else b)
    return native, form, is_vector


def _unpacked(native, dtype) -> NDArray:
    out = np.zeros(native.shape, np.uint8)
    if out.size:
        native.unpack(out.reshape(-1))
    return out.view(dtype)


def _sparse(native):
    return _csr_array(native.lists(), native.shape)


def _csr_array(rows: tuple[bytes, bytes], shape: tuple[int, int]) -> Any:
    """A sparse array of rows as bytes of offsets and indices."""
    from scipy.sparse import csr_array  # type: ignore[import-untyped]

    offsets, indices = _arrays_of(rows)
    return csr_array((np.ones(len(indices), np.uint8), indices, offsets), shape=shape)


def _lists_of(native):
    """The rows as offsets and indices."""
    return _arrays_of(native.lists())


def _arrays_of(rows: tuple[bytes, bytes]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    offsets, indices = rows
    return np.frombuffer(offsets, np.int64), np.frombuffer(indices, np.uint32).astype(np.int64)


def _is_batch(a) -> bool:
    """True for many matrices, an array of three dimensions."""
    if isinstance(a, (BitMatrix, DeviceMatrix, str, os.PathLike)) or _is_sparse(a):
        return False
    expect_plain(a, 2, "the matrix")
    return np.ndim(a) == 3

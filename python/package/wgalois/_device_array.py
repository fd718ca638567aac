"""Arrays of residues that stay on a device."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _fields, _native
from ._arrays import Prime, index, integers, prime_text, prime_value, residues
from ._bits import DeviceMatrix, MatrixLike
from .errors import InputError, UsageError


class DeviceArray:
    """Residues modulo a prime on a device, made by :func:`asdevice`.

    Vectors lie along the last axis. :func:`ntt`, :func:`intt`, :func:`polymul` and :func:`convolve` take them and return
    others on the same device; nothing goes through the host. ``numpy.asarray(x)`` copies to the host. The array of
    ``device="cpu"`` is a copy on the host, so that programs run without a GPU.
    """

    __slots__ = ("_native", "_shape")

    def __init__(self, native: _native.DeviceArray, shape: tuple[int, ...]):
        self._native = native
        self._shape = shape

    @property
    def shape(self) -> tuple[int, ...]:
        """The dimensions."""
        return self._shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """The number of residues."""
        return int(np.prod(self._shape, dtype=np.int64))

    @property
    def dtype(self) -> np.dtype:
        """The type of the residues, uint32."""
        return np.dtype(np.uint32)

    @property
    def nbytes(self) -> int:
        """The bytes of the residues."""
        return 4 * self.size

    @property
    def prime(self) -> int:
        """The modulus."""
        return self._native.prime

    @property
    def device(self) -> str:
        """The name of the device: that of the adapter, or "cpu"."""
        return self._native.device

    def __len__(self) -> int:
        return self._shape[0]

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self._shape}, prime={self.prime}, device={self.device!r})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        if copy is False:
            raise UsageError("a device array is copied to the host")
        words = np.empty(self.size, np.uint32)
        if self.size:
            self._native.read(words)
        words = words.reshape(self._shape)
        return words if dtype is None else words.astype(dtype)

    def to_numpy(self) -> NDArray[np.uint32]:
        """A copy on the host."""
        return self.__array__()

    def copy(self) -> DeviceArray:
        """A copy on the same device."""
        return DeviceArray(self._native.copy(), self._shape)

    def ntt_inplace(self, **options: Any) -> DeviceArray:
        """Replaces the vectors by their transforms, and returns the array. Options are those of :func:`ntt`.

        After Ctrl-C it has some of the transforms, or none.
        """
        return self._in_place(False, options)

    def intt_inplace(self, **options: Any) -> DeviceArray:
        """Replaces the vectors by their inverse transforms, and returns the array."""
        return self._in_place(True, options)

    def _in_place(self, inverse, options):
        from ._ntt import _options

        allowed = {"coset": None, "negacyclic": False, "input_order": "natural", "output_order": "natural"}
        if unknown := options.keys() - allowed.keys():
            raise TypeError(f"unexpected options: {', '.join(sorted(unknown))}")
        self._native.transform(self._shape[-1], _options(inverse, **{**allowed, **options}), True)
        return self

    def _expect_defaults(self, axis, wrap, device):
        """Refuses options that would have no effect: where the array lies and what it holds is settled."""
        if axis not in (-1, self.ndim - 1):
            raise UsageError("the vectors of a device array lie along its last axis")
        if wrap:
            raise UsageError("wrap=: a device array was reduced when it was made")
        if device != "auto":
            raise UsageError(f"device=: a device array stays where it is, on {self.device}")

    def _expect(self, prime):
        if prime is not None and prime_value(prime) != self.prime:
            raise InputError(f"residues modulo {self.prime}, and the prime is {prime_value(prime)}")

    def _transform(self, prime, axis, wrap, device, options):
        self._expect(prime)
        self._expect_defaults(axis, wrap, device)
        return DeviceArray(self._native.transform(self._shape[-1], options, False), self._shape)

    def _multiply(self, other, prime, mode, n, axis, wrap, device):
        self._expect(prime)
        self._expect_defaults(axis, wrap, device)
        if not isinstance(other, DeviceArray):
            raise UsageError("a device array is multiplied by a device array")
        if self.ndim != 1 or other.ndim != 1:
            raise UsageError("device arrays of one dimension are multiplied; batches come from the host")
        n = max(self.size, other.size) if n is None else index(n, "n")
        native, length = self._native.multiply(other._native, (self.size, other.size), (mode, n))
        return DeviceArray(native, (length,))


@overload
def asdevice(  # type: ignore[overload-overlap]  # 2 is an integer, and the first that fits counts
    a: MatrixLike, prime: Literal[2] | None = None, *, wrap: bool = False, device: str = "auto"
) -> DeviceMatrix: ...
@overload
def asdevice(a: ArrayLike, prime: Prime, *, wrap: bool = False, device: str = "auto") -> DeviceArray: ...
def asdevice(a: Any, prime: Prime | None = None, *, wrap: bool = False, device: str = "auto") -> DeviceArray | DeviceMatrix:
    """Copies residues modulo ``prime``, or a matrix over GF(2), to a device, where they stay.

    Parameters
    ----------
    a : array of integers from 0 to prime - 1, or a matrix
        Vectors lie along the last axis.
    prime : int or str, optional
        As for :func:`ntt`. Without it, or for 2, ``a`` is a matrix of any form that :mod:`wgalois.gf2` takes: bool,
        uint8, packed bits, ``scipy.sparse``, a path.
    wrap, device
        As for :func:`ntt`. "auto" takes the device that is expected to multiply such a vector, or to reduce such a matrix,
        soonest; a group of GPUs keeps the array on its first.

    Returns
    -------
    :class:`DeviceArray`, or for a matrix :class:`wgalois.gf2.DeviceMatrix`.

    Examples
    --------
    >>> import numpy, wgalois
    >>> x = wgalois.asdevice([1, 2, 3, 4], 17, device="cpu")
    >>> numpy.asarray(wgalois.intt(wgalois.ntt(x)))
    array([1, 2, 3, 4], dtype=uint32)
    >>> wgalois.gf2.rank(wgalois.asdevice(numpy.eye(3, dtype=bool), device="cpu"))
    3
    """
    if prime is None or prime == 2:
        if wrap:
            raise UsageError("wrap= takes a prime from 3")
        return DeviceMatrix(a, device=device)
    if _fields.is_field(prime):
        raise UsageError("device arrays have residues modulo a prime below 2**31")
    a = integers(a, "the vectors")
    if a.ndim == 0:
        raise InputError("an array of at least one dimension was expected")
    words = residues(a, prime_value(prime), wrap, "word")
    return DeviceArray(_native.DeviceArray.of(words.reshape(-1), prime_text(prime), device), a.shape)

"""Arrays of residues that stay on a device."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _fields, _native
from ._arrays import Device, Prime, expect_plain, index, integers, prime_text, prime_value, residues
from ._bits import DeviceMatrix, MatrixLike
from .errors import InputError, UsageError


class DeviceArray:
    """Residues modulo a prime on a device, made by :func:`asdevice`.

    Vectors lie along the last axis. :func:`ntt`, :func:`intt`, :func:`polymul` and :func:`convolve` take them and return
    others on the same device; nothing goes through the host. ``numpy.asarray(x)`` copies to the host. The array of
    ``device="cpu"`` is a copy on the host, so that programs run without a GPU.

    ``+``, ``-``, ``*`` compute modulo the prime, entry by entry, with another array of the same prime and device, or with
    integers, which are reduced; ``==`` and ``!=`` compare, and return an array of bool; ``x[...]`` takes entries as NumPy does,
    and returns an array on the same device, or an integer for one entry. These go through the host. Functions of NumPy that
    would add or multiply without the modulus are refused.

    >>> import wgalois
    >>> x = wgalois.asdevice([1, 2, 16], 17, device="cpu")
    >>> (x + x).to_numpy(), (3 * x)[2], (x == -1).tolist()
    (array([ 2,  4, 15], dtype=uint32), 14, [False, False, True])
    """

    __slots__ = ("_native", "_shape")

    # NumPy's operators leave those of this class to it, and refuse its arrays elsewhere.
    __array_ufunc__ = None

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

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function.__name__ not in _WITHOUT_ARITHMETIC:
            raise TypeError(
                f"numpy.{function.__name__} does not compute modulo {self.prime}: of numpy.asarray(x) it takes integers"
            )
        return function(*_on_host(args), **kwargs)

    def __getitem__(self, key: Any) -> DeviceArray | int:
        taken = self.to_numpy()[key]
        return self._like(taken) if isinstance(taken, np.ndarray) else int(taken)

    def __add__(self, other: Any) -> DeviceArray:
        return self._combined(other, np.add)

    def __sub__(self, other: Any) -> DeviceArray:
        return self._combined(other, lambda a, b: a + (self.prime - b))

    def __rsub__(self, other: Any) -> DeviceArray:
        return self._combined(other, lambda a, b: b + (self.prime - a))

    def __mul__(self, other: Any) -> DeviceArray:
        return self._combined(other, np.multiply)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> DeviceArray:
        return 0 - self

    def __eq__(self, other: object) -> Any:
        return self.to_numpy() == self._residues_of(other)

    def __ne__(self, other: object) -> Any:
        return self.to_numpy() != self._residues_of(other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple:
        return _array_again, (self.to_numpy(), self.prime, self.device)

    def __copy__(self) -> DeviceArray:
        return self.copy()

    def __deepcopy__(self, memo: dict) -> DeviceArray:
        return self.copy()

    def _like(self, words: NDArray) -> DeviceArray:
        """Residues on the same device."""
        words = np.ascontiguousarray(words, dtype=np.uint32)
        return DeviceArray(self._native.like(words.reshape(-1)), words.shape)

    def _residues_of(self, other: Any) -> NDArray[np.uint64]:
        """The other operand, reduced, on the host."""
        if isinstance(other, DeviceArray):
            self._expect(other.prime)
            if other.device != self.device:
                raise UsageError(f"the second operand is on another device, {other.device}")
            return other.to_numpy().astype(np.uint64)
        expect_plain(other, self.prime, "the second operand")
        return (integers(other, "the second operand") % self.prime).astype(np.uint64)

    def _combined(self, other: Any, work: Any) -> DeviceArray:
        # Residues are below 2**31, so that products fit.
        return self._like(work(self.to_numpy().astype(np.uint64), self._residues_of(other)) % self.prime)

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


# Functions of NumPy that take their arguments as they are, from the host.
_WITHOUT_ARITHMETIC = frozenset(
    "array_equal array_repr array_str argsort array2string broadcast_arrays broadcast_to concatenate copyto count_nonzero "
    "expand_dims flip hstack isin moveaxis ndim nonzero ravel repeat reshape roll save savetxt shape size sort split squeeze "
    "stack swapaxes take tile transpose unique vstack where".split()
)


def _on_host(value: Any) -> Any:
    """Arguments with arrays of the host in the place of those of devices."""
    if isinstance(value, DeviceArray):
        return value.to_numpy()
    return type(value)(map(_on_host, value)) if isinstance(value, (list, tuple)) else value


def _array_again(words: NDArray[np.uint32], prime: int, device: str) -> DeviceArray:
    """An array that was pickled, on the device of the same name."""
    return DeviceArray(_native.DeviceArray.of(words.reshape(-1), str(prime), device), words.shape)


@overload
def asdevice(  # type: ignore[overload-overlap]  # 2 is an integer, and the first that fits counts
    a: MatrixLike, prime: Literal[2] | None = None, *, wrap: bool = False, device: Device = "auto"
) -> DeviceMatrix: ...
@overload
def asdevice(a: ArrayLike, prime: Prime, *, wrap: bool = False, device: Device = "auto") -> DeviceArray: ...
def asdevice(a: Any, prime: Prime | None = None, *, wrap: bool = False, device: Device = "auto") -> DeviceArray | DeviceMatrix:
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
    expect_plain(a, prime_value(prime), "the vectors")
    a = integers(a, "the vectors")
    if a.ndim == 0:
        raise InputError("an array of at least one dimension was expected")
    words = residues(a, prime_value(prime), wrap, "word")
    return DeviceArray(_native.DeviceArray.of(words.reshape(-1), prime_text(prime), device), a.shape)

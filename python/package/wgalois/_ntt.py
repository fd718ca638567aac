"""Number-theoretic transforms and products of polynomials."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _fields, _native
from ._arrays import (
    Device,
    Prime,
    back_to_axis,
    expect_no_length,
    expect_plain,
    index,
    integers,
    last_axis,
    order_is_reversed,
    prime_text,
    prime_value,
    residues,
    result_dtype,
)
from ._device_array import DeviceArray
from .errors import InputError, UsageError


def _options(inverse, coset, negacyclic, input_order, output_order):
    shift = None if coset is None else index(coset, f"coset shift {coset}")
    if shift is not None and not 0 < shift < 2**31:
        raise InputError(f"coset shift {coset}: it must be an integer from 1 to p - 1")
    return (
        bool(inverse),
        order_is_reversed(input_order, "input_order"),
        order_is_reversed(output_order, "output_order"),
        shift,
        bool(negacyclic),
    )


def _transform(a, prime, axis, options, wrap, device, run=None):
    p = prime_value(prime)
    expect_plain(a, p, "the vectors")
    a = integers(a, "the vectors")
    dtype = result_dtype(a)
    vectors = last_axis(a, axis)
    shape = vectors.shape
    words = residues(vectors, p, wrap, "entry")
    if np.may_share_memory(words, a):
        words = words.copy()  # it is transformed in place, and the caller keeps the input
    if run is None:
        _native.transform(words.reshape(-1), shape[-1], prime_text(prime), options, device)
    else:
        run(words.reshape(-1))
    return back_to_axis(words.reshape(shape).astype(dtype, copy=False), axis)


def _sized(a, size, axis):
    """``a`` with its vectors cut, or filled up with zeros, to this length."""
    if size is None:
        return a
    size = index(size, "size")
    if size < 1:
        raise InputError(f"size {size}: it must be 1 or more")
    vectors = last_axis(integers(a, "the vectors"), axis)[..., :size]
    missing = [(0, 0)] * (vectors.ndim - 1) + [(0, size - vectors.shape[-1])]
    return np.moveaxis(np.pad(vectors, missing), -1, axis)


def _discrete(a, prime, axis, options, root, wrap, device):
    """A transform of a length that is no power of two, or with a root that is given; None if it is another one."""
    inverse, input_reversed, output_reversed, shift, negacyclic = options
    a = integers(a, "the vectors")
    n, p = last_axis(a, axis).shape[-1], prime_value(prime)
    is_plain = n > 1 and n & (n - 1) == 0
    if root is None and (is_plain or n == 0 or (p - 1) % n):
        return None
    if n > 1 and (input_reversed or output_reversed):
        raise UsageError("bit-reversed order: the length must be a power of two, and root= not given")
    if negacyclic and shift is not None:
        raise UsageError("coset= and negacyclic= exclude each other")
    if negacyclic:
        if root is not None:
            raise UsageError("root= and negacyclic= exclude each other: give a square root of the root as coset=")
        shift = _native.discrete_root(2 * n, prime_text(prime))
    root = None if root is None else index(root, f"root {root}")
    if root is not None and not 0 < root < p:
        raise InputError(f"root {root}: it must be an integer from 1 to p - 1")

    def run(words):
        _native.discrete(words, n, prime_text(prime), inverse, shift, root, device)

    return _transform(a, prime, axis, options, wrap, device, run)


def root_of_unity(n: int, prime: Prime) -> int:
    """The root of unity of order ``n``, a divisor of prime - 1, that transforms of this length take by default.

    It is ``x**((prime - 1) // n)`` modulo the prime for the smallest generator x.

    >>> import wgalois
    >>> wgalois.root_of_unity(4, 17)
    13
    """
    return _native.discrete_root(index(n, "n"), prime_text(prime))


def _expect_ml_kem(ring, prime, others):
    """Refuses a ring that is not known, and options that it excludes."""
    if ring not in ("ml-kem", "kyber"):
        raise UsageError(f"ring={ring!r}: expected ml-kem or kyber")
    if any(others):
        raise UsageError(f"ring={ring!r} fixes the length, the root and the order of a transform")
    if prime is not None and prime_value(prime) != 3329:
        raise InputError(f"prime {prime}: the modulus of ring {ring} is 3329")


def _ml_kem(inverse, a, ring, prime, axis, options, size, root, wrap, device):
    _expect_ml_kem(ring, prime, (*options[1:3], options[3] is not None, options[4], size is not None, root is not None))
    if isinstance(a, DeviceArray):
        raise UsageError(f"ring={ring!r} takes arrays of the host")
    expect_plain(a, 3329, "the vectors")
    length = last_axis(integers(a, "the vectors"), axis).shape[-1]
    if length != 256:
        raise InputError(f"vectors of {length} entries, and polynomials of ring {ring} have 256")
    return _transform(a, 3329, axis, options, wrap, device, lambda words: _native.ml_kem_transform(words, inverse, device))


def _any(inverse, a, prime, axis, options, size, root, ring, wrap, device):
    if ring is not None:
        return _ml_kem(inverse, a, ring, prime, axis, options, size, root, wrap, device)
    if isinstance(a, DeviceArray):
        if size is not None or root is not None:
            raise UsageError("size= and root= take arrays of the host")
        return a._transform(prime, axis, wrap, device, options)
    if prime is None:
        raise UsageError("the prime is missing")
    expect_plain(a, prime_value(prime), "the vectors")
    a = _sized(a, size, axis)
    result = _discrete(a, prime, axis, options, root, wrap, device)
    return _transform(a, prime, axis, options, wrap, device) if result is None else result


def _over_field(inverse, a, field, axis, coset, negacyclic, input_order, output_order, wrap, device):
    if isinstance(a, DeviceArray):
        raise UsageError(f"residues modulo {a.prime}, and the field is {field}")
    options = _fields.options_of(field, inverse, coset, negacyclic, input_order, output_order)
    return _fields.transform(a, field, axis, options, wrap, device)


@overload
def ntt(
    a: DeviceArray,
    prime: Prime | None = None,
    *,
    axis: int = -1,
    coset: int | None = None,
    negacyclic: bool = False,
    input_order: str = "natural",
    output_order: str = "natural",
    size: int | None = None,
    root: int | None = None,
    ring: str | None = None,
    wrap: bool = False,
    device: Device = "auto",
) -> DeviceArray: ...
@overload
def ntt(
    a: ArrayLike,
    prime: Prime,
    *,
    axis: int = -1,
    coset: int | None = None,
    negacyclic: bool = False,
    input_order: str = "natural",
    output_order: str = "natural",
    size: int | None = None,
    root: int | None = None,
    ring: str | None = None,
    wrap: bool = False,
    device: Device = "auto",
) -> NDArray: ...
def ntt(
    a: ArrayLike | DeviceArray,
    prime: Prime | None = None,
    *,
    axis: int = -1,
    coset: int | None = None,
    negacyclic: bool = False,
    input_order: str = "natural",
    output_order: str = "natural",
    size: int | None = None,
    root: int | None = None,
    ring: str | None = None,
    wrap: bool = False,
    device: Device = "auto",
) -> DeviceArray | NDArray:
    """The number-theoretic transform of the vectors of ``a`` along ``axis``, modulo ``prime``.

    ``X[j] = sum(a[i] * (g * w**j)**i for i in range(n)) % prime``, where w is the primitive n-th root of unity
    ``x**((prime - 1) // n)`` of the smallest generator x, and g the shift of the coset, 1 by default.

    Parameters
    ----------
    a : array of integers from 0 to prime - 1, or a DeviceArray
        The length n along ``axis`` is a divisor of prime - 1. Powers of two up to 2**27 are transformed directly; other
        lengths, and transforms with a root that is given, as products of n and 2 n - 1 coefficients (Bluestein). All
        vectors of an array are transformed in one batch. Of a ``DeviceArray``, which has its prime, the result is
        one on the same device.
    prime : int or str
        An odd prime below 2**31, or a name: babybear, koalabear, mersenne31, kyber, dilithium, falcon. Or the scalar
        field of a curve: bls12-381-fr, bls12-377-fr, bn254-fr, bls24-315-fr. Its elements are Python integers, or
        arrays of uint64 with four limbs each along one more, last axis, the least significant first; w is arkworks'
        root of unity; the lengths go down to 1.
    coset : int, optional
        g, from 1 to prime - 1.
    negacyclic : bool
        Evaluate at the odd powers of a 2n-th root of unity: g**2 == w.
    input_order, output_order : "natural" or "bit-reversed"
        Bit-reversed only where n is a power of two.
    size : int, optional
        Cut the vectors to this length, or fill them up with zeros, before.
    root : int, optional
        w, a number of order n modulo the prime. :func:`root_of_unity` tells the one that is taken otherwise.
    ring : "ml-kem" or "kyber", optional
        The incomplete transform of ML-KEM modulo 3329, of 256 coefficients, in the order of FIPS 203 (algorithms 9 and
        10). :func:`multiply_ml_kem` multiplies its values.
    wrap : bool
        Reduce entries modulo the prime instead of refusing those that are not below it.
    device : str
        As the program's ``--device``: "auto", "cpu", "gpu", "all", the number or a part of the name of an adapter. A
        ``DeviceArray`` stays on its device: it takes neither ``device`` nor ``wrap`` nor another axis than the last.

    Returns
    -------
    numpy.ndarray of the shape of ``a``, of its dtype if that has at least 32 bits, otherwise of uint32.
        No copy is made beside the result if ``a`` is uint32 and ``axis`` the last. Over a scalar field limbs for limbs,
        and for integers an array of Python integers (dtype object).

    Examples
    --------
    >>> import wgalois
    >>> wgalois.ntt([1, 2, 3, 4], 17)
    array([10,  6, 15,  7])
    >>> wgalois.intt(wgalois.ntt([1, 2, 3, 4], 17), 17)
    array([1, 2, 3, 4])
    >>> wgalois.intt(wgalois.ntt([1, 2, 3, 2**200], "bn254-fr"), "bn254-fr")[3] == 2**200
    True
    """
    if _fields.is_field(prime):
        if root is not None or ring is not None:
            raise UsageError("root= and ring=: transforms over a scalar field have arkworks' root")
        a = _sized(a, size, axis)
        return _over_field(False, a, prime, axis, coset, negacyclic, input_order, output_order, wrap, device)
    options = _options(False, coset, negacyclic, input_order, output_order)
    return _any(False, a, prime, axis, options, size, root, ring, wrap, device)


@overload
def intt(
    a: DeviceArray,
    prime: Prime | None = None,
    *,
    axis: int = -1,
    coset: int | None = None,
    negacyclic: bool = False,
    input_order: str = "natural",
    output_order: str = "natural",
    size: int | None = None,
    root: int | None = None,
    ring: str | None = None,
    wrap: bool = False,
    device: Device = "auto",
) -> DeviceArray: ...
@overload
def intt(
    a: ArrayLike,
    prime: Prime,
    *,
    axis: int = -1,
    coset: int | None = None,
    negacyclic: bool = False,
    input_order: str = "natural",
    output_order: str = "natural",
    size: int | None = None,
    root: int | None = None,
    ring: str | None = None,
    wrap: bool = False,
    device: Device = "auto",
) -> NDArray: ...
def intt(
    a: ArrayLike | DeviceArray,
    prime: Prime | None = None,
    *,
    axis: int = -1,
    coset: int | None = None,
    negacyclic: bool = False,
    input_order: str = "natural",
    output_order: str = "natural",
    size: int | None = None,
    root: int | None = None,
    ring: str | None = None,
    wrap: bool = False,
    device: Device = "auto",
) -> DeviceArray | NDArray:
    """The inverse of :func:`ntt` with the same ``coset`` and ``negacyclic``, including the factor 1/n.

    The parameters are those of :func:`ntt`. ``input_order`` is the order of the values, ``output_order`` that of the
    coefficients.

    >>> import wgalois
    >>> wgalois.intt([10, 6, 15, 7], 17)
    array([1, 2, 3, 4])
    """
    if _fields.is_field(prime):
        if root is not None or ring is not None:
            raise UsageError("root= and ring=: transforms over a scalar field have arkworks' root")
        a = _sized(a, size, axis)
        return _over_field(True, a, prime, axis, coset, negacyclic, input_order, output_order, wrap, device)
    options = _options(True, coset, negacyclic, input_order, output_order)
    return _any(True, a, prime, axis, options, size, root, ring, wrap, device)


def multiply_ml_kem(a: ArrayLike, b: ArrayLike) -> NDArray[np.uint32]:
    """The products of polynomials that ``ntt(a, ring="ml-kem")`` transformed: MultiplyNTTs, algorithm 11 of FIPS 203.

    Both arrays have the same shape, with 256 residues modulo 3329 along the last axis.

    >>> import wgalois
    >>> a = wgalois.ntt([0] * 255 + [1], ring="ml-kem")
    >>> int(wgalois.intt(wgalois.multiply_ml_kem(a, a), ring="ml-kem")[254]) - 3329
    -1
    """
    expect_plain(a, 3329, "the first polynomial")
    expect_plain(b, 3329, "the second polynomial")
    x = residues(integers(a, "the first polynomial"), 3329, False, "coefficient")
    y = residues(integers(b, "the second polynomial"), 3329, False, "coefficient")
    if x.shape != y.shape:
        raise InputError(f"polynomials of shapes {x.shape} and {y.shape}")
    product = np.zeros(x.shape, np.uint32)
    _native.ml_kem_multiply(x.reshape(-1), y.reshape(-1), product.reshape(-1))
    return product


def _signed(a: NDArray, what: str) -> NDArray[np.int64]:
    """Coefficients of an exact product as contiguous 64-bit words."""
    if a.dtype != np.int64 and a.size:
        low, high = int(a.min()), int(a.max())
        if low < -(2**63) or high >= 2**63:
            raise InputError(f"a coefficient of the {what} polynomial is {low if low < -(2**63) else high}: not a 64-bit integer")
    return np.ascontiguousarray(a, dtype=np.int64)


def _factors(a, b, axis):
    """The factors with their polynomials along the last axis, and the dimensions of the batch, which broadcast."""
    a, b = integers(a, "the first polynomial"), integers(b, "the second polynomial")
    x, y = last_axis(a, axis), last_axis(b, axis)
    if x.shape[:-1] == y.shape[:-1]:
        return a, b, x, y, x.shape[:-1]
    try:
        batch = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    except ValueError:
        raise InputError(f"batches of shapes {x.shape[:-1]} and {y.shape[:-1]}") from None
    x = np.broadcast_to(x, batch + x.shape[-1:])
    y = np.broadcast_to(y, batch + y.shape[-1:])
    return a, b, x, y, batch


def _product(a, b, prime, mode, n, axis, wrap, device, plan=None):
    p = None if prime is None else _native.modulus_value(prime_text(prime))
    expect_plain(a, p, "the first polynomial")
    expect_plain(b, p, "the second polynomial")
    a, b, x, y, batch = _factors(a, b, axis)
    lengths = (x.shape[-1], y.shape[-1])
    form = (mode, max(lengths) if n is None else index(n, "n"))
    length = _native.product_length(form, *lengths)
    shape = batch + (length,)
    if p is None:
        if wrap:
            raise UsageError("wrap= takes a prime")
        x, y = _signed(x, "first"), _signed(y, "second")
        low, high, fits = np.zeros(shape, np.uint64), np.zeros(shape, np.int64), True
        if low.size:
            arrays = [z.reshape(-1) for z in (x, y, low, high)]
            fits = _native.exact(*arrays, lengths, form, device) if plan is None else plan.run_exact(*arrays)
        # 128-bit integers as int64 where all fit, otherwise as Python integers.
        result = low.view(np.int64) if fits else high.astype(object) * 2**64 + low.astype(object)
    else:
        x, y = residues(x, p, wrap, "coefficient"), residues(y, p, wrap, "coefficient")
        words = np.zeros(shape, np.uint32)
        if words.size:
            arrays = [z.reshape(-1) for z in (x, y, words)]
            if plan is None:
                _native.multiply(*arrays, lengths, prime_text(prime), form, device)
            else:
                plan.run_product(*arrays)
        result = words.astype(result_dtype(a, b), copy=False)
    return back_to_axis(result, axis)


def _modulus(prime, modulus):
    """The modulus, which may be given by either name."""
    if modulus is not None and prime is not None:
        raise UsageError("prime= and modulus= exclude each other")
    return prime if modulus is None else modulus


def _part(full, a, b, mode, axis):
    """The part of a whole convolution that is that of ``mode``, as NumPy has it."""
    lengths = [last_axis(integers(x, "a polynomial"), axis).shape[-1] for x in (a, b)]
    short, long = min(lengths), max(lengths)
    if short == 0:
        raise InputError(f"mode {mode}: a polynomial has no coefficients")
    first, count = ((short - 1) // 2, long) if mode == "same" else (short - 1, long - short + 1)
    part = np.moveaxis(full, axis, -1)[..., first : first + count]
    return np.moveaxis(part, -1, axis)


def _expect_one_place(a, b) -> None:
    """Refuses a DeviceArray and an array of the host: the former would be downloaded, and its modulus lost."""
    if isinstance(a, DeviceArray) != isinstance(b, DeviceArray):
        raise UsageError("one factor is a DeviceArray and the other is not; see wgalois.asdevice")


@overload
def polymul(
    a: DeviceArray,
    b: DeviceArray,
    prime: Prime | None = None,
    *,
    modulus: Prime | None = None,
    axis: int = -1,
    wrap: bool = False,
    device: Device = "auto",
) -> DeviceArray: ...
@overload
def polymul(
    a: ArrayLike,
    b: ArrayLike,
    prime: Prime | None = None,
    *,
    modulus: Prime | None = None,
    axis: int = -1,
    wrap: bool = False,
    device: Device = "auto",
) -> NDArray: ...
def polymul(
    a: ArrayLike | DeviceArray,
    b: ArrayLike | DeviceArray,
    prime: Prime | None = None,
    *,
    modulus: Prime | None = None,
    axis: int = -1,
    wrap: bool = False,
    device: Device = "auto",
) -> DeviceArray | NDArray:
    """The product of the polynomials ``a`` and ``b``, lowest degree first, modulo ``prime`` or exactly.

    Parameters
    ----------
    a, b : arrays of integers, or two DeviceArrays
        Polynomials along ``axis``; the other dimensions are a batch and broadcast. Coefficients are from 0 to
        prime - 1. A polynomial may be empty: zero.
    prime : int or str, optional
        Any modulus from 2 to 2**31 - 1, prime or not, by value or name, or a scalar field as for :func:`ntt`. A prime
        that has transforms of the product's length is fastest; otherwise the product is that of integers, reduced.
        Without a modulus the product is exact, over the integers, for coefficients of 64 bits; it is refused if
        twice the number of terms times the
        largest coefficients is not below 2**90.5.
    modulus : int or str, optional
        The same by another name.
    wrap, device
        As for :func:`ntt`.

    Returns
    -------
    numpy.ndarray with ``len(a) + len(b) - 1`` coefficients along ``axis``.
        Modulo a prime of the dtype of a and b if that has at least 32 bits, otherwise uint32. An exact product is
        int64 if all coefficients fit, otherwise an array of Python integers (dtype object).

    Examples
    --------
    >>> import wgalois
    >>> wgalois.polymul([1, 2, 3], [4, 5], "babybear")
    array([ 4, 13, 22, 15])
    >>> wgalois.polymul([1, 2, 3], [4, 5], modulus=10)
    array([4, 3, 2, 5])
    >>> wgalois.polymul([2**40, -1], [2**40, 1])
    array([1208925819614629174706176, 0, -1], dtype=object)
    """
    prime = _modulus(prime, modulus)
    if _fields.is_field(prime):
        if isinstance(a, DeviceArray) or isinstance(b, DeviceArray):
            raise UsageError(f"a device array has residues modulo a prime, and the field is {prime}")
        return _fields.multiply(a, b, prime, axis, wrap, device)
    _expect_one_place(a, b)
    if isinstance(a, DeviceArray):
        return a._multiply(b, prime, "full", None, axis, wrap, device)
    return _product(a, b, prime, "full", None, axis, wrap, device)


@overload
def convolve(
    a: DeviceArray,
    b: DeviceArray,
    prime: Prime | None = None,
    *,
    mode: str = "full",
    n: int | None = None,
    modulus: Prime | None = None,
    axis: int = -1,
    wrap: bool = False,
    device: Device = "auto",
) -> DeviceArray: ...
@overload
def convolve(
    a: ArrayLike,
    b: ArrayLike,
    prime: Prime | None = None,
    *,
    mode: str = "full",
    n: int | None = None,
    modulus: Prime | None = None,
    axis: int = -1,
    wrap: bool = False,
    device: Device = "auto",
) -> NDArray: ...
def convolve(
    a: ArrayLike | DeviceArray,
    b: ArrayLike | DeviceArray,
    prime: Prime | None = None,
    *,
    mode: str = "full",
    n: int | None = None,
    modulus: Prime | None = None,
    axis: int = -1,
    wrap: bool = False,
    device: Device = "auto",
) -> DeviceArray | NDArray:
    """The convolution of ``a`` and ``b``, modulo ``prime`` or exactly.

    Parameters
    ----------
    mode : "full", "same", "valid", "cyclic" or "negacyclic"
        "full" is :func:`polymul` and ``numpy.convolve``, whose "same" and "valid" are parts of it: the middle of the
        length of the longer operand, and the places where the operands overlap completely. "cyclic" is the product
        modulo x**n - 1, "negacyclic" that modulo x**n + 1.
    n : int, optional
        Any length from 1 to 2**27, by default that of the longer operand; not for "full".
    a, b, prime, modulus, axis, wrap, device
        As for :func:`polymul`.

    Examples
    --------
    >>> import wgalois
    >>> wgalois.convolve([1, 2, 3], [0, 1], mode="same")
    array([0, 1, 2])
    >>> wgalois.convolve([1, 2, 3], [0, 1], mode="cyclic")
    array([3, 1, 2])
    >>> wgalois.convolve([1, 2, 3], [0, 1], mode="negacyclic")
    array([-3,  1,  2])
    """
    prime = _modulus(prime, modulus)
    if mode in ("same", "valid"):
        expect_no_length(n)
        if isinstance(a, DeviceArray) or isinstance(b, DeviceArray):
            raise UsageError(f"mode {mode} takes arrays of the host")
        return _part(polymul(a, b, prime, axis=axis, wrap=wrap, device=device), a, b, mode, axis)
    if _fields.is_field(prime):
        _fields.expect_full(mode, n)
        return polymul(a, b, prime, axis=axis, wrap=wrap, device=device)
    _expect_one_place(a, b)
    if mode == "full":
        expect_no_length(n)
    if isinstance(a, DeviceArray):
        return a._multiply(b, prime, mode, n, axis, wrap, device)
    return _product(a, b, prime, mode, n, axis, wrap, device)

"""Transforms and products over the scalar fields of curves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._arrays import expect_factors, expect_no_length, expect_plain, expect_vectors, index, order_is_reversed
from .errors import InputError, UsageError

LIMBS = 4
_ORDERS = {name: sum(limb << 64 * i for i, limb in enumerate(limbs)) for name, limbs in _native.fields()}


def is_field(prime) -> bool:
    """True for the name of a scalar field; an unknown one is an error where it is used."""
    return isinstance(prime, str) and prime.lower().endswith("-fr")


def expect_full(mode: str, n: int | None) -> None:
    """Refuses another mode of a product than "full", and the length of another mode."""
    if mode != "full":
        raise UsageError(f"mode {mode!r}: over a scalar field there are products of mode full only")
    expect_no_length(n)


def order(field: str) -> int:
    """The order of a field by name."""
    value = _ORDERS.get(field.lower())
    if value is None:
        raise UsageError(f'no field "{field}"; there are {", ".join(_ORDERS)}')
    return value


def _elements(a, what: str, field: str, wrap: bool) -> tuple[NDArray[np.uint64], bool]:
    """Elements as limbs, and whether they were given so: arrays of uint64 are limbs, others are integers."""
    r = order(field)
    expect_plain(a, r, what)
    is_limbs = isinstance(a, np.ndarray) and a.dtype == np.uint64
    if is_limbs:
        if wrap:
            raise UsageError("wrap= takes integers, not limbs")
        if a.ndim < 2 or a.shape[-1] != LIMBS:
            raise InputError(f"{what}: limbs of shape (..., n, {LIMBS}) were expected, not {a.shape}")
        return a, True
    integers = np.asarray(a, dtype=object)
    if integers.ndim == 0:
        raise InputError("an array of at least one dimension was expected")
    limbs = np.empty((integers.size, LIMBS), np.uint64)
    for k, x in enumerate(integers.flat):
        if not isinstance(x, (int, np.integer)):
            raise InputError(f"{what}: integers were expected, not {type(x).__name__}")
        x = int(x) % r if wrap else int(x)
        if not 0 <= x < r:
            fault = "negative: reduce with wrap=True" if x < 0 else f"not below the order of the field, {r}"
            raise InputError(f"{what} {k} is {x}, {fault}")
        limbs[k] = [x >> 64 * i & (2**64 - 1) for i in range(LIMBS)]
    return limbs.reshape(integers.shape + (LIMBS,)), False


def _as_given(limbs: NDArray[np.uint64], is_limbs: bool) -> NDArray:
    if is_limbs:
        return limbs
    words = limbs.astype(object)
    powers = np.array([1 << 64 * i for i in range(LIMBS)], object)
    return (words * powers).sum(axis=-1) if words.size else np.zeros(limbs.shape[:-1], object)


def _vectors(limbs: NDArray[np.uint64], axis: int) -> NDArray[np.uint64]:
    """The limbs with their vectors along the last axis but one."""
    dimensions, axis = limbs.ndim - 1, index(axis, "axis")
    if not -dimensions <= axis < dimensions:
        raise InputError(f"axis {axis} of an array of {dimensions} dimensions of elements")
    return np.moveaxis(limbs, axis % dimensions, -2)


def options_of(field, inverse, coset, negacyclic, input_order, output_order):
    """The options of a transform as the extension module takes them."""
    shift = None if coset is None else index(coset, f"coset shift {coset}")
    if shift is not None and not 0 < shift < order(field):
        raise InputError(f"coset shift {coset}: it must be from 1 to the order of the field less 1")
    return (
        bool(inverse),
        order_is_reversed(input_order, "input_order"),
        order_is_reversed(output_order, "output_order"),
        None if shift is None else [shift >> 64 * i & (2**64 - 1) for i in range(LIMBS)],
        bool(negacyclic),
    )


def transform(a, field, axis, options, wrap, device, plan=None, n=None):
    """The transforms of :func:`wgalois.ntt` over a scalar field, by a plan for vectors of ``n`` elements if one is given."""
    limbs, is_limbs = _elements(a, "entry", field, wrap)
    vectors = _vectors(limbs, axis)
    # It is transformed in place, and the caller keeps the input.
    data = np.array(vectors, order="C", copy=True)
    if data.shape[-2] == 0:
        raise InputError("length 0: it must be a power of two")
    if n is not None:
        expect_vectors(data.shape[-2], n)
    if plan is None:
        _native.field_transform(data.reshape(-1), data.shape[-2], field, options, device)
    else:
        plan.run_field_transform(data.reshape(-1))
    return _as_given(np.moveaxis(data, -2, axis % (limbs.ndim - 1)), is_limbs)


def multiply(a, b, field, axis, wrap, device, plan=None, planned=None):
    """The products of :func:`wgalois.polymul` over a scalar field, by a plan for factors of ``planned`` coefficients if one
    is given."""
    (a, a_is_limbs), (b, b_is_limbs) = (_elements(x, "coefficient", field, wrap) for x in (a, b))
    if a_is_limbs != b_is_limbs:
        raise UsageError("one factor has limbs, the other integers")
    x, y = _vectors(a, axis), _vectors(b, axis)
    try:
        batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    except ValueError:
        raise InputError(f"batches of shapes {x.shape[:-2]} and {y.shape[:-2]}") from None
    x, y = (np.ascontiguousarray(np.broadcast_to(z, batch + z.shape[-2:])) for z in (x, y))
    lengths = (x.shape[-2], y.shape[-2])
    if planned is not None:
        expect_factors(lengths, planned)
    length = sum(lengths) - 1 if all(lengths) else 0
    product = np.zeros(batch + (length, LIMBS), np.uint64)
    if product.size:
        arrays = [z.reshape(-1) for z in (x, y, product)]
        if plan is None:
            _native.field_multiply(*arrays, lengths, field, device)
        else:
            plan.run_field_product(*arrays)
    return _as_given(np.moveaxis(product, -2, axis % (len(batch) + 1)), a_is_limbs)

"""Plans: computations of one shape, prepared once and run many times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _fields, _native
from ._arrays import Device, Prime, expect_factors, expect_no_length, expect_vectors, index, integers, last_axis, prime_text
from ._bits import _packed, _second
from ._device_array import DeviceArray
from ._factor import _solved
from ._ntt import _options, _product, _transform
from .errors import InputError, SingularError, UsageError


class Plan:
    """A computation of one shape on one device, prepared to run as often as you like.

    Made by :meth:`ntt`, :meth:`intt`, :meth:`polymul` and :meth:`gf2`, and called with the data. Primes are those of
    :func:`wgalois.ntt`, the scalar fields of curves included. ``print(plan)`` shows what the program's ``--plan`` shows:
    method, passes, expected time, memory.

    >>> import wgalois
    >>> plan = wgalois.Plan.ntt(4, 17, device="cpu")
    >>> plan([1, 2, 3, 4])
    array([10,  6, 15,  7])
    >>> plan.inverse([10, 6, 15, 7])
    array([1, 2, 3, 4])
    """

    __slots__ = ("_arguments", "_inverse", "_made", "_native", "_run")

    _arguments: tuple | None
    _made: tuple[str, tuple]
    _inverse: Plan | None
    _native: _native.Plan
    _run: Callable

    def __init__(self):
        raise UsageError("a plan is made by Plan.ntt, Plan.intt, Plan.polymul or Plan.gf2")

    @classmethod
    def _of(cls, native, run, made, arguments=None):
        plan = cls.__new__(cls)
        plan._native, plan._run, plan._made, plan._arguments, plan._inverse = native, run, made, arguments, None
        return plan

    def __reduce__(self) -> tuple:
        return _planned_again, self._made

    def __copy__(self) -> Plan:
        return self

    def __deepcopy__(self, memo: dict) -> Plan:
        return self

    @classmethod
    def _transform(cls, n, prime, batch, inverse, coset, negacyclic, input_order, output_order, device):
        n, batch = index(n, "n"), index(batch, "batch")
        made = ("_transform", (n, prime, batch, inverse, coset, negacyclic, input_order, output_order, device))
        back = (n, prime, batch, not inverse, coset, negacyclic, output_order, input_order, device)
        if _fields.is_field(prime):
            options = _fields.options_of(prime, inverse, coset, negacyclic, input_order, output_order)
            native = _native.Plan.field_transform(n, batch, prime, options, device)

            def over_field(a, axis=-1, wrap=False):
                return _fields.transform(a, prime, axis, options, wrap, device, native, n)

            return cls._of(native, over_field, made, back)
        options = _options(inverse, coset, negacyclic, input_order, output_order)
        native = _native.Plan.transform(n, batch, prime_text(prime), options, device)

        def run(a, axis=-1, wrap=False):
            if isinstance(a, DeviceArray):
                if axis != -1 or wrap or a.shape[-1] != n:
                    raise InputError(f"device array of shape {a.shape}: vectors of {n} along the last axis were expected")
                copy = a.copy()
                copy._native.run(native)
                return copy
            shape = last_axis(integers(a, "the vectors"), axis).shape
            expect_vectors(shape[-1], n)
            return _transform(a, prime, axis, options, wrap, device, native.run_transform)

        return cls._of(native, run, made, back)

    @classmethod
    def ntt(
        cls,
        n: int,
        prime: Prime,
        *,
        batch: int = 1,
        coset: int | None = None,
        negacyclic: bool = False,
        input_order: str = "natural",
        output_order: str = "natural",
        device: Device = "auto",
    ) -> Plan:
        """A plan for :func:`wgalois.ntt` of ``batch`` vectors of length ``n``; called with ``(a, axis=-1, wrap=False)``."""
        return cls._transform(n, prime, batch, False, coset, negacyclic, input_order, output_order, device)

    @classmethod
    def intt(
        cls,
        n: int,
        prime: Prime,
        *,
        batch: int = 1,
        coset: int | None = None,
        negacyclic: bool = False,
        input_order: str = "natural",
        output_order: str = "natural",
        device: Device = "auto",
    ) -> Plan:
        """A plan for :func:`wgalois.intt` of ``batch`` vectors of length ``n``; called as that of :meth:`ntt`."""
        return cls._transform(n, prime, batch, True, coset, negacyclic, input_order, output_order, device)

    @classmethod
    def polymul(
        cls,
        a: int,
        b: int,
        prime: Prime | None = None,
        *,
        batch: int = 1,
        mode: str = "full",
        n: int | None = None,
        device: Device = "auto",
    ) -> Plan:
        """A plan for :func:`wgalois.convolve` of ``a`` and ``b`` coefficients; called with ``(a, b, axis=-1, wrap=False)``.

        ``batch`` is the number of products whose time and memory are planned, for a prime. Exact products and those over a
        scalar field are planned one by one. Any number of products can be computed.
        """
        lengths, batch = (index(a, "a"), index(b, "b")), index(batch, "batch")
        made = ("_product", (*lengths, prime, batch, mode, n, device))
        if batch != 1 and (prime is None or _fields.is_field(prime)):
            raise UsageError("batch=: products without a prime, or over a scalar field, are planned one by one")
        if _fields.is_field(prime):
            _fields.expect_full(mode, n)
            of_field = _native.Plan.field_product(lengths, str(prime), device)

            def over_field(a, b, axis=-1, wrap=False):
                return _fields.multiply(a, b, prime, axis, wrap, device, of_field, lengths)

            return cls._of(of_field, over_field, made)
        if mode == "full":
            expect_no_length(n)
        length = max(lengths) if n is None else index(n, "n")
        text = None if prime is None else prime_text(prime)
        native = _native.Plan.product(lengths, batch, text, (mode, length), device)

        def run(a, b, axis=-1, wrap=False):
            if isinstance(a, DeviceArray) or isinstance(b, DeviceArray):
                raise UsageError("this plan multiplies arrays of the host; wgalois.polymul multiplies DeviceArrays")
            given = tuple(last_axis(integers(x, "a polynomial"), axis).shape[-1] for x in (a, b))
            expect_factors(given, lengths)
            return _product(a, b, prime, mode, n, axis, wrap, device, native)

        return cls._of(native, run, made)

    @classmethod
    def gf2(cls, operation: str, rows: int, columns: int, *, others: int = 0, device: Device = "auto") -> Plan:
        """A plan for a function of :mod:`wgalois.gf2`, called with one matrix or two.

        ``operation`` is "rank", "echelon", "rref", "solve", "null_space", "inv" or "matmul"; ``others`` the number of
        columns of the second matrix, 1 for a vector. "echelon" and "rref" return the form and the columns of the pivots.
        """
        sizes = (index(rows, "rows"), index(columns, "columns"), index(others, "others"))
        takes_two = operation in ("solve", "matmul")
        if others != 0 and not takes_two:
            raise UsageError(f"others=: operation {operation!r} takes one matrix")
        native = _native.Plan.dense(operation, *sizes, device)

        def run(a, b=None):
            if b is not None and not takes_two:
                raise UsageError(f"operation {operation!r} takes one matrix")
            packed, form = _packed(a)
            is_vector, other = False, None
            if b is not None:
                other, beside, is_vector = _second(b)
                form = form if is_vector else form.beside(beside)
            matrix, pivots, inconsistent, rank = native.run_dense(packed, other)
            if operation == "rank":
                return rank
            if operation == "solve":
                return _solved(form, is_vector, matrix, inconsistent)
            if matrix is None:
                raise SingularError("no inverse", rank, sizes[0])
            if operation in ("echelon", "rref"):
                return form(matrix), np.array(pivots, np.int64)
            return form.vector(matrix) if is_vector else form(matrix)

        return cls._of(native, run, ("_dense", (operation, *sizes, device)))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the plan."""
        return self._run(*args, **kwargs)

    @property
    def inverse(self) -> Plan:
        """The plan of the inverse transform: from the order of the output to that of the input."""
        if self._arguments is None:
            raise UsageError("only a plan of a transform has an inverse")
        if self._inverse is None:
            self._inverse = Plan._transform(*self._arguments)
        return self._inverse

    @property
    def seconds(self) -> float:
        """The expected time of preparing and running once, an estimate."""
        return self._native.seconds

    @property
    def host_bytes(self) -> int:
        """Bytes of host memory beside the inputs, an upper bound."""
        return self._native.host_bytes

    @property
    def device_bytes(self) -> int:
        """Bytes of device memory, an upper bound; 0 on the CPU engine."""
        return self._native.device_bytes

    @property
    def device(self) -> str:
        """The name of the device."""
        return self._native.device

    def __str__(self) -> str:
        return str(self._native)

    def __repr__(self) -> str:
        return f"<Plan on {self.device}>\n{self}"


def _planned_again(name: str, arguments: tuple) -> Plan:
    """A plan that was pickled, prepared again."""
    if name == "_transform":
        return Plan._transform(*arguments)
    if name == "_dense":
        operation, rows, columns, others, device = arguments
        return Plan.gf2(operation, rows, columns, others=others, device=device)
    a, b, prime, batch, mode, n, device = arguments
    return Plan.polymul(a, b, prime, batch=batch, mode=mode, n=n, device=device)

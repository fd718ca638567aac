"""Boolean systems: polynomial equations over GF(2), from their text to their solutions.

The equations are polynomials that must all be 0: a text, a list of texts, or a ``pathlib.Path`` of a file, in the formats
of the program's ``solve``: a polynomial a line, ``x1*x2 + x3 + 1``, as Bosphorus has them; lists that Sage or Magma print;
or the Fukuoka MQ challenge's coefficients. The variables are those that occur. Linear equations are substituted first; a
method then solves what is left.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from . import _native
from ._arrays import Device

__all__ = ["count", "solve", "solve_all"]

Equations = str | Iterable[str] | os.PathLike


def _solve(equations, query, method, format, time_limit, device):
    is_path = isinstance(equations, os.PathLike)
    path = os.fspath(equations) if is_path else None
    text = None if is_path else equations if isinstance(equations, str) else "\n".join(equations)
    seconds = None if time_limit is None else float(time_limit)
    return _native.boolean_solve(text, path, query, method, format, seconds, device)


def _assignments(names, values):
    return [{name: int(value) for name, value in zip(names, row)} for row in values]


def solve(
    equations: Equations,
    *,
    method: str = "auto",
    format: str | None = None,
    time_limit: float | None = None,
    device: Device = "auto",
) -> dict[str, int] | None:
    """A solution, the values of the variables by name; None if there is none.

    Parameters
    ----------
    equations : str, list of str, or pathlib.Path
        The polynomials that must be 0, or the file that has them.
    method : str
        "auto", "exhaustive" (all values of all variables), "xl" (Macaulay matrices) or "crossbred" (both).
    format : str, optional
        "anf", "sage", "challenge" or "dimacs"; by default it is recognised.
    time_limit : float, optional
        Seconds after which the search ends with :class:`wgalois.errors.StoppedError`.
    device
        As for :func:`wgalois.ntt`.

    Every solution is evaluated in all equations before it is returned.

    >>> from wgalois import boolean
    >>> boolean.solve(["x*y + 1", "x + y + z"])
    {'x': 1, 'y': 1, 'z': 0}
    >>> boolean.solve(["x*y + 1", "x + y + 1"]) is None
    True
    """
    names, values, _ = _solve(equations, "one", method, format, time_limit, device)
    found = _assignments(names, values)
    return found[0] if found else None


def solve_all(
    equations: Equations,
    *,
    method: str = "auto",
    format: str | None = None,
    time_limit: float | None = None,
    device: Device = "auto",
) -> list[dict[str, int]]:
    """All solutions, at most 2**24, in ascending order of their values; the parameters are those of :func:`solve`.

    >>> from wgalois import boolean
    >>> boolean.solve_all(["x*y + x", "y + 1"])
    [{'x': 0, 'y': 1}, {'x': 1, 'y': 1}]
    """
    names, values, _ = _solve(equations, "all", method, format, time_limit, device)
    return _assignments(names, values)


def count(
    equations: Equations,
    *,
    method: str = "auto",
    format: str | None = None,
    time_limit: float | None = None,
    device: Device = "auto",
) -> int:
    """The number of solutions; the parameters are those of :func:`solve`.

    >>> from wgalois import boolean
    >>> boolean.count(["x*y + x", "y*z + z"])
    5
    """
    return int(_solve(equations, "count", method, format, time_limit, device)[2])

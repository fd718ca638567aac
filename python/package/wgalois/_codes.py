"""Codes over GF(2): spans, and the distances of linear codes by information sets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._arrays import Device, index
from ._bits import BitMatrix, MatrixLike, _packed
from .errors import InputError

# Entries of the matrices that are reduced in one call.
_ENTRIES = 1 << 24


class Distance(NamedTuple):
    """The weight of a word of a code that is not 0, and the word."""

    weight: int
    word: NDArray[np.uint8]


def _sums(native: _native.BitMatrix, device: Device) -> _native.BitMatrix:
    """The sums of all sets of rows: row i is the sum of the rows whose bits the number i has."""
    rows = native.shape[0]
    if rows > 26:
        raise InputError(f"a span of 2**{rows} vectors: 2**26 at most")
    numbers = np.arange(1 << rows, dtype="<u4").view(np.uint8).reshape(-1, 4)[:, : -(-rows // 8)]
    sets = _native.BitMatrix.of_packed(np.ascontiguousarray(numbers).reshape(-1), 1 << rows, rows, False)
    return _native.gf2_compute("matmul", sets, native, None, device)[0]


def row_span(a: MatrixLike, *, device: Device = "auto") -> Any:
    """All vectors of the row space, 2**rank of them, at most 2**26: row i of the result is the sum of the rows of
    :func:`row_space` whose bits the number i has.

    >>> from wgalois import gf2
    >>> gf2.row_span([[1, 1, 0], [0, 1, 1], [1, 0, 1]]).tolist()
    [[0, 0, 0], [1, 0, 1], [0, 1, 1], [1, 1, 0]]
    """
    native, form = _packed(a)
    reduced, pivots, _, _ = _native.gf2_compute("rref", native, None, None, device)
    return form(_sums(reduced.head(len(pivots)), device))


def _words(pcm: MatrixLike, device: Device) -> NDArray[np.uint8]:
    """A basis of a code that has words beside 0."""
    basis = _native.gf2_compute("null_space", _packed(pcm)[0], None, None, device)[0]
    if not basis.shape[0]:
        raise InputError("the code has no word but 0, and so no distance")
    return BitMatrix._of(basis).to_numpy()


def estimate_distance(pcm: MatrixLike, *, rounds: int = 1000, seed: int | None = None, device: Device = "auto") -> Distance:
    """A light word of the code ``{x : pcm @ x == 0}``: its weight is an upper bound of the distance.

    Each round reduces a basis of the code with its columns in random order, and looks at the rows (an information set,
    by Prange). The rounds run beside each other, as many small matrices. :func:`distance` returns the distance itself.

    Parameters
    ----------
    pcm : matrix
        The checks of the code.
    rounds : int
        How many information sets are tried.
    seed : int, optional
        Of the random orders; the same seed gives the same word.
    device
        As for :func:`rank`.

    >>> from wgalois import gf2
    >>> gf2.estimate_distance([[1, 1, 0], [0, 1, 1]], rounds=5).weight
    3
    """
    rounds = index(rounds, "rounds")
    if rounds < 1:
        raise InputError(f"rounds={rounds}: it must be 1 or more")
    basis, random = _words(pcm, device), np.random.default_rng(seed)
    k, n = basis.shape
    best = Distance(n + 1, np.zeros(0, np.uint8))
    while rounds:
        count = min(rounds, max(1, _ENTRIES // (k * n)))
        rounds -= count
        orders = np.stack([random.permutation(n) for _ in range(count)])
        mixed = np.ascontiguousarray(basis[:, orders].transpose(1, 0, 2))
        out, ranks = np.zeros_like(mixed), np.zeros(count, np.int64)
        _native.gf2_many("rref", mixed.reshape(-1), mixed.shape, None, (0, 0), out.reshape(-1), ranks, device)
        weights = out.sum(axis=2, dtype=np.int64)
        place = int(np.argmin(weights))
        if weights.flat[place] < best.weight:
            word = np.zeros(n, np.uint8)
            word[orders[place // k]] = out[place // k, place % k]
            best = Distance(int(weights.flat[place]), word)
    return best


def _forms(basis: NDArray[np.uint8], device: Device) -> list[tuple[int, NDArray[np.int64], _native.BitMatrix]]:
    """Reduced bases of the code with pivots in columns that no other has: the number of these, the order of the columns, the
    basis in this order."""
    n, free, forms = basis.shape[1], list(range(basis.shape[1])), []
    while free:
        taken = sorted(set(range(n)) - set(free))
        order = np.array(free + taken, np.int64)
        native = BitMatrix(basis[:, order])._native
        form, pivots, _, _ = _native.gf2_compute("rref", native, None, None, device)
        own = [order[c] for c in pivots if c < len(free)]
        if not own:
            break
        forms.append((len(own), order, form))
        free = sorted(set(free) - set(own))
    return forms


def distance(pcm: MatrixLike, *, device: Device = "auto") -> Distance:
    """The distance of the code ``{x : pcm @ x == 0}``, the least weight of a word that is not 0, and such a word.

    By Brouwer and Zimmermann: sums of one row, two rows and so on of bases with disjoint information sets, until every other
    word must be heavier. The bases are reduced on ``device``, and the sums are those of the CPU engine, on all threads. For codes
    of dimension k the time grows as the number of sets of up to w of k rows, w some distance * k / n.

    >>> from wgalois import gf2
    >>> gf2.distance([[0, 0, 0, 1, 1, 1, 1], [0, 1, 1, 0, 0, 1, 1], [1, 0, 1, 0, 1, 0, 1]]).weight
    3
    """
    basis = _words(pcm, device)
    k, n = basis.shape
    forms = _forms(basis, device)
    done: dict[int, int] = {}
    best = Distance(n + 1, np.zeros(0, np.uint8))
    for w in range(1, k + 1):
        bound = 0
        for number, (own, order, form) in enumerate(forms):
            # A word that is no sum of up to w rows has so many ones in the columns of these pivots.
            least = max(0, w + 1 - (k - own))
            for count in range(done.get(number, 0) + 1, w + 1 if least else 0):
                best = min(best, _lightest(form, order, count), key=lambda found: found.weight)
                done[number] = count
            bound += least
        if bound >= best.weight:
            break
    return best


def _lightest(form: _native.BitMatrix, order: NDArray[np.int64], count: int) -> Distance:
    """The lightest sum of so many rows, with its columns in the order of the code."""
    found = _native.gf2_lightest(form, count)
    word = np.zeros(len(order), np.uint8)
    if found is None:
        return Distance(len(order) + 1, word)
    word[order] = np.bitwise_xor.reduce(BitMatrix._of(form).to_numpy()[found[1]], axis=0)
    return Distance(found[0], word)

"""Matrices over GF(2) that stay on a device, beside those of the host and galois."""

import galois
import numpy as np
import pytest
import scipy.sparse
import wgalois
from wgalois import gf2

SHAPES = [(0, 0), (0, 3), (3, 0), (1, 1), (7, 5), (65, 63), (130, 520), (600, 300)]


@pytest.fixture(params=["cpu", "gpu"])
def device(request):
    if request.param == "gpu":
        request.getfixturevalue("adapters")
    return request.param


def matrices(rows, columns):
    rng = np.random.default_rng((rows, columns))
    r = min(rows, columns) // 2
    low = rng.integers(0, 2, (rows, r)) @ rng.integers(0, 2, (r, columns)) % 2
    return [rng.integers(0, 2, (rows, columns), np.uint8), low.astype(np.uint8), np.zeros((rows, columns), np.uint8)]


@pytest.mark.parametrize("shape", SHAPES)
def test_forms(shape, device):
    for a in matrices(*shape):
        x = wgalois.asdevice(a, device=device)
        assert isinstance(x, gf2.DeviceMatrix) and x.shape == shape and len(x) == shape[0]
        form, pivots = gf2.rref(a, device="cpu"), gf2.pivots(a, device="cpu")
        reduced = gf2.rref(x)
        assert isinstance(reduced, gf2.DeviceMatrix) and reduced.device == x.device
        assert np.array_equal(reduced, form) and np.array_equal(gf2.row_reduce(x), form)
        assert np.array_equal(gf2.pivots(x), pivots) and gf2.rank(x) == len(pivots)
        if a.size:
            assert np.array_equal(reduced, galois.GF(2)(a).row_reduce())
        # The matrix is what it was.
        assert np.array_equal(x, a)


def test_pivots_within_columns(device):
    a = matrices(40, 90)[0]
    x = wgalois.asdevice(a, device=device)
    for columns in (0, 1, 20, 64, 90):
        form = gf2.rref(x, ncols=columns)
        assert np.array_equal(np.asarray(form)[:, :columns], gf2.rref(a[:, :columns], device="cpu"))
        # The other columns follow the row operations, so the row space stays; which rows the others are is not unique.
        assert np.array_equal(gf2.rref(form), gf2.rref(x))


@pytest.mark.parametrize("inner", [0, 1, 33, 300])
def test_products(inner, device):
    rng = np.random.default_rng(inner)
    a, b = rng.integers(0, 2, (70, inner), np.uint8), rng.integers(0, 2, (inner, 150), np.uint8)
    x, y = wgalois.asdevice(a, device=device), wgalois.asdevice(b, device=device)
    assert np.array_equal(x @ y, a.astype(int) @ b % 2) and np.array_equal(gf2.matmul(x, y), x @ y)
    square = wgalois.asdevice(rng.integers(0, 2, (50, 50), np.uint8), device=device)
    assert np.array_equal((square @ square) @ square, square @ (square @ square))


def test_forms_of_matrices(device):
    a = matrices(20, 33)[0]
    packed = gf2.BitMatrix(a)
    for given in (a, a.astype(bool), a.tolist(), packed, scipy.sparse.csr_matrix(a)):
        assert wgalois.asdevice(given, device=device).to_host() == packed
        assert np.array_equal(wgalois.asdevice(given, 2, device=device).to_numpy(), a)
    assert wgalois.asdevice(a, device=device).device == wgalois.asdevice([1, 2], 17, device=device).device


def test_errors(device):
    errors = wgalois.errors
    a = matrices(7, 5)[0]
    x = wgalois.asdevice(a, device=device)
    for call, kind, words in [
        (lambda: x @ x, errors.InputError, "cannot multiply: A has 5 columns, B has 7 rows"),
        (lambda: gf2.matmul(x, a), errors.UsageError, "by a device matrix"),
        (lambda: gf2.matmul(a, x), errors.UsageError, "from the host"),
        (lambda: gf2.null_space(x), errors.UsageError, "x.to_host"),
        (lambda: gf2.rref(x, ncols=6), errors.InputError, "pivots in 6 columns"),
        (lambda: wgalois.asdevice([[2]], device=device), errors.InputError, "0 or 1"),
        (lambda: wgalois.asdevice([1, 0], device=device), errors.InputError, "two dimensions"),
        (lambda: wgalois.asdevice(a, wrap=True), errors.UsageError, "wrap"),
        (lambda: np.array(x, copy=False), errors.UsageError, "copied"),
    ]:
        with pytest.raises(kind, match=words):
            call()


def test_factors_on_different_devices(adapters):
    x, y = (wgalois.asdevice([[1]], device=device) for device in ("cpu", "gpu"))
    with pytest.raises(wgalois.errors.UsageError, match="on another device"):
        x @ y

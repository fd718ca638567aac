"""Arithmetic, comparisons and slices of arrays that stay on a device, beside galois's fields."""

import galois
import numpy as np
import pytest
import wgalois
from wgalois import errors


@pytest.fixture(params=["cpu", "gpu"])
def device(request):
    if request.param == "gpu":
        request.getfixturevalue("adapters")
    return request.param


@pytest.mark.parametrize("prime", [3, 17, 2013265921, 2147483647])
def test_arithmetic_beside_galois(device, prime):
    field, rng = galois.GF(prime), np.random.default_rng(prime)
    a, b = rng.integers(0, prime, (2, 3, 50))
    a[0, :2], b[0, :2] = prime - 1, (prime - 1, 0)
    x, y, u, v = (*(wgalois.asdevice(z, prime, device=device) for z in (a, b)), field(a), field(b))
    for ours, theirs in [
        (x + y, u + v), (x - y, u - v), (x * y, u * v), (-x, -u), (x + b, u + v), (b - x, v - u), (a * y, u * v),
        (2 * x, u + u), (x * (prime + 1), u), (x - 1, u - field(1)), (1 - x, field(1) - u), (x * -1, -u), (x + b[0], u + v[0]),
    ]:  # fmt: skip
        assert isinstance(ours, wgalois.DeviceArray) and (ours.prime, ours.device) == (prime, x.device)
        assert ours.shape == theirs.shape and np.array_equal(ours.to_numpy(), theirs)


def test_comparisons(device):
    x = wgalois.asdevice([1, 2, 16], 17, device=device)
    y = wgalois.asdevice([1, 3, 16], 17, device=device)
    assert (x == y).tolist() == [True, False, True] and (x != y).tolist() == [False, True, False]
    assert (x == -1).tolist() == [False, False, True] and (x == [18, 2, 33]).all() and ([1, 2, 16] == x).all()
    assert (np.array([1, 2, 16]) == x).tolist() == [True] * 3
    with pytest.raises(TypeError):
        hash(x)


def test_slices(device):
    a = np.arange(24).reshape(2, 3, 4) % 17
    x = wgalois.asdevice(a, 17, device=device)
    for key in (0, (1, 2), (..., 0), (slice(None), slice(1, 3)), (0, slice(None, None, -1)), ([1, 0],), a > 5, (None, 1)):
        taken = x[key]
        assert isinstance(taken, wgalois.DeviceArray) and taken.device == x.device and taken.prime == 17
        assert np.array_equal(taken.to_numpy(), a[key])
    assert x[1, 2, 3] == a[1, 2, 3] and type(x[1, 2, 3]) is int
    assert np.array_equal(wgalois.ntt(x[:, 0]).to_numpy(), wgalois.ntt(a[:, 0], 17))
    with pytest.raises(IndexError):
        x[2]


def test_sums_of_numpy_are_refused(device):
    x = wgalois.asdevice([1, 2, 16], 17, device=device)
    for call in (
        np.sum, np.prod, np.cumsum, np.mean, lambda x: np.dot(x, x), lambda x: np.convolve(x, x), lambda x: np.add(x, x),
        lambda x: np.multiply(x, 3), lambda x: np.inner(x, x), lambda x: np.einsum("i,i", x, x), np.negative, np.fft.fft, np.diff,
        lambda x: np.matmul(x, x), lambda x: np.outer(x, x), lambda x: np.polyval(x, 2), np.trace,
    ):  # fmt: skip
        with pytest.raises(TypeError):
            call(x)
    assert np.array_equal(x, [1, 2, 16]) and np.asarray(x).sum() == 19 and np.shape(x) == (3,)
    assert np.concatenate([x, x]).tolist() == [1, 2, 16] * 2


def test_what_does_not_fit_is_refused(device):
    x = wgalois.asdevice([1, 2, 16], 17, device=device)
    with pytest.raises(errors.InputError, match="modulo 17, and the prime is 19"):
        x + wgalois.asdevice([1, 2, 3], 19, device=device)
    with pytest.raises(errors.InputError, match="integers"):
        x * 0.5
    with pytest.raises(ValueError):
        x + [1, 2]


def test_devices_are_not_mixed(adapters):
    with pytest.raises(errors.UsageError, match="on another device"):
        wgalois.asdevice([1], 17, device="cpu") + wgalois.asdevice([1], 17, device="gpu")

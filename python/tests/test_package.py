"""The package itself: devices, threads, signals, help."""

import doctest
import importlib
import inspect
import threading
import time

import numpy as np
import pytest
import wgalois
from wgalois import gf2


@pytest.mark.parametrize(
    "module",
    [
        "wgalois",
        "wgalois.gf2",
        "wgalois.boolean",
        "wgalois._arrays",
        "wgalois._bits",
        "wgalois._device_array",
        "wgalois._msm",
        "wgalois._ntt",
        "wgalois._plan",
    ],
)
def test_examples_of_the_docstrings(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.failed == 0 and (result.attempted > 0 or module == "wgalois")


def test_every_name_has_help():
    for module in (wgalois, gf2, wgalois.boolean, wgalois.errors):
        for name in module.__all__:
            value = getattr(module, name)
            assert inspect.getdoc(value), name
            if inspect.isclass(value):
                for member, method in vars(value).items():
                    if not member.startswith("_") and callable(getattr(value, member)):
                        assert inspect.getdoc(getattr(value, member)), f"{name}.{member}"


def test_every_function_takes_a_device():
    functions = [wgalois.ntt, wgalois.intt, wgalois.polymul, wgalois.convolve, wgalois.asdevice, wgalois.msm, wgalois.Bases]
    for module in (gf2, wgalois.boolean):
        functions += [getattr(module, name) for name in module.__all__ if inspect.isfunction(getattr(module, name))]
    functions.append(gf2.DeviceMatrix)
    for function in functions:
        assert inspect.signature(function).parameters["device"].default == "auto", function


def test_devices():
    for index, adapter in enumerate(wgalois.devices()):
        assert adapter["index"] == index and isinstance(adapter["name"], str)


def test_the_lock_is_released():
    a = np.random.default_rng(0).integers(0, 2, (3000, 3000), np.uint8)
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    for _ in range(3):
        gf2.rank(a, device="cpu")
    done.set()
    thread.join()
    assert counted > 3


def test_a_gpu_beside_the_cpu_engine(adapters):
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2013265921, (2, 256))
    expected = wgalois.ntt(a, "babybear", device="cpu")
    assert np.array_equal(wgalois.ntt(a, "babybear", device="gpu"), expected)
    x = wgalois.asdevice(a, "babybear", device="0")
    assert x.device == adapters[0]["name"]
    assert np.array_equal(wgalois.ntt(x), expected) and np.array_equal(x, a)
    assert np.array_equal(wgalois.intt(wgalois.ntt(x)), a)
    u, v = (wgalois.asdevice(row, "babybear", device="gpu") for row in a)
    assert np.array_equal(wgalois.polymul(u, v), wgalois.polymul(a[0], a[1], "babybear"))
    cube = wgalois.polymul(wgalois.polymul(u, u), u)
    assert np.array_equal(cube, wgalois.polymul(wgalois.polymul(a[0], a[0], "babybear"), a[0], "babybear"))
    b = rng.integers(0, 2, (100, 150), np.uint8)
    assert np.array_equal(gf2.rref(b, device="gpu"), gf2.rref(b, device="cpu"))

"""The package itself: devices, threads, signals, help."""

import doctest
import importlib
import inspect
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import wgalois
from wgalois import gf2


@pytest.mark.parametrize(
    "module",
    ["wgalois"] + [f"wgalois.{name}" for name in ("gf2", "_matrices", "_arrays", "_device_array", "_ntt", "_msm", "_plan")],
)
def test_examples_of_the_docstrings(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.failed == 0


def test_every_name_has_help():
    for module in (wgalois, gf2, wgalois.errors):
        for name in module.__all__:
            value = getattr(module, name)
            assert inspect.getdoc(value), name
            if inspect.isclass(value):
                for member, method in vars(value).items():
                    if not member.startswith("_") and callable(getattr(value, member)):
                        assert inspect.getdoc(getattr(value, member)), f"{name}.{member}"


def test_every_function_takes_a_device():
    functions = [wgalois.ntt, wgalois.intt, wgalois.polymul, wgalois.convolve, wgalois.asdevice, wgalois.msm, wgalois.Bases]
    functions += [getattr(gf2, name) for name in gf2.__all__ if inspect.isfunction(getattr(gf2, name))]
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


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_a_call():
    program = """
import signal, time, numpy as np
from wgalois import gf2
# A process that a shell started in the background ignores the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
a = np.random.default_rng(0).integers(0, 2, (6000, 6000), np.uint8)
print("ready", flush=True)
begin = time.monotonic()
try:
    while True:
        gf2.rref(a, device="cpu")
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    late = threading.Timer(60, process.kill)
    late.start()
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n"
    assert time.monotonic() - begin < 2
    assert process.wait() == 0
    late.cancel()


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

"""The package itself: devices, threads, signals, help."""

import doctest
import importlib
import inspect
import re
import threading
import time
from pathlib import Path

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
        "wgalois.galois2",
        "wgalois.mod2",
        "wgalois._arrays",
        "wgalois._bits",
        "wgalois._codes",
        "wgalois._device_array",
        "wgalois._factor",
        "wgalois._msm",
        "wgalois._ntt",
        "wgalois._plan",
    ],
)
def test_examples_of_the_docstrings(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.failed == 0 and (result.attempted > 0 or module == "wgalois")


def test_every_name_has_help():
    for module in (wgalois, gf2, wgalois.boolean, wgalois.errors, wgalois.galois2, wgalois.mod2):
        for name in module.__all__:
            value = getattr(module, name)
            # Its own: a subclass of ValueError would otherwise pass with the help of ValueError.
            assert value.__doc__ and value.__doc__.strip(), name
            if inspect.isclass(value) and not issubclass(value, tuple):
                for member, own in vars(value).items():
                    if not member.startswith("_"):
                        if isinstance(own, (classmethod, staticmethod)):
                            own = own.__func__
                        if callable(own) or isinstance(own, property):
                            assert own.__doc__, f"{name}.{member}"


def test_every_public_function_is_annotated():
    for module in (wgalois, gf2, wgalois.boolean, wgalois.galois2, wgalois.mod2):
        for name in module.__all__:
            value = getattr(module, name)
            members = vars(value).values() if inspect.isclass(value) else [value]
            for member in members:
                function = inspect.unwrap(getattr(member, "fget", None) or getattr(member, "__func__", member))
                if inspect.isfunction(function) and not function.__name__.startswith("_"):
                    signature = inspect.signature(function)
                    assert signature.return_annotation is not inspect.Signature.empty, f"{name}.{function.__name__}"
                    for parameter in signature.parameters.values():
                        known = parameter.annotation is not inspect.Parameter.empty or parameter.name in ("self", "cls")
                        assert known, f"{name}.{function.__name__}: {parameter}"


def test_the_code_of_the_readme():
    text = (Path(__file__).parent.parent / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


def test_every_function_takes_a_device():
    functions = [wgalois.ntt, wgalois.intt, wgalois.polymul, wgalois.convolve, wgalois.asdevice, wgalois.msm, wgalois.Bases]
    for module in (gf2, wgalois.boolean, wgalois.galois2):
        functions += [getattr(module, name) for name in module.__all__ if inspect.isfunction(getattr(module, name))]
    functions.append(gf2.DeviceMatrix)
    for function in functions:
        assert inspect.signature(function).parameters["device"].default == "auto", function


def test_devices():
    for index, adapter in enumerate(wgalois.devices()):
        assert adapter["index"] == index and isinstance(adapter["name"], str)


_BITS = gf2.BitMatrix(np.random.default_rng(0).integers(0, 2, (8000, 8000), np.uint8))


@pytest.mark.parametrize(
    "work",
    [
        lambda: gf2.rank(_BITS, device="cpu"),
        lambda: gf2.eliminate([[0]], [list(range(3000))] * 3000, method="xor-threads", device="cpu"),
        lambda: [_BITS.T for _ in range(50)],
        lambda: [_BITS.to_packed() for _ in range(50)],
        lambda: _BITS._native.lists(),
        lambda: [_BITS._native.columns(1, 8000) for _ in range(50)],
        lambda: wgalois.msm(np.tile(np.array([[[1, 0, 0, 0], [2, 0, 0, 0]]], np.uint64), (2**14, 1, 1)), range(2**14), "bn254"),
    ],
    ids=["rank", "eliminate", "transpose", "pack", "lists", "columns", "msm"],
)
def test_the_lock_is_released(work):
    # On a machine in use the other thread may wait for a core, so one run of several must show it.
    assert any(_lets_others_run(work) for _ in range(5))


def _lets_others_run(work):
    times = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            times.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    work()
    end = time.monotonic()
    done.set()
    thread.join()
    # If the lock were held, the other thread would not run between the beginning and the end.
    inside = [begin] + [t for t in times if begin < t < end] + [end]
    return max(b - a for a, b in zip(inside, inside[1:])) < 0.6 * (end - begin)


def test_a_device_is_one_under_all_its_names(adapters):
    names = ["gpu", "0", adapters[0]["name"], "0,0"]
    vectors = [wgalois.asdevice([1, 2, 3], 17, device=name) for name in names]
    for x in vectors:
        assert np.array_equal(wgalois.polymul(vectors[0], x), [1, 4, 10, 12, 9])
    plan = wgalois.Plan.ntt(4, 17, device=names[1])
    assert np.array_equal(plan(wgalois.asdevice([1, 2, 3, 4], 17, device=names[2])), [10, 6, 15, 7])
    matrices = [wgalois.asdevice(np.eye(3, dtype=bool), device=name) for name in names]
    assert gf2.rank(matrices[0] @ matrices[2]) == 3


def test_data_of_different_devices_are_refused(adapters):
    here, there = (wgalois.asdevice([1, 2, 3], 17, device=name) for name in ("cpu", "gpu"))
    for a, b in ((here, there), (there, here)):
        with pytest.raises(wgalois.errors.UsageError, match="on another device"):
            wgalois.polymul(a, b)
    a, b = (wgalois.asdevice(np.eye(3, dtype=bool), device=name) for name in ("cpu", "gpu"))
    with pytest.raises(wgalois.errors.UsageError, match="on another device"):
        gf2.matmul(a, b)
    assert np.array_equal(wgalois.polymul(there, there), [1, 4, 10, 12, 9])


def test_options_without_effect_are_refused():
    x = wgalois.asdevice([[1, 2], [3, 4]], 17, device="cpu")
    v = wgalois.asdevice([1, 2], 17, device="cpu")
    m = wgalois.asdevice(np.eye(3, dtype=bool), device="cpu")
    one = np.array([[[1, 0, 0, 0], [2, 0, 0, 0]]], np.uint64)
    calls = [
        lambda: wgalois.ntt(x, device="gpu"),
        lambda: wgalois.intt(x, wrap=True),
        lambda: wgalois.ntt(x, axis=0),
        lambda: wgalois.polymul(v, v, device="cpu"),
        lambda: wgalois.convolve(v, v, wrap=True),
        lambda: wgalois.convolve(v, v, axis=2),
        lambda: gf2.rank(m, device="cpu"),
        lambda: gf2.pivots(m, device="cpu"),
        lambda: gf2.rref(m, device="cpu"),
        lambda: gf2.matmul(m, m, device="cpu"),
        lambda: wgalois.msm(one, [1], "bn254", compressed=True),
        lambda: wgalois.Bases(one, "bn254", compressed=True, device="cpu"),
    ]
    for call in calls:
        with pytest.raises(wgalois.errors.UsageError):
            call()


def test_floats_are_no_integers():
    calls = [
        lambda: wgalois.ntt([1, 2], 17, coset=3.0),
        lambda: wgalois.ntt([1, 2], 17, axis=0.0),
        lambda: wgalois.convolve([1], [1], 17, mode="cyclic", n=2.0),
        lambda: wgalois.Plan.ntt(4.0, 17),
        lambda: wgalois.Plan.polymul(2, 2.5, 17),
        lambda: gf2.rref([[1]], ncols=1.0),
        lambda: wgalois.Plan.gf2("rank", 2.0, 2),
        lambda: gf2.eliminate([[1]], [[1.5]]),
        lambda: gf2.BitMatrix.from_packed(np.zeros((1, 1), np.uint8), columns=3.5),
    ]
    for call in calls:
        with pytest.raises(wgalois.errors.InputError):
            call()


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

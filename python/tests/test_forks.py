"""Processes that were forked from one that has computed: they compute, or say why not, and never hang."""

import os
import subprocess
import sys

import pytest

if not hasattr(os, "fork"):
    pytest.skip("no forks", allow_module_level=True)

BEGIN = """
import multiprocessing, os, sys, threading, time
import numpy as np, wgalois
from wgalois import gf2
rng = np.random.default_rng(0)
a = rng.integers(0, 2, (1500, 1500), np.uint8)
v = rng.integers(0, 17, (64, 4096))
g = np.tile(np.array([[[1, 0, 0, 0], [2, 0, 0, 0]]], np.uint64), (300, 1, 1))
def work(k):
    return (
        gf2.rank(a, device="cpu"), gf2.rank(a[:9, :9]), gf2.rref(a).sum(), wgalois.ntt(v, 12289, device="cpu").sum(),
        wgalois.polymul(v[0], v[1]).sum(), wgalois.msm(g, range(300), "bn254", device="cpu").sum(),
        gf2.eliminate([[0]], [list(range(300))] * 300, method="blocked", device="cpu").promoted.sum(),
    )
def child(function):
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            os.write(writer, str(function()).encode())
        except BaseException as error:
            os.write(writer, (type(error).__name__ + ": " + str(error)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        return answer.read()
"""


def run(program):
    """What a program prints; it fails if it takes longer than a process that hangs would be given."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", BEGIN + program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_pool_after_a_call():
    program = """
expected = work(0)
context = multiprocessing.get_context("fork")
with context.Pool(3) as pool:
    assert pool.map(work, range(6)) == [expected] * 6
# Pools of pools: a forked process forks again.
assert child(lambda: (work(0) == expected, child(lambda: work(0) == expected))) == "(True, 'True')"
print("equal")
"""
    assert run(program) == "equal\n"


def test_a_pool_before_any_call():
    program = """
with multiprocessing.get_context("fork").Pool(2) as pool:
    answers = pool.map(work, range(4))
assert answers == [work(0)] * 4
print("equal")
"""
    assert run(program) == "equal\n"


def test_blst_and_prepared_data_after_a_fork():
    program = """
from py_ecc import bls12_381 as curve
points = [curve.G1] * 200
expected = wgalois.msm(points, range(200), device="cpu")
plan = wgalois.Plan.gf2("rank", 1500, 1500, device="cpu")
x = wgalois.asdevice(v[0], 12289, device="cpu")
m = wgalois.asdevice(a, device="cpu")
answers = plan(a), gf2.rank(m), wgalois.intt(wgalois.ntt(x)).to_numpy().sum()
def again():
    return (wgalois.msm(points, range(200), device="cpu") == expected
        and (plan(a), gf2.rank(m), wgalois.intt(wgalois.ntt(x)).to_numpy().sum()) == answers)
assert again() and child(again) == "True"
print("equal")
"""
    pytest.importorskip("py_ecc")
    assert run(program) == "equal\n"


def test_a_fork_beside_work():
    program = """
big = gf2.BitMatrix(rng.integers(0, 2, (8000, 8000), np.uint8))
ends = threading.Event()
def works():
    # However fast the machine is, it works when the fork comes.
    while not ends.is_set():
        gf2.rank(big, device="cpu")
thread = threading.Thread(target=works)
thread.start()
time.sleep(0.3)
print(child(lambda: gf2.rank(a[:3, :3])))
ends.set()
thread.join()
print(child(lambda: gf2.rank(a[:3, :3]) >= 0))
"""
    first, second = run(program).splitlines()
    assert first.startswith("NoDeviceError: ") and "another thread" in first and 'get_context("spawn")' in first
    assert second == "True"


def test_gpus_after_a_fork(adapters):
    program = """
x = wgalois.asdevice([1, 2, 3], 17, device="gpu")
plan = wgalois.Plan.ntt(4, 17, device="gpu")
calls = [lambda: wgalois.ntt([1, 2, 3, 4], 17, device="gpu"), lambda: x.to_numpy(), lambda: plan([1, 2, 3, 4]), wgalois.devices]
for call in calls:
    print(child(call))
def drop():
    global x, plan
    del x, plan
    return wgalois.ntt([1, 2, 3, 4], 17).tolist(), work(0) is not None
print(child(drop))
print(np.asarray(x).tolist())
"""
    lines = run(program).splitlines()
    for line in lines[:4]:
        assert line.startswith("NoDeviceError: ") and "uses a GPU" in line and 'get_context("spawn")' in line
    assert lines[4:] == ["([10, 6, 15, 7], True)", "[1, 2, 3]"]


def test_gpus_that_only_the_child_uses(adapters):
    program = """
gf2.rank(a, device="cpu")
print(child(lambda: wgalois.ntt([1, 2, 3, 4], 17, device="gpu").tolist()))
"""
    assert run(program) == "[10, 6, 15, 7]\n"


def test_processes_that_are_spawned(tmp_path):
    program = tmp_path / "spawned.py"
    program.write_text("""
import multiprocessing
import numpy as np
from wgalois import gf2
if __name__ == "__main__":
    gf2.rank(np.ones((900, 900), bool))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(gf2.rank, [np.eye(7, dtype=bool)]))
""")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "[7]\n"), done.stderr

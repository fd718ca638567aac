"""Ctrl-C: a child process gets SIGINT during long work."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

# Seconds after which the exception is late.
LATE = 2 if not os.environ.get("CI") else 10

CHILD = """
import signal, sys, time
import numpy as np, wgalois
from wgalois import gf2, _native
# A process that a shell started in the background ignores the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
{setup}
print("ready", flush=True)
try:
    while True:
        {work}
except KeyboardInterrupt:
    print("interrupted", flush=True)
print("ended" if _native.settle({patience}) else "goes on", flush=True)
{after}
"""

MATRIX = "a = rng.integers(0, 2, ({n}, {n}), np.uint8)"
VECTORS = "a = rng.integers(0, 2**30, ({batch}, 2**16), np.uint32)"
POINTS = "g = np.tile(np.array([[[1, 0, 0, 0], [2, 0, 0, 0]]], np.uint64), (2**{log}, 1, 1)); k = rng.bytes(31 * 2**{log})\n"
SCALARS = "k = np.frombuffer(k, np.uint8).reshape(-1, 31); k = np.pad(k, ((0, 0), (0, 1))).copy()"

# The setup and the work. On two cores most calls take a second or more. Those of transforms are shorter: NumPy copies their
# arrays before, and cannot be interrupted.
WORK = {
    "elimination-cpu": (MATRIX.format(n=16000), 'gf2.rref(a, device="cpu")'),
    "elimination-gpu": (MATRIX.format(n=8000) + '; gf2.rank(a[:9], device="gpu")', 'gf2.rref(a, device="gpu")'),
    "matmul-cpu": (MATRIX.format(n=16000), 'gf2.matmul(a, a, device="cpu")'),
    "matrix-on-device": (MATRIX.format(n=6000) + '; x = wgalois.asdevice(a, device="gpu")', "gf2.rref(x)"),
    "ntt-cpu": (VECTORS.format(batch=250), 'wgalois.ntt(a, "babybear", device="cpu")'),
    "ntt-gpu": (VECTORS.format(batch=250), 'wgalois.ntt(a, "babybear", device="gpu")'),
    "msm-cpu": (POINTS.format(log=18) + SCALARS, 'wgalois.msm(g, k, "bn254", check=False, device="cpu")'),
    "msm-gpu": (POINTS.format(log=15) + SCALARS, 'wgalois.msm(g, k, "bn254", check=False, device="gpu")'),
    "plan": (
        'plan = wgalois.Plan.gf2("rref", 16000, 16000, device="cpu"); ' + MATRIX.format(n=16000),
        "plan(gf2.BitMatrix(a))",
    ),
    "boolean": (
        'v = [f"x{i}" for i in range(60)]; '
        'text = [" + ".join(f"{v[i]}*{v[j]}" for i, j in rng.integers(0, 60, (300, 2))) + " + 1" for _ in range(50)]',
        'wgalois.boolean.solve(text, method="exhaustive", device="cpu")',
    ),
}
# After it a plan works again, and so does a device.
AFTER = {
    "plan": "assert plan(np.eye(16000, dtype=np.uint8))[1].size == 16000",
    "matrix-on-device": "assert gf2.rank(wgalois.asdevice(a[:9], device='gpu')) == 9 and gf2.rank(x @ x) > 0",
}
# Work of the host's libraries goes on to its end.
GOES_ON = {"msm-cpu"}


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("name", list(WORK))
def test_ctrl_c_ends_a_call(name, request):
    if "gpu" in name or "device" in name:
        request.getfixturevalue("adapters")
    setup, work = WORK[name]
    program = CHILD.format(setup=setup, work=work, patience=0 if name in GOES_ON else 20, after=AFTER.get(name, ""))
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    late = threading.Timer(120, process.kill)
    late.start()
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        # A twentieth of a second where the cores are idle; the bound is for those that other work uses, too.
        assert time.monotonic() - begin < LATE
        # The work in the background ends, too, unless a library on the host does it.
        assert process.stdout.readline() == "ended\n" or name in GOES_ON
        assert process.wait() == 0
    finally:
        late.cancel()
        process.kill()
        process.stdout.close()

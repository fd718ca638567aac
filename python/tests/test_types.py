"""What a type checker says of results."""

import subprocess
import sys

import pytest

PROGRAM = """
from pathlib import Path
from typing import Any, assert_type
import numpy as np
from numpy.typing import NDArray
import wgalois
from wgalois import gf2, mod2

a = np.eye(3, dtype=np.uint8)
assert_type(gf2.rref(a), NDArray[np.uint8])
assert_type(gf2.rref(gf2.BitMatrix(a)), gf2.BitMatrix)
assert_type(gf2.rref(Path("a.mtx")), gf2.BitMatrix)
assert_type(gf2.rref(wgalois.asdevice(a)), gf2.DeviceMatrix)
assert_type(gf2.inv([[1, 1], [0, 1]], device=0), NDArray[np.uint8])
assert_type(gf2.inv("a.txt"), gf2.BitMatrix)
assert_type(gf2.null_space(Path("a.mtx")), gf2.BitMatrix)
assert_type(gf2.solve(a, [1, 0, 1]), NDArray[np.uint8])
assert_type(gf2.distance(a).weight, int)
assert_type(gf2.factor(a).rank, int)
assert_type(mod2.rank(a), int)
x = wgalois.asdevice([1, 2], 17)
assert_type(x + 1, wgalois.DeviceArray)
assert_type(wgalois.ntt(x), wgalois.DeviceArray)
"""


def test_results_have_types(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run([sys.executable, "-m", "mypy", "--no-error-summary", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr

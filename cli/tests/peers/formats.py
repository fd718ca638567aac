"""Files that other programs read and write, beside the program: `formats.py PROGRAM`.

Needs ldpc, numpy, py_ecc, pycryptosat, scipy and sympy. `.ci/formats` installs them and runs this.
"""

import gzip
import itertools
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import ldpc.alist
import numpy as np
import py_ecc.bls12_381
import py_ecc.bn128
import pycryptosat
import scipy.io
import scipy.sparse
import sympy

PROGRAM = str(Path(sys.argv[1]).resolve())
FOLDER = Path(tempfile.mkdtemp())
RANDOM = random.Random(57)


def run(*arguments: object, stdin: bytes | None = None) -> str:
    command = [PROGRAM, *map(str, arguments), "-q", "--device", "cpu"]
    done = subprocess.run(command, input=stdin, capture_output=True, cwd=FOLDER, check=False)
    assert done.returncode == 0, (arguments, done.stderr.decode())
    return done.stdout.decode()


def matrix(text: str) -> np.ndarray:
    return np.array([[int(digit) for digit in line] for line in text.split()], dtype=int)


def text_of(a: np.ndarray) -> str:
    return "".join("".join(map(str, row)) + "\n" for row in a)


def read(name: str, *options: str) -> np.ndarray:
    """The matrix of a file, by two transpositions."""
    run("gf2", "transpose", name, *options, "-o", "t.txt", "--output-format", "text")
    return matrix(run("gf2", "transpose", "t.txt", "--output-format", "text"))


def matrices(count: int):
    for _ in range(count):
        shape = RANDOM.randint(1, 12), RANDOM.randint(1, 12)
        a = np.array([[RANDOM.randint(0, 1) for _ in range(shape[1])] for _ in range(shape[0])])
        # ldpc cannot read a list without numbers.
        a[:, a.sum(axis=0) == 0] = 1
        a[a.sum(axis=1) == 0] = 1
        yield a


def mackay(text: str) -> np.ndarray:
    """The matrix of an alist by its definition, from the lists of the columns. ldpc's own reader fails with NumPy 2."""
    lines = [list(map(int, line.split())) for line in text.splitlines()]
    columns, rows = lines[0]
    a = np.zeros((rows, columns), dtype=int)
    for column in range(columns):
        a[[number - 1 for number in lines[4 + column] if number], column] = 1
    of_rows = [{column + 1 for column in np.flatnonzero(row)} for row in a]
    assert of_rows == [set(line) - {0} for line in lines[4 + columns :]]
    assert lines[2:4] == [a.sum(axis=0).tolist(), a.sum(axis=1).tolist()]
    return a


def alist() -> None:
    """ldpc has the rows first: its files are those of transposed matrices."""
    for a in matrices(8):
        ldpc.alist.save_alist(FOLDER / "l.alist", a.T)
        assert (read("l.alist") == a).all()
        (FOLDER / "unnamed").write_bytes((FOLDER / "l.alist").read_bytes())
        assert (read("unnamed") == a).all()
        (FOLDER / "a.txt").write_text(text_of(a.T))
        run("gf2", "transpose", "a.txt", "-o", "w.alist")
        assert (mackay((FOLDER / "w.alist").read_text()) == a).all()


def notations() -> None:
    for a in matrices(5):
        nested = a.tolist()
        semicolons = "[" + "; ".join(", ".join(map(str, row)) for row in nested) + "]"
        vectors = "".join(f"{tuple(row)}\n" for row in nested)
        dots = text_of(a).replace("0", ".").replace("", " ")
        for text in [
            repr(nested),
            repr(tuple(map(tuple, nested))),
            repr(list(map(tuple, nested))),
            repr(sympy.Matrix(a).tolist()),
            np.array2string(a, threshold=10**6, max_line_width=10**6),
            semicolons,
            vectors,
            dots,
            "\ufeff" + text_of(a),
        ]:
            (FOLDER / "m.txt").write_text(text)
            assert (read("m.txt") == a).all(), text
        np.savetxt(FOLDER / "m.txt", a, fmt="%d", header="by numpy\n")
        assert (read("m.txt") == a).all()


def skew() -> None:
    for a in matrices(5):
        side = min(a.shape)
        upper = np.triu(a[:side, :side], 1)
        scipy.io.mmwrite(FOLDER / "s.mtx", scipy.sparse.coo_matrix(upper.T - upper), symmetry="skew-symmetric")
        assert (read("s.mtx", "--wrap") == upper + upper.T).all()


def compressed() -> None:
    for a in matrices(5):
        scipy.io.mmwrite(FOLDER / "c.mtx", scipy.sparse.coo_matrix(a))
        data = (FOLDER / "c.mtx").read_bytes()
        cut = RANDOM.randint(0, len(data))
        for packed in [gzip.compress(data), gzip.compress(data[:cut]) + gzip.compress(data[cut:])]:
            (FOLDER / "c.mtx.gz").write_bytes(packed)
            assert (read("c.mtx.gz") == a).all()
            assert int(run("gf2", "rank", "-", stdin=packed)) == int(run("gf2", "rank", "c.mtx"))


def solutions(variables: int, clauses: list[list[int]], xors: list[list[int]]) -> set[tuple[bool, ...]]:
    """All solutions, one after the other, from CryptoMiniSat."""
    solver, found = pycryptosat.Solver(), set()
    solver.add_clauses([clause for clause in clauses if clause])
    if not all(clauses):
        return found
    for xor in xors:
        signs = sum(literal < 0 for literal in xor)
        solver.add_xor_clause([abs(literal) for literal in xor], rhs=signs % 2 == 0)
    solver.add_clauses([[number, -number] for number in range(1, variables + 1)])
    while True:
        is_satisfied, values = solver.solve()
        if not is_satisfied:
            return found
        found.add(tuple(values[1 : variables + 1]))
        solver.add_clause([-number if values[number] else number for number in range(1, variables + 1)])


def dimacs() -> None:
    for round_ in range(20):
        variables = RANDOM.randint(1, 8)

        def literals(most):
            return [
                RANDOM.choice([-1, 1]) * number
                for number in RANDOM.sample(range(1, variables + 1), RANDOM.randint(1, min(most, variables)))
            ]

        clauses = [literals(6) for _ in range(RANDOM.randint(0, 6))]
        xors = [literals(8) for _ in range(RANDOM.randint(0, 3))]
        lines = [" ".join(map(str, clause)) + " 0" for clause in clauses]
        lines += ["x" + " ".join(map(str, xor)) + " 0" for xor in xors]
        RANDOM.shuffle(lines)
        head = f"c {round_}\np cnf {variables} {len(lines)}\n"
        (FOLDER / "s.cnf").write_text(head + "".join(line + "\n" for line in lines))
        expected = solutions(variables, clauses, xors)
        assert int(run("solve", "s.cnf", "--count")) == len(expected), lines
        if expected:
            found = run("solve", "s.cnf", "--all").splitlines()
            pairs = [dict(pair.split("=") for pair in line.split()) for line in found]
            values = {tuple(own[f"x{number}"] == "1" for number in range(1, variables + 1)) for own in pairs}
            assert values == expected, lines


def sums() -> None:
    curves = [
        ("bn254", py_ecc.bn128, 32, 32),
        ("alt_bn128", py_ecc.bn128, 32, 32),
        ("BLS12_381", py_ecc.bls12_381, 64, 48),
    ]
    for name, curve, record, size in curves:
        p = curve.field_modulus
        scalars = [RANDOM.randrange(curve.curve_order) for _ in range(6)]
        points = [curve.multiply(curve.G1, RANDOM.randrange(1, 1000)) for _ in scalars]
        xy = [(int(x), int(y)) for x, y in points]
        total = None
        for point, k in zip(points, scalars):
            total = curve.add(total, curve.multiply(point, k))
        expected = b"".join(int(c).to_bytes(record, "big") for c in total).hex()

        def big(c, flags=0):
            return (c | flags << (8 * size - 8)).to_bytes(size, "big")

        def montgomery(c):
            return (c * 2 ** (8 * size) % p).to_bytes(size, "little")

        # BN254's field leaves two bits, BLS12-381's three.
        smaller, larger = (0x80, 0xC0) if size == 32 else (0x80, 0xA0)
        files = {
            "eip": b"".join(c.to_bytes(record, "big") for pair in xy for c in pair),
            "montgomery": b"".join(montgomery(c) for pair in xy for c in pair),
            "gnark": b"".join(big(x, larger if y > p - y else smaller) for x, y in xy),
        }
        files["gnark slice"] = len(xy).to_bytes(4, "big") + files["gnark"]
        files["gnark raw"] = b"".join(big(c) for pair in xy for c in pair)
        if size == 32:
            files["aztec"] = files["gnark raw"]
        (FOLDER / "k").write_bytes(b"".join(k.to_bytes(32, "big") for k in scalars))
        order = curve.curve_order
        (FOLDER / "km").write_bytes(b"".join((k * 2**256 % order).to_bytes(32, "little") for k in scalars))
        for kind, data in files.items():
            (FOLDER / "p").write_bytes(data)
            for file, form in [("k", "be"), ("km", "montgomery")]:
                given = ["--points", "p", "--points-format", kind.split()[0], "--scalars", file, "--scalars-format", form]
                found = run("msm", "--curve", name, *given, "--output-format", "eip").strip()
                assert found == expected, (name, kind)
        run("msm", "--curve", name, *given, "-o", "sum.eip")
        run("check", "msm", "--curve", name, *given, "--result", "sum.eip")
    # Aztec's file is known by its first point.
    points = [curve_point for curve_point in itertools.islice(multiples(), 3)]
    (FOLDER / "g1.dat").write_bytes(b"".join(c.to_bytes(32, "big") for pair in points for c in pair))
    (FOLDER / "k").write_bytes(b"".join(k.to_bytes(32, "big") for k in [1, 1, 0]))
    found = run(
        "msm", "--curve", "bn254", "--points", "g1.dat", "--scalars", "k", "--scalars-format", "be", "--output-format", "eip"
    )
    assert found.strip() == "".join(f"{c:064x}" for c in points[2])


def multiples():
    for k in itertools.count(1):
        x, y = py_ecc.bn128.multiply(py_ecc.bn128.G1, k)
        yield int(x), int(y)


for check in [alist, notations, skew, compressed, dimacs, sums]:
    check()
    print(f"{check.__name__}: as its peers")

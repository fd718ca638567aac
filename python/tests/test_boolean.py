"""Boolean systems beside all values of the variables."""

import itertools

import numpy as np
import pytest
import wgalois
from wgalois import boolean


def holds(line, values):
    """True if a polynomial in the text form is 0."""
    total = 0
    for term in line.split(" + "):
        total ^= int(all(term == "1" or values[name] for name in term.split("*") if name != "1"))
    return total == 0


def by_definition(lines, names):
    assignments = (dict(zip(names, bits)) for bits in itertools.product((0, 1), repeat=len(names)))
    return [a for a in assignments if all(holds(line, a) for line in lines)]


def system(variables, equations, seed):
    rng = np.random.default_rng(seed)
    names = [f"x{i}" for i in range(1, variables + 1)]
    lines = []
    for _ in range(equations):
        pairs = {tuple(sorted(rng.choice(variables, 2, replace=False))) for _ in range(8)}
        terms = [f"{names[i]}*{names[j]}" for i, j in sorted(pairs)]
        terms += [name for name in names if rng.random() < 0.4] + ["1"] * int(rng.random() < 0.5)
        lines.append(" + ".join(terms))
    return lines, names


@pytest.mark.parametrize("equations", [4, 8, 14])
@pytest.mark.parametrize("method", ["auto", "exhaustive", "xl"])
def test_all_solutions(equations, method):
    lines, names = system(9, equations, equations)
    expected = by_definition(lines, names)
    found = boolean.solve_all(lines, method=method, device="cpu")
    assert [dict(sorted(a.items())) for a in found] == expected
    assert boolean.count(lines, method=method, device="cpu") == len(expected)
    one = boolean.solve(lines, method=method)
    assert one in expected if expected else one is None


def test_formats_and_files(tmp_path):
    path = tmp_path / "system.anf"
    path.write_text("c a comment\nx1*x2 + 1\nx3 + x1\n")
    assert boolean.solve(path) == {"x1": 1, "x2": 1, "x3": 1}
    assert boolean.solve("[x1*x2 + 1, x3 + x1]", format="sage") == {"x1": 1, "x2": 1, "x3": 1}
    assert boolean.solve_all("x1 + x2") == [{"x1": 0, "x2": 0}, {"x1": 1, "x2": 1}]


def test_errors():
    errors = wgalois.errors
    lines, _ = system(50, 40, 1)
    for call, kind, words in [
        (lambda: boolean.solve("x1 +* x2"), errors.FormatError, "equations:1"),
        (lambda: boolean.solve("x1", method="guess"), errors.UsageError, "exhaustive"),
        (lambda: boolean.solve("x1", format="xml"), errors.UsageError, "anf, sage, challenge"),
        (lambda: boolean.solve("x1", time_limit=-1), errors.InputError, "time_limit"),
        (lambda: boolean.count(lines, method="exhaustive", time_limit=0.1, device="cpu"), errors.StoppedError, "ended before"),
    ]:
        with pytest.raises(kind, match=words):
            call()

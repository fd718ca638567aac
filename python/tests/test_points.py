"""Points by their coordinates: integers, and the points of py_ecc."""

import pytest
import wgalois
from py_ecc import bls12_381, bn128, optimized_bls12_381, optimized_bn128
from wgalois import errors

CURVES = [
    ("bn254", bn128, 1),
    ("bn254-g2", bn128, 2),
    ("bls12-381", bls12_381, 1),
    ("bls12-381-g2", bls12_381, 2),
    ("bn254", optimized_bn128, 1),
    ("bn254-g2", optimized_bn128, 2),
    ("bls12-381", optimized_bls12_381, 1),
    ("bls12-381-g2", optimized_bls12_381, 2),
]


def integers(point):
    """A point of py_ecc with two coordinates, as integers."""
    if point is None:
        return None
    coordinates = [c.coeffs if hasattr(c, "coeffs") else (c.n,) for c in point]
    return tuple(int(c[0]) if len(c) == 1 else tuple(int(part) for part in c) for c in coordinates)


@pytest.mark.parametrize("name, library, group", CURVES, ids=lambda value: getattr(value, "__name__", str(value)))
def test_sums_beside_py_ecc(name, library, group):
    generator, infinity = (library.G1, library.Z1) if group == 1 else (library.G2, library.Z2)
    multiples = [1, 2, 5, 11, 0, 7]
    points = [library.multiply(generator, k) if k else infinity for k in multiples]
    scalars = [3, 4, 0, 2**130 + 1, 9, library.curve_order - 1]
    k = sum(a * b for a, b in zip(multiples, scalars)) % library.curve_order
    expected = library.multiply(generator, k)
    for found in (wgalois.msm(points, scalars, name), wgalois.Bases(points, name, device="cpu").msm(scalars)):
        assert len(found) == len(expected) and library.eq(found, expected)
        assert [type(c) for c in found] == [type(c) for c in expected]
        assert library.is_on_curve(found, library.b if group == 1 else library.b2)
    # r - 1 times a point and the point are nothing.
    nothing = wgalois.msm([points[1]] * 2, [library.curve_order - 1, 1], name)
    assert nothing == infinity if infinity is None else library.is_inf(nothing)
    if infinity is None:
        numbers = [integers(point) for point in points]
        assert wgalois.msm(numbers, scalars, name) == integers(expected)
        assert wgalois.msm([list(p) if p else p for p in numbers], scalars, name) == integers(expected)
        assert wgalois.msm(numbers[1:2] * 2, [library.curve_order - 1, 1], name) is None


def test_points_that_are_none():
    for points, curve, words in [
        ([(1, 3)], "bn254", "not on bn254"),
        ([(1, 2, 1)], "bn254", "three numbers"),
        ([(1.0, 2)], "bn254", "an integer was expected"),
        ([((1, 0), (2, 0))], "bn254", "an integer was expected"),
        ([(1, 2)], "bn254-g2", "2 integers were expected"),
        ([(1, 2**256)], "bn254", "not below the order"),
        ([(-1, 2)], "bn254", "not below the order"),
        ([bls12_381.G1], "bn254", ""),
    ]:
        with pytest.raises((errors.InputError, errors.FormatError), match=words):
            wgalois.msm(points, [1], curve)
    with pytest.raises(errors.UsageError, match="coordinates"):
        wgalois.msm([(1, 2)], [1], "bn254", compressed=True)

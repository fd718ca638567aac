"""Multi-scalar multiplication beside the group law over Python's integers."""

import numpy as np
import pytest
import wgalois

# p, r, b of y^2 = x^3 + b, and a point of order r. Sources: EIP-196, and the curves' specifications.
BN254 = (
    21888242871839275222246405745257275088696311157297823662689037894645226208583,
    21888242871839275222246405745257275088548364400416034343698204186575808495617,
    3,
    (1, 2),
)
BLS12_381 = (
    0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB,
    0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001,
    4,
    (
        0x17F1D3A73197D7942695638C4FA9AC0FC3688C4F9774B905A14E3A3F171BAC586C55E83FF97A1AEFFB3AF00ADB22C6BB,
        0x08B3F481E3AAA0F1A09E30ED741D8AE4FCF5E095D5D00AF600DB18CB2C04B3EDD03CC744A2888AE40CAA232946C5E7E1,
    ),
)
# y^2 = x^3 + 1 over the base field of BLS12-377.
BLS12_377_P = 258664426012969094010652733694893533536393512754914660539884262666720468348340822774968888139573360124440321458177
BLS12_377_R = 8444461749428370424248824938781546531375899335154063827935233455917409239041
# y^2 = x^3 + 1 over the base field of BLS24-315, whose parameter is u.
U_315 = -0xBFCFFFFF
BLS24_315_R = U_315**8 - U_315**4 + 1
BLS24_315_P = (U_315 - 1) ** 2 * BLS24_315_R // 3 + U_315


def add(p, a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0]:
        if (a[1] + b[1]) % p == 0:
            return None
        slope = 3 * a[0] * a[0] * pow(2 * a[1], -1, p)
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, p)
    x = (slope * slope - a[0] - b[0]) % p
    return x, (slope * (a[0] - x) - a[1]) % p


def multiply(p, k, a):
    total = None
    while k:
        if k & 1:
            total = add(p, total, a)
        a, k = add(p, a, a), k >> 1
    return total


def square_root(a, p):
    """A square root modulo p, or None (Tonelli and Shanks)."""
    if pow(a, (p - 1) // 2, p) != 1:
        return None
    q, s = p - 1, 0
    while q % 2 == 0:
        q, s = q // 2, s + 1
    z = next(z for z in range(2, 100) if pow(z, (p - 1) // 2, p) == p - 1)
    m, c, t, r = s, pow(z, q, p), pow(a, q, p), pow(a, (q + 1) // 2, p)
    while t != 1:
        i, u = 0, t
        while u != 1:
            u, i = u * u % p, i + 1
        b = pow(c, 1 << (m - i - 1), p)
        m, c = i, b * b % p
        t, r = t * c % p, r * b % p
    return r


def curve(name):
    if name == "bn254":
        return BN254[0], BN254[1], BN254[3], 4
    if name == "bls12-381":
        return BLS12_381[0], BLS12_381[1], BLS12_381[3], 6
    p, r, words, trace = {
        "bls12-377": (BLS12_377_P, BLS12_377_R, 6, 0x8508C00000000001 + 1),
        "bls24-315": (BLS24_315_P, BLS24_315_R, 5, U_315 + 1),
    }[name]
    cofactor, rest = divmod(p + 1 - trace, r)
    assert rest == 0
    for x in range(1, 100):
        y = square_root(x**3 + 1, p)
        point = y and multiply(p, cofactor, (x, y))
        if point:
            assert multiply(p, r, point) is None
            return p, r, point, words
    raise AssertionError


def limbs(point, words):
    x, y = point or (0, 0)
    return [[n >> 64 * i & (2**64 - 1) for i in range(words)] for n in (x, y)]


def integer(words):
    return sum(int(word) << 64 * i for i, word in enumerate(words))


CURVES = ["bls12-381", "bls12-377", "bn254", "bls24-315"]


@pytest.mark.parametrize("name", CURVES)
def test_sums(name):
    p, r, generator, words = curve(name)
    rng = np.random.default_rng(9)
    points = [multiply(p, int(k), generator) for k in rng.integers(1, 1000, 9)] + [None]
    scalars = [0, 1, 2, r - 1] + [int.from_bytes(rng.bytes(32), "little") % r for _ in range(6)]
    expected = None
    for k, point in zip(scalars, points):
        expected = add(p, expected, multiply(p, k, point) if point else None)
    array = np.array([limbs(point, words) for point in points], np.uint64)
    total = wgalois.msm(array, scalars, name, device="cpu")
    assert total.shape == (2, words) and (integer(total[0]), integer(total[1])) == expected
    as_limbs = np.array([[k >> 64 * i & (2**64 - 1) for i in range(4)] for k in scalars], np.uint64)
    as_bytes = b"".join(k.to_bytes(32, "little") for k in scalars)
    for form in (as_limbs, as_bytes, np.array(scalars, object)):
        assert np.array_equal(wgalois.msm(array.reshape(10, -1), form, name), total)
    bases = wgalois.Bases(array, name, device="cpu")
    assert len(bases) == 10 and np.array_equal(bases.msm(scalars), total)
    assert np.array_equal(bases.msm_many([scalars[:2], [0, 0]]), [bases.msm(scalars[:2]), np.zeros((2, words))])
    assert not wgalois.msm(array, [], name).any()


# The generators of G2, c0 and c1 of x and y. Sources: EIP-2537 and EIP-197.
G2 = {
    "bls12-381-g2": (
        0x024AA2B2F08F0A91260805272DC51051C6E47AD4FA403B02B4510B647AE3D1770BAC0326A805BBEFD48056C8C121BDB8,
        0x13E02B6052719F607DACD3A088274F65596BD0D09920B61AB5DA61BBDC7F5049334CF11213945D57E5AC7D055D042B7E,
        0x0CE5D527727D6E118CC9CDC6DA2E351AADFD9BAA8CBDD3A76D429A695160D12C923AC9CC3BACA289E193548608B82801,
        0x0606C4A02EA734CC32ACD2B02BC28B99CB3E287E85A763AF267492AB572E99AB3F370D275CEC1DA1AAA9075FF05F79BE,
    ),
    "bn254-g2": (
        10857046999023057135944570762232829481370756359578518086990519993285655852781,
        11559732032986387107991004021392285783925812861821192530917403151452391805634,
        8495653923123431417604973247489272438418190587263600148770280649306958101930,
        4082367875863433681332203403145435568316851327593401208105741076214120093531,
    ),
}


class Extension:
    """c0 + c1 u modulo p, with u^2 = -1."""

    def __init__(self, c0, c1, p):
        self.c0, self.c1, self.p = c0 % p, c1 % p, p

    def __eq__(self, other):
        return (self.c0, self.c1) == (other.c0, other.c1)

    def __add__(self, other):
        return Extension(self.c0 + other.c0, self.c1 + other.c1, self.p)

    def __sub__(self, other):
        return Extension(self.c0 - other.c0, self.c1 - other.c1, self.p)

    def __mul__(self, other):
        a, b, c, d = self.c0, self.c1, other.c0, other.c1
        return Extension(a * c - b * d, a * d + b * c, self.p)

    def inverse(self):
        norm = pow(self.c0 * self.c0 + self.c1 * self.c1, -1, self.p)
        return Extension(self.c0 * norm, -self.c1 * norm, self.p)


def add_in_extension(a, b):
    """The sum of two points, neither of them infinity nor the other's negative."""
    if a[0] == b[0]:
        square = a[0] * a[0]
        slope = (square + square + square) * (a[1] + a[1]).inverse()
    else:
        slope = (b[1] - a[1]) * (b[0] - a[0]).inverse()
    x = slope * slope - a[0] - b[0]
    return x, slope * (a[0] - x) - a[1]


@pytest.mark.parametrize("name", list(G2))
def test_the_second_group(name):
    p, r, _, words = curve(name.removesuffix("-g2"))
    x0, x1, y0, y1 = G2[name]
    generator = Extension(x0, x1, p), Extension(y0, y1, p)
    double = add_in_extension(generator, generator)
    expected = generator
    for _ in range(6):
        expected = add_in_extension(expected, generator)

    def limbs_of(point):
        rows = [[c >> 64 * i & (2**64 - 1) for c in (z.c0, z.c1) for i in range(words)] for z in point]
        return np.array(rows, np.uint64)

    points = np.stack([limbs_of(generator), limbs_of(double), np.zeros((2, 2 * words), np.uint64)])
    assert np.array_equal(wgalois.msm(points, [1, 3, 5], name, device="cpu"), limbs_of(expected))
    assert np.array_equal(wgalois.msm(points, [r - 1, 0, 1], name)[0], limbs_of(generator)[0])
    bases = wgalois.Bases(points, name, device="cpu")
    assert np.array_equal(bases.msm([0, 1, 0]), limbs_of(double))
    # The first group's coordinates have half as many words.
    with pytest.raises(wgalois.errors.InputError, match="limbs were expected"):
        wgalois.msm(points, [1, 1, 1], name.removesuffix("-g2"))


def test_encodings():
    p, _, (x, y), words = curve("bls12-381")
    encoded = x.to_bytes(48, "big") + y.to_bytes(48, "big")
    compressed = bytes([encoded[0] | (0xA0 if 2 * y > p else 0x80)]) + encoded[1:48]
    total = wgalois.msm(encoded * 3, [1, 2, 3])
    double_point = multiply(p, 6, (x, y))
    assert total == double_point[0].to_bytes(48, "big") + double_point[1].to_bytes(48, "big")
    assert wgalois.msm(compressed * 3, [1, 2, 3]) == total
    assert wgalois.msm(np.frombuffer(compressed * 3, np.uint8), [1, 2, 3]) == total
    assert wgalois.msm(encoded, [1], compressed=True) == compressed
    assert wgalois.Bases(encoded * 3).msm([1, 2, 3]) == total


def test_errors():
    errors = wgalois.errors
    _, r, generator, words = curve("bn254")
    good = np.array([limbs(generator, words)], np.uint64)
    for call, kind, words_of_error in [
        (lambda: wgalois.msm(good, [1], "secp256k1"), errors.UsageError, "no curve"),
        (lambda: wgalois.msm(good + np.uint64(1), [1], "bn254"), errors.FormatError, "point 0: not on bn254"),
        (lambda: wgalois.msm(good, [r], "bn254"), errors.FormatError, "scalars"),
        (lambda: wgalois.msm(good, [-1], "bn254"), errors.InputError, "scalar 0 is -1"),
        (lambda: wgalois.msm(good, [1, 1], "bn254"), errors.InputError, "2 scalars for 1 points"),
        (lambda: wgalois.msm(good, [1], "bls12-381"), errors.InputError, "limbs were expected"),
        (lambda: wgalois.msm(b"abc", [1], "bn254"), errors.FormatError, "points"),
        (lambda: wgalois.msm([1, 2], [1], "bn254"), errors.InputError, "uint64"),
        (lambda: wgalois.msm([[1, 2, 3]], [1], "bn254"), errors.InputError, "three numbers"),
    ]:
        with pytest.raises(kind, match=words_of_error):
            call()


def test_narrow_integers_are_scalars_and_rows_of_bytes_too():
    generator = np.array([[[1, 0, 0, 0], [2, 0, 0, 0]]] * 32, np.uint64)
    scalars = np.arange(32, dtype=np.uint8)
    expected = wgalois.msm(generator, scalars.tolist(), "bn254", device="cpu")
    assert np.array_equal(wgalois.msm(generator, scalars, "bn254", device="cpu"), expected)
    rows = np.zeros((32, 32), np.uint8)
    rows[:, 0] = scalars
    assert np.array_equal(wgalois.msm(generator, rows, "bn254", device="cpu"), expected)
    with pytest.raises(wgalois.errors.InputError, match="n x 32 bytes"):
        wgalois.msm(generator, rows[:, :31], "bn254", device="cpu")


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_ranges_of_bases_and_vectors_of_different_lengths(device, request):
    if device == "gpu":
        request.getfixturevalue("adapters")
    p, _, generator, words = curve("bn254")
    points = [multiply(p, k, generator) for k in range(1, 7)]
    array = np.array([limbs(point, words) for point in points], np.uint64)
    bases = wgalois.Bases(array, "bn254", vectors=4, device=device)
    vectors, firsts = [[3, 4], [5], [], [1] * 6], [4, 2, 6, 0]
    sums = bases.msm_many(vectors, firsts)
    for vector, first, total in zip(vectors, firsts, sums):
        expected = multiply(p, sum(k * (first + i + 1) for i, k in enumerate(vector)), generator) if vector else None
        assert (integer(total[0]), integer(total[1])) == (expected or (0, 0))
        assert np.array_equal(bases.msm(vector, first), total)
    assert np.array_equal(bases.msm_many([[1], [1, 2]])[1], bases.msm([1, 2]))
    for vector, first in (([1, 2], 5), ([1] * 7, 0), ([1], -1), ([], 7)):
        with pytest.raises(wgalois.errors.InputError):
            bases.msm(vector, first)
    with pytest.raises(wgalois.errors.InputError):
        bases.msm_many([[1], [2]], [0])
    with pytest.raises(wgalois.errors.InputError):
        bases.msm([1], 0.5)

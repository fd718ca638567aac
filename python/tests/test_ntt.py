"""Transforms and products beside their definitions, Python's integers, NumPy and galois."""

import galois
import numpy as np
import pytest
import wgalois

BABY_BEAR = 2013265921
P17 = 17


def by_definition(a, p, w, g=1):
    n = len(a)
    return [sum(int(x) * pow(g * pow(w, j, p) % p, i, p) for i, x in enumerate(a)) % p for j in range(n)]


def root(n, p):
    """The n-th root of unity of the smallest generator."""
    factors = [q for q in range(2, 2**16) if (p - 1) % q == 0 and all(q % d for d in range(2, int(q**0.5) + 1))]
    rest = p - 1
    for q in factors:
        while rest % q == 0:
            rest //= q
    assert rest == 1
    x = next(x for x in range(2, p) if all(pow(x, (p - 1) // q, p) != 1 for q in factors))
    return pow(x, (p - 1) // n, p)


def polymul_by_definition(a, b, p=None):
    c = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            c[i + j] += int(x) * int(y)
    return [x % p for x in c] if p else c


@pytest.mark.parametrize("n, p", [(2, 17), (16, 17), (256, 7681), (64, BABY_BEAR), (2, 3)])
def test_ntt_is_its_definition_and_that_of_galois(n, p):
    a = np.random.default_rng(n).integers(0, p, n)
    a[:2] = [p - 1, 0]
    values = wgalois.ntt(a, p, device="cpu")
    assert values.tolist() == by_definition(a, p, root(n, p))
    assert values.tolist() == np.asarray(galois.ntt(a.tolist(), modulus=p)).tolist()
    assert wgalois.intt(values, p, device="cpu").tolist() == a.tolist()


def test_cosets_and_orders():
    n, p = 32, BABY_BEAR
    w = root(n, p)
    a = np.random.default_rng(1).integers(0, p, n)
    assert wgalois.ntt(a, p, coset=7).tolist() == by_definition(a, p, w, 7)
    g = root(2 * n, p)
    assert g * g % p == w
    negacyclic = wgalois.ntt(a, p, negacyclic=True)
    assert negacyclic.tolist() == by_definition(a, p, w, g)
    assert wgalois.intt(negacyclic, p, negacyclic=True).tolist() == a.tolist()
    reversed_places = [int(f"{i:05b}"[::-1], 2) for i in range(n)]
    natural = wgalois.ntt(a, p)
    assert wgalois.ntt(a, p, output_order="bit-reversed").tolist() == natural[reversed_places].tolist()
    assert wgalois.ntt(a[reversed_places], p, input_order="bit-reversed").tolist() == natural.tolist()


def test_batches_along_an_axis():
    a = np.random.default_rng(2).integers(0, P17, (3, 16, 5))
    expected = np.apply_along_axis(lambda x: np.array(by_definition(x, P17, root(16, P17))), 1, a)
    assert np.array_equal(wgalois.ntt(a, P17, axis=1), expected)
    assert np.array_equal(wgalois.ntt(a.transpose(0, 2, 1), P17), expected.transpose(0, 2, 1))
    assert np.array_equal(wgalois.ntt(a, P17, axis=-2), expected)
    empty = wgalois.ntt(np.zeros((0, 4), np.uint32), P17)
    assert empty.shape == (0, 4)


def test_types_of_arrays():
    a = [1, 2, 3, 4]
    for dtype, expected in [
        (np.uint8, np.uint32),
        (np.int16, np.uint32),
        (np.uint32, np.uint32),
        (np.int32, np.int32),
        (np.int64, np.int64),
        (np.uint64, np.uint64),
    ]:
        result = wgalois.ntt(np.array(a, dtype), P17)
        assert result.dtype == expected and result.tolist() == [10, 6, 15, 7]
    given = np.array(a, np.uint32)
    wgalois.ntt(given, P17)
    assert given.tolist() == a
    assert wgalois.ntt(np.array([1, 0, 2, 0, 3, 0, 4, 0], np.uint32)[::2], P17).tolist() == [10, 6, 15, 7]
    with pytest.raises(wgalois.errors.InputError, match="float64"):
        wgalois.ntt(np.array([0.5, 1]), P17)


def test_names_of_primes():
    assert wgalois.prime_value("babybear") == BABY_BEAR
    assert wgalois.ntt([1, 2], "babybear").tolist() == [3, BABY_BEAR - 1]


def test_polymul():
    rng = np.random.default_rng(3)
    for la, lb in [(1, 1), (1, 7), (5, 3), (100, 57)]:
        a, b = rng.integers(0, BABY_BEAR, la), rng.integers(0, BABY_BEAR, lb)
        assert wgalois.polymul(a, b, BABY_BEAR).tolist() == polymul_by_definition(a, b, BABY_BEAR)
    field = galois.GF(7681)
    a, b = rng.integers(0, 7681, 40), rng.integers(0, 7681, 30)
    expected = galois.Poly(field(a[::-1])) * galois.Poly(field(b[::-1]))
    assert wgalois.polymul(a, b, 7681).tolist() == np.asarray(expected.coeffs[::-1]).tolist()
    assert wgalois.polymul([], [1, 2], 17).tolist() == []
    assert wgalois.polymul([], []).tolist() == []


def test_exact_products():
    a, b = np.arange(-50, 50), np.arange(30)
    product = wgalois.polymul(a, b)
    assert product.dtype == np.int64 and np.array_equal(product, np.convolve(a, b))
    large = [2**40, -(2**39), 1], [-(2**41), 2**40 + 1]
    product = wgalois.polymul(*large)
    assert product.dtype == object and product.tolist() == polymul_by_definition(*large)
    extreme = wgalois.polymul([-(2**63)], [1])
    assert extreme.tolist() == [-(2**63)]
    assert wgalois.polymul([2**63 - 1], [1]).tolist() == [2**63 - 1]
    assert wgalois.polymul([2**62], [2]).tolist() == [2**63]
    with pytest.raises(wgalois.errors.InputError, match="exact products are bounded by"):
        wgalois.polymul([2**62] * 4, [2**62] * 4)
    with pytest.raises(wgalois.errors.InputError, match="not a 64-bit integer"):
        wgalois.polymul([2**63], [1])


@pytest.mark.parametrize("n", [1, 2, 5, 8, 64])
@pytest.mark.parametrize("prime", [None, BABY_BEAR])
def test_cyclic_and_negacyclic(n, prime):
    rng = np.random.default_rng(n)
    a, b = rng.integers(0, 1000, n), rng.integers(0, 1000, n + 3)
    full = polymul_by_definition(a, b)
    for mode, sign in [("cyclic", 1), ("negacyclic", -1)]:
        folded = [0] * n
        for i, x in enumerate(full):
            folded[i % n] += x * sign ** (i // n)
        if prime:
            folded = [x % prime for x in folded]
        assert wgalois.convolve(a, b, prime, mode=mode, n=n).tolist() == folded
    assert np.array_equal(wgalois.convolve(a, b), np.convolve(a, b))


@pytest.mark.parametrize("modulus", [2, 3, 4, 10, 3329, 10007, 65536, 10**9 + 7, 2**31 - 2, 2**31 - 1])
def test_products_modulo_any_number(modulus):
    rng = np.random.default_rng(modulus)
    assert wgalois.polymul([], [1, 1, 1], modulus).tolist() == []
    for la, lb in [(1, 1), (5, 3), (64, 64), (100, 57)]:
        a, b = rng.integers(0, modulus, la), rng.integers(0, modulus, lb)
        expected = polymul_by_definition(a, b, modulus)
        assert wgalois.polymul(a, b, modulus).tolist() == expected
        assert wgalois.polymul(a, b, modulus=modulus).tolist() == expected
    a, b = rng.integers(0, modulus, (40, 64)), rng.integers(0, modulus, (40, 64))
    found = wgalois.convolve(a, b, modulus, mode="negacyclic")
    plan = wgalois.Plan.polymul(64, 64, modulus, batch=40, mode="negacyclic", device="cpu")
    assert np.array_equal(plan(a, b), found)
    for x, y, product in zip(a, b, found, strict=True):
        full = polymul_by_definition(x, y) + [0]
        assert product.tolist() == [(full[i] - full[64 + i]) % modulus for i in range(64)]


@pytest.mark.parametrize("modulus", [None, 10, BABY_BEAR])
def test_modes_of_numpy(modulus):
    rng = np.random.default_rng(8)
    for la, lb in [(1, 1), (1, 4), (4, 1), (5, 2), (5, 3), (6, 4), (4, 9), (7, 7), (300, 20)]:
        a, b = rng.integers(0, 10, la), rng.integers(0, 10, lb)
        for mode in ("full", "same", "valid"):
            expected = np.convolve(a, b, mode)
            expected = expected if modulus is None else expected % modulus
            assert np.array_equal(wgalois.convolve(a, b, modulus, mode=mode), expected), (la, lb, mode)
    a, b = rng.integers(0, 10, (2, 5)), rng.integers(0, 10, 3)
    rows = wgalois.convolve(a, b, modulus, mode="valid")
    columns = wgalois.convolve(a.T, b[:, None], modulus, mode="valid", axis=0)
    assert rows.shape == (2, 3) and np.array_equal(columns.T, rows)


def test_a_long_signal_by_a_short_filter():
    rng = np.random.default_rng(9)
    signal = rng.integers(-(2**15), 2**15, 100_000).astype(np.int16)
    for taps in (1, 2, 100, 1000):
        taps = rng.integers(-(2**15), 2**15, taps).astype(np.int16)
        expected = np.convolve(signal.astype(np.int64), taps.astype(np.int64))
        assert np.array_equal(wgalois.convolve(signal, taps), expected)
        assert np.array_equal(wgalois.convolve(taps, signal), expected)
        assert np.array_equal(wgalois.convolve(signal, taps, mode="same"), np.convolve(signal.astype(int), taps, "same"))


def test_transforms_of_any_length():
    rng = np.random.default_rng(10)
    for prime, n in [(7, 1), (7, 3), (17, 1), (3329, 13), (3329, 3328), (10007, 5003), (97, 96)]:
        a = rng.integers(0, prime, (2, n))
        root = wgalois.root_of_unity(n, prime)
        field = galois.GF(prime)
        powers = field(np.array([pow(root, k, prime) for k in range(n)]))
        values = wgalois.ntt(a, prime)
        j = rng.integers(0, n)
        assert int(values[1, j]) == sum(int(x) * int(powers[i * j % n]) for i, x in enumerate(a[1])) % prime
        assert np.array_equal(wgalois.intt(values, prime), a)
        other = pow(root, -1, prime)
        assert np.array_equal(wgalois.ntt(a, prime, root=other)[:, j], values[:, -j % n])
        assert np.array_equal(wgalois.intt(wgalois.ntt(a, prime, root=other, coset=2), prime, root=other, coset=2), a)
    assert np.array_equal(wgalois.ntt([1, 2, 3], 17, size=4), wgalois.ntt([1, 2, 3, 0], 17))
    assert np.array_equal(wgalois.ntt([1, 2, 3], 17, size=2), wgalois.ntt([1, 2], 17))
    # The points of a negacyclic transform are the odd powers of a root of order 6.
    points = [pow(wgalois.root_of_unity(6, 7), 2 * j + 1, 7) for j in range(3)]
    assert wgalois.ntt([1, 2, 3], 7, negacyclic=True).tolist() == [(1 + 2 * z + 3 * z * z) % 7 for z in points]


def test_the_ring_of_ml_kem():
    rng = np.random.default_rng(11)
    a, b = rng.integers(0, 3329, (3, 256)), rng.integers(0, 3329, (3, 256))
    x, y = wgalois.ntt(a, ring="ml-kem"), wgalois.ntt(b, "kyber", ring="kyber")
    # Remainders modulo x^2 - 17^(2 r(i) + 1): FIPS 203, section 4.3.
    for i in (0, 1, 77, 127):
        gamma = pow(17, 2 * int(f"{i:07b}"[::-1], 2) + 1, 3329)
        for half in (0, 1):
            expected = sum(int(c) * pow(gamma, k, 3329) for k, c in enumerate(a[2, half::2])) % 3329
            assert x[2, 2 * i + half] == expected
    product = wgalois.intt(wgalois.multiply_ml_kem(x, y), ring="ml-kem")
    assert np.array_equal(product, wgalois.convolve(a, b, 3329, mode="negacyclic"))
    assert np.array_equal(wgalois.intt(x, ring="ml-kem"), a)


def test_batches_of_products():
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 17, (2, 3, 5)), rng.integers(0, 17, (3, 4))
    products = wgalois.polymul(a, b, BABY_BEAR)
    exact = wgalois.polymul(a, b)
    assert products.shape == exact.shape == (2, 3, 8)
    for i in range(2):
        for j in range(3):
            expected = polymul_by_definition(a[i, j], b[j])
            assert products[i, j].tolist() == expected and exact[i, j].tolist() == expected
    along = wgalois.polymul(a[0].T, b.T, BABY_BEAR, axis=0)
    assert np.array_equal(along, products[0].T)


def test_errors():
    errors = wgalois.errors
    for call, kind, words in [
        (lambda: wgalois.ntt([1, 2, 3], 17), errors.InputError, "length 3: it must be a power of two"),
        (lambda: wgalois.ntt([1, 2, 3], 7, root=3), errors.InputError, "order is not 3"),
        (lambda: wgalois.ntt([1, 2, 3], 7, root=7), errors.InputError, "root 7"),
        (lambda: wgalois.ntt([1, 2, 3], 7, output_order="bit-reversed"), errors.UsageError, "power of two"),
        (lambda: wgalois.ntt([1, 2], 7, size=0), errors.InputError, "size 0"),
        (lambda: wgalois.ntt([1] * 255, ring="ml-kem"), errors.InputError, "255 entries"),
        (lambda: wgalois.ntt([1] * 256, ring="ml-dsa"), errors.UsageError, "expected ml-kem"),
        (lambda: wgalois.ntt([1] * 256, 17, ring="ml-kem"), errors.InputError, "3329"),
        (lambda: wgalois.polymul([1], [1], 1), errors.InputError, "modulus 1"),
        (lambda: wgalois.polymul([1], [1], 2**31), errors.InputError, "below 2\\^31"),
        (lambda: wgalois.polymul([1], [1], 7, modulus=7), errors.UsageError, "exclude"),
        (lambda: wgalois.polymul([1], [10], modulus=10), errors.InputError, "coefficient 0 is 10"),
        (lambda: wgalois.ntt([], 17), errors.InputError, "length 0"),
        (lambda: wgalois.ntt([1] * 32, 17), errors.InputError, "root of unity"),
        (lambda: wgalois.ntt([1, 17], 17), errors.InputError, "entry 1 is 17, not below the modulus 17"),
        (lambda: wgalois.ntt([1, -2], 17), errors.InputError, "entry 1 is -2, negative: reduce with wrap=True"),
        (lambda: wgalois.ntt(np.array([1, 17], np.uint32), 17), errors.InputError, "entry 1 is 17, not below the modulus 17"),
        (lambda: wgalois.ntt([1, -2], 17), errors.InputError, "entry 1 is -2, negative: reduce with wrap=True"),
        (lambda: wgalois.ntt(np.array([1, -2], np.int8), 17), errors.InputError, "entry 1 is -2, negative"),
        (lambda: wgalois.polymul([1], [1, -3], 17), errors.InputError, "coefficient 1 is -3, negative: reduce with wrap=True"),
        (lambda: wgalois.ntt([1, -2], "bn254-fr"), errors.InputError, "entry 1 is -2, negative: reduce with wrap=True"),
        (lambda: wgalois.ntt([1, 2], 15), errors.InputError, "15"),
        (lambda: wgalois.ntt([1, 2]), errors.UsageError, "prime"),
        (lambda: wgalois.ntt(1, 17), errors.InputError, "dimension"),
        (lambda: wgalois.ntt([1, 2], 17, axis=1), errors.InputError, "axis 1"),
        (lambda: wgalois.ntt([1, 2], 17, coset=0), errors.InputError, "coset shift 0"),
        (lambda: wgalois.ntt([1, 2], 17, coset=3, negacyclic=True), errors.UsageError, "exclude"),
        (lambda: wgalois.ntt([1, 2], 17, device="no such adapter"), errors.NoDeviceError, "no such device"),
        (lambda: wgalois.polymul([1], [17], 17), errors.InputError, "coefficient 0"),
        (lambda: wgalois.polymul(np.ones((2, 2), int), np.ones((3, 2), int)), errors.InputError, "batches"),
        (lambda: wgalois.convolve([1], [1], 17, mode="some"), errors.UsageError, "mode"),
        (lambda: wgalois.convolve([], [1], 17, mode="same"), errors.InputError, "no coefficients"),
        (lambda: wgalois.convolve([1], [1], mode="valid", n=4), errors.UsageError, "n=: only products of mode cyclic"),
        (lambda: wgalois.convolve([1], [1], 17, mode="cyclic", n=0), errors.UsageError, "ring of degree 0"),
        (lambda: wgalois.convolve([1], [1], 17, n=4), errors.UsageError, "n=: only products of mode cyclic"),
        (lambda: wgalois.convolve([1], [1], n=4), errors.UsageError, "n=: only products of mode cyclic"),
        (lambda: wgalois.convolve([1], [1], "bn254-fr", n=4), errors.UsageError, "n=: only products of mode cyclic"),
        (lambda: wgalois.Plan.polymul(1, 1, 17, n=4), errors.UsageError, "n=: only products of mode cyclic"),
        (lambda: wgalois.Plan.polymul(1, 1, "bn254-fr", n=4), errors.UsageError, "n=: only products of mode cyclic"),
        (lambda: wgalois.Plan.polymul(2, 2, batch=3), errors.UsageError, "batch=: products without a prime"),
        (lambda: wgalois.Plan.polymul(2, 2, "bn254-fr", batch=3), errors.UsageError, "batch=: products without a prime"),
        (lambda: wgalois.Plan.gf2("rank", 2, 2, others=1), errors.UsageError, "others=: operation 'rank' takes one matrix"),
        (lambda: wgalois.Plan.gf2("rank", 1, 1)([[1]], [[1]]), errors.UsageError, "operation 'rank' takes one matrix"),
        (lambda: wgalois.polymul([1, 1], [1, 1], 2**64 - 2**32 + 1), errors.InputError, "polymul without a prime"),
        (lambda: wgalois.polymul([2**45], [2**45]), errors.InputError, r"exact products are bounded by \d+, about 2\^89"),
    ]:
        with pytest.raises(kind, match=words):
            call()
    assert issubclass(errors.InputError, ValueError) and issubclass(errors.NoDeviceError, RuntimeError)
    assert issubclass(errors.FileError, OSError) and issubclass(errors.OutOfMemoryError, MemoryError)
    assert wgalois.ntt([18, -15], 17, wrap=True).tolist() == wgalois.ntt([1, 2], 17).tolist()
    assert wgalois.polymul([18], [-1], 17, wrap=True).tolist() == [16]
    # Primes outside the range of narrow types.
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32):
        a = np.array([1, np.iinfo(dtype).max], dtype)
        expected = wgalois.ntt(a.astype(np.int64) % 2013265921, "babybear").tolist()
        assert wgalois.ntt(a, "babybear", wrap=True).tolist() == expected


def test_device_arrays():
    rng = np.random.default_rng(5)
    a = rng.integers(0, BABY_BEAR, (3, 16))
    x = wgalois.asdevice(a, BABY_BEAR, device="cpu")
    assert (x.shape, x.ndim, x.size, x.prime, x.device, len(x)) == ((3, 16), 2, 48, BABY_BEAR, "cpu", 3)
    y = wgalois.ntt(x)
    assert np.array_equal(np.asarray(y), wgalois.ntt(a, BABY_BEAR))
    assert np.array_equal(np.asarray(x), a), "the operand keeps its values"
    assert np.array_equal(wgalois.intt(y), a)
    assert np.array_equal(x.copy().ntt_inplace().intt_inplace(), a)
    u, v = (wgalois.asdevice(a[i], BABY_BEAR, device="cpu") for i in (0, 1))
    assert np.array_equal(wgalois.polymul(u, v), wgalois.polymul(a[0], a[1], BABY_BEAR))
    assert np.array_equal(wgalois.polymul(u, u), wgalois.polymul(a[0], a[0], BABY_BEAR))
    expected = wgalois.convolve(a[0], a[1], BABY_BEAR, mode="negacyclic")
    assert np.array_equal(wgalois.convolve(u, v, mode="negacyclic"), expected)
    with pytest.raises(wgalois.errors.InputError, match="not below"):
        wgalois.asdevice([17], 17, device="cpu")
    with pytest.raises(wgalois.errors.InputError, match="residues modulo"):
        wgalois.ntt(x, 17)
    with pytest.raises(wgalois.errors.UsageError):
        wgalois.polymul(u, [1, 2])


def test_plans():
    rng = np.random.default_rng(6)
    a = rng.integers(0, BABY_BEAR, (4, 64))
    plan = wgalois.Plan.ntt(64, "babybear", batch=4, output_order="bit-reversed", device="cpu")
    values = plan(a)
    assert np.array_equal(values, wgalois.ntt(a, BABY_BEAR, output_order="bit-reversed"))
    assert np.array_equal(plan.inverse(values), a)
    assert plan.device == "cpu" and plan.device_bytes == 0 and plan.seconds > 0 and "2^6 words" in str(plan)
    on_device = wgalois.asdevice(a, BABY_BEAR, device="cpu")
    assert np.array_equal(plan(on_device), values)
    product = wgalois.Plan.polymul(10, 7, 17, device="cpu")
    x, y = rng.integers(0, 17, 10), rng.integers(0, 17, 7)
    for _ in range(2):
        assert product(x, y).tolist() == polymul_by_definition(x, y, 17)
    exact = wgalois.Plan.polymul(10, 7, device="cpu")
    assert np.array_equal(exact(x, -y), np.convolve(x, -y))
    with pytest.raises(wgalois.errors.InputError):
        plan(a[:, :32])
    with pytest.raises(wgalois.errors.InputError):
        plan(a[:3])
    with pytest.raises(wgalois.errors.InputError):
        product(x, x)
    with pytest.raises(wgalois.errors.UsageError):
        wgalois.Plan()


def test_a_product_takes_two_arrays_of_a_device_or_none():
    x = wgalois.asdevice([1, 2], 17, device="cpu")
    for multiply in (wgalois.polymul, wgalois.convolve):
        for a, b in ((x, [1, 2]), ([1, 2], x)):
            for prime in (None, 17, 97):
                with pytest.raises(wgalois.errors.UsageError, match="one factor is a DeviceArray"):
                    multiply(a, b, prime)
    plan = wgalois.Plan.polymul(2, 2, 17, device="cpu")
    assert plan([1, 2], [3, 4]).tolist() == [3, 10, 8]
    for a, b in ((x, [1, 2]), ([1, 2], x), (x, x)):
        with pytest.raises(wgalois.errors.UsageError, match="arrays of the host"):
            plan(a, b)


def test_numbers_that_are_not_integers_are_refused():
    with pytest.raises(wgalois.errors.InputError, match="prime 17.5"):
        wgalois.ntt([1, 2], 17.5)
    with pytest.raises(wgalois.errors.InputError, match="coset shift 2.5"):
        wgalois.ntt([1, 2], 17, coset=2.5)

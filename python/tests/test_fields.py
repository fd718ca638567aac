"""Transforms and products over scalar fields beside Python's integers."""

import numpy as np
import pytest
import wgalois

# The orders, and arkworks' primitive roots of unity of order 2^s. Sources: EIP-197, EIP-2537, and the curves' parameters.
BN254 = 21888242871839275222246405745257275088548364400416034343698204186575808495617
U_377, U_315 = 0x8508C00000000001, -0xBFCFFFFF
ORDERS = {
    "bls12-381-fr": 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001,
    "bls12-377-fr": U_377**4 - U_377**2 + 1,
    "bn254-fr": BN254,
    "bls24-315-fr": U_315**8 - U_315**4 + 1,
}


def root_of(field, n):
    """The root of unity that the transform of (0, 1, 0, ...) shows, with its order checked."""
    r = ORDERS[field]
    w = int(wgalois.ntt([0, 1] + [0] * (n - 2), field, device="cpu")[1])
    assert pow(w, n, r) == 1 and pow(w, n // 2, r) == r - 1
    return w


def limbs(integers):
    return np.array([[int(x) >> 64 * i & (2**64 - 1) for i in range(4)] for x in integers], np.uint64)


def draw(r, n, seed=1):
    rng = np.random.default_rng(seed)
    return [0, r - 1, 1][:n] + [int.from_bytes(rng.bytes(40), "little") % r for _ in range(n - 3)]


@pytest.mark.parametrize("field", list(ORDERS))
def test_transforms_are_their_definition(field):
    r, n = ORDERS[field], 16
    assert wgalois.prime_value(field) == r
    w = root_of(field, n)
    a = draw(r, n)
    values = [sum(x * pow(w, i * j, r) for i, x in enumerate(a)) % r for j in range(n)]
    assert wgalois.ntt(a, field, device="cpu").tolist() == values
    assert np.array_equal(wgalois.ntt(limbs(a), field.upper()), limbs(values))
    assert wgalois.intt(values, field).tolist() == a
    shifted = [sum(x * pow(7 * pow(w, j, r), i, r) for i, x in enumerate(a)) % r for j in range(n)]
    assert wgalois.ntt(a, field, coset=7).tolist() == shifted
    assert wgalois.intt(shifted, field, coset=7).tolist() == a
    reverse = [int(f"{i:04b}"[::-1], 2) for i in range(n)]
    assert wgalois.ntt(a, field, output_order="bit-reversed").tolist() == [values[i] for i in reverse]
    g = root_of(field, 2 * n)
    negacyclic = [sum(x * pow(g, i * (2 * j + 1), r) for i, x in enumerate(a)) % r for j in range(n)]
    assert wgalois.ntt(a, field, negacyclic=True).tolist() == negacyclic


def test_batches_along_an_axis():
    r = BN254
    a = np.array(draw(r, 48), object).reshape(3, 8, 2)
    by_vector = [[wgalois.ntt(a[i, :, j], "bn254-fr", device="cpu") for j in range(2)] for i in range(3)]
    expected = np.array(by_vector, object).transpose(0, 2, 1)
    assert np.array_equal(wgalois.ntt(a, "bn254-fr", axis=1), expected)
    in_limbs = limbs(a.ravel()).reshape(3, 8, 2, 4)
    assert np.array_equal(wgalois.ntt(in_limbs, "bn254-fr", axis=1), limbs(expected.ravel()).reshape(3, 8, 2, 4))
    assert np.array_equal(in_limbs, limbs(a.ravel()).reshape(3, 8, 2, 4))
    assert wgalois.ntt(np.zeros((0, 8, 4), np.uint64), "bn254-fr").shape == (0, 8, 4)
    assert wgalois.ntt([5], "bn254-fr").tolist() == [5]


@pytest.mark.parametrize("lengths", [(1, 1), (3, 5), (17, 4), (0, 3)])
def test_products(lengths):
    r = ORDERS["bls12-381-fr"]
    a, b = draw(r, lengths[0], 2), draw(r, lengths[1], 3)
    c = [0] * (sum(lengths) - 1 if all(lengths) else 0)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            c[i + j] = (c[i + j] + x * y) % r
    assert wgalois.polymul(a, b, "bls12-381-fr").tolist() == c
    assert wgalois.convolve(a, b, "bls12-381-fr", device="cpu").tolist() == c
    both = np.stack([limbs(a).reshape(-1, 4), limbs(a).reshape(-1, 4)])
    assert np.array_equal(wgalois.polymul(both, limbs(b).reshape(-1, 4), "bls12-381-fr")[1], limbs(c).reshape(-1, 4))


def test_a_gpu_beside_the_cpu_engine(adapters):
    a = limbs(draw(BN254, 512)).reshape(2, 256, 4)
    expected = wgalois.ntt(a, "bn254-fr", device="cpu")
    assert np.array_equal(wgalois.ntt(a, "bn254-fr", device="gpu"), expected)
    product = wgalois.polymul(a[0], a[1], "bn254-fr", device="cpu")
    assert np.array_equal(wgalois.polymul(a[0], a[1], "bn254-fr", device="gpu"), product)


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_plans(device, request):
    if device == "gpu":
        request.getfixturevalue("adapters")
    a = np.array([draw(BN254, 8, seed) for seed in range(3)], object)
    plan = wgalois.Plan.ntt(8, "bn254-fr", batch=3, coset=5, output_order="bit-reversed", device=device)
    values = plan(a)
    expected = wgalois.ntt(a, "bn254-fr", coset=5, output_order="bit-reversed", device="cpu")
    assert np.array_equal(values, expected)
    assert np.array_equal(plan.inverse(values), a) and np.array_equal(plan(a.T, axis=0).T, values)
    assert np.array_equal(plan(np.stack([limbs(row) for row in a]))[1], limbs(values[1]))
    product = wgalois.Plan.polymul(8, 3, "bn254-fr", device=device)
    assert np.array_equal(product(a[0], a[1][:3]), wgalois.polymul(a[0], a[1][:3], "bn254-fr", device="cpu"))
    with pytest.raises(wgalois.errors.InputError):
        plan(a[:, :4])
    with pytest.raises(wgalois.errors.InputError):
        product(a[0], a[1])
    with pytest.raises(wgalois.errors.UsageError):
        wgalois.Plan.polymul(8, 3, "bn254-fr", mode="cyclic")


def test_errors():
    errors = wgalois.errors
    for call, kind, words in [
        (lambda: wgalois.ntt([1, 2], "p256-fr"), errors.UsageError, "no field"),
        (lambda: wgalois.ntt([1, 2, 3], "bn254-fr"), errors.InputError, "power of two"),
        (lambda: wgalois.ntt([1, BN254], "bn254-fr"), errors.InputError, "entry 1 is"),
        (lambda: wgalois.ntt(limbs([1, BN254]), "bn254-fr"), errors.InputError, "entry 1 is 2188"),
        (lambda: wgalois.ntt([1, -1], "bn254-fr"), errors.InputError, "entry 1 is -1"),
        (lambda: wgalois.ntt([1.5, 2], "bn254-fr"), errors.InputError, "float"),
        (lambda: wgalois.ntt(np.zeros((4, 3), np.uint64), "bn254-fr"), errors.InputError, "limbs of shape"),
        (lambda: wgalois.ntt([1, 2], "bn254-fr", coset=0), errors.InputError, "coset shift 0"),
        (lambda: wgalois.ntt([1, 2], "bn254-fr", axis=1), errors.InputError, "axis 1"),
        (lambda: wgalois.ntt([], "bn254-fr"), errors.InputError, "power of two"),
        (lambda: wgalois.convolve([1], [1], "bn254-fr", mode="cyclic"), errors.UsageError, "mode full only"),
        (lambda: wgalois.asdevice([1], "bn254-fr"), errors.UsageError, "below 2"),
        (lambda: wgalois.polymul(limbs([1]), [1], "bn254-fr"), errors.UsageError, "limbs"),
    ]:
        with pytest.raises(kind, match=words):
            call()
    assert wgalois.ntt([1, BN254 + 1], "bn254-fr", wrap=True).tolist() == [2, 0]

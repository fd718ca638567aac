"""What goes in and comes out: devices by number, sparse beside dense, errors with data, refused arrays, pickles, copies."""

import copy
import pickle

import galois
import numpy as np
import pytest
import scipy.sparse
import wgalois
from wgalois import errors, gf2

A = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], np.uint8)


def test_a_device_by_its_number(adapters):
    assert gf2.rank(A, device=0) == gf2.rank(A, device=np.int64(0)) == 2
    assert wgalois.ntt([1, 2, 3, 4], 17, device=0).tolist() == [10, 6, 15, 7]
    assert wgalois.asdevice([1, 2], 17, device=0).device == adapters[0]["name"]
    assert wgalois.Plan.ntt(4, 17, device=0).device == adapters[0]["name"]
    assert wgalois.boolean.solve(["x + 1"], device=0) == {"x": 1}
    with pytest.raises(errors.NoDeviceError):
        gf2.rank(A, device=len(adapters))


@pytest.mark.parametrize("device", [-1, 0.0, None, True, [0], b"cpu"])
def test_what_names_no_device(device):
    with pytest.raises(errors.UsageError, match="device="):
        gf2.rank(A, device=device)


def test_sparse_with_dense_is_dense():
    sparse, dense = scipy.sparse.csr_matrix(A), A[:, :2].copy()
    for x in (gf2.solve(sparse, dense), gf2.factor(sparse).solve(dense), gf2.matmul(sparse, dense)):
        assert type(x) is np.ndarray and x.dtype == np.uint8
    assert np.array_equal(A @ gf2.solve(sparse, dense) % 2, dense)
    assert gf2.solve(sparse, dense.astype(bool)).dtype == bool
    plan = wgalois.Plan.gf2("solve", 3, 3, others=2, device="cpu")
    assert np.array_equal(plan(sparse, dense), gf2.solve(sparse, dense)) and type(plan(sparse, dense)) is np.ndarray
    both = gf2.solve(sparse, scipy.sparse.csr_matrix(dense))
    assert scipy.sparse.issparse(both) and np.array_equal(both.toarray(), gf2.solve(sparse, dense))
    assert type(gf2.solve(A, scipy.sparse.csr_matrix(dense))) is np.ndarray
    assert type(gf2.solve(gf2.BitMatrix(A), dense)) is gf2.BitMatrix


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_matrix, gf2.BitMatrix])
def test_the_columns_without_a_solution(kind):
    rng = np.random.default_rng(2)
    a = rng.integers(0, 2, (40, 12), np.uint8)
    b = a.astype(int) @ rng.integers(0, 2, (12, 9)) % 2
    b[:, [2, 5]] = 1 - b[:, [2, 5]]
    solvable = [gf2.rank(np.column_stack([a, column])) == gf2.rank(a) for column in b.T]
    assert solvable == [c not in (2, 5) for c in range(9)]
    plan = wgalois.Plan.gf2("solve", 40, 12, others=9, device="cpu")
    for solve in (gf2.solve, lambda a, b: gf2.factor(a).solve(b), plan):
        with pytest.raises(errors.NoSolutionError, match="columns 2, 5 of the right sides") as caught:
            solve(kind(a), kind(b))
        error = caught.value
        assert error.columns.tolist() == [2, 5] and error.data["columns"] == [2, 5] and error.kind == "NoSolution"
        x = error.solutions
        assert type(x) is type(gf2.solve(kind(a), kind(a)))
        x = x.toarray() if scipy.sparse.issparse(x) else np.asarray(x)
        assert np.array_equal(a.astype(int) @ x % 2, np.where(solvable, b, 0)) and not x[:, [2, 5]].any()
        again = pickle.loads(pickle.dumps(gf2_error(solve, kind(a), kind(b))))
        assert str(again) == str(error) and again.columns.tolist() == [2, 5]
    with pytest.raises(errors.NoSolutionError) as caught:
        gf2.solve(kind(a), b[:, 2])
    assert caught.value.columns.tolist() == [0]


def gf2_error(solve, a, b):
    try:
        solve(a, b)
    except errors.NoSolutionError as error:
        return error


def test_the_systems_without_a_solution():
    a = np.stack([A, A, np.eye(3, dtype=np.uint8)])
    b = np.array([[1, 0, 1], [1, 0, 0], [1, 1, 0]], np.uint8)
    with pytest.raises(errors.NoSolutionError, match="matrix 1: no solution") as caught:
        gf2.solve(a, b)
    error = caught.value
    assert error.systems.tolist() == [1] and not error.columns.size
    assert np.array_equal(error.solutions[0], gf2.solve(a[0], b[0])) and error.solutions[2].tolist() == [1, 1, 0]


def test_factored_matrices():
    rng = np.random.default_rng(3)
    for shape in [(1, 1), (5, 9), (9, 5), (60, 130), (130, 60)]:
        a = rng.integers(0, 2, shape, np.uint8)
        a[len(a) // 2 :] = a[: len(a) - len(a) // 2]
        factored = gf2.factor(a)
        assert factored.rank == gf2.rank(a) and np.array_equal(factored.pivots, gf2.pivots(a)) and factored.shape == shape
        b = a.astype(int) @ rng.integers(0, 2, (shape[1], 7)) % 2
        assert np.array_equal(factored.solve(b), gf2.solve(a, b)) and np.array_equal(
            factored.solve(b[:, 3]), gf2.solve(a, b[:, 3])
        )
    assert np.array_equal(gf2.factor(np.zeros((2, 3), bool)).solve(np.zeros(2, bool)), np.zeros(3, bool))
    with pytest.raises(errors.InputError, match="A has 2 rows, B has 3 rows"):
        gf2.factor([[1, 1], [0, 1]]).solve([1, 0, 1])


def test_arrays_that_are_not_what_they_look_like_are_refused():
    masked = np.ma.masked_array(A, mask=np.eye(3, dtype=bool))
    third, other = galois.GF(3)(A), galois.GF(17)([1, 2, 3, 4])
    vector = np.ma.masked_array([1, 2, 3, 4], mask=[0, 0, 0, 1])
    calls = [
        lambda a=a, call=call: call(a)
        for a in (masked, third)
        for call in (
            gf2.rank, gf2.BitMatrix, wgalois.asdevice, gf2.factor, lambda a: gf2.solve(A, a), lambda a: gf2.matmul(A, a),
            lambda a: gf2.rank(np.ma.stack([a, a]) if a is masked else galois.GF(3)(np.stack([a, a]))),
        )
    ]  # fmt: skip
    for v in (vector, galois.GF(19)([1, 2, 3, 4])):
        calls += [
            lambda v=v: wgalois.ntt(v, 17),
            lambda v=v: wgalois.ntt(v, 17, size=8),
            lambda v=v: wgalois.polymul(v, [1, 2], 17),
            lambda v=v: wgalois.polymul([1, 2], v),
            lambda v=v: wgalois.convolve(v, [1, 2], 17, mode="same"),
            lambda v=v: wgalois.asdevice(v, 17),
            lambda v=v: wgalois.Plan.ntt(4, 17)(v),
            lambda v=v: wgalois.ntt(v, "bn254-fr"),
            lambda v=v: wgalois.msm(np.zeros((4, 2, 4), np.uint64), v, "bn254"),
            lambda v=v: wgalois.asdevice([1, 2, 3, 4], 17, device="cpu") + v,
        ]
    for call in calls:
        with pytest.raises(errors.InputError, match="masked|field of"):
            call()
    # Elements of the field that is meant are taken.
    assert wgalois.ntt(other, 17).tolist() == [10, 6, 15, 7]
    assert gf2.rank(galois.GF(2)(A)) == 2


def test_pickles_and_copies():
    packed = gf2.BitMatrix(np.random.default_rng(4).integers(0, 2, (9, 37), np.uint8))
    array = wgalois.asdevice([[1, 2, 3, 4], [5, 6, 7, 8]], 17, device="cpu")
    matrix = wgalois.asdevice(A, device="cpu")
    for again in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
        assert again(packed) == packed and again(packed).shape == (9, 37)
        assert (again(array) == array).all() and again(array).prime == 17 and again(array).shape == (2, 4)
        assert np.array_equal(again(matrix), A) and gf2.rank(again(matrix)) == 2
        for plan, data in [
            (wgalois.Plan.ntt(4, 17, batch=2, negacyclic=True), [[1, 2, 3, 4]] * 2),
            (wgalois.Plan.intt(4, 17, coset=3, device="cpu"), [1, 2, 3, 4]),
            (wgalois.Plan.ntt(4, "bn254-fr"), [1, 2, 3, 4]),
            (wgalois.Plan.gf2("inv", 2, 2), [[1, 1], [0, 1]]),
        ]:
            assert np.array_equal(again(plan)(data), plan(data))
        for plan in (
            wgalois.Plan.polymul(2, 2, 17, mode="cyclic", n=3),
            wgalois.Plan.polymul(2, 2, "bn254-fr"),
            wgalois.Plan.polymul(2, 2),
        ):
            assert np.array_equal(again(plan)([1, 2], [3, 4]), plan([1, 2], [3, 4]))
    other = copy.deepcopy(array)
    other.ntt_inplace()
    assert not (other == array).all()
    bases = wgalois.Bases([(1, 2)], "bn254", device="cpu")
    assert copy.deepcopy(bases).msm([1]) == (1, 2)
    with pytest.raises(TypeError, match="pickle the points"):
        pickle.dumps(bases)
    for error in (errors.SingularError("no inverse", 1, 2), errors.UsageError("words")):
        again = pickle.loads(pickle.dumps(error))
        assert (str(again), again.data, again.kind) == (str(error), error.data, error.kind)

"""Spans and distances of codes, beside ldpc and exhaustive search."""

import galois
import ldpc.mod2
import numpy as np
import pytest
import scipy.sparse
import wgalois
from ldpc.codes import hamming_code, rep_code, ring_code
from wgalois import gf2


def words(checks):
    """All words of a code but 0."""
    basis = gf2.null_space(checks)
    numbers = np.arange(1, 1 << len(basis))
    return (numbers[:, None] >> np.arange(len(basis)) & 1) @ basis % 2


def test_distances_of_random_codes():
    rng = np.random.default_rng(1)
    tried = 0
    for _ in range(300):
        rows, columns = rng.integers(1, 12), rng.integers(2, 20)
        checks = (rng.random((rows, columns)) < rng.random()).astype(np.uint8)
        rank = gf2.rank(checks)
        if not 0 < columns - rank <= 10:
            continue
        tried += 1
        least = int(words(checks).sum(axis=1).min())
        found = gf2.distance(checks)
        assert found.weight == least == ldpc.mod2.compute_exact_code_distance(checks)
        light = gf2.estimate_distance(checks, rounds=200, seed=1)
        assert light.weight >= least
        for weight, word in (found, light):
            assert word.sum() == weight and word.dtype == np.uint8 and not (checks.astype(int) @ word % 2).any()
    assert tried > 100


def test_distances_of_known_codes():
    for checks, weight in [(rep_code(9), 9), (ring_code(11), 11), (hamming_code(4), 3), (hamming_code(5), 3)]:
        assert gf2.distance(scipy.sparse.csr_matrix(checks)).weight == weight
        assert gf2.estimate_distance(scipy.sparse.csr_matrix(checks), rounds=50, seed=1).weight == weight
    bch = galois.BCH(63, 30)
    assert gf2.distance(bch.H if bch.H.shape[1] == 63 and type(bch.H).order == 2 else gf2.null_space(bch.G)).weight == 13
    assert gf2.estimate_distance(gf2.null_space(bch.G), rounds=3000, seed=1).weight == 13


def test_estimates_are_repeatable():
    checks = np.random.default_rng(5).integers(0, 2, (30, 60), np.uint8)
    first, again = (gf2.estimate_distance(checks, rounds=30, seed=9) for _ in range(2))
    assert first.weight == again.weight and np.array_equal(first.word, again.word)


def test_codes_without_words():
    for call in (gf2.distance, gf2.estimate_distance):
        with pytest.raises(wgalois.errors.InputError, match="no word but 0"):
            call(np.eye(3, dtype=np.uint8))
    with pytest.raises(wgalois.errors.InputError, match="rounds=0"):
        gf2.estimate_distance([[1, 1]], rounds=0)


def test_row_spans():
    rng = np.random.default_rng(2)
    for _ in range(50):
        a = rng.integers(0, 2, (rng.integers(1, 8), rng.integers(1, 12)), np.uint8)
        span = gf2.row_span(a)
        assert len(span) == 1 << gf2.rank(a) and len(np.unique(span, axis=0)) == len(span)
        sums = np.unique((np.arange(1 << len(a))[:, None] >> np.arange(len(a)) & 1) @ a % 2, axis=0)
        assert np.array_equal(np.unique(span, axis=0), sums)
    assert gf2.row_span(np.zeros((3, 4), bool)).tolist() == [[False] * 4]
    with pytest.raises(wgalois.errors.InputError, match="2\\*\\*26 at most"):
        gf2.row_span(np.eye(27, dtype=bool))


def test_determinants():
    rng = np.random.default_rng(3)
    many = rng.integers(0, 2, (40, 5, 5), np.uint8)
    expected = [int(np.linalg.det(galois.GF2(a))) for a in many]
    assert gf2.det(many).tolist() == [gf2.det(a) for a in many] == expected and 0 < sum(expected) < 40
    assert gf2.det(wgalois.asdevice(many[0], device="cpu")) == expected[0]
    assert gf2.det(np.zeros((0, 0), bool)) == 1
    with pytest.raises(wgalois.errors.InputError, match="2 rows and 3 columns"):
        gf2.det(np.zeros((2, 3), bool))

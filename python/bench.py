"""Times beside galois and ldpc, in one run on one machine: the least of several runs of each.

python bench.py [--device DEVICE] [--seconds SECONDS]
"""

import argparse
import time

import galois
import ldpc.mod2
import numpy as np
import scipy.sparse
import wgalois
from wgalois import gf2


def least(work, seconds):
    """The least time of a run: at least two runs, of which the first may compile, and as many as fit the seconds, at most 20."""
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 2 or (time.perf_counter() < end and len(times) < 20):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def shown(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} us"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=2.0, help="time for the runs of one row")
    arguments = parser.parse_args()
    device, seconds = arguments.device, arguments.seconds
    rng = np.random.default_rng(1)
    print("| | wgalois | other | ratio |\n|---|---|---|---|")

    def row(name, ours, other_name, other):
        ours, other = least(ours, seconds), least(other, seconds)
        print(f"| {name} | {shown(ours)} | {shown(other)} ({other_name}) | {other / ours:.3g} |", flush=True)

    p = 2013265921
    a, b = rng.integers(0, p, 2**14, np.uint32), rng.integers(0, p, 2**14, np.uint32)
    field = galois.GF(p)
    as_list = a.tolist()
    row("ntt, 2^14", lambda: wgalois.ntt(a, p, device=device), "galois", lambda: galois.ntt(as_list, modulus=p))
    x, y = field(a), field(b)
    row(
        "polymul modulo a prime, 2^14 by 2^14",
        lambda: wgalois.polymul(a, b, p, device=device),
        "galois",
        lambda: np.convolve(x, y),
    )
    small, bits = rng.integers(0, 17, 8), np.eye(8, dtype=np.uint8)
    short, square = small.tolist(), galois.GF2(bits)
    column = np.ones(8, np.uint8)
    row("a small call: ntt, 8", lambda: wgalois.ntt(small, 17, device=device), "galois", lambda: galois.ntt(short, modulus=17))
    row(
        "a small call: polymul, 8 by 8",
        lambda: wgalois.polymul(small, small, 17, device=device),
        "numpy",
        lambda: np.convolve(small, small) % 17,
    )
    row("a small call: rank, 8 x 8", lambda: gf2.rank(bits, device=device), "galois", lambda: np.linalg.matrix_rank(square))
    row(
        "a small call: solve, 8 x 8",
        lambda: gf2.solve(bits, column, device=device),
        "galois",
        lambda: np.linalg.solve(square, galois.GF2(column)),
    )
    u, v = rng.integers(-1000, 1000, 2**16), rng.integers(-1000, 1000, 2**16)
    row("polymul, exact, 2^16 by 2^16", lambda: wgalois.polymul(u, v, device=device), "numpy", lambda: np.convolve(u, v))
    m = rng.integers(0, 2, (1000, 2000), np.uint8)
    field2 = galois.GF2(m)
    sparse = scipy.sparse.csr_matrix(m)
    row("rref, 1000 x 2000", lambda: gf2.rref(m, device=device), "galois", lambda: field2.row_reduce())
    row("rank, 1000 x 2000", lambda: gf2.rank(m, device=device), "ldpc", lambda: ldpc.mod2.rank(sparse))
    syndromes = rng.integers(0, 2, (324, 1000), np.uint8)
    checks = scipy.sparse.csr_matrix(np.hstack([np.eye(324, dtype=np.uint8), (rng.random((324, 324)) < 0.02).astype(np.uint8)]))
    plu, one = ldpc.mod2.PluDecomposition(checks), syndromes[:, 0].copy()
    factored = gf2.factor(checks, device=device)
    row(
        "solve, 1000 syndromes, 648 columns",
        lambda: gf2.solve(checks, syndromes, device=device),
        "ldpc, 1000 times one",
        lambda: [plu.lu_solve(one) for _ in range(1000)],
    )
    row(
        "the same, factored before",
        lambda: factored.solve(syndromes),
        "ldpc, 1000 times one",
        lambda: [plu.lu_solve(one) for _ in range(1000)],
    )
    row("null space, 1000 x 2000", lambda: gf2.null_space(m, device=device), "ldpc", lambda: ldpc.mod2.nullspace(sparse))
    ring = np.eye(20, dtype=np.uint8) ^ np.roll(np.eye(20, dtype=np.uint8), 1, axis=1)
    toric = scipy.sparse.csr_matrix(np.hstack([np.kron(ring, np.eye(20)), np.kron(np.eye(20), ring.T)]).astype(np.uint8))
    row("kernel, toric_20 (400 x 800, sparse)", lambda: gf2.kernel(toric, device=device), "ldpc", lambda: ldpc.mod2.kernel(toric))
    for rows, columns, count in [(64, 128, 10_000), (512, 1024, 200)]:
        many = rng.integers(0, 2, (count, rows, columns), np.uint8)
        some = [scipy.sparse.csr_matrix(matrix) for matrix in many[: count // 20]]
        ours = least(lambda: gf2.rank(many, device=device), seconds) / count
        other = least(lambda: [ldpc.mod2.rank(matrix) for matrix in some], seconds) / len(some)
        print(
            f"| rank, {count} of {rows} x {columns}, each | {shown(ours)} | {shown(other)} (ldpc) | {other / ours:.3g} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

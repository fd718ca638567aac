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
    u, v = rng.integers(-1000, 1000, 2**16), rng.integers(-1000, 1000, 2**16)
    row("polymul, exact, 2^16 by 2^16", lambda: wgalois.polymul(u, v, device=device), "numpy", lambda: np.convolve(u, v))
    m = rng.integers(0, 2, (1000, 2000), np.uint8)
    field2 = galois.GF2(m)
    sparse = scipy.sparse.csr_matrix(m)
    row("rref, 1000 x 2000", lambda: gf2.rref(m, device=device), "galois", lambda: field2.row_reduce())
    row("rank, 1000 x 2000", lambda: gf2.rank(m, device=device), "ldpc", lambda: ldpc.mod2.rank(sparse))
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

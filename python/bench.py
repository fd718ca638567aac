"""Times beside galois, ldpc, NumPy, SciPy and python-flint, in one run on one machine: the least of several runs of each.

python bench.py [--device DEVICE] [--seconds SECONDS]
"""

import argparse
import time

import flint
import galois
import ldpc.mod2
import numpy as np
import scipy.signal
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


def by_fft(a, b):
    """Negacyclic products of rows modulo 3329, exact: real transforms of twice the length."""
    n = a.shape[1]
    spectra = np.fft.rfft(a, 2 * n), np.fft.rfft(b, 2 * n)
    full = np.rint(np.fft.irfft(spectra[0] * spectra[1], 2 * n)).astype(np.int64)
    return (full[:, :n] - full[:, n:]) % 3329


def toric(size):
    """The vertex checks of a toric code."""
    v = np.arange(size * size)
    x, y = v % size, v // size
    left, up = y * size + (x + size - 1) % size, (y + size - 1) % size * size + x
    columns = np.stack([v, left, size * size + v, size * size + up]).ravel()
    ones = np.ones(columns.size, np.uint8)
    return scipy.sparse.csr_matrix((ones, (np.tile(v, 4), columns)), shape=(size * size, 2 * size * size))


def hypergraph_product(checks):
    """The checks of one type of the hypergraph product of a code with itself."""
    (m, n), eye = checks.shape, scipy.sparse.identity
    both = [scipy.sparse.kron(checks, eye(n)), scipy.sparse.kron(eye(m), checks.T)]
    return scipy.sparse.csr_matrix(scipy.sparse.hstack(both)).astype(np.uint8)


def regular(rows, columns, ones):
    """Checks of a random code, with so many ones a column."""
    rng = np.random.default_rng(2)
    places = np.concatenate([rng.permutation(np.resize(np.arange(rows), columns)) for _ in range(ones)])
    entries = (np.ones(places.size, np.uint8), (places, np.tile(np.arange(columns), ones)))
    checks = scipy.sparse.coo_matrix(entries, shape=(rows, columns)).tocsr()
    checks.data %= 2
    checks.eliminate_zeros()
    return checks


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=2.0, help="time for the runs of one row")
    arguments = parser.parse_args()
    device, seconds = arguments.device, arguments.seconds
    rng = np.random.default_rng(1)
    print("| | wgalois | other | ratio |\n|---|---|---|---|")

    def row(name, ours, other_name, other, shaped=None):
        """A row of the table. The results are compared if ``shaped`` brings the other one to the shape of ours."""
        if shaped is not None:
            assert np.array_equal(ours(), shaped(other())), name
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
    f, g = rng.integers(0, 3329, (2, 10_000, 256))
    negacyclic = {"mode": "negacyclic", "device": device}
    row(
        "10000 products, 256, negacyclic, modulo 3329",
        lambda: wgalois.convolve(f, g, 3329, **negacyclic),
        "numpy",
        lambda: by_fft(f, g),
        np.asarray,
    )
    modulus = 10**9 + 7
    c, d = rng.integers(0, modulus, (2, 2**16))
    of_flint = [flint.nmod_poly(x.tolist(), modulus) for x in (c, d)]
    row(
        "polymul modulo 10^9 + 7, 2^16 by 2^16",
        lambda: wgalois.polymul(c, d, modulus, device=device),
        "python-flint, one thread",
        lambda: of_flint[0] * of_flint[1],
        lambda x: [int(y) for y in x],
    )
    signal, taps = rng.integers(-(2**15), 2**15, 2**20, np.int16), rng.integers(-(2**15), 2**15, 2**12, np.int16)
    as_float = signal.astype(np.float64), taps.astype(np.float64)
    row(
        "polymul, exact, 16 bits, 2^20 by 2^12",
        lambda: wgalois.polymul(signal, taps, device=device),
        "scipy's oaconvolve",
        lambda: scipy.signal.oaconvolve(*as_float),
        np.rint,
    )
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
    torus = scipy.sparse.csr_matrix(np.hstack([np.kron(ring, np.eye(20)), np.kron(np.eye(20), ring.T)]).astype(np.uint8))
    row("kernel, toric_20 (400 x 800, sparse)", lambda: gf2.kernel(torus, device=device), "ldpc", lambda: ldpc.mod2.kernel(torus))
    for name, checks in [
        ("rank, toric code, 10000 x 20000, sparse", toric(100)),
        ("rank, hypergraph product, 15552 x 32400, sparse", hypergraph_product(regular(108, 144, 3))),
    ]:
        row(name, lambda: gf2.rank(checks, device=device), "ldpc", lambda: ldpc.mod2.rank(checks), int)
    row("kernel of the first", lambda: gf2.kernel(toric(100), device=device), "ldpc", lambda: ldpc.mod2.kernel(toric(100)))
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

"""The parameters and the logical operators of a quantum code: the hypergraph product of a classical code with itself.

A CSS code has two check matrices with hx @ hz.T == 0. It encodes k = n - rank(hx) - rank(hz) qubits, and its logical X
operators are the vectors of the null space of hz that are no sums of rows of hx.
"""

import numpy as np
from wgalois import gf2


def hypergraph_product(h):
    m, n = h.shape
    hx = np.hstack([np.kron(h, np.eye(n, dtype=np.uint8)), np.kron(np.eye(m, dtype=np.uint8), h.T)])
    hz = np.hstack([np.kron(np.eye(n, dtype=np.uint8), h), np.kron(h.T, np.eye(m, dtype=np.uint8))])
    return hx, hz


def logical_operators(hx, hz):
    """Vectors of the null space of hz that are independent of the rows of hx."""
    candidates = gf2.row_basis(hx), gf2.null_space(hz)
    stack = np.vstack(candidates)
    chosen = gf2.pivot_rows(stack)
    return stack[chosen[chosen >= len(candidates[0])]]


ring = np.eye(12, dtype=np.uint8) ^ np.roll(np.eye(12, dtype=np.uint8), 1, axis=1)
hx, hz = hypergraph_product(ring)
assert not gf2.matmul(hx, hz.T).any()
n = hx.shape[1]
k = n - gf2.rank(hx) - gf2.rank(hz)
print(f"the toric code of a 12 x 12 lattice: [[{n}, {k}]]")

lx, lz = logical_operators(hx, hz), logical_operators(hz, hx)
assert len(lx) == len(lz) == k
# Change the basis of lz so that operator i of one kind anticommutes with operator i of the other only.
lz = gf2.matmul(gf2.inv(gf2.matmul(lx, lz.T).T), lz)
assert np.array_equal(gf2.matmul(lx, lz.T), np.eye(k))
print(f"{k} pairs of logical operators, of weights {lx.sum(1)} and {lz.sum(1)}")

# Decoding: for each of 1000 random errors, an error with the same syndrome.
errors = (np.random.default_rng(1).random((n, 1000)) < 0.05).astype(np.uint8)
syndromes = gf2.matmul(hz, errors)
corrections = gf2.solve(hz, syndromes)
assert np.array_equal(gf2.matmul(hz, corrections), syndromes)
residual = gf2.matmul(lz, errors ^ corrections)
print(f"a correction for every syndrome; {np.count_nonzero(~residual.any(0))} of 1000 errors are corrected by it")

"""The arithmetic of a lattice scheme: keys, encryption and decryption over Z_q[x] / (x^n + 1), by transforms.

This is the ring of Dilithium, with the noise of a textbook scheme (Lyubashevsky, Peikert, Regev). It shows transforms of
batches and products of values; it is no implementation for use, and nothing runs in constant time.
"""

import numpy as np
import wgalois

n, users = 256, 64
q = wgalois.prime_value("dilithium")
rng = np.random.default_rng(1)


def small(*shape):
    """Coefficients from -2 to 2, binomially distributed, modulo q."""
    bits = rng.integers(0, 2, (4, *shape, n))
    return (bits[0] + bits[1] - bits[2] - bits[3]) % q


def forward(a):
    return wgalois.ntt(a, q, negacyclic=True, output_order="bit-reversed")


def backward(a):
    return wgalois.intt(a, q, negacyclic=True, input_order="bit-reversed")


# Keys: b = a s + e, all as values at the odd powers of a 2n-th root of unity.
a = rng.integers(0, q, n)  # uniform, so its values are too
s, e = forward(small(users)), forward(small(users))
b = (a * s + e) % q

# Encryption of n bits for every user.
message = rng.integers(0, 2, (users, n))
r = forward(small(users))
u = (a * r + forward(small(users))) % q
v = (backward(b * r % q) + small(users) + message * (q // 2)) % q

# Decryption: what is near q / 2 was a one.
noisy = (v - backward(u * s % q)) % q
decrypted = (np.abs(noisy - q // 2) < q // 4).astype(int)
assert np.array_equal(decrypted, message)

# The same product by the definition of the ring.
x, y = small(), small()
assert np.array_equal(backward(forward(x) * forward(y) % q), wgalois.convolve(x, y, q, mode="negacyclic"))
print(f"{users} messages of {n} bits are encrypted and decrypted modulo {q}")

// Transforms, products and sums against their definitions.
import { test } from "node:test";
import assert from "node:assert/strict";

import { msm, ntt, openEngine, polymul, WgaloisError } from "wgalois";

const PRIMES = { babybear: 2013265921, koalabear: 2130706433, 12289: 12289 };
const isPower = (values, prime, root) => values.every((value, i) => BigInt(value) === power(BigInt(root), i, BigInt(prime)));

function modular(base, exponent, prime) {
  let [result, square] = [1n, base % prime];
  for (let rest = exponent; rest > 0n; rest >>= 1n, square = (square * square) % prime) {
    if (rest & 1n) result = (result * square) % prime;
  }
  return result;
}
const power = (base, exponent, prime) => modular(base, BigInt(exponent), prime);

// Residues that look random.
const residues = (length, prime, seed) =>
  Uint32Array.from({ length }, (_, i) => Number(((BigInt(i) + 1n) * 2654435761n * BigInt(seed)) % BigInt(prime)));

for (const [name, prime] of Object.entries(PRIMES)) {
  const options = { prime: Number.isNaN(Number(name)) ? name : Number(name) };

  test(`ntt modulo ${name}: values at the powers of a root, and back`, async () => {
    // x has the powers of the root as values.
    const x = await ntt(Uint32Array.of(0, 1, 0, 0, 0, 0, 0, 0), options);
    assert.ok(isPower([...x], prime, x[1]));
    assert.equal(power(BigInt(x[1]), 4, BigInt(prime)), BigInt(prime) - 1n);
    const polynomial = residues(8, prime, 3);
    const values = await ntt(polynomial, options);
    const at = (point) => [...polynomial].reduceRight((sum, c) => (sum * point + BigInt(c)) % BigInt(prime), 0n);
    assert.deepEqual([...values].map(BigInt), [...x].map((point) => at(BigInt(point))));
    assert.deepEqual(await ntt(values, { ...options, inverse: true }), polynomial);
    const long = residues(1 << 10, prime, 5);
    assert.deepEqual(await ntt(await ntt(long, options), { ...options, inverse: true }), long);
  });

  test(`polymul modulo ${name}: the schoolbook's product`, async () => {
    const [a, b] = [residues(37, prime, 7), residues(90, prime, 11)];
    const expected = new Array(a.length + b.length - 1).fill(0n);
    a.forEach((c, i) => b.forEach((d, j) => (expected[i + j] = (expected[i + j] + BigInt(c) * BigInt(d)) % BigInt(prime))));
    assert.deepEqual([...(await polymul(a, b, options))].map(BigInt), expected);
  });
}

// A little-endian integer.
const bytes = (value, length) => Uint8Array.from({ length }, (_, i) => Number((value >> BigInt(8 * i)) & 255n));
const concat = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const CURVES = {
  bn254: {
    size: 32,
    p: 21888242871839275222246405745257275088696311157297823662689037894645226208583n,
    r: 21888242871839275222246405745257275088548364400416034343698204186575808495617n,
    generator: [1n, 2n],
  },
  "bls12-381": {
    size: 48,
    p: 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn,
    r: 52435875175126190479447740508185965837690552500527637822603658699938581184513n,
    generator: [
      0x17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bbn,
      0x08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1n,
    ],
  },
};

for (const [curve, { size, p, r, generator }] of Object.entries(CURVES)) {
  // Affine points, null for infinity.
  const modulo = (value) => ((value % p) + p) % p;
  const inverse = (value) => {
    let [a, b, u, v] = [modulo(value), p, 1n, 0n];
    while (a > 1n) [a, b, u, v] = [b % a, a, modulo(v - (b / a) * u), u];
    return u;
  };
  const add = (left, right) => {
    if (!left || !right) return left ?? right;
    if (left[0] === right[0] && left[1] !== right[1]) return null;
    const slope = left[0] === right[0]
      ? modulo(3n * left[0] * left[0] * inverse(2n * left[1]))
      : modulo((right[1] - left[1]) * inverse(right[0] - left[0]));
    const x = modulo(slope * slope - left[0] - right[0]);
    return [x, modulo(slope * (left[0] - x) - left[1])];
  };
  const times = (point, scalar) => {
    let sum = null;
    for (let rest = scalar, double = point; rest > 0n; rest >>= 1n, double = add(double, double)) if (rest & 1n) sum = add(sum, double);
    return sum;
  };
  const encoded = (point) => (point ? concat(...point.map((c) => bytes(c, size))) : new Uint8Array(2 * size));

  test(`msm on ${curve}: the sum by doubling and adding`, async () => {
    const points = [1n, 2n, 5n, 77n].map((k) => times(generator, k));
    const scalars = [3n, r - 1n, 0n, 123456789012345678901234567890n];
    const expected = points.map((point, i) => times(point, scalars[i])).reduce(add);
    const call = (points, scalars) => msm(concat(...points.map(encoded)), concat(...scalars.map((s) => bytes(s, 32))), { curve });
    assert.deepEqual(await call(points, scalars), encoded(expected));
    assert.deepEqual(await call([generator, generator], [1n, r - 1n]), encoded(null));
    assert.deepEqual(await call([null, generator], [9n, 2n]), encoded(times(generator, 2n)));
    const code = (call) => call.then(() => "none", (error) => (assert.ok(error instanceof WgaloisError), error.code));
    assert.equal(await code(call([[1n, 1n]], [1n])), "format");
    assert.equal(await code(call([generator], [r])), "format");
    assert.equal(await code(call([generator], [1n, 2n])), "format");
  });
}

test("points outside the group are refused, unless nobody asks; those off the curve always", async () => {
  // On y^2 = x^3 + 4, of another order than r.
  const [{ size, p, generator }, options] = [CURVES["bls12-381"], { curve: "bls12-381" }];
  const root = (value) => modular(value, (p + 1n) / 4n, p);
  let x = 1n;
  while ((root(x ** 3n + 4n) ** 2n - x ** 3n - 4n) % p !== 0n) x++;
  const outside = concat(bytes(x, size), bytes(root(x ** 3n + 4n), size));
  const one = bytes(1n, 32);
  const code = (call) => call.then(() => "none", (error) => (assert.ok(error instanceof WgaloisError), error.code));
  assert.equal(await code(msm(outside, one, options)), "outside-subgroup");
  assert.deepEqual(await msm(outside, one, { ...options, check: false }), outside);
  const off = concat(bytes(generator[0], size), bytes(generator[0], size));
  assert.equal(await code(msm(off, one, { ...options, check: false })), "format");
});

test("an engine is opened before it is needed", async () => {
  assert.deepEqual(await openEngine({ engine: "cpu", threads: 1 }), { engine: "cpu", threads: 1 });
  assert.deepEqual(await openEngine({ engine: "cpu", threads: 1, curve: "bls12-381" }), { engine: "cpu", threads: 1 });
  const { engine, threads } = await openEngine();
  assert.ok(["cpu", "gpu"].includes(engine) && threads >= 1);
  const code = (call) => call.then(() => "none", (error) => (assert.ok(error instanceof WgaloisError), error.code));
  assert.equal(await code(openEngine({ curve: "secp256k1" })), "usage");
  assert.equal(await code(openEngine({ engine: "gpu", threads: 2 })), "usage");
});

test("a caller who asks hears what each call's work took", async () => {
  // On the caller's thread, and in workers.
  for (const engine of [{ engine: "cpu", threads: 1 }, { engine: "cpu" }]) {
    const heard = [];
    const options = { ...engine, onTimes: (times) => heard.push(times) };
    const values = residues(1 << 12, PRIMES.babybear, 3);
    await ntt(values, options);
    // What nobody asked for is no part of the next call.
    await Promise.all([polymul(residues(1 << 16, PRIMES.babybear, 5), values, engine), ntt(values, options)]);
    assert.equal(heard.length, 2);
    for (const times of heard) {
      assert.deepEqual(Object.keys(times), ["upload", "device", "waiting", "download", "host"]);
      assert.ok(times.host > 0 && times.host < 1e4, `${times.host} ms`);
      assert.deepEqual([times.upload, times.device, times.waiting, times.download], [0, 0, 0, 0]);
    }
    const begin = performance.now();
    await assert.rejects(ntt(new Uint32Array(3), options), WgaloisError);
    await ntt(values, options);
    assert.equal(heard.length, 3);
    assert.ok(heard[2].host <= performance.now() - begin);
  }
});

test("arguments that are none are refused", async () => {
  const code = (call) => call.then(() => "none", (error) => (assert.ok(error instanceof WgaloisError), error.code));
  assert.equal(await code(ntt(new Uint32Array(3))), "not-a-power-of-two");
  assert.equal(await code(ntt(Uint32Array.of(0xffffffff, 1))), "not-reduced");
  assert.equal(await code(ntt([1, 2])), "usage");
  assert.equal(await code(ntt(new Uint32Array(4), { prime: 15 })), "not-a-prime");
  assert.equal(await code(ntt(new Uint32Array(4), { prime: 1.5 })), "usage");
  assert.equal(await code(ntt(new Uint32Array(4), { signal: AbortSignal.abort() })), "aborted");
  assert.equal(await code(ntt(new Uint32Array(4), { onTimes: 5 })), "usage");
  assert.equal(await code(polymul(new Uint32Array(4), [])), "usage");
  assert.equal(await code(msm(new Uint8Array(64), new Uint8Array(32), { group: "g3" })), "usage");
});

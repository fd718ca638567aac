// Transforms, products and multi-scalar multiplications on typed arrays.
import { curveNamed } from "./curves.js";
import { engineFor } from "./engine.js";
import { expectNotAborted, refuse } from "./errors.js";
import { Times } from "./times.js";

// The primes that have names.
const PRIMES = { babybear: 2013265921, koalabear: 2130706433 };

function primeOf({ prime = "babybear" }) {
  const value = typeof prime === "string" ? PRIMES[prime] : prime;
  if (Number.isInteger(value) && value > 0 && value < 2 ** 32) return value;
  throw refuse(`the prime ${JSON.stringify(prime)}: expected a number, "babybear" or "koalabear"`);
}

function expect(value, kind, what) {
  if (!(value instanceof kind)) throw refuse(`${what}: expected a ${kind.name}`);
}

export function algebraFor(platform) {
  async function run(curve, options, method, ...args) {
    const { signal } = options;
    expectNotAborted(signal);
    const times = Times.for(options);
    const engine = await engineFor(curve, options, platform);
    const value = await engine.call(null, method, [engine.own, Boolean(times), ...args], { signal, times });
    times?.tell();
    return value;
  }
  return {
    // The modules of both curves have transforms.
    async ntt(values, options = {}) {
      expect(values, Uint32Array, "the values");
      const [prime, inverse] = [primeOf(options), Boolean(options.inverse)];
      return run("bn254", options, "ntt", prime, inverse, values);
    },

    async polymul(a, b, options = {}) {
      expect(a, Uint32Array, "the first polynomial");
      expect(b, Uint32Array, "the second polynomial");
      const prime = primeOf(options);
      return run("bn254", options, "polymul", prime, a, b);
    },

    async msm(points, scalars, options = {}) {
      expect(points, Uint8Array, "the points");
      expect(scalars, Uint8Array, "the scalars");
      const { curve = "bn254", group = "g1", check = true } = options;
      if (group !== "g1" && group !== "g2") throw refuse(`the group ${JSON.stringify(group)}: expected "g1" or "g2"`);
      const inG2 = group === "g2";
      return run(curveNamed(curve), options, "msm", inG2, Boolean(check), points, scalars);
    },
  };
}

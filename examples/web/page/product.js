// Products of polynomials modulo a prime.
import { polymul } from "./wgalois/lib/browser.js";
import { own } from "./own.js";
import { packagedJob, timed } from "./packaged.js";

// The largest length of the polynomials that the page generates, as a logarithm.
const MAX_LOG = 24;

// Residues that look random, the same on every machine: xorshift with words of 32 bits.
function residues(count, prime, seed) {
  let word = seed;
  const next = () => {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    return (word >>> 0) % prime;
  };
  return new Uint32Array(count).map(next);
}

function generated(prime, log) {
  if (log > MAX_LOG) throw new Error(`2^${log} coefficients: at most 2^${MAX_LOG}`);
  return [1, 2].map((seed) => residues(2 ** log, prime, seed));
}

export async function product({ prime, size, names, first, second }) {
  const module = await own();
  const read = () => [first, second].map((bytes, i) => module.readResidues(prime, names[i], bytes));
  const [a, b] = first ? read() : generated(prime, size);
  return packagedJob({
    curve: "bn254",
    input: `${a.length} by ${b.length} coefficients modulo ${prime}`,
    compute: (options) => timed(() => polymul(a, b, { ...options, prime })),
    isSame: (one, other) => one.length === other.length && one.every((value, i) => value === other[i]),
    check: (product) => module.checkProduct(prime, a, b, product),
    texts: (product) => [["product.txt", `${product.join("\n")}\n`]],
  });
}

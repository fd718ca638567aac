// Multi-scalar multiplication on BLS12-381 G1.
import { msm } from "./wgalois/lib/browser.js";
import { own } from "./own.js";
import { packagedJob, timed } from "./packaged.js";

const CURVE = "bls12-381";

export async function sum({ size, names, first, second }) {
  const { Sum } = await own();
  const input = first ? Sum.read(names, first, second) : Sum.generate(size);
  const [points, scalars] = [input.points(), input.scalars()];
  return packagedJob({
    curve: CURVE,
    input: `${input.count()} points of ${CURVE}`,
    // They were checked when they were read.
    compute: (options) => timed(() => msm(points, scalars, { ...options, curve: CURVE, check: false })),
    isSame: (one, other) => one.every((byte, i) => byte === other[i]),
    check: (sum) => input.check(sum),
    texts: (sum) => [["sum.txt", Sum.text(sum)]],
    free: () => input.free(),
  });
}

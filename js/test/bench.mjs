// Times of a key's bytes to a proof, of wgalois and of snarkjs in turn: `node test/bench.mjs FOLDER...`. A folder has
// circuit.zkey and witness.wtns, as `wgalois gen groth16 --constraints N -o FOLDER` makes them.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { groth16 } from "wgalois";
import { endSnarkjs, snarkjs } from "./fixtures.mjs";

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1].toFixed(0);
async function timed(times, work) {
  const begin = performance.now();
  const result = await work();
  times.push(performance.now() - begin);
  return result;
}

for (const folder of process.argv.slice(2)) {
  const [zkey, wtns] = ["circuit.zkey", "witness.wtns"].map((name) => new Uint8Array(readFileSync(join(folder, name))));
  const times = { read: [], check: [], prepare: [], prove: [], verify: [], whole: [], unchecked: [], snarkjs: [] };
  for (let round = 0; round < ROUNDS; round++) {
    // Steps, by what is heard of the next.
    let last = null;
    const onProgress = ({ stage }) => {
      const now = performance.now();
      if (last) times[last.stage].push(now - last.now);
      last = { stage, now };
    };
    await timed(times.whole, () => groth16.prove(zkey, wtns, undefined, { engine: "cpu", onProgress }));
    onProgress({ stage: "end" });
    const unchecked = { engine: "cpu", check: false, verify: false };
    await timed(times.unchecked, () => groth16.prove(zkey, wtns, undefined, unchecked));
    const { publicSignals, proof } = await timed(times.snarkjs, () => snarkjs.groth16.prove(zkey, wtns));
    const key = JSON.parse(readFileSync(join(folder, "verification_key.json"), "utf8"));
    if (!(await groth16.verify(key, publicSignals, proof))) throw new Error("snarkjs' proof is refused");
  }
  const first = Object.entries(times).map(([name, [first]]) => `${name} ${first.toFixed(0)}`);
  const middle = Object.entries(times).map(([name, all]) => `${name} ${median(all)}`);
  console.log(`${folder}\n  first round, ms: ${first.join(", ")}\n  median of ${ROUNDS}, ms: ${middle.join(", ")}`);
}
await endSnarkjs();

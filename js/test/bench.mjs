// Times of a key's bytes to a proof, of wgalois and of snarkjs in turn: `node test/bench.mjs FOLDER...`. A folder has
// circuit.zkey and witness.wtns, as `wgalois gen groth16 --constraints N -o FOLDER` makes them. Beside times on the clock it prints
// the process's time on all cores, which other programs of a busy machine lengthen less.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { groth16 } from "wgalois";
import { endSnarkjs, snarkjs } from "./fixtures.mjs";

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const KINDS = ["clock", "all cores"];
function now() {
  const { user, system } = process.cpuUsage();
  return [performance.now(), (user + system) / 1000];
}
const since = (begin) => now().map((time, i) => time - begin[i]);
const sorted = (times, kind) => times.map((time) => time[kind]).toSorted((a, b) => a - b);
const STATISTICS = {
  first: (times, kind) => times[0][kind],
  median: (times, kind) => sorted(times, kind)[times.length >> 1],
  least: (times, kind) => sorted(times, kind)[0],
};
async function timed(times, work) {
  const begin = now();
  const result = await work();
  times.push(since(begin));
  return result;
}

for (const folder of process.argv.slice(2)) {
  const [zkey, wtns] = ["circuit.zkey", "witness.wtns"].map((name) => new Uint8Array(readFileSync(join(folder, name))));
  const times = { read: [], check: [], prepare: [], prove: [], verify: [], whole: [], unchecked: [], snarkjs: [] };
  for (let round = 0; round < ROUNDS; round++) {
    // Steps, by what is heard of the next.
    let last = null;
    const onProgress = ({ stage }) => {
      if (last) times[last.stage].push(since(last.begin));
      last = { stage, begin: now() };
    };
    await timed(times.whole, () => groth16.prove(zkey, wtns, undefined, { engine: "cpu", onProgress }));
    onProgress({ stage: "end" });
    const unchecked = { engine: "cpu", check: false, verify: false };
    await timed(times.unchecked, () => groth16.prove(zkey, wtns, undefined, unchecked));
    const { publicSignals, proof } = await timed(times.snarkjs, () => snarkjs.groth16.prove(zkey, wtns));
    const key = JSON.parse(readFileSync(join(folder, "verification_key.json"), "utf8"));
    if (!(await groth16.verify(key, publicSignals, proof))) throw new Error("snarkjs' proof is refused");
  }
  console.log(`${folder}, ms of ${ROUNDS} rounds`);
  for (const [kind, name] of KINDS.entries()) {
    for (const [statistic, of] of Object.entries(STATISTICS)) {
      const row = Object.entries(times).map(([step, all]) => `${step} ${of(all, kind).toFixed(0)}`);
      console.log(`  ${name}, ${statistic}: ${row.join(", ")}`);
    }
  }
}
await endSnarkjs();

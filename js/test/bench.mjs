// Times of a key's bytes to a proof, of wgalois on one thread and on all cores, and of snarkjs, in turn: `node test/bench.mjs FOLDER...`. A
// folder has circuit.zkey and witness.wtns, as `wgalois gen groth16 --curve bn254 --domain N -o FOLDER` makes them. Beside times on the
// clock it prints the process's time on all cores, which other programs of a busy machine lengthen less.
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

const STEPS = { read: [], check: [], prepare: [], prove: [], verify: [], whole: [] };

// One proof, with the times of its steps.
async function prove(files, times, options) {
  // Steps, by what is heard of the next.
  let last = null;
  const onProgress = ({ stage }) => {
    if (last) times[last.stage].push(since(last.begin));
    last = { stage, begin: now() };
  };
  await timed(times.whole, () => groth16.prove(...files, undefined, { engine: "cpu", ...options, onProgress }));
  onProgress({ stage: "end" });
}

for (const folder of process.argv.slice(2)) {
  const files = ["circuit.zkey", "witness.wtns"].map((name) => new Uint8Array(readFileSync(join(folder, name))));
  const key = JSON.parse(readFileSync(join(folder, "verification_key.json"), "utf8"));
  const rows = { "one thread": structuredClone(STEPS), threads: structuredClone(STEPS), snarkjs: { whole: [] } };
  for (let round = 0; round < ROUNDS; round++) {
    await prove(files, rows["one thread"], { threads: 1 });
    await prove(files, rows.threads, {});
    const { publicSignals, proof } = await timed(rows.snarkjs.whole, () => snarkjs.groth16.prove(...files));
    if (!(await groth16.verify(key, publicSignals, proof))) throw new Error("snarkjs' proof is refused");
  }
  console.log(`${folder}, ms of ${ROUNDS} rounds`);
  for (const [kind, name] of KINDS.entries()) {
    for (const [statistic, of] of Object.entries(STATISTICS)) {
      for (const [row, times] of Object.entries(rows)) {
        const steps = Object.entries(times).map(([step, all]) => `${step} ${of(all, kind).toFixed(0)}`);
        console.log(`  ${name}, ${statistic}, ${row}: ${steps.join(", ")}`);
      }
    }
  }
}
await endSnarkjs();

// Proofs by both engines in Deno, which has WebGPU of its own, and in Node.js with the package webgpu, which is Dawn:
// `deno run --allow-read test/elsewhere.mjs [ENGINE...]`, or `node test/elsewhere.mjs [ENGINE...]`. The tests for Node.js alone have made the
// circuit's files.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

import { groth16, ntt } from "../lib/node.js";

const isDeno = "Deno" in globalThis;
if (!isDeno) {
  const { create, globals } = await import("../../.ci/node/node_modules/webgpu/index.js");
  Object.assign(globalThis, globals);
  Object.defineProperty(globalThis, "navigator", { value: { gpu: create([]) }, configurable: true });
}

const file = (name) => fileURLToPath(new URL(`fixtures/bn128-multiplier/${name}`, import.meta.url));
const key = JSON.parse(readFileSync(file("verification_key.json"), "utf8"));
const named = process.argv.slice(2);
const ENGINES = { cpu: { engine: "cpu", threads: 1 }, threads: { engine: "cpu", threads: 2 }, gpu: { engine: "gpu" } };
for (const name of named.length > 0 ? named : Object.keys(ENGINES)) {
  const options = ENGINES[name];
  const begin = performance.now();
  const input = { a: "3", b: "11" };
  const { proof, publicSignals } = await groth16.fullProve(input, file("circuit.wasm"), file("circuit.zkey"), undefined, undefined, options);
  // 36 = 3 x 11 + 3, its fourth power, and the public input.
  assert.deepEqual(publicSignals, ["36", "1679616", "11"]);
  assert.equal(await groth16.verify(key, publicSignals, proof), true);
  assert.equal(await groth16.verify(key, ["35", "1679616", "11"], proof), false);
  const back = await ntt(await ntt(Uint32Array.of(1, 2, 3, 4), options), { ...options, inverse: true });
  assert.deepEqual([...back], [1, 2, 3, 4]);
  const stopped = AbortSignal.abort();
  await assert.rejects(groth16.prove(file("circuit.zkey"), file("0.wtns"), undefined, { ...options, signal: stopped }), { code: "aborted" });
  console.log(`ok  ${isDeno ? "Deno" : "Node.js with webgpu"} on ${name} (${((performance.now() - begin) / 1000).toFixed(1)} s)`);
}
// Dawn's threads would keep the program.
if (!isDeno) process.exit(0);

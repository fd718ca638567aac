// A prover that is used for long takes no more memory than at the beginning, nor do keys that are loaded and freed.
import { after, test } from "node:test";
import assert from "node:assert/strict";

import { groth16 } from "wgalois";
import { endSnarkjs, fixtures } from "./fixtures.mjs";

const [{ bytes, key }] = await fixtures();
after(endSnarkjs);
const [zkey, witness] = [bytes("circuit.zkey"), bytes("0.wtns")];

// The memories of all modules, which only grow.
const memories = [];
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...args) => {
  const made = await instantiate.apply(WebAssembly, args);
  memories.push((made.instance ?? made).exports.memory);
  return made;
};
const pages = () => memories.reduce((sum, memory) => sum + memory.buffer.byteLength / 65536, 0);

test("1000 proofs by one prover", async () => {
  const prover = await groth16.load(zkey);
  await prover.prove(Array.from({ length: 50 }, () => witness));
  const before = pages();
  assert.ok(before > 0);
  let last;
  for (let i = 0; i < 950; i++) last = await prover.prove(witness, { verify: i % 10 === 0 });
  assert.equal(pages(), before);
  assert.equal(await groth16.verify(key, last.publicSignals, last.proof), true);
  prover.free();
});

test("200 keys that are loaded, refused and freed", async () => {
  const truncated = zkey.subarray(0, -1);
  const turn = async () => {
    (await groth16.load(zkey)).free();
    await groth16.load(truncated).then(() => assert.fail("no error"), () => {});
  };
  for (let i = 0; i < 20; i++) await turn();
  const before = pages();
  for (let i = 0; i < 180; i++) await turn();
  assert.equal(pages(), before);
});

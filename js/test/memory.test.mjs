// A prover that is used for long takes no more memory than at the beginning, nor do keys that are loaded and freed.
import { after, test } from "node:test";
import assert from "node:assert/strict";
import { Worker } from "node:worker_threads";

import { groth16 } from "wgalois";
import { endSnarkjs, fixtures } from "./fixtures.mjs";

const [{ bytes, key }] = await fixtures();
after(endSnarkjs);
const [zkey, witness] = [bytes("circuit.zkey"), bytes("0.wtns")];

// The memories of all modules, which only grow: those of this thread, and those that workers share.
const memories = new Set();
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...args) => {
  const made = await instantiate.apply(WebAssembly, args);
  memories.add((made.instance ?? made).exports.memory);
  return made;
};
const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (message, ...rest) {
  if (message.memory) memories.add(message.memory);
  return postMessage.call(this, message, ...rest);
};
const pages = () => [...memories].reduce((sum, memory) => sum + memory.grow(0), 0);
// Pages that memory may grow by: two threads take it at other times in each proof. Of 950 proofs that is 276 bytes each.
const MORE = { 1: 0, 2: 4 };
const expectFlat = (before, threads) => {
  const grown = pages() - before;
  assert.ok(grown <= MORE[threads], `${grown} pages more`);
};

for (const threads of [1, 2]) {
  const options = { engine: "cpu", threads };

  // Times of the work are forgotten when the caller has heard them.
  const heard = { onTimes: ({ host }) => assert.ok(host >= 0) };
  for (const [title, more] of [["", {}], [", timed", heard]]) test(`1000 proofs by one prover, threads ${threads}${title}`, async () => {
    const prover = await groth16.load(zkey, { ...options, ...more });
    await prover.prove(Array.from({ length: 50 }, () => witness));
    const before = pages();
    assert.ok(before > 0);
    let last;
    for (let i = 0; i < 950; i++) last = await prover.prove(witness, { verify: i % 10 === 0 });
    expectFlat(before, threads);
    assert.equal(await groth16.verify(key, last.publicSignals, last.proof), true);
    prover.free();
  });

  test(`200 keys that are loaded, refused and freed, threads ${threads}`, async () => {
    const truncated = zkey.subarray(0, -1);
    const turn = async () => {
      (await groth16.load(zkey, options)).free();
      await groth16.load(truncated, options).then(() => assert.fail("no error"), () => {});
    };
    for (let i = 0; i < 20; i++) await turn();
    const before = pages();
    for (let i = 0; i < 180; i++) await turn();
    expectFlat(before, threads);
  });
}

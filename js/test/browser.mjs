// The package in headless Chromium, on SwiftShader: proofs by both engines, without a bundler. `node test/browser.mjs`, after
// `node build.mjs`. The first proof on SwiftShader compiles the kernels of G2 for minutes.
import assert from "node:assert/strict";
import { join } from "node:path";

import { endSnarkjs, fixtures, snarkjs } from "./fixtures.mjs";
import { inChromium } from "./pages.mjs";

const circuits = await fixtures();
const CPU = { engine: "cpu" };
// The kernels of BLS12-381's G2 make SwiftShader lose the device.
const PAGES = [
  { isolated: false, proofs: [[circuits[0], CPU], [circuits[2], CPU], [circuits[0], { engine: "gpu" }]] },
  { isolated: true, proofs: [[circuits[2], { engine: "cpu", threads: 3 }], [circuits[0], CPU], [circuits[0], { engine: "cpu", threads: 1 }]] },
];

const prove = (isolated, proofs) => inChromium(join(import.meta.dirname, ".."), async (page) => {
  for (const [{ curve, circuit, inputs, key }, options] of proofs) {
    const begin = Date.now();
    const made = await page.evaluate(
      async ([folder, input, own, key]) => {
        const { groth16, ntt, WgaloisError } = await import("/lib/browser.js");
        const file = (name) => new URL(`/test/fixtures/${folder}/${name}`, location.href);
        const result = await groth16.fullProve(input, file("circuit.wasm"), file("circuit.zkey").href, undefined, undefined, own);
        const accepted = await groth16.verify(key, result.publicSignals, result.proof);
        const stopped = new AbortController();
        const options = { ...own, signal: stopped.signal, onProgress: ({ stage }) => stage === "prove" && setTimeout(() => stopped.abort()) };
        const aborted = await groth16.prove(file("circuit.zkey"), file("0.wtns"), undefined, options).then(
          () => "none",
          (error) => (error instanceof WgaloisError ? error.code : String(error)),
        );
        const missing = await groth16.load("/nothing.zkey", own).catch((error) => error.code);
        const two = { engine: "cpu", threads: 2 };
        const refused = crossOriginIsolated || (await groth16.load(file("circuit.zkey"), two).catch((error) => error.code)) === "usage";
        const times = {};
        const values = await ntt(Uint32Array.of(1, 2, 3, 4), { ...own, onTimes: (heard) => Object.assign(times, heard) });
        const back = await ntt(values, { ...own, inverse: true });
        return { ...result, accepted, aborted, missing, back: [...back], times, refused, isolated: crossOriginIsolated };
      },
      [`${curve}-${circuit}`, inputs[0], options, key],
    );
    assert.equal(made.accepted, true);
    assert.equal(await snarkjs.groth16.verify(key, made.publicSignals, made.proof), true);
    assert.deepEqual([made.aborted, made.missing, made.back], ["aborted", "file", [1, 2, 3, 4]]);
    const { upload, waiting, download, host } = made.times;
    // A page's clock may show no time for so little work of the CPU engine.
    assert.ok(options.engine === "gpu" ? upload + waiting + download > 0 : host >= 0, JSON.stringify(made.times));
    assert.deepEqual([made.refused, made.isolated], [true, isolated]);
    console.log(`ok  ${curve} ${circuit} by ${JSON.stringify(options)}, isolated: ${isolated} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
  }
  // Workers share memory in an isolated page only.
  assert.equal(page.workers().length > 0, isolated);
}, { isolated });

let passed = true;
for (const { isolated, proofs } of PAGES) passed = (await prove(isolated, proofs)) && passed;
await endSnarkjs();
process.exit(passed ? 0 : 1);

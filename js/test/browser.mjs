// The package in headless Chromium, on SwiftShader: proofs by both engines, without a bundler. `node test/browser.mjs`, after
// `node build.mjs`. The first proof on SwiftShader compiles the kernels of G2 for minutes.
import assert from "node:assert/strict";
import { join } from "node:path";

import { endSnarkjs, fixtures, snarkjs } from "./fixtures.mjs";
import { inChromium } from "./pages.mjs";

const circuits = await fixtures();
const passed = await inChromium(join(import.meta.dirname, ".."), async (page) => {
  // The kernels of BLS12-381's G2 make SwiftShader lose the device.
  for (const [{ curve, circuit, inputs, key }, engine] of [[circuits[0], "cpu"], [circuits[2], "cpu"], [circuits[0], "gpu"]]) {
    const begin = Date.now();
    const made = await page.evaluate(
      async ([folder, input, engine, key]) => {
        const { groth16, ntt, WgaloisError } = await import("/lib/browser.js");
        const file = (name) => new URL(`/test/fixtures/${folder}/${name}`, location.href);
        const result = await groth16.fullProve(input, file("circuit.wasm"), file("circuit.zkey").href, undefined, undefined, { engine });
        const accepted = await groth16.verify(key, result.publicSignals, result.proof);
        const stopped = new AbortController();
        const options = { engine, signal: stopped.signal, onProgress: ({ stage }) => stage === "prove" && setTimeout(() => stopped.abort()) };
        const aborted = await groth16.prove(file("circuit.zkey"), file("0.wtns"), undefined, options).then(
          () => "none",
          (error) => (error instanceof WgaloisError ? error.code : String(error)),
        );
        const missing = await groth16.load("/nothing.zkey", { engine }).catch((error) => error.code);
        const values = await ntt(Uint32Array.of(1, 2, 3, 4), { engine });
        const back = await ntt(values, { engine, inverse: true });
        return { ...result, accepted, aborted, missing, back: [...back] };
      },
      [`${curve}-${circuit}`, inputs[0], engine, key],
    );
    assert.equal(made.accepted, true);
    assert.equal(await snarkjs.groth16.verify(key, made.publicSignals, made.proof), true);
    assert.deepEqual([made.aborted, made.missing, made.back], ["aborted", "file", [1, 2, 3, 4]]);
    console.log(`ok  ${curve} ${circuit} on ${engine} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
  }
});
await endSnarkjs();
process.exit(passed ? 0 : 1);

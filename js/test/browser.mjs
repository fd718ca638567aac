// The package in headless Chromium, on SwiftShader: proofs by both engines, without a bundler. `node test/browser.mjs`, after
// `node build.mjs`. The first proof on SwiftShader compiles the kernels of G2 for minutes.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";

import { endSnarkjs, fixtures, snarkjs } from "./fixtures.mjs";

const root = join(import.meta.dirname, "..");
const { chromium } = createRequire(join(root, "../.ci/node/package.json"))("playwright-core");
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
// The watchdog would end the GPU's process while SwiftShader compiles.
const FLAGS = ["--no-sandbox", "--no-first-run", "--disable-gpu-watchdog", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];
const KINDS = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
// Code from strings is forbidden; modules of WebAssembly are not.
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

const server = createServer((request, response) => {
  const path = normalize(new URL(request.url, "http://localhost").pathname);
  if (path === "/") return response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>");
  const file = join(root, path);
  if (!existsSync(file)) return response.writeHead(404).end();
  const type = KINDS[extname(file)] ?? "application/octet-stream";
  response.writeHead(200, { "content-type": type, "content-security-policy": POLICY }).end(readFileSync(file));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const circuits = await fixtures();
const browser = await chromium.launch({ executablePath, args: FLAGS });
let failed = false;
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(900_000);
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
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
  assert.deepEqual(faults, []);
} catch (error) {
  failed = true;
  console.error(error);
}
await browser.close();
server.close();
await endSnarkjs();
process.exit(failed ? 1 : 0);

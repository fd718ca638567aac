// Proves in the bundled page in headless Chromium: `node examples/vite/test.mjs`, after `npm run build`.
import assert from "node:assert/strict";
import { join } from "node:path";

import { inChromium } from "../../js/test/pages.mjs";

// In a page that is cross-origin isolated by threads, elsewhere by one.
const proveIn = (isolated) => inChromium(join(import.meta.dirname, "dist"), async (page) => {
  const loaded = [];
  page.on("request", (request) => loaded.push(request.url()));
  const prove = async (leaf, engine, pattern) => {
    const begin = performance.now();
    await page.locator("[name=leaf]").fill(leaf);
    await page.locator("[name=engine]").selectOption(engine);
    await page.locator("button").click();
    await page.waitForFunction(() => !document.querySelector("button").disabled && document.querySelector("[role=status]").textContent);
    const said = await page.locator("[role=status]").textContent();
    assert.match(said, pattern);
    console.log(`ok  leaf ${leaf} on ${engine}, isolated: ${isolated}: ${said} (${((performance.now() - begin) / 1000).toFixed(1)} s)`);
    return said;
  };
  const first = await prove("5", "cpu", /^root \d+, accepted$/);
  assert.notEqual(await prove("6", "cpu", /^root \d+, accepted$/), first);
  // An adapter that is a software driver is none.
  assert.equal(await prove("5", "auto", /^root \d+, accepted$/), first);
  assert.equal(JSON.parse(await page.locator("pre").textContent()).protocol, "groth16");
  // Only the module of this curve and engine was loaded.
  const modules = loaded.filter((address) => address.endsWith(".wasm") && !address.endsWith("circuit.wasm"));
  assert.ok(modules.length > 0);
  const own = isolated ? /bn254-threads/ : /bn254-cpu/;
  assert.deepEqual(modules.filter((address) => !own.test(address)), []);
}, { isolated });

let passed = true;
for (const isolated of [false, true]) passed = (await proveIn(isolated)) && passed;
process.exit(passed ? 0 : 1);

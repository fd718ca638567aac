// Drives the page in headless Chromium, on SwiftShader: every task gives the right answer, bad
// input a readable message, and a browser without WebGPU is told so.
//
//     node examples/web/test.mjs     (after .ci/web has built the page)
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { existsSync, readFileSync } from "node:fs";
import { extname, join, normalize } from "node:path";

const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
const require = createRequire(join(here, "../../.ci/node/package.json"));
const { chromium } = require("playwright-core");

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const QUIET = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // It would end the GPU's process while SwiftShader compiles the kernels of G2.
  "--disable-gpu-watchdog",
];
const WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];
const KINDS = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
  ".txt": "text/plain",
};
// Code from strings is forbidden; modules of WebAssembly are not.
const POLICY = "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'";
// Of BLS12-381 G1, x and y, as ZCash encodes them.
const GENERATOR =
  "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb" +
  "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1";
// SwiftShader compiles the kernels of a curve for a long time, those of G2 for minutes.
const PATIENCE = 600_000;

function serve(folder) {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    const file = join(folder, path === "/" ? "index.html" : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    const type = KINDS[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "content-security-policy": POLICY });
    response.end(readFileSync(file));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

const server = await serve(join(here, "page"));
const address = `http://127.0.0.1:${server.address().port}/`;

// A page in a browser with these flags, and what went wrong in it unseen.
async function open(flags) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...QUIET, ...flags] });
  // The report's text is copied.
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  const [faults, loaded] = [[], []];
  context.on("request", (request) => loaded.push(request.url()));
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.goto(address);
  await page.waitForFunction(() => !document.querySelector("button").disabled, null, { timeout: 30_000 });
  return { browser, page, faults, loaded };
}

// Runs a task with these settings, and returns what the page then shows.
async function run(page, task, { size, files, dropped, text: typed } = {}) {
  const section = page.locator(`section[data-task=${task}]`);
  if (size) await section.locator("[name=size]").selectOption(size);
  if (files) {
    const buffers = files.map(([name, bytes]) => ({ name, mimeType: "text/plain", buffer: Buffer.from(bytes) }));
    for (const [i, field] of ["first", "second"].slice(0, await section.locator("[type=file]").count()).entries()) {
      await section.locator(`[name=${field}]`).setInputFiles(buffers[i] ? [buffers[i]] : []);
    }
  }
  if (dropped) {
    const transfer = await page.evaluateHandle((files) => {
      const transfer = new DataTransfer();
      const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      for (const [name, text] of files) transfer.items.add(new File([bytes(text)], name));
      return transfer;
    }, dropped.map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")]));
    await section.dispatchEvent("drop", { dataTransfer: transfer });
  }
  if (typed !== undefined) await section.locator("[name=text]").evaluate((field, text) => (field.value = text), typed);
  await section.locator("button:not(.sizes)").evaluate((button) => button.click());
  const end = section.locator(".verdict:visible, .error:visible");
  await end.waitFor({ timeout: PATIENCE });
  const text = async (selector) => {
    const found = section.locator(`${selector}:visible`);
    return (await found.count()) ? found.textContent() : null;
  };
  // The files of the result by their names; those of an input that was refused are none.
  const links = (await section.locator(".verdict:visible").count()) ? await section.locator(".result").all() : [];
  const saved = links.map((link) => link.evaluate(async (a) => [a.download, await (await fetch(a.href)).text()]));
  const results = Object.fromEntries(await Promise.all(saved));
  const result = Object.values(results)[0] ?? null;
  // A drawing's labels are never 'visible' to Playwright.
  const labels = await section.locator("svg text").allTextContents();
  return { verdict: await text(".verdict"), error: await text(".error"), input: await text(".input"),
    bars: await section.locator("rect").count(), parts: await text(".parts"), labels, result, results };
}

const results = [];
async function test(name, body) {
  const begin = Date.now();
  await body();
  results.push(name);
  console.log(`ok  ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
}

const RIGHT = /^Checked: both engines agree; /;
function expectRight(outcome) {
  assert.equal(outcome.error, null);
  assert.match(outcome.verdict, RIGHT);
  assert.equal(outcome.bars, 2, "a run on the GPU and one on the CPU are drawn");
}

// The modules of WebAssembly among what a page has loaded, by their names.
const modulesOf = (loaded) => loaded.filter((url) => url.endsWith(".wasm")).map((url) => url.split("/").at(-1));

// The multiplier of circom: c = a b + a and d = c^4 of the secret a = 3 and the public b = 11.
const example = (name) => readFileSync(join(here, "../data/groth16/bn128", name));
const [key, witness] = [example("circuit.zkey"), example("witness.wtns")];

// What the page says of the multiplier, and the files that it offers.
function expectFiles(outcome) {
  assert.equal(outcome.input, "6 variables, 3 of them public, at most 2^3 constraints over bn254");
  assert.deepEqual(Object.keys(outcome.results), ["proof.json", "public.json"]);
  assert.deepEqual(JSON.parse(outcome.results["public.json"]), ["36", "1679616", "11"]);
  const proof = JSON.parse(outcome.results["proof.json"]);
  assert.deepEqual([proof.protocol, proof.curve], ["groth16", "bn128"]);
}

// A proof by the CPU engine alone.
function expectProof(outcome) {
  assert.equal(outcome.error, null);
  assert.match(outcome.verdict, /^Checked: the proof is accepted/);
  assert.equal(outcome.bars, 1);
}

let failed = false;
const { browser, page, faults } = await open(WEBGPU);
try {
  await test("the page names the GPU", async () => {
    assert.match(await page.locator("#device").textContent(), /^GPU: .*a software driver/);
  });
  await test("every task says for whom it is", async () => {
    assert.equal(await page.locator("section .whom").count(), 6);
  });
  await test("a generated product", async () => {
    const outcome = await run(page, "product", { size: "12" });
    expectRight(outcome);
    assert.ok(outcome.labels.includes("GPU (software)"), `among ${outcome.labels}`);
    assert.match(outcome.parts, /upload .*device .*download /);
  });
  await test("times over sizes", async () => {
    const section = page.locator("section[data-task=product]");
    await section.locator("[name=size]").selectOption("16");
    await section.locator(".sizes").evaluate((button) => button.click());
    await section.locator("polyline").first().waitFor({ timeout: PATIENCE });
    assert.equal(await section.locator("polyline").count(), 2, "a curve for each engine");
    const labels = await section.locator("svg text").allTextContents();
    for (const label of ["2^12", "2^16", "GPU (software)", "CPU in wasm"]) assert.ok(labels.includes(label), label);
  });
  await test("a larger one", async () => expectRight(await run(page, "product", { size: "16" })));
  await test("a product of files", async () => {
    const outcome = await run(page, "product", { files: [["a.txt", "1 2"], ["b.txt", "3 4"]] });
    expectRight(outcome);
    assert.equal(outcome.result.trim().split(/\s+/).join(" "), "3 10 8");
  });
  await test("a bad number is told by file, line and column", async () => {
    const { error } = await run(page, "product", { files: [["a.txt", "1 2\nx 3"], ["b.txt", "3 4"]] });
    assert.match(error, /a\.txt:2:1: /);
  });
  await test("a number above the prime", async () => {
    const { error } = await run(page, "product", { files: [["a.txt", "4000000000"], ["b.txt", "1"]] });
    assert.match(error, /a\.txt:1:1: /);
  });
  await test("one file alone", async () => {
    const { error } = await run(page, "product", { files: [["a.txt", "1"]] });
    assert.match(error, /Two files are needed/);
  });
  await test("a generated elimination", async () =>
    expectRight(await run(page, "elimination", { size: "1024" })));
  await test("an elimination of files", async () => {
    // Columns 2 1 0: the eliminator 2 1 leaves 0 + 1 of the row 2 0; the row 1 takes its lead.
    const outcome = await run(page, "elimination", { files: [["e.txt", "2 1\n"], ["r.txt", "2 0\n1\n"]] });
    expectRight(outcome);
    assert.deepEqual(outcome.result.trim().split("\n").map((line) => line.trim()), ["1 0", "0"]);
  });
  await test("two eliminators of one lead", async () => {
    const { error } = await run(page, "elimination", { files: [["e.txt", "2 1\n2 0\n"], ["r.txt", "1\n"]] });
    assert.match(error, /e\.txt.* lead 2/);
  });
  await test("a generated sum", async () => expectRight(await run(page, "sum", { size: "8" })));
  await test("a sum of files", async () => {
    // 3 G + (r - 2) G = G.
    const scalars = "3 52435875175126190479447740508185965837690552500527637822603658699938581184511";
    const points = Buffer.from(GENERATOR + GENERATOR, "hex");
    const outcome = await run(page, "sum", { files: [["p.bin", points], ["s.txt", scalars]] });
    expectRight(outcome);
    assert.equal(outcome.result.trim(), GENERATOR);
  });
  await test("a point off the curve", async () => {
    const points = Buffer.from(GENERATOR.slice(0, -1) + "2", "hex");
    const { error } = await run(page, "sum", { files: [["p.bin", points], ["s.txt", "1"]] });
    assert.match(error, /p\.bin: byte 0: /);
  });
  await test("a truncated file of points", async () => {
    const { error } = await run(page, "sum", { files: [["p.bin", new Uint8Array(95)], ["s.bin", new Uint8Array(32)]] });
    assert.match(error, /p\.bin/);
  });
  await test("a generated system of equations", async () => {
    const outcome = await run(page, "solving", { size: "16" });
    expectRight(outcome);
    assert.equal(outcome.input, "32 equations of degree 2 in 16 variables");
    assert.match(outcome.result, /^x1=[01] x2=[01] .*x16=[01]\n/);
  });
  await test("typed equations", async () => {
    // x1 + x2 + x3 = 0 and x2 (x1 + x3) = 1: x2 = 1, and one of the others.
    const outcome = await run(page, "solving", { text: "x1 + x2 + x3\nx1*x2 + x2*x3 + 1\n" });
    expectRight(outcome);
    assert.equal(outcome.result, "x1=0 x2=1 x3=1\nx1=1 x2=1 x3=0\n");
    assert.match(outcome.verdict, /2 solutions, the first x1=0 x2=1 x3=1/);
  });
  await test("equations of a file, without a solution", async () => {
    const files = [["system.anf", "x1*x2*x3 + x1*x2 + 1\nx1*x3 + x2 + 1\nx2*x3 + x1\n"]];
    const outcome = await run(page, "solving", { files, text: "x1" });
    expectRight(outcome);
    assert.match(outcome.verdict, /no solution/);
    assert.equal(outcome.result, "no solution\n");
  });
  await test("bad equations are told by line and column", async () => {
    const { error } = await run(page, "solving", { files: [], text: "x1 + x2\nx1 * + x3\n" });
    assert.match(error, /equations:2:6: /);
  });
  await test("a system that would take long", async () => {
    const sums = Array.from({ length: 60 }, (_, i) => `x${i}*x${(i * 7 + 3) % 60} + x${(i * 11 + 5) % 60}*x${(i * 13 + 1) % 60} + 1`);
    const { error } = await run(page, "solving", { text: sums.join("\n") });
    assert.match(error, /variables are left/);
  });
  await test("a proof for snarkjs' files, on both engines", async () => {
    const outcome = await run(page, "proving", { dropped: [["some.wtns", witness], ["circuit.zkey", key]] });
    expectRight(outcome);
    expectFiles(outcome);
    assert.match(outcome.verdict, /the proof is accepted/);
  });
  await test("a report of the device", async () => {
    const section = page.locator("section[data-task=report]");
    await section.locator("[name=seconds]").fill("5");
    await section.locator("form button").evaluate((button) => button.click());
    await section.locator(".markdown, .error:visible").first().waitFor({ timeout: PATIENCE });
    assert.equal(await section.locator(".error:visible").count(), 0, await section.locator(".error").textContent());
    const markdown = await section.locator(".markdown").inputValue();
    assert.match(markdown, /^# wgalois \d+\.\d+\.\d+ on .+/);
    for (const title of ["device", "rate"]) assert.ok(markdown.includes(`\n| ${title} | |\n|---|---|\n`), title);
    for (const name of ["graphics API", "largest binding", "system", "source", "copies", "dispatch"]) {
      assert.match(markdown, new RegExp(`^\\| ${name} \\| .+ \\|$`, "m"));
    }
    const file = section.locator("a.result");
    assert.equal(await file.getAttribute("download"), "report.json");
    const text = await file.evaluate(async (a) => (await fetch(a.href)).text());
    const { rows, record, version } = JSON.parse(text);
    assert.ok(version && record.copied_bytes > 0);
    assert.equal(rows.length, 12, "six problems, each on two engines");
    // What is planned to take long is left out; all else must be right, with its line in the Markdown.
    assert.ok(rows.every(({ outcome }) => outcome === "right" || outcome === "not-run"), text);
    const right = rows.filter(({ outcome }) => outcome === "right");
    const lines = markdown.split("\n");
    for (const { problem, system, planned, timing } of right) {
      assert.ok(planned > 0 && timing.call > 0, problem);
      const isLine = (line) => line.startsWith(`| ${problem} | ${system} | `) && line.endsWith(" | right |");
      assert.equal(lines.filter(isLine).length, 1, `${problem} on ${system}`);
    }
    // The bound of the whole leaves out what a software driver has no time for: the last problems.
    for (const problem of ["ntt 2^20", "ntt bls12-381-fr 2^16"]) {
      assert.equal(right.filter((row) => row.problem === problem).length, 2, `${problem} on both engines`);
    }
    // Where a page may use the clipboard, the button fills it.
    await section.locator("button", { hasText: "Copy" }).evaluate((button) => button.click());
    await section.locator("button", { hasText: "Copied" }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), markdown);
  });
  await test("the page links to the project", async () => {
    const text = await page.locator("#project").evaluate(async (a) => (await fetch(a.href)).text());
    assert.match(text, /^# wgalois/);
  });
  await test("nothing went wrong unseen", async () => assert.deepEqual(faults, []));
} catch (error) {
  failed = true;
  console.error(error);
  console.error(faults.join("\n"));
} finally {
  await browser.close();
}

if (!failed) {
  const bare = await open(["--disable-features=WebGPU,WebGPUService", "--disable-gpu"]);
  try {
    await test("a proof takes the package's module of its curve, and no other", async () => {
      assert.deepEqual(modulesOf(bare.loaded), []);
      expectProof(await run(bare.page, "proving", { dropped: [["some.wtns", witness], ["circuit.zkey", key]] }));
      assert.deepEqual(modulesOf(bare.loaded), ["bn254-cpu_bg.wasm"]);
      const fields = await bare.page.locator("section[data-task=proving] [type=file]").all();
      for (const field of fields) await field.setInputFiles([]);
    });
    await test("a browser without WebGPU is told so, and computes on the CPU", async () => {
      await bare.page.locator("#device.missing").waitFor();
      assert.match(await bare.page.locator("#device").textContent(), /WebGPU/);
      const outcome = await run(bare.page, "product", { size: "12" });
      assert.equal(outcome.error, null);
      assert.equal(outcome.bars, 1);
    });
    await test("a proof for a generated circuit", async () => {
      const outcome = await run(bare.page, "proving", { size: "4" });
      expectProof(outcome);
      assert.equal(outcome.input, "19 variables, 2 of them public, at most 2^5 constraints over bn254");
      assert.match(outcome.verdict, /the proof is accepted/);
    });
    await test("a proof for snarkjs' files, dropped on the page", async () => {
      const outcome = await run(bare.page, "proving", { dropped: [["some.wtns", witness], ["circuit.zkey", key]] });
      expectProof(outcome);
      expectFiles(outcome);
    });
    await test("a proof over BLS12-381", async () => {
      const other = (name) => readFileSync(join(here, "../data/groth16/bls12381", name));
      const files = [["a.zkey", other("circuit.zkey")], ["a.wtns", other("witness.wtns")]];
      expectProof(await run(bare.page, "proving", { files }));
    });
    await test("a witness that does not satisfy the circuit", async () => {
      const changed = Buffer.from(witness);
      changed[changed.length - 32] ^= 1;
      const { error } = await run(bare.page, "proving", { files: [["a.zkey", key], ["a.wtns", changed]] });
      assert.match(error, /does not satisfy the circuit/);
    });
    await test("a truncated key is told by section and place", async () => {
      const { error } = await run(bare.page, "proving", { files: [["a.zkey", key.subarray(0, 900)], ["a.wtns", witness]] });
      assert.match(error, /a\.zkey: byte \d+: section /);
    });
    await test("two keys", async () => {
      const { error } = await run(bare.page, "proving", { files: [["a.zkey", key], ["b.zkey", key]] });
      assert.match(error, /b\.zkey: byte 0: .*wtns/);
    });
  } catch (error) {
    failed = true;
    console.error(error);
  } finally {
    await bare.browser.close();
  }
}
server.close();
console.log(`${results.length} tests passed${failed ? ", one failed" : ""}`);
process.exit(failed ? 1 : 0);

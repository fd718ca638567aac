// Pages for tests: a server of a folder, and headless Chromium with WebGPU on SwiftShader.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";

const { chromium } = createRequire(join(import.meta.dirname, "../../.ci/node/package.json"))("playwright-core");
// The watchdog would end the GPU's process while SwiftShader compiles.
const FLAGS = ["--no-sandbox", "--no-first-run", "--disable-gpu-watchdog", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];
const KINDS = { ".html": "text/html", ".js": "text/javascript", ".json": "application/json", ".wasm": "application/wasm" };
// Code from strings is forbidden; modules of WebAssembly are not.
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'";
// With these a page is cross-origin isolated: its workers may share memory.
const ISOLATED = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };

// Serves a folder. An address without a name is its index.html, or an empty page.
export async function serve(folder, isolated) {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    const file = join(folder, path === "/" ? "index.html" : path);
    const kind = KINDS[extname(file)] ?? "application/octet-stream";
    const headers = { "content-type": kind, "content-security-policy": POLICY, ...(isolated ? ISOLATED : {}) };
    if (existsSync(file)) return response.writeHead(200, headers).end(readFileSync(file));
    if (path === "/") return response.writeHead(200, headers).end("<!doctype html>");
    return response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

// Opens a page of the folder, calls `work` with it, and says what went wrong. True if nothing did.
export async function inChromium(folder, work, { isolated = false } = {}) {
  const server = await serve(folder, isolated);
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
  const faults = [];
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(900_000);
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(server.address);
    await work(page);
  } catch (error) {
    faults.push(error);
  }
  await browser.close();
  server.close();
  faults.forEach((fault) => console.error(fault));
  return faults.length === 0;
}

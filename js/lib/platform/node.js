// What Node.js has of its own: files, and the bytes of modules.
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

import { WgaloisError } from "../errors.js";
import { fetched } from "./fetched.js";

async function file(path) {
  try {
    return new Uint8Array(await readFile(path));
  } catch (error) {
    throw new WgaloisError("file", `${path}: ${error.message}`, { data: { path: String(path) }, cause: error });
  }
}

// A text is a path, as snarkjs takes it in Node.js.
export const readText = (path) => file(path);
export const readUrl = (url) => (url.protocol === "file:" ? file(fileURLToPath(url)) : fetched(url));

// What initialises a module: Node.js fetches no files.
export const moduleInput = (name) => readFile(new URL(`../../wasm/${name}_bg.wasm`, import.meta.url));

// Calls `open` where the module finds WebGPU as in a page. It looks for the class of a page's or a worker's global object, and Node.js,
// where the package `webgpu` defines `navigator.gpu`, has neither.
export async function withGpu(open) {
  if ("Window" in globalThis || "WorkerGlobalScope" in globalThis) return open();
  globalThis.Window = class Window {};
  try {
    return await open();
  } finally {
    delete globalThis.Window;
  }
}

// Cores for threads, whose workers share memory.
export const coresOfThreads = () => availableParallelism();

// The module with threads over a curve, compiled for all of its workers.
export const moduleWithThreads = async (curve) => WebAssembly.compile(await moduleInput(`${curve}-threads`));

// Starts a worker of the module with threads over a curve.
export function startWorker(curve) {
  const worker = new Worker(new URL(`../worker/${curve}.node.js`, import.meta.url));
  return {
    listen(hear, broken) {
      worker.on("message", hear);
      worker.on("error", ({ message }) => broken(message));
      worker.on("exit", (code) => broken(`a worker ended with the code ${code}`));
      worker.on("messageerror", () => broken("a message could not be read"));
      // A listener keeps the program alive.
      worker.unref();
    },
    post: (message) => worker.postMessage(message),
    end: () => void worker.terminate(),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  };
}

// Lets events be delivered.
export const pause = () => new Promise((resolve) => setImmediate(resolve));

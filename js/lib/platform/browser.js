// What browsers have of their own.
import { fetched } from "./fetched.js";

// A text is an address, as snarkjs takes it in browsers.
export const readText = (address) => fetched(address);
export const readUrl = (url) => fetched(url);

// A module finds its own file beside it.
export const moduleInput = async () => undefined;

export const withGpu = (open) => open();

// Cores for threads; 0 if workers may share no memory.
export const coresOfThreads = () => (globalThis.crossOriginIsolated && globalThis.Worker ? (navigator.hardwareConcurrency ?? 1) : 0);

// Written out, so that bundlers find them.
const MODULES = {
  bn254: () => fetch(new URL("../../wasm/bn254-threads_bg.wasm", import.meta.url)),
  "bls12-381": () => fetch(new URL("../../wasm/bls12-381-threads_bg.wasm", import.meta.url)),
};
const WORKERS = {
  bn254: () => new Worker(new URL("../worker/bn254.js", import.meta.url), { type: "module" }),
  "bls12-381": () => new Worker(new URL("../worker/bls12-381.js", import.meta.url), { type: "module" }),
};

// The module with threads over a curve, compiled for all of its workers.
export async function moduleWithThreads(curve) {
  const response = await MODULES[curve]();
  // A server may not know the type of such a file.
  if (response.headers.get("content-type") === "application/wasm") return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

// Starts a worker of the module with threads over a curve.
export function startWorker(curve) {
  const worker = WORKERS[curve]();
  return {
    listen(hear, broken) {
      worker.onmessage = ({ data }) => hear(data);
      worker.onerror = ({ message }) => broken(message || "a worker did not start");
      worker.onmessageerror = () => broken("a message could not be read");
    },
    post: (message) => worker.postMessage(message),
    end: () => worker.terminate(),
    // A page stays.
    ref() {},
    unref() {},
  };
}

// Lets events be delivered.
export const pause = () => new Promise((resolve) => setTimeout(resolve));

// The modules, and the engines that are open in them.
import { WgaloisError, expectNotAborted, ofModule, refuse } from "./errors.js";

// Written out, so that bundlers find them.
const GLUE = {
  "bn254-cpu": () => import("../wasm/bn254-cpu.js"),
  "bn254-gpu": () => import("../wasm/bn254-gpu.js"),
  "bls12-381-cpu": () => import("../wasm/bls12-381-cpu.js"),
  "bls12-381-gpu": () => import("../wasm/bls12-381-gpu.js"),
};

// One kind of engine over one curve.
export class Engine {
  #glue;
  #engine;
  // The message of the fault that ended the module.
  #fault = null;
  // Rejects when the module ends.
  #ended;
  // The call before.
  #last = Promise.resolve();

  static async open(name, platform) {
    const engine = new Engine();
    const glue = await GLUE[name]();
    await glue.default({ module_or_path: await platform.moduleInput(name) });
    engine.#glue = glue;
    engine.#ended = new Promise((_, reject) => {
      glue.onFault((message) => {
        engine.#fault = message;
        reject(engine.#broken());
      });
    });
    // Nobody may be waiting.
    engine.#ended.catch(() => {});
    engine.#engine = await platform.withGpu(() => engine.run(() => glue.Engine.open()));
    return engine;
  }

  get isBroken() {
    return this.#fault !== null;
  }

  #broken() {
    const text = `a fault of the program ended its module, which has to be loaded anew: ${this.#fault}`;
    return new WgaloisError("fault", text, { data: { fault: this.#fault } });
  }

  // Calls the module, one call after the other. An abort ends work on a GPU at its next submission.
  run(work, signal) {
    const call = this.#last.then(() => this.#now(work, signal));
    this.#last = call.catch(() => {});
    return call;
  }

  async #now(work, signal) {
    if (this.#fault) throw this.#broken();
    expectNotAborted(signal);
    let stopping;
    const stop = () => (stopping = this.#engine?.stop());
    signal?.addEventListener("abort", stop, { once: true });
    try {
      return await Promise.race([work(this.#glue, this.#engine), this.#ended]);
    } catch (error) {
      throw this.#translated(error, signal);
    } finally {
      signal?.removeEventListener("abort", stop);
      if (!this.#fault) stopping?.free();
    }
  }

  #translated(error, signal) {
    if (typeof error === "string") {
      const known = ofModule(error);
      if (known.code === "stopped") expectNotAborted(signal);
      return known;
    }
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
      // A trap, after which nothing of the module can be trusted. A panic has left its message.
      this.#fault ??= error.message;
      return this.#broken();
    }
    return error;
  }
}

// Engines that are open or opening, by the names of their modules. One that failed to open is tried again.
const engines = new Map();

function opened(name, platform) {
  if (!engines.has(name)) {
    const opening = Engine.open(name, platform);
    engines.set(name, opening);
    opening.catch(() => engines.delete(name));
  }
  return engines.get(name);
}

// An engine over a curve for work that needs no device: one that is open, so that no second module is loaded, or the CPU engine.
export async function anyEngine(curve, platform) {
  for (const name of [`${curve}-cpu`, `${curve}-gpu`]) {
    const engine = await engines.get(name)?.catch(() => undefined);
    if (engine && !engine.isBroken) return engine;
  }
  return opened(`${curve}-cpu`, platform);
}

// True if there is a GPU: a software driver is slower than the CPU engine.
async function hasGpu() {
  try {
    const adapter = await globalThis.navigator?.gpu?.requestAdapter();
    return Boolean(adapter) && !adapter.info?.isFallbackAdapter;
  } catch {
    return false;
  }
}

// The engine over a curve that the caller asks for.
export async function engineFor(curve, { engine = "auto" } = {}, platform) {
  switch (engine) {
    case "cpu":
      return opened(`${curve}-cpu`, platform);
    case "gpu":
      if (!globalThis.navigator?.gpu) {
        throw new WgaloisError("no-device", "there is no WebGPU here (navigator.gpu)");
      }
      return opened(`${curve}-gpu`, platform);
    case "auto":
      if (!(await hasGpu())) return opened(`${curve}-cpu`, platform);
      // An adapter that cannot be opened is none.
      return opened(`${curve}-gpu`, platform).catch(() => opened(`${curve}-cpu`, platform));
    default:
      throw refuse(`the engine ${JSON.stringify(engine)}: expected "cpu", "gpu" or "auto"`);
  }
}

// The engines that are open.
import { WgaloisError, expectNotAborted, ofModule, refuse } from "./errors.js";
import { Module } from "./module.js";
import { Threads } from "./threads.js";

// One kind of engine over one curve.
export class Engine {
  #module;
  #engine;
  // The message of the fault that ended the module.
  #fault = null;
  // Tells of the module's end, and rejects then.
  #broken;
  #ended;
  // The call before.
  #last = Promise.resolve();
  #kind;

  // `kind` is what computes, `cpu` or `gpu`. `open` opens the module, and gets the function that hears of its end.
  static async open(kind, open, platform) {
    const engine = new Engine();
    engine.#kind = kind;
    engine.#ended = new Promise((_, reject) => {
      engine.#broken = (message) => {
        engine.#fault ??= message;
        reject(engine.#error());
      };
    });
    // Nobody may be waiting.
    engine.#ended.catch(() => {});
    engine.#module = await open(engine.#broken);
    engine.#engine = await platform.withGpu(() => engine.call(null, "open"));
    return engine;
  }

  get kind() {
    return this.#kind;
  }

  get isBroken() {
    return this.#fault !== null;
  }

  get threads() {
    return this.#module.count;
  }

  // The engine, as an argument of calls.
  get own() {
    return this.#engine;
  }

  #error() {
    const text = `a fault of the program ended its module, which has to be loaded anew: ${this.#fault}`;
    return new WgaloisError("fault", text, { data: { fault: this.#fault } });
  }

  // Calls a method of an object of the module, or with null one of its functions, one call after the other. An abort ends work on a GPU at
  // its next submission. The times of the work are added to `times`, if the method was asked for them.
  call(target, method, args = [], { signal, times } = {}) {
    const call = this.#last.then(() => this.#now(target, method, args, signal, times));
    this.#last = call.catch(() => {});
    return call;
  }

  // The answer of the module, unless it ends.
  #answer(target, method, args) {
    return Promise.race([this.#module.call(target, method, args), this.#ended]);
  }

  async #now(target, method, args, signal, times) {
    if (this.#fault) throw this.#error();
    expectNotAborted(signal);
    let stopping;
    const stop = () => (stopping = this.#module.stop(this.#engine));
    signal?.addEventListener("abort", stop, { once: true });
    try {
      // A call that failed may have left some.
      if (times) await this.#answer(this.#engine, "takeTimes", []);
      const value = await this.#answer(target, method, args);
      times?.add(await this.#answer(this.#engine, "takeTimes", []));
      return value;
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
      this.#broken(error.message);
      return this.#error();
    }
    return error;
  }
}

// Engines that are open or opening, by the names of their modules. One that failed to open is tried again.
const engines = new Map();

function opened(name, platform, open) {
  if (!engines.has(name)) {
    const opening = Engine.open(name.endsWith("-gpu") ? "gpu" : "cpu", open, platform);
    engines.set(name, opening);
    opening.catch(() => engines.delete(name));
  }
  return engines.get(name);
}

const onOneThread = (name, platform) => opened(name, platform, (broken) => Module.open(name, platform, broken));

async function onThreads(curve, count, platform) {
  const name = `${curve}-threads`;
  const open = (broken) => Threads.open(curve, count, platform, broken);
  const opening = opened(name, platform, open);
  const engine = await opening;
  if (!engine.isBroken) return engine;
  // New workers have a new module, unless another call has started them.
  if (engines.get(name) === opening) engines.delete(name);
  return opened(name, platform, open);
}

// Threads that a call uses at most if it names no number: each is a worker, which has to start. Two were measured.
const MOST_THREADS = 16;

async function cpuEngine(curve, threads, platform) {
  const cores = platform.coresOfThreads();
  const one = () => onOneThread(`${curve}-cpu`, platform);
  if (threads === undefined) {
    if (cores < 2) return one();
    // Workers that cannot be started, or share no memory, are none.
    const open = await engines.get(`${curve}-threads`)?.catch(() => null);
    return onThreads(curve, open?.threads ?? Math.min(cores, MOST_THREADS), platform).catch(one);
  }
  if (!Number.isInteger(threads) || threads < 1) throw refuse(`threads: ${threads}: expected a number from 1`);
  if (threads === 1) return one();
  if (cores === 0) throw refuse("threads need workers that share memory: a page has to be cross-origin isolated");
  const engine = await onThreads(curve, threads, platform);
  if (engine.threads === threads) return engine;
  throw refuse(`threads: the engine is open with ${engine.threads}, and cannot change to ${threads}`);
}

// An engine over a curve for work that needs no device: one that is open, so that no second module is loaded, or the CPU engine.
export async function anyEngine(curve, platform) {
  for (const kind of ["cpu", "threads", "gpu"]) {
    const engine = await engines.get(`${curve}-${kind}`)?.catch(() => undefined);
    if (engine && !engine.isBroken) return engine;
  }
  return onOneThread(`${curve}-cpu`, platform);
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
export async function engineFor(curve, { engine = "auto", threads }, platform) {
  switch (engine) {
    case "cpu":
      return cpuEngine(curve, threads, platform);
    case "gpu":
      if (threads !== undefined) throw refuse("threads are those of the CPU engine");
      if (!globalThis.navigator?.gpu) {
        throw new WgaloisError("no-device", "there is no WebGPU here (navigator.gpu)");
      }
      return onOneThread(`${curve}-gpu`, platform);
    case "auto":
      if (!(await hasGpu())) return cpuEngine(curve, threads, platform);
      // An adapter that cannot be opened is none.
      return onOneThread(`${curve}-gpu`, platform).catch(() => cpuEngine(curve, threads, platform));
    default:
      throw refuse(`the engine ${JSON.stringify(engine)}: expected "cpu", "gpu" or "auto"`);
  }
}

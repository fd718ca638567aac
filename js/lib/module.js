// A module on the caller's thread.

// Written out, so that bundlers find them.
const GLUE = {
  "bn254-cpu": () => import("../wasm/bn254-cpu.js"),
  "bn254-gpu": () => import("../wasm/bn254-gpu.js"),
  "bls12-381-cpu": () => import("../wasm/bls12-381-cpu.js"),
  "bls12-381-gpu": () => import("../wasm/bls12-381-gpu.js"),
};

export class Module {
  #glue;

  // `broken` hears of a fault that ends the module.
  static async open(name, platform, broken) {
    const module = new Module();
    module.#glue = await GLUE[name]();
    await module.#glue.default({ module_or_path: await platform.moduleInput(name) });
    module.#glue.onFault(broken);
    return module;
  }

  get count() {
    return 1;
  }

  // Calls a method of an object of the module, or one of its functions.
  call(target, method, args) {
    // What was used up has nothing to free.
    if (method === "free" && target.__wbg_ptr === 0) return undefined;
    return (target ?? this.#glue)[method](...args);
  }

  // Ends the work of an engine, until the result is freed.
  stop(engine) {
    return engine.stop();
  }
}

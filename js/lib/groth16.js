// Groth16: provers that stay, and snarkjs' calls.
import { witnessOf } from "./circom.js";
import { curveNamed, curveOfKey, nameOfSnarkjs } from "./curves.js";
import { anyEngine, engineFor } from "./engine.js";
import { refuse } from "./errors.js";
import { bytesOf } from "./input.js";
import { Steps } from "./steps.js";

// JSON in which large integers are texts, as snarkjs writes them.
const json = (value) => JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part));

// Calls `use` with the bytes of a witness, which are overwritten in the end.
async function withWitness(input, wasm, platform, use) {
  const { name, bytes } = await bytesOf(wasm, "the circuit", platform);
  const witness = await witnessOf(input, name, bytes);
  try {
    return await use(witness);
  } finally {
    witness.fill(0);
  }
}

// A key prepared for proofs. `load` makes it.
class Prover {
  #engine;
  #prover;
  #platform;
  #curve;

  constructor(engine, prover, curve, platform) {
    this.#engine = engine;
    this.#prover = prover;
    this.#curve = curve;
    this.#platform = platform;
  }

  get curve() {
    return this.#curve;
  }

  // One proof, or for a list of witnesses a list.
  async prove(witnesses, options = {}) {
    const list = Array.isArray(witnesses) ? witnesses : [witnesses];
    const steps = new Steps(list.length * stepsOfProof(options), options, this.#platform);
    const proofs = [];
    for (const witness of list) proofs.push(await this.proveInSteps(witness, options, steps));
    return Array.isArray(witnesses) ? proofs : proofs[0];
  }

  // One proof for the values of input signals.
  async fullProve(input, wasm, options = {}) {
    return withWitness(input, wasm, this.#platform, (witness) => this.prove(witness, options));
  }

  async proveInSteps(witness, { verify = true }, steps) {
    const { name, bytes } = await bytesOf(witness, "the witness", this.#platform);
    await steps.begin("prove");
    const proof = await this.#engine.call(this.#held(), "prove", [name, bytes], steps.signal);
    try {
      if (verify) {
        await steps.begin("verify");
        await this.#engine.call(proof, "verify", [], steps.signal);
      }
      const [text, publicSignals] = await this.#engine.call(proof, "json");
      return { proof: JSON.parse(text), publicSignals: JSON.parse(publicSignals) };
    } finally {
      release(this.#engine, proof);
    }
  }

  #held() {
    if (!this.#prover) throw refuse("the prover was freed");
    return this.#prover;
  }

  // Gives the memory back. Proofs that are under way end first.
  free() {
    if (this.#prover) release(this.#engine, this.#prover);
    this.#prover = null;
  }

  [Symbol.dispose ?? Symbol.for("dispose")]() {
    this.free();
  }
}

// Frees an object of a module, unless the module ended.
const release = (engine, object) => void engine.call(object, "free").catch(() => {});

const stepsOfLoad = ({ check = true }) => (check ? 3 : 2);
const stepsOfProof = ({ verify = true }) => (verify ? 2 : 1);

async function loadInSteps(zkey, options, steps, platform) {
  const { name, bytes } = await bytesOf(zkey, "the key", platform);
  const curve = curveOfKey(bytes);
  const engine = await engineFor(curve, options, platform);
  await steps.begin("read");
  const key = await engine.call(null, "readKey", [name, bytes], steps.signal);
  try {
    if (options.check ?? true) {
      await steps.begin("check");
      await engine.call(key, "check", [engine.own], steps.signal);
    }
    await steps.begin("prepare");
    const prover = await engine.call(key, "prepare", [engine.own], steps.signal);
    return new Prover(engine, prover, curve, platform);
  } catch (error) {
    release(engine, key);
    throw error;
  }
}

export function groth16For(platform) {
  async function load(zkey, options = {}) {
    return loadInSteps(zkey, options, new Steps(stepsOfLoad(options), options, platform), platform);
  }

  // The logger of snarkjs hears nothing.
  async function prove(zkey, wtns, logger, options) {
    const given = options ?? {};
    const steps = new Steps(stepsOfLoad(given) + stepsOfProof(given), given, platform);
    const prover = await loadInSteps(zkey, given, steps, platform);
    try {
      return await prover.proveInSteps(wtns, given, steps);
    } finally {
      prover.free();
    }
  }

  // snarkjs' options of witnesses are not needed.
  async function fullProve(input, wasm, zkey, logger, witnessOptions, options) {
    return withWitness(input, wasm, platform, (witness) => prove(zkey, witness, logger, options));
  }

  async function verify(key, publicSignals, proof) {
    if (key?.curve === undefined) throw refuse("the verifying key names no curve");
    const curve = curveNamed(key.curve);
    const named = { ...key, curve: nameOfSnarkjs(curve) };
    if (!Array.isArray(publicSignals)) throw refuse("the public signals are no list");
    // snarkjs takes numbers, too.
    const signals = json(publicSignals.map(String));
    const engine = await anyEngine(curve, platform);
    return engine.call(null, "verify", [json(named), signals, json(proof)]);
  }

  return { load, prove, fullProve, verify };
}

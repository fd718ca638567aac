// Groth16: provers that stay, and snarkjs' calls.
import { witnessOf } from "./circom.js";
import { curveNamed, curveOfKey, nameOfSnarkjs } from "./curves.js";
import { anyEngine, engineFor } from "./engine.js";
import { refuse } from "./errors.js";
import { bytesOf } from "./input.js";
import { Steps } from "./steps.js";
import { Times } from "./times.js";

// JSON in which large integers are texts, as snarkjs writes them.
const json = (value) => JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part));

// Of these each of r and s takes one half.
const RANDOM_BYTES = 128;

function expectRandomness(bytes) {
  if (bytes === undefined || (bytes instanceof Uint8Array && bytes.length === RANDOM_BYTES)) return;
  throw refuse(`randomness: expected a Uint8Array of ${RANDOM_BYTES} bytes`);
}

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
  #circuit;
  #onTimes;

  constructor(engine, prover, { curve, circuit, onTimes }, platform) {
    this.#engine = engine;
    this.#prover = prover;
    this.#curve = curve;
    this.#circuit = circuit;
    this.#onTimes = onTimes;
    this.#platform = platform;
  }

  get curve() {
    return this.#curve;
  }

  get circuit() {
    return { ...this.#circuit };
  }

  // One proof, or for a list of witnesses a list.
  async prove(witnesses, options = {}) {
    const list = Array.isArray(witnesses) ? witnesses : [witnesses];
    if (Array.isArray(witnesses) && options.randomness !== undefined) throw refuse("randomness is that of one proof");
    const steps = new Steps(list.length * stepsOfProof(options), options, this.#platform);
    const proofs = [];
    for (const witness of list) proofs.push(await this.proveInSteps(witness, options, steps));
    return Array.isArray(witnesses) ? proofs : proofs[0];
  }

  // One proof for the values of input signals.
  async fullProve(input, wasm, options = {}) {
    return withWitness(input, wasm, this.#platform, (witness) => this.prove(witness, options));
  }

  // True if a proof is accepted for these public signals.
  async verify(publicSignals, proof) {
    return this.#engine.call(this.#held(), "verify", [signalsIn(publicSignals), json(proof)]);
  }

  async proveInSteps(witness, { verify = true, randomness }, steps) {
    expectRandomness(randomness);
    const { signal } = steps;
    const { name, bytes } = await bytesOf(witness, "the witness", this.#platform);
    await steps.begin("prove");
    const times = Times.for({ onTimes: this.#onTimes });
    const proof = await this.#engine.call(this.#held(), "prove", [name, bytes, randomness], { signal, times });
    try {
      times?.tell();
      if (verify) {
        await steps.begin("verify");
        await this.#engine.call(proof, "verify", [], { signal });
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

// Public signals as a text. snarkjs takes numbers, too.
function signalsIn(list) {
  if (!Array.isArray(list)) throw refuse("the public signals are no list");
  return json(list.map(String));
}

async function loadInSteps(zkey, options, steps, platform) {
  const { signal } = steps;
  const times = Times.for(options);
  const { name, bytes } = await bytesOf(zkey, "the key", platform);
  const curve = curveOfKey(bytes);
  const engine = await engineFor(curve, options, platform);
  await steps.begin("read");
  const key = await engine.call(null, "readKey", [name, bytes], { signal });
  try {
    const [variables, publicSignals, domain] = await engine.call(key, "sizes");
    if (options.check ?? true) {
      await steps.begin("check");
      await engine.call(key, "check", [engine.own, Boolean(times)], { signal, times });
    }
    await steps.begin("prepare");
    const prover = await engine.call(key, "prepare", [engine.own, Boolean(times)], { signal, times });
    times?.tell();
    const circuit = { variables, publicSignals, domain };
    return new Prover(engine, prover, { curve, circuit, onTimes: options.onTimes }, platform);
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
    const signals = signalsIn(publicSignals);
    const engine = await anyEngine(curve, platform);
    return engine.call(null, "verify", [json(named), signals, json(proof)]);
  }

  return { load, prove, fullProve, verify };
}

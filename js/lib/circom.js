// Witnesses of circuits that circom 2 compiled to WebAssembly. Such a module computes one witness: it takes the values of the input
// signals, each by the hash of its name, and has a value for each variable, in words of 32 bits of a shared memory.
import { WgaloisError, refuse } from "./errors.js";

const fault = (message, data = null) => new WgaloisError("witness", message, { data });

// What the module says with `exceptionHandler`.
const EXCEPTIONS = {
  1: "a signal does not exist",
  2: "too many signals were set",
  3: "a signal was set twice",
  4: "an assertion of the circuit does not hold",
  5: "the circuit's memory does not suffice",
  6: "an input signal has fewer elements",
};

// The hash of a name: FNV-1a of 64 bits, in two words.
function hashOf(name) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(name)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return [Number(hash >> 32n), Number(hash & 0xffffffffn)];
}

// The integers of nested lists, in order.
function integers(name, value) {
  try {
    return [value].flat(Infinity).map(BigInt);
  } catch {
    throw refuse(`the input signal ${name}: expected integers, or lists of them`);
  }
}

// A module that is ready for one witness.
class Circuit {
  #exports;
  // What the module printed of an error.
  #printed = [];
  #words;
  #prime;

  static async open(name, code) {
    const circuit = new Circuit();
    const runtime = {
      exceptionHandler: (number) => {
        const told = [EXCEPTIONS[number] ?? `exception ${number}`, ...circuit.#printed];
        throw fault(`${name}: ${told.join("; ")}`, { exception: number });
      },
      printErrorMessage: () => circuit.#printed.push(circuit.#message()),
      // Messages have to be read, or they would run into each other.
      writeBufferMessage: () => circuit.#message(),
    };
    try {
      const module = await WebAssembly.compile(code);
      const imports = WebAssembly.Module.imports(module).filter(({ module }) => module === "runtime");
      const given = imports.map(({ name }) => [name, runtime[name] ?? (() => {})]);
      circuit.#exports = (await WebAssembly.instantiate(module, { runtime: Object.fromEntries(given) })).exports;
    } catch (error) {
      throw new WgaloisError("witness", `${name}: no circuit in WebAssembly: ${error.message}`, { cause: error });
    }
    if (circuit.#exports.getVersion?.() !== 2) throw fault(`${name}: the circuit is not one of circom 2`);
    circuit.#words = circuit.#exports.getFieldNumLen32();
    circuit.#exports.getRawPrime();
    circuit.#prime = circuit.#shared().reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
    return circuit;
  }

  #message() {
    let [text, code] = ["", 0];
    while ((code = this.#exports.getMessageChar()) !== 0) text += String.fromCharCode(code);
    return text;
  }

  // The value in the shared memory, the lowest word first.
  #shared() {
    return Array.from({ length: this.#words }, (_, i) => this.#exports.readSharedRWMemory(i) >>> 0);
  }

  #share(value) {
    const rest = value % this.#prime;
    let residue = rest < 0n ? rest + this.#prime : rest;
    for (let i = 0; i < this.#words; i++, residue >>= 32n) {
      this.#exports.writeSharedRWMemory(i, Number(residue & 0xffffffffn));
    }
  }

  // Sets all input signals. With the last one the module computes.
  set(input) {
    this.#exports.init(0);
    let count = 0;
    for (const [name, value] of Object.entries(input)) {
      const [values, hash] = [integers(name, value), hashOf(name)];
      const size = this.#exports.getInputSignalSize?.(...hash) ?? values.length;
      const data = { signal: name, expected: size, found: values.length };
      // What does not exist has no elements.
      if (size < 1 && values.length > 0) throw fault(`the circuit has no input signal ${name}`, { signal: name });
      if (size !== values.length) throw fault(`the input signal ${name}: ${values.length} values, where ${size} were expected`, data);
      for (const [i, value] of values.entries()) {
        this.#share(value);
        this.#exports.setInputSignal(...hash, i);
        count++;
      }
    }
    const size = this.#exports.getInputSize();
    if (count < size) throw fault(`${count} values of input signals, where ${size} were expected`, { expected: size, found: count });
  }

  // The witness as the bytes of a `.wtns`: section 1 has r and the number of values, section 2 the values.
  file() {
    const [words, count] = [this.#words, this.#exports.getWitnessSize()];
    const [header, values] = [8 + 4 * words, 4 * words * count];
    const bytes = new Uint8Array(12 + 12 + header + 12 + values);
    const view = new DataView(bytes.buffer);
    let at = 0;
    const word = (value) => {
      view.setUint32(at, value, true);
      at += 4;
    };
    const section = (number, length) => {
      word(number);
      view.setBigUint64(at, BigInt(length), true);
      at += 8;
    };
    bytes.set(new TextEncoder().encode("wtns"));
    at = 4;
    word(2);
    word(2);
    section(1, header);
    word(4 * words);
    this.#exports.getRawPrime();
    this.#shared().forEach(word);
    word(count);
    section(2, values);
    for (let i = 0; i < count; i++) {
      this.#exports.getWitness(i);
      for (let j = 0; j < words; j++) word(this.#exports.readSharedRWMemory(j));
    }
    return bytes;
  }
}

// The witness of a circuit for input signals, as the bytes of a `.wtns`.
export async function witnessOf(input, name, code) {
  if (input === null || typeof input !== "object") throw refuse("the input: expected an object of signals");
  const circuit = await Circuit.open(name, code);
  try {
    circuit.set(input);
    return circuit.file();
  } catch (error) {
    if (error instanceof WgaloisError) throw error;
    throw new WgaloisError("witness", `${name}: ${error.message}`, { cause: error });
  }
}

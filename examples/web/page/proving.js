// Groth16 proofs.
import { groth16 } from "./wgalois/lib/browser.js";
import { own } from "./own.js";
import { CPU, packagedJob, timed } from "./packaged.js";

// A circuit with 2^log constraints over BN254: its key and a witness.
async function generated(log) {
  const { Circuit } = await own();
  const circuit = Circuit.generate(log);
  try {
    return [circuit.key(), circuit.witness()];
  } finally {
    circuit.free();
  }
}

// Loads a key, and measures its preparation: that is part of a run, and the reading is not.
async function load(key, options) {
  let begin;
  const onProgress = ({ stage }) => stage === "prepare" && (begin = performance.now());
  const prover = await groth16.load(key, { ...options, onProgress });
  return { prover, time: performance.now() - begin };
}

// What the check shows.
const ACCEPTED = "the proof is accepted: a witness with these public values is known; checked in full";

const json = (value) => JSON.stringify(value, null, 1);

export async function proving({ size, names, first, second }) {
  const files = () => [new File([first], names[0]), new File([second], names[1])];
  const [key, witness] = first ? files() : await generated(size);
  // With the same randomness both engines make the same proof.
  const randomness = crypto.getRandomValues(new Uint8Array(128));
  const onCpu = await load(key, CPU);
  const { curve, circuit } = onCpu.prover;

  async function compute(options) {
    // The key's points have been checked.
    const loaded = options.engine === "cpu" ? onCpu : await load(key, { ...options, check: false });
    try {
      const { value, time } = await timed(() => loaded.prover.prove(witness, { verify: false, randomness }));
      return { value, time: loaded.time + time };
    } finally {
      if (loaded !== onCpu) loaded.prover.free();
    }
  }

  return packagedJob({
    curve,
    input:
      `${circuit.variables} variables, ${circuit.publicSignals} of them public, ` +
      `at most 2^${Math.log2(circuit.domain)} constraints over ${curve}`,
    compute,
    isSame: (one, other) => json(one) === json(other),
    async check({ proof, publicSignals }) {
      if (await onCpu.prover.verify(publicSignals, proof)) return ACCEPTED;
      throw new Error("the witness does not satisfy the circuit, or the device computed wrongly");
    },
    texts: ({ proof, publicSignals }) => [["proof.json", json(proof)], ["public.json", json(publicSignals)]],
    free: () => onCpu.prover.free(),
  });
}

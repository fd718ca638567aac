// Every function by its types: `npm run types` checks this file, and nobody runs it.
import {
  groth16,
  msm,
  ntt,
  openEngine,
  polymul,
  WgaloisError,
  type EngineName,
  type Input,
  type Progress,
  type Proof,
  type ProofWithSignals,
  type Prover,
  type Times,
  type VerificationKey,
} from "wgalois";

const bytes: Input = new Uint8Array(4);
const inputs: Input[] = [bytes, new Blob([]), new URL("file:///circuit.zkey"), "circuit.zkey", { type: "mem", data: bytes }];
const engine: EngineName = "auto";
const { signal } = new AbortController();
const onProgress = ({ stage, done, total }: Progress): string => `${stage} ${done} of ${total}`;

const onTimes = ({ upload, device, waiting, download, host }: Times): number => upload + device + waiting + download + host;
const opened: { engine: "cpu" | "gpu"; threads: number } = await openEngine({ engine: "cpu", threads: 1, curve: "bls12-381" });

const prover: Prover = await groth16.load(inputs[0]!, { engine, threads: 2, check: false, signal, onProgress, onTimes });
const { variables, publicSignals: count, domain }: { variables: number; publicSignals: number; domain: number } = prover.circuit;
const curve: "bn254" | "bls12-381" = prover.curve;
const one: ProofWithSignals = await prover.prove(bytes);
const same: ProofWithSignals = await prover.prove(bytes, { randomness: new Uint8Array(128) });
const holds: boolean = await prover.verify(same.publicSignals, same.proof);
const several: ProofWithSignals[] = await prover.prove([bytes, "witness.wtns"], { verify: false, signal, onProgress });
const filled: ProofWithSignals = await prover.fullProve({ a: "3" }, "circuit.wasm", { signal });
prover.free();

const simple = await groth16.prove("circuit.zkey", "witness.wtns");
const full = await groth16.prove("circuit.zkey", "witness.wtns", undefined, { engine: "cpu", check: true, verify: true });
const signals = { a: "3", b: [1, 2n, ["0x4", true]] };
const computed = await groth16.fullProve(signals, "circuit.wasm", "circuit.zkey");
const proof: Proof = computed.proof;
const x: string = proof.pi_b[0][1];
const accepted: boolean = await groth16.verify({} as VerificationKey, full.publicSignals, simple.proof);

const values: Uint32Array = await ntt(new Uint32Array(8), { prime: "koalabear", inverse: true, engine, signal, onTimes });
const product: Uint32Array = await polymul(values, values, { prime: 97 });
const sum: Uint8Array = await msm(new Uint8Array(64), new Uint8Array(32), { curve: "bn254", group: "g1", engine: "gpu", check: false });

const error = new WgaloisError("usage", "a text", { data: { index: 1 }, cause: null });
const code: string = error.code;
// @ts-expect-error the engine has another name
await groth16.load(bytes, { engine: "cuda" });
// @ts-expect-error a list of witnesses gives a list of proofs
const wrong: ProofWithSignals = await prover.prove([bytes]);

export { accepted, code, count, curve, domain, holds, one, opened, product, several, sum, variables, wrong, x };

/** Bytes, or where they are. A text is a path in Node.js and an address in browsers. */
export type Input =
  | Uint8Array
  | ArrayBuffer
  | Blob
  | URL
  | string
  | { type: "mem"; data?: Uint8Array }
  | { type: "file"; fileName: string };

/**
 * What computes: `cpu` is WebAssembly, `gpu` is WebGPU. `auto`, the default, is WebGPU if there is an adapter
 * that is no software driver, and WebAssembly otherwise.
 */
export type EngineName = "cpu" | "gpu" | "auto";

export interface EngineOptions {
  engine?: EngineName;
  /**
   * Threads of the engine `cpu`, which are workers. By default one a core, 16 at most, where they can share memory: in Node.js, and in a page
   * that is cross-origin isolated. With 1 the engine runs on the caller's thread. All calls over a curve use one number of threads.
   */
  threads?: number;
  /** Ends the call with the code `aborted`: between steps, on a GPU also before each submission. */
  signal?: AbortSignal;
  /**
   * Hears what the engine's work took, before the call returns; of a key also after each proof by its prover. On a GPU the times of
   * kernels are taken by its clock, so that the work takes longer.
   */
  onTimes?: (times: Times) => void;
}

/** Milliseconds of an engine's work, by its kinds. Kinds may overlap, and what is of no kind is left out. */
export interface Times {
  /** Copying to the GPU. */
  upload: number;
  /** Kernels of the GPU, by its clock; 0 in browsers that have none. */
  device: number;
  /** Waiting for the GPU. */
  waiting: number;
  /** Copying from the GPU. */
  download: number;
  /** Computing by the CPU engine. */
  host: number;
}

/** A step of a call that begins. */
export interface Progress {
  stage: "read" | "check" | "prepare" | "prove" | "verify";
  /** The number of steps that are done. */
  done: number;
  /** The number of all steps of the call. */
  total: number;
}

export interface ProofOptions {
  /**
   * Verify each proof before it is returned, by default true. Without it a witness that does not satisfy the circuit gives a proof
   * that nobody accepts.
   */
  verify?: boolean;
  /**
   * 128 bytes of which the proof's randomness is made, by default the system's. The same bytes give the same proof, on every engine. The
   * proof hides the witness only if they are uniform, secret and of no other proof. A list of witnesses takes none.
   */
  randomness?: Uint8Array;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export interface LoadOptions extends EngineOptions {
  /**
   * Check that the points of the key are in the subgroups of order r, by default true. They are always checked to be on the curves.
   */
  check?: boolean;
  onProgress?: (progress: Progress) => void;
}

/** Integers in decimal digits. */
export type Digits = string;

/** A proof as snarkjs writes it. */
export interface Proof {
  pi_a: [Digits, Digits, Digits];
  pi_b: [[Digits, Digits], [Digits, Digits], [Digits, Digits]];
  pi_c: [Digits, Digits, Digits];
  protocol: "groth16";
  curve: "bn128" | "bls12381";
}

export interface ProofWithSignals {
  proof: Proof;
  publicSignals: Digits[];
}

/** `verification_key.json` of snarkjs. */
export interface VerificationKey {
  protocol: string;
  curve: string;
  nPublic: number;
  vk_alpha_1: unknown;
  vk_beta_2: unknown;
  vk_gamma_2: unknown;
  vk_delta_2: unknown;
  IC: unknown;
  [other: string]: unknown;
}

export type SignalValue = bigint | number | string | boolean | readonly SignalValue[];
export type Signals = Record<string, SignalValue>;

/** What a key tells of its circuit. */
export interface CircuitSizes {
  /** The number of values of a witness. */
  readonly variables: number;
  /** The number of public signals. */
  readonly publicSignals: number;
  /** A power of two, at least the number of constraints and public signals, and one more. */
  readonly domain: number;
}

/** A key prepared for proofs. */
export interface Prover {
  readonly curve: "bn254" | "bls12-381";
  readonly circuit: CircuitSizes;
  /** Makes a proof for a witness (`.wtns`), or for several a list of proofs. */
  prove(witness: Input, options?: ProofOptions): Promise<ProofWithSignals>;
  prove(witnesses: readonly Input[], options?: ProofOptions): Promise<ProofWithSignals[]>;
  /** Makes a proof for the values of input signals; the circuit's WebAssembly, which circom 2 makes, computes the witness. */
  fullProve(input: Signals, wasm: Input, options?: ProofOptions): Promise<ProofWithSignals>;
  /** True if a proof is accepted for these public signals by the key, as by {@link Groth16.verify}. */
  verify(publicSignals: readonly (string | number | bigint)[], proof: Proof): Promise<boolean>;
  /** Gives the memory back, when proofs under way are done. The prover makes no more proofs. */
  free(): void;
}

export interface Groth16 {
  /** Reads a key (`.zkey`) once, for any number of proofs. */
  load(zkey: Input, options?: LoadOptions): Promise<Prover>;

  /** As snarkjs' `groth16.prove`. Nothing is written to the logger. */
  prove(zkey: Input, witness: Input, logger?: unknown, options?: LoadOptions & ProofOptions): Promise<ProofWithSignals>;

  /**
   * As snarkjs' `groth16.fullProve`: the witness is computed by the circuit's WebAssembly, which circom 2 makes.
   */
  fullProve(
    input: Signals,
    wasm: Input,
    zkey: Input,
    logger?: unknown,
    witnessOptions?: unknown,
    options?: LoadOptions & ProofOptions,
  ): Promise<ProofWithSignals>;

  /**
   * As snarkjs' `groth16.verify`: true if the proof proves that somebody knows a witness with these public signals. Keys for which anybody
   * can forge proofs are refused.
   */
  verify(
    key: VerificationKey,
    publicSignals: readonly (string | number | bigint)[],
    proof: Proof,
    logger?: unknown,
  ): Promise<boolean>;
}

export const groth16: Groth16;

export interface OpenOptions extends Pick<EngineOptions, "engine" | "threads"> {
  curve?: "bn254" | "bls12-381";
}

/**
 * Loads the module of an engine and opens the engine, which the first call that needs it does otherwise, and tells which one computes. That of
 * `bn254`, the default, has the transforms and products, too.
 */
export function openEngine(options?: OpenOptions): Promise<{ engine: "cpu" | "gpu"; threads: number }>;

export interface PrimeOptions extends EngineOptions {
  /** An odd prime below 2^31, by default `babybear`. */
  prime?: number | "babybear" | "koalabear";
}

/**
 * The number-theoretic transform of residues, a power of two many: their polynomial's values at the powers of a root of unity, in
 * natural order. With `inverse`, the coefficients of values.
 */
export function ntt(values: Uint32Array, options?: PrimeOptions & { inverse?: boolean }): Promise<Uint32Array>;

/** The product of two polynomials, by their coefficients from the lowest, which are residues. */
export function polymul(a: Uint32Array, b: Uint32Array, options?: PrimeOptions): Promise<Uint32Array>;

export interface MsmOptions extends EngineOptions {
  curve?: "bn254" | "bls12-381";
  group?: "g1" | "g2";
  /** Check that the points are in the group, by default true. They are always checked to be on the curve. */
  check?: boolean;
}

/**
 * The sum of multiples of points. A point is x and y as little-endian integers of 32 bytes (BN254) or 48 (BLS12-381), or zeros for
 * infinity; in G2 a coordinate is two of these, that of 1 first. A scalar is a little-endian integer of 32 bytes below r.
 */
export function msm(points: Uint8Array, scalars: Uint8Array, options?: MsmOptions): Promise<Uint8Array>;

/** What calls throw or reject with. */
export class WgaloisError extends Error {
  /**
   * The kind of the error: `aborted`, `usage` (an argument), `file` (it cannot be read), `witness` (the circuit computes none),
   * `fault` (a defect ended the module); or a variant of the library's error in small letters: `format` (a file violates its
   * format), `wrong-length` (a witness of another circuit), `check` (a witness that does not satisfy the circuit), `input`,
   * `no-device`, `device-lost`, `out-of-memory` and others.
   */
  readonly code: string;
  /** What is known of the error: the fields of the library's variant, such as the place in a file. */
  readonly data: unknown;
  constructor(code: string, message: string, options?: { data?: unknown; cause?: unknown });
}

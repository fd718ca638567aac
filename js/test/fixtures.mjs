// Circuits, keys and witnesses to test with, by circom2 and snarkjs of .ci/circuits. They are made once, into test/fixtures.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const here = import.meta.dirname;
const circuits = join(here, "../../.ci/circuits");
export const snarkjs = createRequire(join(circuits, "package.json"))("snarkjs");

const merkle = (leaf) => ({ leaf, siblings: ["1", "2"], sides: ["0", "1"] });
// Two inputs of each circuit; the powers of tau are enough for it.
const CIRCUITS = [
  { curve: "bn128", circuit: "multiplier", power: 9, inputs: [{ a: "3", b: "11" }, { a: "4", b: "11" }] },
  { curve: "bn128", circuit: "merkle", power: 9, inputs: [merkle("5"), merkle("6")] },
  { curve: "bls12381", circuit: "multiplier", power: 4, inputs: [{ a: "3", b: "11" }, { a: "4", b: "11" }] },
];

async function powersOfTau(curve, power) {
  const [first, second, ptau] = [{ type: "mem" }, { type: "mem" }, { type: "mem" }];
  await snarkjs.powersOfTau.newAccumulator(await snarkjs.curves.getCurveFromName(curve), power, first);
  await snarkjs.powersOfTau.contribute(first, second, "first", "some text");
  await snarkjs.powersOfTau.preparePhase2(second, ptau);
  return ptau;
}

// Makes the files of one circuit in a folder.
async function make({ curve, circuit, inputs }, ptau, folder) {
  const compiler = join(circuits, "node_modules/circom2/cli.js");
  const options = [`${circuit}.circom`, "--r1cs", "--wasm", "--O2", "-p", curve, "-o", folder];
  execFileSync(process.execPath, [compiler, ...options], { cwd: circuits, stdio: ["ignore", "ignore", "inherit"] });
  renameSync(join(folder, `${circuit}_js/${circuit}.wasm`), join(folder, "circuit.wasm"));
  const [begun, zkey] = [{ type: "mem" }, join(folder, "circuit.zkey")];
  await snarkjs.zKey.newZKey(join(folder, `${circuit}.r1cs`), ptau, begun);
  await snarkjs.zKey.contribute(begun, zkey, "first", "other text");
  const key = await snarkjs.zKey.exportVerificationKey(zkey);
  writeFileSync(join(folder, "verification_key.json"), JSON.stringify(key));
  for (const [i, input] of inputs.entries()) {
    await snarkjs.wtns.calculate(input, join(folder, "circuit.wasm"), join(folder, `${i}.wtns`));
  }
}

async function makeAll(folder) {
  const powers = new Map();
  for (const job of CIRCUITS) {
    const at = join(folder, `${job.curve}-${job.circuit}`);
    mkdirSync(at, { recursive: true });
    if (!powers.has(job.curve)) powers.set(job.curve, await powersOfTau(job.curve, job.power));
    await make(job, powers.get(job.curve), at);
  }
}

// The circuits with their files.
export async function fixtures() {
  const [folder, unfinished] = [join(here, "fixtures"), join(here, "fixtures.unfinished")];
  if (!existsSync(folder)) {
    rmSync(unfinished, { recursive: true, force: true });
    await makeAll(unfinished);
    renameSync(unfinished, folder);
  }
  return CIRCUITS.map(({ curve, circuit, inputs }) => {
    const file = (name) => join(folder, `${curve}-${circuit}`, name);
    const bytes = (name) => new Uint8Array(readFileSync(file(name)));
    const key = JSON.parse(readFileSync(file("verification_key.json"), "utf8"));
    return { curve, circuit, inputs, file, bytes, key };
  });
}

// snarkjs keeps threads for each curve.
export async function endSnarkjs() {
  for (const curve of ["curve_bn128", "curve_bls12381"]) await globalThis[curve]?.terminate();
}

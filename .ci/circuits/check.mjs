// Makes circuits with circom2, keys and proofs with snarkjs, and compares: `node check.mjs PROGRAM FOLDER`.
//
// For every curve and circuit: snarkjs accepts the program's proof, and the program accepts snarkjs' proof; the files
// have the same form; a changed witness, key, public value or proof is refused.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import assert from "node:assert/strict";

const snarkjs = createRequire(import.meta.url)("snarkjs");
const [program, folder] = process.argv.slice(2);
const here = import.meta.dirname;

const CURVES = [
  { snarkjs: "bn128", circom: "bn128" },
  { snarkjs: "bls12381", circom: "bls12381" },
];
const CIRCUITS = [
  { name: "multiplier", input: { a: "3", b: "11" }, other: { a: "4", b: "11" } },
  {
    name: "merkle",
    input: { leaf: "5", siblings: ["1", "2"], sides: ["0", "1"] },
    other: { leaf: "6", siblings: ["1", "2"], sides: ["1", "1"] },
  },
];
const POWER = 9;

// Runs the program, which must end with the code, and returns what it prints to stderr.
function wgalois(code, ...args) {
  const run = spawnSync(program, ["groth16", ...args], { encoding: "utf8" });
  assert.equal(run.status, code, `groth16 ${args.join(" ")}: ${run.status}\n${run.stdout}${run.stderr}`);
  return run.stderr;
}

const json = (path) => JSON.parse(readFileSync(path, "utf8"));

// A copy of a binary file with the byte at `at` (from the end if negative) changed.
function damaged(path, at, to) {
  const bytes = readFileSync(path);
  bytes[(at + bytes.length) % bytes.length] ^= 1;
  writeFileSync(to, bytes);
  return to;
}

// The offset of a section's content in a file of sections.
function section(path, number) {
  const bytes = readFileSync(path);
  let at = 12;
  while (bytes.readUInt32LE(at) !== number) at += 12 + Number(bytes.readBigUInt64LE(at + 4));
  return at + 12;
}

async function powers(curve, to) {
  const [first, second] = [{ type: "mem" }, { type: "mem" }];
  await snarkjs.powersOfTau.newAccumulator(await curve, POWER, first);
  await snarkjs.powersOfTau.contribute(first, second, "first", "some text");
  await snarkjs.powersOfTau.preparePhase2(second, to);
}

async function compare(curve, circuit, ptau) {
  const at = join(folder, `${curve.snarkjs}-${circuit.name}`);
  mkdirSync(at, { recursive: true });
  const file = (name) => join(at, name);
  // The compiler sees only the folder that it is called in.
  const compiler = join(here, "node_modules/circom2/cli.js");
  const options = [`${circuit.name}.circom`, "--r1cs", "--wasm", "--O2", "-p", curve.circom, "-o", at];
  execFileSync(process.execPath, [compiler, ...options], { cwd: here, stdio: ["ignore", "ignore", "inherit"] });
  const [first, zkey] = [file("first.zkey"), file("circuit.zkey")];
  // It returns -1 for a circuit that is too big.
  assert.notEqual(await snarkjs.zKey.newZKey(file(`${circuit.name}.r1cs`), ptau, first), -1);
  await snarkjs.zKey.contribute(first, zkey, "first", "other text");
  const key = await snarkjs.zKey.exportVerificationKey(zkey);
  writeFileSync(file("verification_key.json"), JSON.stringify(key));
  const wasm = file(`${circuit.name}_js/${circuit.name}.wasm`);
  const [witness, other] = [file("witness.wtns"), file("other.wtns")];
  await snarkjs.wtns.calculate(circuit.input, wasm, witness);
  await snarkjs.wtns.calculate(circuit.other, wasm, other);

  // Our proof, their verifier.
  wgalois(0, "prove", zkey, witness, "--proof", file("proof.json"), "--public", file("public.json"));
  assert.ok(await snarkjs.groth16.verify(key, json(file("public.json")), json(file("proof.json"))));
  // Their proof, our verifier; the same public values in the same form.
  const theirs = await snarkjs.groth16.prove(zkey, witness);
  writeFileSync(file("their_proof.json"), JSON.stringify(theirs.proof, null, 1));
  writeFileSync(file("their_public.json"), JSON.stringify(theirs.publicSignals, null, 1));
  assert.equal(readFileSync(file("public.json"), "utf8"), readFileSync(file("their_public.json"), "utf8"));
  const form = (proof) => JSON.stringify(proof, (_, value) => (/^\d+$/.test(value) ? "0" : value));
  assert.equal(form(json(file("proof.json"))), form(theirs.proof));
  const verify = (code, vk, pub, proof) => wgalois(code, "verify", file(vk), file(pub), file(proof));
  verify(0, "verification_key.json", "their_public.json", "their_proof.json");
  verify(0, "circuit.zkey", "public.json", "proof.json");
  // Several witnesses at once.
  const many = ["prove", zkey, witness, other, "--proof", file("proofs"), "--public", file("publics")];
  wgalois(0, ...many);
  for (const name of ["witness", "other"]) {
    const [pub, proof] = [json(file(`publics/${name}.json`)), json(file(`proofs/${name}.json`))];
    assert.ok(await snarkjs.groth16.verify(key, pub, proof));
  }

  // Changed ones are refused.
  verify(1, "verification_key.json", "publics/other.json", "proof.json");
  verify(1, "verification_key.json", "public.json", "proofs/other.json");
  const key2 = { ...key, vk_alpha_1: key.IC[0] };
  writeFileSync(file("key2.json"), JSON.stringify(key2));
  verify(1, "key2.json", "public.json", "proof.json");
  const off = { ...theirs.proof, pi_a: ["1", "5", "1"] };
  writeFileSync(file("off.json"), JSON.stringify(off));
  assert.match(verify(3, "verification_key.json", "public.json", "off.json"), /pi_a.*not on the curve/);
  const prove = (code, zkey, witness) =>
    wgalois(code, "prove", zkey, witness, "--proof", file("no.json"), "--public", file("no-public.json"));
  // The last value of the witness does not fit the others.
  const last = damaged(witness, -32, file("changed.wtns"));
  assert.match(prove(1, zkey, last), /does not satisfy/);
  const flipped = damaged(zkey, section(zkey, 9) + 1, file("flipped.zkey"));
  assert.match(prove(3, flipped, witness), /section 9.*not on the curve/);
}

async function main() {
  for (const curve of CURVES) {
    const begin = Date.now();
    const ptau = { type: "mem" };
    await powers(snarkjs.curves.getCurveFromName(curve.snarkjs), ptau);
    for (const circuit of CIRCUITS) await compare(curve, circuit, ptau);
    console.log(`${curve.snarkjs}: ${CIRCUITS.length} circuits, ${(Date.now() - begin) / 1000} s`);
  }
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);

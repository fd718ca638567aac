// Makes circuits with circom2, keys and proofs with snarkjs, and compares:
// `node check.mjs PROGRAM FOLDER small|large`.
//
// For every curve and circuit: snarkjs accepts the program's proof, and the program accepts snarkjs' proof; the files
// have the same form; a changed witness, key, public value or proof is refused. The files stay in the folder.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import assert from "node:assert/strict";

const snarkjs = createRequire(import.meta.url)("snarkjs");
const [program, folder, size] = process.argv.slice(2);
const here = import.meta.dirname;

// The bits of bytes, the highest of each first, as circomlib's hashes take them.
const bits = (bytes) => [...bytes].flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((i) => String((byte >> i) & 1)));
const path = (depth, leaf) => ({
  leaf,
  siblings: Array.from({ length: depth }, (_, i) => String(i * i + 1)),
  sides: Array.from({ length: depth }, (_, i) => String(i % 2)),
});
function hash(name, length) {
  const [message, other] = [1, 2].map((factor) => Buffer.from(Array.from({ length }, (_, i) => (factor * i) % 251)));
  const expected = bits(createHash("sha256").update(message).digest());
  // Its linear constraints are few, and the compiler takes long to substitute them.
  return { name, level: "--O1", input: { in: bits(message) }, other: { in: bits(other) }, expected };
}

// Of keys by one party, which the program makes of a circuit, the setup takes seconds; snarkjs' powers of tau for 2^15
// constraints take ten minutes.
const JOBS = {
  small: [
    { curve: "bn128", setup: powers, circuits: [multiplier(), merkle("merkle", 2)] },
    { curve: "bls12381", setup: powers, circuits: [multiplier(), merkle("merkle", 2)] },
    { curve: "bn128", setup: oneParty, circuits: [merkle("merkle_deep", 67), hash("sha256", 32)] },
  ],
  large: [{ curve: "bn128", setup: oneParty, circuits: [hash("sha256_long", 440)] }],
};
const POWER = 9;

function multiplier() {
  // c = a b + a and d = c^4, then the public b.
  const expected = ["36", "1679616", "11"];
  return { name: "multiplier", level: "--O2", input: { a: "3", b: "11" }, other: { a: "4", b: "11" }, expected };
}

function merkle(name, depth) {
  return { name, level: "--O2", input: path(depth, "5"), other: path(depth, "6") };
}

// Runs the program, which must end with the code, and returns what it prints to stderr.
function wgalois(code, ...args) {
  const run = spawnSync(program, args, { encoding: "utf8" });
  assert.equal(run.status, code, `${args.join(" ")}: ${run.status}\n${run.stdout}${run.stderr}`);
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

// Keys by snarkjs' own ceremony.
async function powers(curve) {
  const [first, second, ptau] = [{ type: "mem" }, { type: "mem" }, { type: "mem" }];
  await snarkjs.powersOfTau.newAccumulator(await snarkjs.curves.getCurveFromName(curve), POWER, first);
  await snarkjs.powersOfTau.contribute(first, second, "first", "some text");
  await snarkjs.powersOfTau.preparePhase2(second, ptau);
  return async (r1cs, at) => {
    const [begun, zkey] = [join(at, "first.zkey"), join(at, "circuit.zkey")];
    // It returns -1 for a circuit that is too big.
    assert.notEqual(await snarkjs.zKey.newZKey(r1cs, ptau, begun), -1);
    await snarkjs.zKey.contribute(begun, zkey, "first", "other text");
    const key = await snarkjs.zKey.exportVerificationKey(zkey);
    writeFileSync(join(at, "verification_key.json"), JSON.stringify(key));
    return key;
  };
}

// Keys by the program's setup, whose verifying key is the one that snarkjs finds in the key.
async function oneParty() {
  return async (r1cs, at) => {
    wgalois(0, "gen", "groth16", "--circuit", r1cs, "-o", at);
    const key = await snarkjs.zKey.exportVerificationKey(join(at, "circuit.zkey"));
    for (const [name, value] of Object.entries(json(join(at, "verification_key.json")))) {
      assert.deepEqual(value, key[name], name);
    }
    return key;
  };
}

async function compare(curve, setup, circuit) {
  const at = join(folder, `${curve}-${circuit.name}`);
  mkdirSync(at, { recursive: true });
  const file = (name) => join(at, name);
  let begin = Date.now();
  const times = [];
  const took = (step) => {
    times.push(`${step} ${((Date.now() - begin) / 1000).toFixed(1)} s`);
    begin = Date.now();
  };
  // The compiler sees only the folder that it is called in.
  const compiler = join(here, "node_modules/circom2/cli.js");
  const options = [`${circuit.name}.circom`, "--r1cs", "--wasm", circuit.level, "-p", curve, "-o", at];
  execFileSync(process.execPath, [compiler, ...options], { cwd: here, stdio: ["ignore", "ignore", "inherit"] });
  took("circom");
  const zkey = file("circuit.zkey");
  const key = await setup(file(`${circuit.name}.r1cs`), at);
  took("setup");
  const wasm = file(`${circuit.name}_js/${circuit.name}.wasm`);
  const [witness, other] = [file("witness.wtns"), file("other.wtns")];
  await snarkjs.wtns.calculate(circuit.input, wasm, witness);
  await snarkjs.wtns.calculate(circuit.other, wasm, other);
  took("witnesses");

  // Our proof, their verifier.
  wgalois(0, "groth16", "prove", zkey, witness, "--proof", file("proof.json"), "--public", file("public.json"));
  took("proof");
  assert.ok(await snarkjs.groth16.verify(key, json(file("public.json")), json(file("proof.json"))));
  if (circuit.expected) assert.deepEqual(json(file("public.json")), circuit.expected);
  // Their proof, our verifier; the same public values in the same form.
  const theirs = await snarkjs.groth16.prove(zkey, witness);
  writeFileSync(file("their_proof.json"), JSON.stringify(theirs.proof, null, 1));
  writeFileSync(file("their_public.json"), JSON.stringify(theirs.publicSignals, null, 1));
  took("their proof");
  assert.equal(readFileSync(file("public.json"), "utf8"), readFileSync(file("their_public.json"), "utf8"));
  const form = (proof) => JSON.stringify(proof, (_, value) => (/^\d+$/.test(value) ? "0" : value));
  assert.equal(form(json(file("proof.json"))), form(theirs.proof));
  const verify = (code, vk, pub, proof) => wgalois(code, "groth16", "verify", file(vk), file(pub), file(proof));
  verify(0, "verification_key.json", "their_public.json", "their_proof.json");
  verify(0, "circuit.zkey", "public.json", "proof.json");
  // Several witnesses at once.
  const many = ["groth16", "prove", zkey, witness, other, "--proof", file("proofs"), "--public", file("publics")];
  wgalois(0, ...many);
  for (const name of ["witness", "other"]) {
    const [pub, proof] = [json(file(`publics/${name}.json`)), json(file(`proofs/${name}.json`))];
    assert.ok(await snarkjs.groth16.verify(key, pub, proof));
  }
  took("two proofs");

  // Changed ones are refused, by both.
  const both = async (vk, pub, proof) => {
    verify(1, vk, pub, proof);
    assert.ok(!(await snarkjs.groth16.verify(json(file(vk)), json(file(pub)), json(file(proof)))));
  };
  await both("verification_key.json", "publics/other.json", "proof.json");
  await both("verification_key.json", "public.json", "proofs/other.json");
  const key2 = { ...key, vk_alpha_1: key.IC[0] };
  writeFileSync(file("key2.json"), JSON.stringify(key2));
  await both("key2.json", "public.json", "proof.json");
  const off = { ...theirs.proof, pi_a: ["1", "5", "1"] };
  writeFileSync(file("off.json"), JSON.stringify(off));
  assert.match(verify(3, "verification_key.json", "public.json", "off.json"), /pi_a.*not on the curve/);
  const prove = (code, zkey, witness) =>
    wgalois(code, "groth16", "prove", zkey, witness, "--proof", file("no.json"), "--public", file("no-public.json"));
  // The last value of the witness does not fit the others.
  const last = damaged(witness, -32, file("changed.wtns"));
  assert.match(prove(1, zkey, last), /does not satisfy/);
  const flipped = damaged(zkey, section(zkey, 9) + 1, file("flipped.zkey"));
  assert.match(prove(3, flipped, witness), /section 9.*not on the curve/);
  took("refusals");
  console.log(`${curve} ${circuit.name}: ${times.join(", ")}`);
}

async function main() {
  for (const { curve, setup, circuits } of JOBS[size]) {
    const begin = Date.now();
    const makeKey = await setup(curve);
    for (const circuit of circuits) await compare(curve, makeKey, circuit);
    console.log(`${curve}: ${circuits.length} circuits, ${(Date.now() - begin) / 1000} s`);
  }
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);

// Proofs beside snarkjs: each accepts the other's, with the same values in the same form; wrong ones are refused.
import { after, test } from "node:test";
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

import { groth16 } from "wgalois";
import { endSnarkjs, fixtures, snarkjs } from "./fixtures.mjs";

const circuits = await fixtures();
after(endSnarkjs);

// The form of a proof: its fields in their order, with every number 0.
const form = (proof) => JSON.stringify(proof, (_, value) => (/^\d+$/.test(value) ? "0" : value));

// The CPU engine on the caller's thread, and in two workers.
for (const threads of [1, 2]) circuits.forEach((circuit) => proofsOf(circuit, { engine: "cpu", threads }));

function proofsOf({ curve, circuit, inputs, file, bytes, key }, options) {
  const [zkey, wasm, witness] = [file("circuit.zkey"), file("circuit.wasm"), file("0.wtns")];
  const title = `${curve} ${circuit}, threads ${options.threads}`;
  const prove = (zkey, witness) => groth16.prove(zkey, witness, undefined, options);
  const fullProve = (input) => groth16.fullProve(input, wasm, zkey, undefined, undefined, options);

  test(`${title}: proofs are accepted by each other, and have one form`, async () => {
    const ours = await prove(zkey, witness);
    const theirs = await snarkjs.groth16.prove(zkey, witness);
    assert.deepEqual(ours.publicSignals, theirs.publicSignals);
    assert.equal(form(ours.proof), form(theirs.proof));
    assert.deepEqual(Object.keys(ours), Object.keys(theirs));
    assert.equal(await snarkjs.groth16.verify(key, ours.publicSignals, ours.proof), true);
    assert.equal(await groth16.verify(key, theirs.publicSignals, theirs.proof), true);
    assert.equal(await groth16.verify(key, ours.publicSignals, ours.proof), true);
    assert.equal(await groth16.verify(key, ours.publicSignals.map(BigInt), ours.proof), true);
    // Two proofs of one witness differ.
    const second = await prove(zkey, witness);
    assert.notDeepEqual(second.proof, ours.proof);
  });

  test(`${title}: wrong proofs and signals are refused by both`, async () => {
    const [{ proof, publicSignals }, other] = [await prove(zkey, witness), await prove(zkey, file("1.wtns"))];
    const refused = async (key, signals, proof) => {
      assert.equal(await groth16.verify(key, signals, proof), false);
      assert.equal(await snarkjs.groth16.verify(key, signals, proof), false);
    };
    assert.notDeepEqual(publicSignals, other.publicSignals);
    await refused(key, other.publicSignals, proof);
    await refused(key, publicSignals, other.proof);
    await refused(key, publicSignals, { ...proof, pi_a: proof.pi_c });
    await refused(key, publicSignals, { ...proof, pi_a: ["1", "5", "1"] });
    await refused({ ...key, vk_alpha_1: key.IC[0] }, publicSignals, proof);
    // A value and that value and r are one residue, but not one signal.
    const r = curve === "bn128"
      ? 21888242871839275222246405745257275088548364400416034343698204186575808495617n
      : 52435875175126190479447740508185965837690552500527637822603658699938581184513n;
    await refused(key, [String(BigInt(publicSignals[0]) + r), ...publicSignals.slice(1)], proof);
  });

  test(`${title}: the same randomness gives the same proof`, async () => {
    const heard = [];
    const prover = await groth16.load(zkey, { ...options, onTimes: ({ host }) => heard.push(host) });
    const prove = (randomness) => prover.prove(witness, { randomness });
    // Two integers of 64 bytes, little-endian.
    const of = (r, s) => Uint8Array.from({ length: 128 }, (_, i) => Number(((i < 64 ? r : s) >> BigInt(8 * (i % 64))) & 255n));
    const own = await prove(of(5n, 6n));
    assert.deepEqual(await prove(of(5n, 6n)), own);
    const order = curve === "bn128"
      ? 21888242871839275222246405745257275088548364400416034343698204186575808495617n
      : 52435875175126190479447740508185965837690552500527637822603658699938581184513n;
    assert.deepEqual(await prove(of(5n + order, 6n + (order << 200n))), own);
    // r moves A and C, s moves B and C.
    const [first, second] = [await prove(of(7n, 6n)), await prove(of(5n, 7n))];
    const moved = ({ proof }) => ["pi_a", "pi_b", "pi_c"].map((part) => JSON.stringify(proof[part]) !== JSON.stringify(own.proof[part]));
    assert.deepEqual([moved(first), moved(second)], [[true, false, true], [false, true, true]]);
    for (const { proof, publicSignals } of [own, first, second]) {
      assert.equal(await snarkjs.groth16.verify(key, publicSignals, proof), true);
      assert.equal(await prover.verify(publicSignals, proof), true);
    }
    assert.equal(await prover.verify(own.publicSignals, { ...own.proof, pi_a: own.proof.pi_c }), false);
    // Once for the key, and once for each proof.
    assert.equal(heard.length, 6);
    assert.ok(heard.every((time) => time >= 0) && heard.slice(1).every((time) => time > 0), `${heard} ms`);
    prover.free();
  });

  test(`${title}: a prover knows the sizes of its circuit`, async () => {
    const prover = await groth16.load(zkey, options);
    const { nVars, nPublic, domainSize } = await snarkjs.zKey.exportJson(zkey);
    assert.deepEqual(prover.circuit, { variables: nVars, publicSignals: nPublic, domain: domainSize });
    prover.free();
  });

  test(`${title}: fullProve has snarkjs' public signals`, async () => {
    for (const input of inputs) {
      const ours = await fullProve(input);
      const theirs = await snarkjs.groth16.fullProve(input, wasm, zkey);
      assert.deepEqual(ours.publicSignals, theirs.publicSignals);
      assert.equal(await snarkjs.groth16.verify(key, ours.publicSignals, ours.proof), true);
    }
    // Integers of other kinds, and negative ones.
    const numbers = JSON.parse(JSON.stringify(inputs[0]), (_, value) => (typeof value === "string" ? Number(value) : value));
    assert.deepEqual(
      (await fullProve(numbers)).publicSignals,
      (await snarkjs.groth16.fullProve(inputs[0], wasm, zkey)).publicSignals,
    );
  });

  test(`${title}: a key and a witness may be given in every way`, async () => {
    const data = bytes("circuit.zkey");
    const ways = [data, data.slice().buffer, pathToFileURL(zkey), new Blob([data]), { type: "mem", data }, { type: "file", fileName: zkey }];
    for (const way of ways) {
      const prover = await groth16.load(way, options);
      assert.equal(prover.curve, curve === "bn128" ? "bn254" : "bls12-381");
      const { proof, publicSignals } = await prover.prove({ type: "mem", data: bytes("0.wtns") });
      assert.equal(await groth16.verify(key, publicSignals, proof), true);
      prover.free();
    }
    // The input stays as it was.
    assert.deepEqual(data, bytes("circuit.zkey"));
  });

  test(`${title}: several witnesses in one call, with progress`, async () => {
    const heard = [];
    const onProgress = ({ stage, done, total }) => heard.push(`${stage} ${done}/${total}`);
    const prover = await groth16.load(zkey, { ...options, onProgress });
    assert.deepEqual(heard.splice(0), ["read 0/3", "check 1/3", "prepare 2/3"]);
    const proofs = await prover.prove([witness, file("1.wtns"), bytes("0.wtns")], { onProgress });
    assert.deepEqual(heard, ["prove 0/6", "verify 1/6", "prove 2/6", "verify 3/6", "prove 4/6", "verify 5/6"]);
    for (const { proof, publicSignals } of proofs) {
      assert.equal(await snarkjs.groth16.verify(key, publicSignals, proof), true);
    }
    assert.deepEqual(proofs[0].publicSignals, proofs[2].publicSignals);
    assert.notDeepEqual(proofs[0].publicSignals, proofs[1].publicSignals);
    assert.deepEqual(await prover.prove([]), []);
    const full = await prover.fullProve(inputs[1], wasm);
    assert.deepEqual(full.publicSignals, proofs[1].publicSignals);
    assert.equal(await snarkjs.groth16.verify(key, full.publicSignals, full.proof), true);
    prover.free();
  });
}

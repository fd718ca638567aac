// Errors have a kind and data; calls can be aborted; what is freed is refused.
import { after, test } from "node:test";
import assert from "node:assert/strict";
import { Worker } from "node:worker_threads";

import { groth16, WgaloisError } from "wgalois";
import { endSnarkjs, fixtures } from "./fixtures.mjs";

const [multiplier, merkle, other] = await fixtures();
after(endSnarkjs);
const zkey = multiplier.bytes("circuit.zkey");
const witness = multiplier.bytes("0.wtns");

// The error that a call ends with.
async function errorOf(call, code, message) {
  const error = await call().then(() => assert.fail("no error"), (error) => error);
  assert.ok(error instanceof WgaloisError, String(error.stack));
  assert.equal(error.name, "WgaloisError");
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
  return error;
}

function changed(bytes, at) {
  const copy = bytes.slice();
  copy[(at + copy.length) % copy.length] ^= 1;
  return copy;
}

// The first test: no worker has started yet.
test("without workers a number of threads is refused, and one is taken by itself", async () => {
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = () => {
    throw new Error("no message");
  };
  await errorOf(() => groth16.load(zkey, { engine: "cpu", threads: 2 }), "no-device", /cannot be started: no message/);
  (await groth16.load(zkey, { engine: "cpu" })).free();
  Worker.prototype.postMessage = postMessage;
  (await groth16.load(zkey, { engine: "cpu", threads: 2 })).free();
});

test("a truncated key is refused wherever it ends", async () => {
  for (const length of [0, 3, 11, 40, 200, zkey.length >> 1, zkey.length - 1]) {
    await errorOf(() => groth16.load(zkey.subarray(0, length)), "format", /^the key: /);
  }
  const error = await errorOf(() => groth16.load(zkey.subarray(0, -1)), "format", /the key: byte/);
  assert.ok(Number.isInteger(error.data.place.position.Byte));
});

test("no key is read as one", async () => {
  await errorOf(() => groth16.load(witness), "format", /the key/);
  await errorOf(() => groth16.load(crypto.getRandomValues(new Uint8Array(1000))), "format", /the key/);
});

test("a key with a point off its curve is refused, with the section and the place, checked or not", async () => {
  const view = new DataView(zkey.buffer, zkey.byteOffset);
  let at = 12;
  while (view.getUint32(at, true) !== 9) at += 12 + Number(view.getBigUint64(at + 4, true));
  for (const check of [true, false]) {
    await errorOf(() => groth16.load(changed(zkey, at + 13), { check }), "format", /section 9.*not on the curve/);
  }
});

test("a witness that does not satisfy the circuit is refused", async () => {
  const wrong = changed(witness, -32);
  await errorOf(() => groth16.prove(zkey, wrong), "check", /does not satisfy the circuit/);
  const prover = await groth16.load(zkey);
  await errorOf(() => prover.prove(wrong), "check", /does not satisfy the circuit/);
  // Unless nobody asks.
  const { proof, publicSignals } = await prover.prove(wrong, { verify: false });
  assert.equal(await groth16.verify(multiplier.key, publicSignals, proof), false);
  // The prover goes on.
  assert.equal((await prover.prove(witness)).proof.protocol, "groth16");
  prover.free();
});

test("a key of another circuit, and of another curve, is refused", async () => {
  const error = await errorOf(() => groth16.prove(merkle.bytes("circuit.zkey"), witness), "wrong-length", /values/);
  assert.ok(error.data.expected > error.data.found);
  await errorOf(() => groth16.prove(other.bytes("circuit.zkey"), witness), "format", /another curve/);
  await errorOf(() => groth16.verify(merkle.key, ["1"], {}), "format", /the proof/);
  const { proof, publicSignals } = await groth16.prove(zkey, witness);
  await errorOf(() => groth16.verify(merkle.key, publicSignals, proof), "wrong-length", /public values/);
  await errorOf(() => groth16.verify(other.key, publicSignals, proof), "format", /the curve is/);
});

test("arguments that are none are refused", async () => {
  await errorOf(() => groth16.load(5), "usage", /the key: expected bytes/);
  await errorOf(() => groth16.load(zkey, { engine: "cuda" }), "usage", /"cpu", "gpu" or "auto"/);
  await errorOf(() => groth16.load(zkey, { engine: "cpu", threads: 0 }), "usage", /threads: 0/);
  await errorOf(() => groth16.load(zkey, { engine: "cpu", threads: 1.5 }), "usage", /threads: 1.5/);
  await errorOf(() => groth16.load(zkey, { engine: "gpu", threads: 2 }), "usage", /threads are those of the CPU engine/);
  await errorOf(() => groth16.load("no such file"), "file", /no such file/);
  await errorOf(() => groth16.load(new URL("file:///no/such/file")), "file", /no such file/);
  await errorOf(() => groth16.load(zkey, { onTimes: true }), "usage", /onTimes: expected a function/);
  await errorOf(() => groth16.verify({}, [], {}), "usage", /no curve/);
  await errorOf(() => groth16.verify({ ...multiplier.key, curve: "secp256k1" }, [], {}), "usage", /secp256k1/);
  await errorOf(() => groth16.verify(multiplier.key, ["x"], {}), "format", /the public signals/);
});

test("randomness is that of one proof, and of its length", async () => {
  const prover = await groth16.load(zkey);
  for (const randomness of [null, new Uint8Array(64), Array(128).fill(1)]) {
    await errorOf(() => prover.prove(witness, { randomness }), "usage", /Uint8Array of 128 bytes/);
  }
  await errorOf(() => prover.prove([witness], { randomness: new Uint8Array(128) }), "usage", /that of one proof/);
  await errorOf(() => prover.verify("1", {}), "usage", /no list/);
  await errorOf(() => prover.verify(["1"], {}), "format", /the proof/);
  prover.free();
  await errorOf(() => prover.verify(["1"], {}), "usage", /freed/);
});

test("without WebGPU its engine is refused, and another is taken by itself", { skip: Boolean(globalThis.navigator?.gpu) }, async () => {
  await errorOf(() => groth16.load(zkey, { engine: "gpu" }), "no-device", /WebGPU/);
  (await groth16.load(zkey, { engine: "auto" })).free();
});

test("inputs that the circuit does not take are refused", async () => {
  const prove = (input) => () => groth16.fullProve(input, multiplier.file("circuit.wasm"), zkey);
  const unknown = await errorOf(prove({ a: "3", b: "11", z: "1" }), "witness", /no input signal z/);
  assert.deepEqual(unknown.data, { signal: "z" });
  await errorOf(prove({ a: "3" }), "witness", /1 values of input signals, where 2/);
  await errorOf(prove({ a: ["3", "4"], b: "11" }), "witness", /signal a: 2 values, where 1/);
  await errorOf(prove({ a: "three", b: "11" }), "usage", /signal a: expected integers/);
  await errorOf(prove(null), "usage", /expected an object/);
  await errorOf(() => groth16.fullProve({}, witness, zkey), "witness", /no circuit/);
  // sides[i] must be a bit.
  const input = { ...merkle.inputs[0], sides: ["2", "0"] };
  const failed = await errorOf(() => groth16.fullProve(input, merkle.file("circuit.wasm"), merkle.file("circuit.zkey")), "witness", /assertion/);
  assert.deepEqual(failed.data, { exception: 4 });
});

test("a call ends when it is aborted, with the reason, between its steps", async () => {
  const reason = new Error("enough");
  const early = await errorOf(() => groth16.load(zkey, { signal: AbortSignal.abort(reason) }), "aborted", /aborted/);
  assert.equal(early.cause, reason);
  // On the caller's thread an event waits for the step's end. Workers leave time for it, and may have ended the step before a timer.
  const ways = [[1, setTimeout], [2, setImmediate]];
  for (const [stage, [threads, later]] of ["read", "check", "prepare", "prove"].flatMap((stage) => ways.map((way) => [stage, way]))) {
    const controller = new AbortController();
    const heard = [];
    const onProgress = (progress) => {
      heard.push(progress.stage);
      if (progress.stage === stage) later(() => controller.abort());
    };
    const options = { engine: "cpu", threads, signal: controller.signal, onProgress };
    await errorOf(() => groth16.prove(zkey, witness, undefined, options), "aborted", /aborted/);
    assert.equal(heard.at(-1), stage);
  }
  // An abort before an event can be delivered.
  const controller = new AbortController();
  const prover = await groth16.load(zkey);
  const all = Array.from({ length: 50 }, () => witness);
  let proofs = 0;
  const onProgress = () => void (++proofs === 5 && controller.abort());
  await errorOf(() => prover.prove(all, { signal: controller.signal, onProgress }), "aborted", /aborted/);
  assert.ok(proofs <= 6, `${proofs} steps`);
  assert.equal((await prover.prove(witness)).publicSignals.length, multiplier.key.nPublic);
  prover.free();
});

test("a fault of the caller's progress ends the call, and nothing else", async () => {
  const onProgress = () => {
    throw new TypeError("mine");
  };
  await assert.rejects(groth16.load(zkey, { onProgress }), new TypeError("mine"));
  (await groth16.load(zkey)).free();
});

test("a prover that was freed makes no proofs; calls under way end first", async () => {
  const prover = await groth16.load(zkey);
  const underWay = prover.prove(witness);
  await new Promise((resolve) => setImmediate(resolve));
  prover.free();
  prover.free();
  assert.equal((await underWay).proof.curve, "bn128");
  await errorOf(() => prover.prove(witness), "usage", /freed/);
});

test("workers that end end the calls under way; the next call starts others", async () => {
  const { postMessage } = Worker.prototype;
  const workers = new Set();
  Worker.prototype.postMessage = function (...args) {
    workers.add(this);
    return postMessage.apply(this, args);
  };
  const options = { engine: "cpu", threads: 2 };
  const load = (given) => groth16.load(zkey, given);
  (await load(options)).free();
  await errorOf(() => load({ ...options, threads: 3 }), "usage", /open with 2/);
  // At first the worker with the engine, the only one that gets messages; then a thread, the last that has started.
  for (let turn = 0; turn < 2; turn++) {
    const prover = await load(options);
    const underWay = prover.prove(Array.from({ length: 100 }, () => witness));
    [...workers].at(-1).terminate();
    await errorOf(() => underWay, "fault", /a worker ended/);
    await errorOf(() => prover.prove(witness), "fault", /loaded anew/);
    prover.free();
  }
  assert.equal(workers.size, 3);
  const prover = await load(options);
  assert.equal((await prover.prove(witness)).proof.curve, "bn128");
  Worker.prototype.postMessage = postMessage;
});

// Proves beside the page, which stays alive meanwhile.
import { groth16 } from "wgalois";

// The prover keeps its key.
let prover;
let verifyingKey;

async function prove({ input, engine, files }) {
  const onProgress = ({ stage }) => self.postMessage({ stage });
  if (prover?.engine !== engine) {
    prover?.of.free();
    prover = { engine, of: await groth16.load(files.key, { engine, onProgress }) };
  }
  const made = await prover.of.fullProve(input, files.circuit, { onProgress });
  verifyingKey ??= await (await fetch(files.verifyingKey)).json();
  return { ...made, accepted: await groth16.verify(verifyingKey, made.publicSignals, made.proof) };
}

self.addEventListener("message", async ({ data }) => {
  try {
    self.postMessage({ made: await prove(data) });
  } catch ({ code, message }) {
    self.postMessage({ error: { code, message } });
  }
});

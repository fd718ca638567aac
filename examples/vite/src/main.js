// The page: asks the worker for a proof, and shows it.
const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
const [form, status, output] = ["form", "[role=status]", "pre"].map((name) => document.querySelector(name));
const button = form.querySelector("button");
// The circuit's files, which are beside the page.
const names = { circuit: "circuit.wasm", key: "circuit.zkey", verifyingKey: "verification_key.json" };
const files = Object.fromEntries(Object.entries(names).map(([use, name]) => [use, new URL(name, document.baseURI).href]));

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const { leaf, engine } = Object.fromEntries(new FormData(form));
  button.disabled = true;
  output.textContent = "";
  worker.postMessage({ input: { leaf, siblings: ["1", "2"], sides: ["0", "1"] }, engine, files });
});

worker.addEventListener("message", ({ data: { stage, made, error } }) => {
  if (stage) {
    status.textContent = `${stage} …`;
    return;
  }
  button.disabled = false;
  if (error) {
    status.textContent = `${error.code}: ${error.message}`;
    return;
  }
  status.textContent = `root ${made.publicSignals[0]}, ${made.accepted ? "accepted" : "refused"}`;
  output.textContent = JSON.stringify(made.proof, null, 2);
});

// Puts the files of the circuit beside the page: `node examples/vite/files.mjs`.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

import { endSnarkjs, fixtures } from "../../js/test/fixtures.mjs";

const folder = join(import.meta.dirname, "public");
mkdirSync(folder, { recursive: true });
const { file } = (await fixtures()).find(({ circuit }) => circuit === "merkle");
for (const name of ["circuit.wasm", "circuit.zkey", "verification_key.json"]) copyFileSync(file(name), join(folder, name));
await endSnarkjs();

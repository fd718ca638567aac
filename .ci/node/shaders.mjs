// Compiles every portable shader of a dump (`wgalois shaders --dump`) with Dawn, a browser's
// compiler; its uniformity analysis finds faults that naga's misses. Fails if the compiler accepts
// any of three seeded faults.
//
//     node shaders.mjs FOLDER
import { create, globals } from "webgpu";
import { readFileSync } from "node:fs";
import { join } from "node:path";

Object.assign(globalThis, globals);
// Kept for the life of the process: Dawn stops working when an instance is garbage-collected.
const gpu = create(["backend=null"]);

// A fault and the text that Dawn's message must contain.
const SEEDED = [
  [
    "a barrier in a branch that not all threads take",
    "uniform control flow",
    `var<workgroup> w: array<u32, 64>;
     @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {
         if (lane < 32u) { workgroupBarrier(); }
         w[lane] = lane;
     }`,
  ],
  [
    "operators that have no order between them",
    "requires parenthesis",
    `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
     @compute @workgroup_size(1) fn main() { x[0] = x[1] >> 3u & 1u; }`,
  ],
  [
    "a store through a buffer that is only read",
    "cannot store",
    `@group(0) @binding(0) var<storage, read> x: array<u32>;
     @compute @workgroup_size(1) fn main() { x[0] = 1u; }`,
  ],
];

// Returns the compiler's errors as text.
async function errors(device, code) {
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ code });
  const { messages } = await module.getCompilationInfo();
  const refused = await device.popErrorScope();
  const found = messages.filter(({ type }) => type === "error").map((m) => `line ${m.lineNum}: ${m.message}`);
  return found.length || !refused ? found : [refused.message];
}

async function main(folder) {
  const adapter = await gpu.requestAdapter();
  const device = await adapter.requestDevice();
  for (const [fault, says, code] of SEEDED) {
    const found = await errors(device, code);
    if (!found.some((message) => message.includes(says))) {
      throw new Error(`Dawn lets ${fault} pass: ${found.join("; ") || "no word"}`);
    }
  }
  const index = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));
  const portable = index.filter(({ arithmetic }) => arithmetic.includes("portable"));
  let refused = 0;
  for (const { file, source, variant } of portable) {
    const found = await errors(device, readFileSync(join(folder, file), "utf8"));
    if (found.length) {
      refused += 1;
      console.error(`${file} (shaders/${source}, ${variant}):\n  ${found.join("\n  ")}`);
    }
  }
  if (!portable.length) throw new Error(`${folder} holds no portable shader`);
  console.log(`Dawn: ${portable.length - refused} of ${portable.length} portable shaders, 3 seeded faults refused`);
  return refused ? 1 : 0;
}

// Needed because Dawn keeps the process alive.
main(process.argv[2]).then(process.exit, (error) => {
  console.error(error.message);
  process.exit(1);
});

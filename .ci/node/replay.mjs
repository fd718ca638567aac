// Replays recorded jobs, submission by submission, on Dawn and the driver that VK_ICD_FILENAMES
// names. Afterwards every buffer must have its recorded contents. The tests `kernels::tests::traces` write
// the records.
//
//     node replay.mjs FOLDER NAME...
import { create, globals } from "webgpu";
import { readFileSync } from "node:fs";
import { join } from "node:path";

Object.assign(globalThis, globals);
// Kept for the life of the process: Dawn stops working when an instance is garbage-collected.
const gpu = create(["backend=vulkan"]);

// The same values as in src/gpu/record.rs.
const STRIDE = 256;
const MAX_GROUPS = 65_535;

function compile(device, { name, wgsl, readOnly }) {
  const entry = (binding, buffer) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer });
  const entries = [
    entry(0, { type: "uniform", hasDynamicOffset: true }),
    ...readOnly.map((only, i) => entry(i + 1, { type: only ? "read-only-storage" : "storage" })),
  ];
  const layout = device.createBindGroupLayout({ entries });
  const module = device.createShaderModule({ code: wgsl, label: name });
  const descriptor = {
    label: name,
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module, entryPoint: "main" },
  };
  return { layout, pipeline: device.createComputePipeline(descriptor) };
}

// Returns the contents of a submission's buffers after its steps.
async function run(device, kernels, contents, { buffers, steps }) {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const live = buffers.map(({ before: [start, length] }) => {
    const buffer = device.createBuffer({ size: length, usage });
    device.queue.writeBuffer(buffer, 0, contents, start, length);
    return buffer;
  });
  const uniform = device.createBuffer({
    size: STRIDE * steps.length,
    usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
  });
  steps.forEach(({ params }, i) => device.queue.writeBuffer(uniform, STRIDE * i, new Uint32Array(params)));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  steps.forEach(({ kernel, buffers, groups }, i) => {
    const { layout, pipeline } = kernels[kernel];
    const entries = [
      { binding: 0, resource: { buffer: uniform, size: STRIDE } },
      ...buffers.map((number, slot) => ({ binding: slot + 1, resource: { buffer: live[number] } })),
    ];
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout, entries }), [STRIDE * i]);
    const columns = Math.min(groups, MAX_GROUPS);
    pass.dispatchWorkgroups(columns, Math.ceil(groups / columns));
  });
  pass.end();
  const copies = live.map((buffer) => {
    const copy = device.createBuffer({ size: buffer.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
    return copy;
  });
  device.queue.submit([encoder.finish()]);
  const after = [];
  for (const copy of copies) {
    await copy.mapAsync(GPUMapMode.READ);
    after.push(Buffer.from(copy.getMappedRange().slice(0)));
    copy.destroy();
  }
  [...live, uniform].forEach((buffer) => buffer.destroy());
  return after;
}

// Replays a record and returns a summary. Throws if a buffer differs, with the kernels of the
// submission.
async function replay(device, folder, name, spoil = false) {
  const { kernels, submissions } = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  const contents = readFileSync(join(folder, `${name}.bin`));
  device.pushErrorScope("validation");
  const compiled = kernels.map((kernel) => compile(device, kernel));
  const dispatches = submissions.reduce((sum, { steps }) => sum + steps.length, 0);
  for (const [i, submission] of submissions.entries()) {
    if (spoil) submission.steps[0].params[1] = 0;
    const after = await run(device, compiled, contents, submission);
    submission.buffers.forEach(({ after: [start, length] }, number) => {
      if (!after[number].equals(contents.subarray(start, start + length))) {
        const names = submission.steps.map(({ kernel }) => kernels[kernel].name);
        throw new Error(`${name}: submission ${i} (${[...new Set(names)].join(", ")}) leaves another buffer ${number}`);
      }
    });
  }
  const refused = await device.popErrorScope();
  if (refused) throw new Error(`${name}: ${refused.message}`);
  if (!dispatches) throw new Error(`${name}: nothing was recorded`);
  return `${kernels.length} kernels, ${dispatches} dispatches in ${submissions.length} submissions`;
}

async function main(folder, names) {
  const adapter = await gpu.requestAdapter();
  const device = await adapter.requestDevice();
  console.log(`Dawn on ${adapter.info.description}`);
  // The check must notice a replay that skips work.
  const noticed = await replay(device, folder, names[0], true).then(() => false, () => true);
  if (!noticed) throw new Error("a dispatch that does nothing was not noticed");
  for (const name of names) {
    const begin = Date.now();
    const report = await replay(device, folder, name);
    console.log(`${name}: ${report}, as recorded (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
  }
}

const [folder, ...names] = process.argv.slice(2);
main(folder, names).then(
  () => process.exit(0),
  (error) => {
    console.error(error.message);
    process.exit(1);
  },
);

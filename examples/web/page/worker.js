// The jobs, off the page's thread: the CPU engine would freeze the page.
import { WgaloisError, openEngine } from "./wgalois/lib/browser.js";
import { makeReport, ownJob } from "./own.js";
import { product } from "./product.js";
import { proving } from "./proving.js";
import { sum } from "./sum.js";

// What prepares a job, from files or of generated input.
const jobs = {
  product,
  sum,
  proving,
  elimination: ({ size, names, first, second }) =>
    ownJob((own) => (first ? own.readElimination(names, first, second) : own.generateElimination(size))),
  solving: ({ size, names, first }) =>
    ownJob((own) => (first ? own.readSolving(names[0], first) : own.generateSolving(size))),
};

let hasGpu = false;
// The task under way.
let current = null;

// A fault of the page's own module ends it, and its promises stay open.
addEventListener("error", (event) => {
  if (current) postMessage({ kind: "error", task: current, message: `Fault of the program: ${event.message}` });
});

async function open() {
  if (!navigator.gpu) {
    return { missing: "This browser has no WebGPU here. The CPU engine still runs." };
  }
  const without = (reason) => ({ missing: `WebGPU offers no device (${reason}). The CPU engine still runs.` });
  const adapter = await navigator.gpu.requestAdapter().catch(() => null);
  if (!adapter) return without("no adapter");
  try {
    await openEngine({ engine: "gpu" });
  } catch (error) {
    if (error instanceof WgaloisError) return without(error.message);
    throw error;
  }
  hasGpu = true;
  const { info } = adapter;
  const known = [info.vendor, info.architecture, info.description].filter(Boolean);
  const name = known.join(", ") || "unnamed by this browser";
  // The names of the software drivers that browsers and systems bring.
  const isSoftware = Boolean(info.isFallbackAdapter) || /swiftshader|llvmpipe|lavapipe|basic render/i.test(name);
  return { name, isSoftware };
}

// Runs one job, and tells of each step as it begins.
async function play(task, input, tell) {
  tell({ step: input.first ? "Reading the files" : "Generating the input", done: 0 });
  const job = await jobs[task](input);
  try {
    tell({ input: job.input, step: "First run on the GPU, kernels are compiled", done: 1 });
    const times = {};
    if (hasGpu) {
      times.first = (await job.run("gpu")).time;
      tell({ step: "Second run on the GPU", done: 2 });
      ({ time: times.gpu, parts: times.parts } = await job.run("gpu"));
    }
    tell({ step: "Run on the CPU", done: 3 });
    times.cpu = (await job.run("cpu")).time;
    tell({ step: "Checking the result", done: 4 });
    const verdict = await job.check();
    return { times, verdict, files: job.files() };
  } finally {
    job.free();
  }
}

const opened = open().then(
  (device) => postMessage({ kind: "device", ...device }),
  (error) => postMessage({ kind: "device", missing: `The library cannot be loaded: ${error.message}`, broken: true }),
);

// Runs a task on generated input of each size, and returns the times.
async function playSizes(task, { sizes, prime }, tell) {
  const rows = [];
  for (const [i, size] of sizes.entries()) {
    const { times } = await play(task, { size, prime }, ({ step }) =>
      tell({ step: `Size ${i + 1} of ${sizes.length}: ${step}`, done: (5 * i) / sizes.length }));
    rows.push({ size, gpu: times.gpu, cpu: times.cpu });
  }
  return { rows };
}

// Measures the device, and returns what is to be shared of it.
async function report({ seconds }, tell) {
  if (!hasGpu) throw new Error("A report needs a GPU, and WebGPU offers none here.");
  const news = (problem, number, all) =>
    tell({ step: `Problem ${number + 1} of ${all}: ${problem}`, done: (5 * number) / all });
  return makeReport(seconds, news);
}

// One job at a time, in the order in which they were asked for.
let last = opened;
onmessage = ({ data: { task, input } }) => {
  const tell = (news) => postMessage({ kind: "news", task, ...news });
  last = last.then(async () => {
    current = task;
    try {
      if (task === "report") {
        postMessage({ kind: "report", task, ...(await report(input, tell)) });
      } else if (input.sizes) {
        postMessage({ kind: "series", task, ...(await playSizes(task, input, tell)) });
      } else {
        const outcome = await play(task, input, tell);
        postMessage({ kind: "outcome", task, ...outcome }, outcome.files.map((file) => file.bytes.buffer));
      }
    } catch (error) {
      postMessage({ kind: "error", task, message: error.message ?? String(error) });
    } finally {
      current = null;
    }
  });
};

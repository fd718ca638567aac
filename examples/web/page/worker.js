// The library at work, off the page's thread: the CPU engine would freeze the page.
import init, * as wgalois from "./wasm/wgalois_web.js";

const generators = {
  product: ({ prime, size }) => wgalois.generateProduct(prime, size),
  elimination: ({ size }) => wgalois.generateElimination(size),
  sum: ({ size }) => wgalois.generateSum(size),
  solving: ({ size }) => wgalois.generateSolving(size),
  proving: ({ size }) => wgalois.generateProving(size),
};
const readers = {
  product: ({ prime, names, first, second }) => wgalois.readProduct(prime, names, first, second),
  elimination: ({ names, first, second }) => wgalois.readElimination(names, first, second),
  sum: ({ names, first, second }) => wgalois.readSum(names, first, second),
  solving: ({ names, first }) => wgalois.readSolving(names[0], first),
  proving: ({ names, first, second }) => wgalois.readProving(names, first, second),
};

let gpu = null;
// What a report says of where it ran.
const BROWSER = navigator.userAgent;
// The task under way.
let current = null;

// A fault of the program ends the module, and its promises stay open.
addEventListener("error", (event) => {
  if (current) postMessage({ kind: "error", task: current, message: `Fault of the program: ${event.message}` });
});

async function open() {
  await init();
  if (!navigator.gpu) {
    return { missing: "This browser has no WebGPU here. The CPU engine still runs." };
  }
  try {
    gpu = await wgalois.PageDevice.gpu();
    const { info } = await navigator.gpu.requestAdapter();
    const known = [info.vendor, info.architecture, info.description].filter(Boolean);
    const name = known.join(", ") || "unnamed by this browser";
    // The names of the software drivers that browsers and systems bring.
    const isSoftware = Boolean(info.isFallbackAdapter) || /swiftshader|llvmpipe|lavapipe|basic render/i.test(name);
    return { name, isSoftware };
  } catch (error) {
    return { missing: `WebGPU offers no device (${error.message}). The CPU engine still runs.` };
  }
}

// The kinds of work of which the page shows the times of a run on the GPU.
const PARTS = ["upload", "device", "waiting", "download"];

// Runs one job, and tells of each step as it begins.
async function play(task, input, tell) {
  const timed = async (engine) => {
    const begin = performance.now();
    await job.run(engine);
    return performance.now() - begin;
  };
  const spent = (engine) => Object.fromEntries(PARTS.map((part) => [part, engine.spent(part)]));
  tell({ step: input.first ? "Reading the files" : "Generating the input", done: 0 });
  const job = (input.first ? readers : generators)[task](input);
  const cpu = wgalois.PageDevice.cpu();
  try {
    tell({ input: job.describe(), step: "First run on the GPU, kernels are compiled", done: 1 });
    const times = {};
    if (gpu) {
      times.first = await timed(gpu);
      tell({ step: "Second run on the GPU", done: 2 });
      const before = spent(gpu);
      times.gpu = await timed(gpu);
      const after = spent(gpu);
      times.parts = Object.fromEntries(PARTS.map((part) => [part, after[part] - before[part]]));
    }
    tell({ step: "Run on the CPU", done: 3 });
    times.cpu = await timed(cpu);
    tell({ step: "Checking the result", done: 4 });
    const verdict = job.check();
    const files = job.files().map((name, i) => ({ name, bytes: job.result(i) }));
    return { times, verdict, files };
  } finally {
    job.free();
    cpu.free();
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
async function makeReport({ seconds }, tell) {
  if (!gpu) throw new Error("A report needs a GPU, and WebGPU offers none here.");
  const news = (problem, number, all) =>
    tell({ step: `Problem ${number + 1} of ${all}: ${problem}`, done: (5 * number) / all });
  const report = await wgalois.PageReport.measure(gpu, BROWSER, seconds, news);
  try {
    return { markdown: report.markdown(), json: report.json(), fault: report.fault() };
  } finally {
    report.free();
  }
}

// One job at a time, in the order in which they were asked for.
let last = opened;
onmessage = ({ data: { task, input } }) => {
  const tell = (news) => postMessage({ kind: "news", task, ...news });
  last = last.then(async () => {
    current = task;
    try {
      if (task === "report") {
        postMessage({ kind: "report", task, ...(await makeReport(input, tell)) });
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

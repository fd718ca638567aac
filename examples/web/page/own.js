// The page's own module of WebAssembly, with what the package has not. It is loaded when it is first needed.

let opening;
let opened;

export function own() {
  opening ??= import("./wasm/wgalois_web.js").then(async (glue) => {
    await glue.default();
    return glue;
  });
  return opening;
}

// The GPU as this module opens it: the package's modules have devices of their own.
async function gpuOf(glue) {
  opened ??= glue.PageDevice.gpu();
  return opened;
}

// The kinds of work of which the page shows the times of a run on the GPU.
const PARTS = ["upload", "device", "waiting", "download"];

// A job of the module, which `make` prepares.
export async function ownJob(make) {
  const glue = await own();
  const job = make(glue);
  const cpu = glue.PageDevice.cpu();
  return {
    input: job.describe(),

    async run(engine) {
      const device = engine === "gpu" ? await gpuOf(glue) : cpu;
      const spent = () => PARTS.map((part) => device.spent(part));
      const [before, begin] = [spent(), performance.now()];
      await job.run(device);
      const [time, after] = [performance.now() - begin, spent()];
      return { time, parts: Object.fromEntries(PARTS.map((part, i) => [part, after[i] - before[i]])) };
    },

    check: () => job.check(),
    files: () => job.files().map((name, i) => ({ name, bytes: job.result(i) })),

    free() {
      job.free();
      cpu.free();
    },
  };
}

// The report of the device. What is planned to take longer than `seconds` is left out; `tell` hears of each problem.
export async function makeReport(seconds, tell) {
  const glue = await own();
  const report = await glue.PageReport.measure(await gpuOf(glue), navigator.userAgent, seconds, tell);
  try {
    return { markdown: report.markdown(), json: report.json(), fault: report.fault() };
  } finally {
    report.free();
  }
}

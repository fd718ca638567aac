// The visible part of the page: forms, progress, times.
import { chart, curves, milliseconds } from "./chart.js";

const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
const sections = new Map([...document.querySelectorAll("section")].map((s) => [s.dataset.task, s]));

const within = (task, selector) => sections.get(task).querySelector(selector);

// What the charts call the GPU.
let gpuLabel = "GPU";

function showDevice({ name, isSoftware, missing, broken }) {
  const line = document.querySelector("#device");
  if (isSoftware) gpuLabel = "GPU (software)";
  line.textContent = missing ?? `GPU: ${name}${isSoftware ? ", a software driver: its times say nothing about GPUs" : ""}`;
  line.classList.toggle("missing", Boolean(missing));
  document.querySelectorAll("button").forEach((button) => (button.disabled = Boolean(broken)));
}

// All of a task's files, or its text, or null where there is neither.
async function filesOf(form) {
  const fields = ["first", "second"].map((name) => form.elements[name]).filter(Boolean);
  const files = fields.map((field) => field.files[0]);
  const text = form.elements.text?.value;
  if (!files.some(Boolean)) {
    return text?.trim() ? { names: ["equations"], first: new TextEncoder().encode(text) } : null;
  }
  if (!files.every(Boolean)) throw new Error("Two files are needed, or none for a generated input.");
  const [first, second] = await Promise.all(files.map(async (file) => new Uint8Array(await file.arrayBuffer())));
  return { names: files.map((file) => file.name), first, second };
}

function clear(task) {
  const section = sections.get(task);
  section.querySelector(".outcome")?.remove();
  section.append(document.querySelector("#outcome").content.cloneNode(true));
  setDisabled(task, true);
}

function setDisabled(task, disabled) {
  sections.get(task).querySelectorAll("button").forEach((button) => (button.disabled = disabled));
}

// Times over the sizes up to the chosen one.
function startSizes(task, form) {
  clear(task);
  const chosen = Number(form.elements.size.value);
  const sizes = [...form.elements.size.options].map((o) => Number(o.value)).filter((size) => size <= chosen);
  worker.postMessage({ task, input: { sizes, prime: Number(form.elements.prime?.value) } });
}

async function start(task, form) {
  clear(task);
  try {
    const files = await filesOf(form);
    const input = { ...files, size: Number(form.elements.size.value), prime: Number(form.elements.prime?.value) };
    worker.postMessage({ task, input });
  } catch (error) {
    showError({ task, message: error.message });
  }
}

function showNews({ task, input, step, done }) {
  if (input) within(task, ".input").textContent = input;
  within(task, ".step").textContent = `${step} …`;
  within(task, "progress").value = done;
}

function finish(task) {
  setDisabled(task, false);
  within(task, "progress").hidden = true;
  within(task, ".step").textContent = "";
}

function showOutcome({ task, times, verdict, files }) {
  finish(task);
  const rows = [
    [gpuLabel, times.gpu, "gpu"],
    ["CPU in wasm", times.cpu, "cpu"],
  ];
  const figure = within(task, "figure");
  figure.replaceChildren(chart(rows.filter(([, time]) => time !== undefined)));
  if (times.first !== undefined) {
    const { upload, device, waiting, download } = times.parts;
    // Of browsers without timestamps, the wait for the device is known.
    const computed = device > 0 ? `device ${milliseconds(device)}` : `waiting for the device ${milliseconds(waiting)}`;
    caption(figure, "parts", `Of the GPU's time: upload ${milliseconds(upload)}, ${computed}, download ${milliseconds(download)}`);
    caption(figure, "first", `First run on the GPU, which compiled the kernels: ${milliseconds(times.first)}`);
  }
  figure.hidden = false;
  const line = within(task, ".verdict");
  line.textContent = `Checked: ${verdict}.`;
  line.hidden = false;
  within(task, ".results").replaceChildren(...files.flatMap((file) => [download(file), " "]));
}

// A link that saves a file of the result.
function download({ name, bytes }) {
  const link = document.createElement("a");
  link.className = "result";
  link.href = URL.createObjectURL(new Blob([bytes], { type: "text/plain" }));
  link.download = name;
  link.textContent = `Save ${name}`;
  return link;
}

function caption(figure, name, text) {
  const line = document.createElement("figcaption");
  line.className = name;
  line.textContent = text;
  figure.append(line);
}

// The curves of both engines over the sizes, and the numbers below them.
function showSeries({ task, rows }) {
  finish(task);
  const options = [...sections.get(task).querySelector("[name=size]").options];
  const label = (size) => options.find((option) => Number(option.value) === size).textContent;
  const lines = [
    [gpuLabel, rows.map((row) => row.gpu), "gpu"],
    ["CPU in wasm", rows.map((row) => row.cpu), "cpu"],
  ].filter(([, times]) => times.every((time) => time !== undefined));
  const figure = within(task, "figure");
  figure.replaceChildren(curves(rows.map((row) => label(row.size)), lines));
  caption(figure, "axes", "Time of a run, on a logarithmic scale, over the size of the input. Every result was checked.");
  figure.hidden = false;
}

// The report as text to copy, and as a file.
function showReport({ task, markdown, json, fault }) {
  finish(task);
  const area = document.createElement("textarea");
  Object.assign(area, { className: "markdown", readOnly: true, rows: 12, value: markdown });
  area.setAttribute("aria-label", "The report as Markdown");
  const copy = document.createElement("button");
  copy.textContent = "Copy";
  copy.addEventListener("click", async () => {
    area.select();
    await navigator.clipboard.writeText(markdown);
    copy.textContent = "Copied";
  });
  const file = download({ name: "report.json", bytes: json });
  within(task, ".results").replaceChildren(area, copy, " ", file);
  if (fault) return showFault(task, fault);
  const line = within(task, ".verdict");
  line.textContent = "Every answer was checked.";
  line.hidden = false;
}

function showFault(task, message) {
  const line = within(task, ".error");
  line.textContent = message;
  line.hidden = false;
}

function showError({ task, message }) {
  finish(task);
  showFault(task, message);
}

const shows = {
  device: showDevice,
  news: showNews,
  outcome: showOutcome,
  series: showSeries,
  report: showReport,
  error: showError,
};
worker.onmessage = ({ data }) => shows[data.kind](data);
worker.onerror = (event) =>
  showDevice({ missing: `The library cannot be loaded: ${event.message}`, broken: true });

// Files dropped on a task go to its fields, by their endings where the fields name some, else in their order.
function take(form, files) {
  const fields = [...form.querySelectorAll("[type=file]")];
  for (const [i, file] of [...files].entries()) {
    const field = fields.find(({ accept }) => accept && file.name.endsWith(accept)) ?? fields[i];
    if (!field) continue;
    const taken = new DataTransfer();
    taken.items.add(file);
    field.files = taken.files;
  }
  form.querySelector("details").open = true;
}

sections.get("report").querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  clear("report");
  worker.postMessage({ task: "report", input: { seconds: Number(event.target.elements.seconds.value) } });
});

for (const [task, section] of sections) {
  if (task === "report") continue;
  section.addEventListener("dragover", (event) => event.preventDefault());
  section.addEventListener("drop", (event) => {
    event.preventDefault();
    take(section.querySelector("form"), event.dataTransfer.files);
  });
  section.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    start(task, event.target);
  });
  section.querySelector(".sizes").addEventListener("click", (event) => startSizes(task, event.target.form));
}

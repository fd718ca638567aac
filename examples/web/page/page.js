// The visible part of the page: forms, progress, times.
import { chart, milliseconds } from "./chart.js";

const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
const sections = new Map([...document.querySelectorAll("section")].map((s) => [s.dataset.task, s]));
const names = { product: "product.txt", elimination: "rows.txt", sum: "sum.txt" };

const within = (task, selector) => sections.get(task).querySelector(selector);

function showDevice({ name, missing, broken }) {
  const line = document.querySelector("#device");
  line.textContent = missing ?? `GPU: ${name}`;
  line.classList.toggle("missing", Boolean(missing));
  document.querySelectorAll("button").forEach((button) => (button.disabled = Boolean(broken)));
}

// Both files or none: null where there is none.
async function filesOf(form) {
  const [first, second] = ["first", "second"].map((name) => form.elements[name].files[0]);
  if (!first && !second) return null;
  if (!first || !second) throw new Error("Two files are needed, or none for a generated input.");
  const bytes = async (file) => new Uint8Array(await file.arrayBuffer());
  return { names: [first.name, second.name], first: await bytes(first), second: await bytes(second) };
}

async function start(task, form) {
  const section = sections.get(task);
  section.querySelector(".outcome")?.remove();
  section.append(document.querySelector("#outcome").content.cloneNode(true));
  within(task, "button").disabled = true;
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
  within(task, "button").disabled = false;
  within(task, "progress").hidden = true;
  within(task, ".step").textContent = "";
}

function showOutcome({ task, times, verdict, result }) {
  finish(task);
  const rows = [
    ["GPU", times.gpu, "gpu"],
    ["CPU in wasm", times.cpu, "cpu"],
  ];
  const figure = within(task, "figure");
  figure.replaceChildren(chart(rows.filter(([, time]) => time !== undefined)));
  if (times.first !== undefined) {
    const caption = document.createElement("figcaption");
    caption.textContent = `First run on the GPU, which compiled the kernels: ${milliseconds(times.first)}`;
    figure.append(caption);
  }
  figure.hidden = false;
  const line = within(task, ".verdict");
  line.textContent = `Checked: ${verdict}.`;
  line.hidden = false;
  const link = within(task, ".result");
  link.href = URL.createObjectURL(new Blob([result], { type: "text/plain" }));
  link.download = names[task];
  link.hidden = false;
}

function showError({ task, message }) {
  finish(task);
  const line = within(task, ".error");
  line.textContent = message;
  line.hidden = false;
}

const shows = { device: showDevice, news: showNews, outcome: showOutcome, error: showError };
worker.onmessage = ({ data }) => shows[data.kind](data);
worker.onerror = (event) =>
  showDevice({ missing: `The library cannot be loaded: ${event.message}`, broken: true });

for (const [task, section] of sections) {
  section.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    start(task, event.target);
  });
}

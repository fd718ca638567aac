// Times as horizontal bars on one scale from zero, and as curves over sizes.
const WIDTH = 400;
const LABEL = 128;
const VALUE = 84;
const ROW = 32;

function node(name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
}

export const milliseconds = (time) => (time < 1000 ? `${time.toFixed(1)} ms` : `${(time / 1000).toFixed(2)} s`);

// Rows of label, milliseconds, kind.
export function chart(rows) {
  const longest = Math.max(...rows.map(([, time]) => time), 1e-6);
  const svg = node("svg", { viewBox: `0 0 ${WIDTH} ${ROW * rows.length}`, role: "img" });
  svg.append(node("title", {}, rows.map(([label, time]) => `${label}: ${milliseconds(time)}`).join("; ")));
  rows.forEach(([label, time, kind], i) => {
    const width = Math.max((time / longest) * (WIDTH - LABEL - VALUE), 1);
    const middle = ROW * i + ROW / 2 + 5;
    svg.append(
      node("text", { x: 0, y: middle }, label),
      node("rect", { x: LABEL, y: ROW * i + 4, width, height: ROW - 8, rx: 3, class: `bar-${kind}` }),
      node("text", { x: LABEL + width + 6, y: middle, "data-kind": kind }, milliseconds(time)),
    );
  });
  return svg;
}

const HEIGHT = 260;
const LEFT = 76;
const BELOW = 34;
const ABOVE = 30;

// Curves of milliseconds over the labels of sizes, on a logarithmic scale; lines of name, times, kind.
export function curves(labels, lines) {
  const times = lines.flatMap(([, own]) => own).map((time) => Math.max(time, 1e-3));
  const low = Math.floor(Math.log10(Math.min(...times)));
  const high = Math.max(Math.ceil(Math.log10(Math.max(...times))), low + 1);
  const across = (i) => LEFT + 20 + (i * (WIDTH - LEFT - 40)) / Math.max(labels.length - 1, 1);
  const up = (time) => {
    const share = (Math.log10(Math.max(time, 1e-3)) - low) / (high - low);
    return HEIGHT - BELOW - share * (HEIGHT - BELOW - ABOVE);
  };
  const svg = node("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
  const said = lines.map(([name, own]) => `${name}: ${own.map(milliseconds).join(", ")}`);
  svg.append(node("title", {}, `${labels.join(", ")}. ${said.join("; ")}`));
  for (let decade = low; decade <= high; decade++) {
    const y = up(10 ** decade);
    const label = decade < 0 ? `${10 ** decade} ms` : milliseconds(10 ** decade).replace(/\.0+ /, " ");
    svg.append(node("line", { x1: LEFT, x2: WIDTH, y1: y, y2: y, class: "grid" }));
    svg.append(node("text", { x: LEFT - 8, y: y + 5, "text-anchor": "end" }, label));
  }
  labels.forEach((label, i) =>
    svg.append(node("text", { x: across(i), y: HEIGHT - 8, "text-anchor": "middle" }, label)));
  lines.forEach(([name, own, kind], row) => {
    const points = own.map((time, i) => `${across(i)},${up(time)}`).join(" ");
    svg.append(node("polyline", { points, class: `curve-${kind}` }));
    own.forEach((time, i) => svg.append(node("circle", { cx: across(i), cy: up(time), r: 4, class: `bar-${kind}` })));
    // Above the curves, which never reach there.
    const x = LEFT + row * 160;
    svg.append(node("circle", { cx: x + 6, cy: 12, r: 5, class: `bar-${kind}` }));
    svg.append(node("text", { x: x + 18, y: 17 }, name));
  });
  return svg;
}

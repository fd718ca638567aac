// Times as horizontal bars on one scale from zero.
const WIDTH = 360;
const LABEL = 96;
const VALUE = 72;
const ROW = 26;

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
    const middle = ROW * i + ROW / 2 + 4;
    svg.append(
      node("text", { x: 0, y: middle }, label),
      node("rect", { x: LABEL, y: ROW * i + 4, width, height: ROW - 8, rx: 3, class: `bar-${kind}` }),
      node("text", { x: LABEL + width + 6, y: middle, "data-kind": kind }, milliseconds(time)),
    );
  });
  return svg;
}

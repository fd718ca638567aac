// Jobs that the package computes.
import { openEngine } from "./wgalois/lib/browser.js";

// The page's engines as the package's options.
const ENGINES = { gpu: { engine: "gpu" }, cpu: { engine: "cpu", threads: 1 } };

export const CPU = ENGINES.cpu;

// Measures a call: its value, and its milliseconds.
export async function timed(call) {
  const begin = performance.now();
  const value = await call();
  return { value, time: performance.now() - begin };
}

const textFile = ([name, text]) => ({ name, bytes: new TextEncoder().encode(text) });

// A job over a curve. `compute` takes an engine's options and returns the value and the time of a run; `isSame` compares the values of
// two engines; `check` checks one by another method, and says by which; `texts` are the result's files.
export function packagedJob({ curve, input, compute, isSame, check, texts, free = () => {} }) {
  const values = new Map();
  const first = () => values.values().next().value;
  return {
    input,

    async run(name) {
      const options = ENGINES[name];
      // A run's time has none of the module's loading.
      await openEngine({ ...options, curve });
      const parts = {};
      const onTimes = (times) => Object.entries(times).forEach(([kind, time]) => (parts[kind] = (parts[kind] ?? 0) + time));
      const { value, time } = await compute({ ...options, onTimes });
      values.set(name, value);
      return { time, parts };
    },

    async check() {
      const means = await check(first());
      const [value, ...others] = values.values();
      if (!others.every((other) => isSame(value, other))) throw new Error("the engines disagree");
      return others.length > 0 ? `both engines agree; ${means}` : means;
    },

    files: () => texts(first()).map(textFile),
    free,
  };
}

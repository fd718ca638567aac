// Engines that are opened before a call needs them.
import { curveNamed } from "./curves.js";
import { engineFor } from "./engine.js";

export function openFor(platform) {
  return async function openEngine(options = {}) {
    const { kind, threads } = await engineFor(curveNamed(options.curve ?? "bn254"), options, platform);
    return { engine: kind, threads };
  };
}

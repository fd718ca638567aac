// What Node.js has of its own: files, and the bytes of modules.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { WgaloisError } from "../errors.js";
import { fetched } from "./fetched.js";

async function file(path) {
  try {
    return new Uint8Array(await readFile(path));
  } catch (error) {
    throw new WgaloisError("file", `${path}: ${error.message}`, { data: { path: String(path) }, cause: error });
  }
}

// A text is a path, as snarkjs takes it in Node.js.
export const readText = (path) => file(path);
export const readUrl = (url) => (url.protocol === "file:" ? file(fileURLToPath(url)) : fetched(url));

// What initialises a module: Node.js fetches no files.
export const moduleInput = (name) => readFile(new URL(`../../wasm/${name}_bg.wasm`, import.meta.url));

// Lets events be delivered.
export const pause = () => new Promise((resolve) => setImmediate(resolve));

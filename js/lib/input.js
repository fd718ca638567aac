// Files that a caller gives: bytes, or where they are.
import { refuse } from "./errors.js";

// The bytes, and the name that messages call them by. `what` is used if the input has no name.
export async function bytesOf(input, what, platform) {
  const named = (name, bytes) => ({ name, bytes });
  if (input instanceof Uint8Array) return named(what, input);
  if (input instanceof ArrayBuffer) return named(what, new Uint8Array(input));
  if (typeof input === "string") return named(input, await platform.readText(input));
  if (input instanceof URL) return named(input.href, await platform.readUrl(input));
  if (typeof Blob === "function" && input instanceof Blob) {
    return named(input.name ?? what, new Uint8Array(await input.arrayBuffer()));
  }
  // The kinds of files that snarkjs knows.
  if (input?.type === "mem" && input.data instanceof Uint8Array) return named(what, input.data);
  if (input?.type === "file" && typeof input.fileName === "string") {
    return named(input.fileName, await platform.readText(input.fileName));
  }
  throw refuse(`${what}: expected bytes, a path or an address, a URL, a Blob, or a file in memory with its data`);
}

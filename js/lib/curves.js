// The names of curves, and the curve of a file.
import { refuse } from "./errors.js";

const NAMES = {
  bn254: "bn254",
  bn128: "bn254",
  altbn128: "bn254",
  bls12381: "bls12-381",
};
const SNARKJS = { bn254: "bn128", "bls12-381": "bls12381" };

// The curve with this name, of those that snarkjs and wgalois use.
export function curveNamed(name) {
  const curve = NAMES[String(name).toLowerCase().replaceAll(/[-_]/g, "")];
  if (!curve) throw refuse(`the curve ${JSON.stringify(name)}: expected bn254 or bls12-381`);
  return curve;
}

export const nameOfSnarkjs = (curve) => SNARKJS[curve];

// The curve of a `.zkey`, by the length of q, which section 2 begins with. The module of a curve reads all of the file, and
// refuses what is no key; so any curve does for what is none.
export function curveOfKey(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 12;
  while (at + 16 <= view.byteLength) {
    if (view.getUint32(at, true) === 2) return view.getUint32(at + 12, true) === 48 ? "bls12-381" : "bn254";
    const length = view.getBigUint64(at + 4, true);
    if (length > view.byteLength) break;
    at += 12 + Number(length);
  }
  return "bn254";
}

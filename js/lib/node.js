// The package in Node.js.
import { algebraFor } from "./algebra.js";
import { groth16For } from "./groth16.js";
import { openFor } from "./open.js";
import * as platform from "./platform/node.js";

export { WgaloisError } from "./errors.js";
export const groth16 = /* @__PURE__ */ groth16For(platform);
export const openEngine = /* @__PURE__ */ openFor(platform);
export const { ntt, polymul, msm } = /* @__PURE__ */ algebraFor(platform);

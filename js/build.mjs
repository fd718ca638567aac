// Builds the modules of WebAssembly into wasm/: `node build.mjs [MODULE...]`. It needs cargo with the target
// wasm32-unknown-unknown and rust-src, and wasm-bindgen of the version of Cargo.lock in the PATH.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const here = import.meta.dirname;
const target = process.env.CARGO_TARGET_DIR ?? join(here, "target");
const MODULES = {
  "bn254-cpu": ["bn254", "cpu"],
  "bn254-threads": ["bn254", "threads"],
  "bn254-gpu": ["bn254", "gpu"],
  "bls12-381-cpu": ["bls12-381", "cpu"],
  "bls12-381-threads": ["bls12-381", "threads"],
  "bls12-381-gpu": ["bls12-381", "gpu"],
};

// Of a module for WebGPU the code is planning, calls and what a host does for each value once.
const SMALL = ["--config", 'profile.release.opt-level="s"'];

// A module with threads has a memory that workers share. No stable compiler offers that: the one that is there is asked as if it were a
// nightly one, and compiles the standard library for it. The memory's limit is that of WebAssembly.
const THREADS = {
  cargo: ["-Zbuild-std=std,panic_abort"],
  // A folder of their own: what another compiler has built is built anew.
  target: join(target, "threads"),
  env: { RUSTC_BOOTSTRAP: "1", RUSTC_WRAPPER: join(here, "rustc-threads") },
  flags: [
    "-C target-feature=+atomics,+bulk-memory,+mutable-globals",
    ...["--shared-memory", "--import-memory", `--max-memory=${2 ** 32}`].map((option) => `-C link-arg=${option}`),
    ...["__wasm_init_tls", "__tls_size", "__tls_align", "__tls_base"].map((name) => `-C link-arg=--export=${name}`),
  ],
};
const NO_THREADS = { cargo: [], target, env: {}, flags: [] };

// What every browser with SIMD has, and rustc uses.
const FEATURES = [
  "simd",
  "bulk-memory",
  "bulk-memory-opt",
  "call-indirect-overlong",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
].map((name) => `--enable-${name}`);

const run = (program, args, env = {}) =>
  execFileSync(program, args, { cwd: here, stdio: "inherit", env: { ...process.env, ...env } });

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(MODULES);
const folder = join(here, "wasm");
if (names.length === Object.keys(MODULES).length) rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const name of names) {
  const has = (feature) => MODULES[name].includes(feature);
  const options = ["--release", "--locked", "--target", "wasm32-unknown-unknown", "--features", MODULES[name].join()];
  const threads = has("threads") ? THREADS : NO_THREADS;
  const flags = ["-C target-feature=+simd128", ...threads.flags].join(" ");
  const env = {
    CARGO_TARGET_DIR: threads.target,
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: flags,
    ...threads.env,
  };
  run("cargo", ["build", "--quiet", ...options, ...(has("gpu") ? SMALL : []), ...threads.cargo], env);
  const built = join(threads.target, "wasm32-unknown-unknown/release/wgalois_js.wasm");
  const glue = ["--target", "web", "--no-typescript", "--remove-name-section", "--remove-producers-section"];
  run("wasm-bindgen", [...glue, "--out-name", name, "--out-dir", folder, built]);
  const module = join(folder, `${name}_bg.wasm`);
  const optimizer = join(here, "node_modules/binaryen/bin/wasm-opt");
  const features = has("threads") ? [...FEATURES, "--enable-threads"] : FEATURES;
  run(process.execPath, [optimizer, "-Os", ...features, "--strip-debug", "--strip-producers", module, "-o", module]);
  const bytes = readFileSync(module);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } };
  const [gzip, brotli] = [gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes, quality).length];
  console.log(`${name}: ${bytes.length} bytes, gzip ${gzip}, brotli ${brotli}`);
}

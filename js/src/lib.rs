//! The WebAssembly side of the JavaScript package `wgalois`: one module for one curve and one kind of engine.
//!
//! The package's own code (`lib/`) calls it, and nobody else. Errors are texts of JSON, of which that code makes its class. In a
//! module for the CPU engine no call waits for events, so that a trap is an exception of the call. In a module for WebGPU calls that
//! use the device return promises.

#[cfg(not(feature = "bn254"))]
use ark_bls12_381::Bls12_381 as Pairing;
#[cfg(feature = "bn254")]
use ark_bn254::Bn254 as Pairing;

mod algebra;
mod engine;
mod groth16;
mod outcome;
#[cfg(feature = "threads")]
mod threads;

#[cfg(all(feature = "bn254", feature = "bls12-381"))]
compile_error!("a module is over one curve");
#[cfg(all(feature = "cpu", feature = "gpu"))]
compile_error!("a module is for one kind of engine");

/// Bytes of memory that the reader of an input may use: WebAssembly has 4 GiB in all.
const MEMORY: u64 = 3 << 30;

//! Groth16 and KZG beside other programs.

#[path = "../../../tests/gpu_common/mod.rs"]
mod gpu_common;

mod circuits;
mod kzg_vectors;
mod r1cs;

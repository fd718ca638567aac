//! Linear algebra over GF(2), on every engine.

#[path = "../gpu_common/mod.rs"]
mod gpu_common;

mod contract;
mod data;
mod gpu;
mod laws;
mod many;
mod rounds;
mod sparse;
mod sparse_questions;
mod verify;

//! Boolean systems, on every engine.

#[path = "../../../tests/gpu_common/mod.rs"]
mod gpu_common;

mod grid;
mod laws;
mod published;
mod traces;

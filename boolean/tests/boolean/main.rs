//! Boolean systems, on every engine.

#[path = "../../../tests/gpu_common/mod.rs"]
mod gpu_common;

mod grid;
mod laws;
mod published;
// Builds without debug assertions have no traces.
#[cfg(debug_assertions)]
mod traces;

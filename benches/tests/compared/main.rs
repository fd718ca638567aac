//! The kernels and methods that are there to be compared with, against definitions.

#[path = "../../../tests/gpu_common/mod.rs"]
mod gpu_common;

mod counts;
mod small;
mod textbook;

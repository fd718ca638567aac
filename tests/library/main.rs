//! What all tasks share: the contract, the recorder, groups of devices, little memory.

#[path = "../gpu_common/mod.rs"]
mod gpu_common;

mod contract;
mod cpu_kernels;
mod groups;
mod small_memory;
mod stage;

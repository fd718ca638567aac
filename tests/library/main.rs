//! What all tasks share: the contract, the recorder, groups of devices, little memory. The way in which modules use each other.

#[path = "../gpu_common/mod.rs"]
mod gpu_common;

mod circles;
mod constants;
mod contract;
mod cpu_kernels;
mod groups;
mod memory_budgets;
mod small_memory;
mod stage;

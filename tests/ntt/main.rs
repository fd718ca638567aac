//! Number-theoretic transforms and products, on every engine.

#[path = "../gpu_common/mod.rs"]
mod gpu_common;

mod columns;
mod cpu;
mod discrete;
mod gpu;
mod moduli;
mod product;
mod scalar;
mod tables;
mod verify;

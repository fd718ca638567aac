//! The program, run as a user runs it.

mod common;
#[path = "../../../tests/gpu_common/mod.rs"]
mod gpu_common;

mod answers;
mod bench;
mod bench_published;
mod cache;
mod check;
mod checked;
mod devices;
mod driver_memory;
mod eliminate;
mod eliminate_files;
mod faults;
mod foreign;
mod formats;
mod generate;
mod gf2;
mod groth16;
mod groth16_gen;
mod groth16_params;
mod groups;
mod help;
mod intmul;
mod kzg;
mod limits;
mod manners;
mod memory;
mod messages;
mod msm;
mod ntt;
mod options;
mod out_of_core;
mod outputs;
mod parts;
mod plots;
mod polymul;
mod profile;
mod records;
mod signals;
mod solve;
mod solve_ended;
mod sparse;
mod system_limits;
mod textbook;

// The files of the program that `parts` takes name these from the crate's root.
use parts::{Context, counts};

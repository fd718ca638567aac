//! Galois-field algebra on any vendor's GPU.
#![warn(missing_docs)]

pub mod bench;
pub mod curve;
mod device;
mod error;
pub mod field;
pub mod gf2;
pub mod gpu;
pub mod io;
pub mod kernels;
pub mod msm;
pub mod ntt;
pub mod primitives;
pub mod timeline;
pub mod verify;

pub use device::{Cpu, Device};
pub use error::{Error, Result};

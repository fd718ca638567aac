//! Galois-field algebra on any vendor's GPU.
#![warn(missing_docs)]

mod device;
mod error;
pub mod field;
pub mod gpu;
pub mod ntt;
pub mod timeline;
pub mod verify;

pub use device::{Cpu, Device};
pub use error::{Error, Result};

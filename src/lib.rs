//! Galois-field algebra on any vendor's GPU, and on the CPU behind the same API.
//!
//! The data's way, one way only:
//!
//! ```text
//! file -> io -> host vector -> DeviceVec -> kernels, in the order that a plan names them
//!                                  -> DeviceVec -> host vector -> verify -> io -> file
//! ```
//!
//! [`gpu`] is the stage: adapters, device vectors, kernels, clocks. The stories played on it
//! are [`ntt`] (number-theoretic transforms and products), [`gf2`] (elimination over GF(2))
//! and [`msm`] (multi-scalar multiplication); each has a CPU engine too, and [`Device`] is
//! either. [`field`] and [`curve`] hold constants, [`io`] every file format, [`bench`](mod@bench)
//! what is measured on a device.
//!
//! ```no_run
//! use wgalois::{Device, field::BABY_BEAR, gpu::Gpu, ntt, task::Problem};
//!
//! let gpu = Gpu::new()?;
//! let device = Device::Gpu(gpu.clone());
//! let transform = ntt::Transform::new(BABY_BEAR, 1 << 17)?.plan(&device)?.prepare(&device)?;
//! let mut values = gpu.upload(&vec![1; 1 << 17])?; // stays on the device
//! transform.run_on_device(&mut values)?;
//! let transformed = values.download()?;
//!
//! // Host data, on whichever engine.
//! let product = ntt::multiply(&device, &ntt::Product::new(BABY_BEAR, 2, 2), &[1, 2], &[3, 4])?;
//! assert_eq!(product, [3, 10, 8]);
//! # Ok::<(), wgalois::Error>(())
//! ```
#![warn(missing_docs)]

#[cfg(feature = "cli")]
mod bench;
pub mod curve;
mod device;
mod error;
pub mod field;
pub mod gf2;
pub mod gpu;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod internal;
pub mod io;
#[cfg(feature = "cli")]
mod kernels;
pub mod msm;
pub mod ntt;
mod primitives;
pub mod task;
pub mod timeline;
pub mod verify;

pub use device::{Choice, Cpu, Device, Select, Simd};
pub use error::{Error, Place, Position, Result, Shortage, Side};

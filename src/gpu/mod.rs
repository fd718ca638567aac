//! The GPU layer that all tasks use: adapters, device vectors, kernels, recorder, clock.
//!
//! A task declares its kernels as constants ([`Kernel`]), compiles the variants that it needs with
//! [`Gpu::pipelines`], keeps its data in [`DeviceVec`]s, and records dispatches in a
//! [`Recorder`], which hands them to the device in submissions of bounded length.
//!
//! # Errors
//! - [`Error::NoDevice`](crate::Error::NoDevice): there is no adapter, or none that the selection names.
//! - [`Error::Of`](crate::Error::Of) with [`Error::UnknownName`](crate::Error::UnknownName): `WGPU_BACKEND` names a
//!   graphics API that does not exist.
//! - [`Error::Device`](crate::Error::Device), one of:
//!   - The adapter cannot be opened, or the driver reported an error.
//!   - The device has no timestamps, or its clock does not become steady.
//!   - Buffers or parameters do not match the declaration of the kernel.
//! - [`Error::Shader`](crate::Error::Shader): a kernel does not compile. The error has the file and the line.
//! - [`Error::OutOfMemory`](crate::Error::OutOfMemory), one of:
//!   - A vector exceeds the memory of the device or [`Options::memory`].
//!   - An element is larger than a binding.
//!   - A vector of several chunks is given to a kernel that has no form for chunks.
//! - [`Error::PastTheEnd`](crate::Error::PastTheEnd): a copy reaches past the end of a vector.
//! - [`Error::DifferentDevices`](crate::Error::DifferentDevices): vectors are on different devices.
//! - [`Error::Stopped`](crate::Error::Stopped): the work of the timeline is
//!   [stopped](crate::timeline::Timeline::stop).

mod adapter;
mod adapter_search;
mod allocation;
#[cfg(any(test, debug_assertions))]
mod asked;
mod binding;
mod bindings;
mod block_on;
mod buffer;
#[cfg_attr(target_arch = "wasm32", path = "no_cache.rs")]
mod cache;
mod clock;
mod compile;
mod compile_queue;
mod compiled_kernels;
mod copies;
mod declare;
mod device;
mod device_record;
mod encode;
#[cfg(not(target_arch = "wasm32"))]
mod error_scopes;
mod kernel;
mod mapped;
mod mapping;
mod measure;
mod memory;
mod memory_budget;
mod options;
mod parallel_compile;
mod params;
mod pending_read;
mod pipelines;
mod pool;
mod profile;
mod profiling;
mod read_back;
mod record;
mod select;
mod shader;
mod speed;
#[cfg(not(target_arch = "wasm32"))]
mod spirv;
mod staging;
mod step;
mod submission_queue;
mod submit;
#[cfg(test)]
#[path = "../../tests/gpu_common/devices.rs"]
pub(crate) mod test_devices;
mod timestamps;
#[cfg(any(test, debug_assertions))]
#[doc(hidden)]
pub mod trace;
mod transfer;
#[cfg_attr(target_arch = "wasm32", path = "no_translations.rs")]
mod translations;
mod watchdog;

pub use adapter::AdapterDescription;
#[cfg(not(target_arch = "wasm32"))]
pub use adapter_search::{Found, adapter_is_named, adapters};
pub use block_on::block_on;
pub use buffer::DeviceVec;
pub(crate) use compile::exactly;
pub use compiled_kernels::CompiledKernels;
pub(crate) use declare::kernel;
pub use device::Gpu;
#[cfg(not(target_arch = "wasm32"))]
pub use device_record::shortest_opening;
pub use device_record::{DeviceRecord, Origin, Products};
pub use kernel::{Arithmetic, Family};
pub use measure::kernels::KERNELS as RATE_KERNELS;
pub use memory_budget::DeviceMemory;
pub use options::{Options, Records};
pub use params::{buffers, params};
pub use pending_read::BegunRead;
#[cfg(any(test, debug_assertions))]
#[doc(hidden)]
pub use pipelines::Asked;
pub use profile::GpuProfile;
pub use read_back::ReadBack;
pub use record::Recorder;
pub use select::{Adapter, Adapters};
pub use speed::speed;
#[cfg(not(target_arch = "wasm32"))]
pub use spirv::spirv;
pub use staging::{PIECE, staging_bytes};
pub(crate) use transfer::Source;

pub use binding::{Access, Binding};
pub use clock::{CANARY, CanaryBuffers, CanaryParams, Clock, Samples};
pub use kernel::{Kernel, Pipeline, Variant};
pub use params::{Buffers, Declared, Named, Params, Written};
pub use shader::{Shader, compose};
#[doc(hidden)]
pub use wgpu::Buffer;

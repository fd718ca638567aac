//! The contract that every task implements, for every problem and engine.
//!
//! ```text
//! problem     shapes and ranges of the input and the answer: no data, no device
//!   |  plan(&device)                     refused here: impossible shapes, too little memory
//!   v
//! plan        numbers for one device: method, passes, time, bytes on host and device
//!   |  prepare(&device, resident data)   compiles kernels, uploads tables
//!   v
//! prepared    pipelines, tables, resident data: run it as often as you like
//!   |  run(host data)  run_on_device(device vectors)  record(recorder, ...)
//!   v
//! answer  --  problem.check(&device, input, answer)  -->  Guarantee
//! ```
//!
//! | | [`ntt`](crate::ntt) | [`gf2`](crate::gf2) | [`msm`](crate::msm) |
//! |---|---|---|---|
//! | problem | `Transform`, `ColumnTransform`, `Product` | `RowReduction`, `Dense`, `Product`, `Many`, `F4Matrix` | `Multiplication` |
//! | plan | `TransformPlan`, `ColumnTransformPlan`, `ProductPlan` | `DensePlan`, `ManyPlan`, `SystemPlan` | `MultiplicationPlan` |
//! | prepared | `PreparedTransform`, `PreparedColumnTransform`, `PreparedProduct` | `PreparedDense`, `PreparedMany`, `PreparedSystem` | `Bases` |
//! | in one call | `transform`, `multiply` | `compute`, `rank`, ..., `multiply`, `eliminate` | `multiply` |
//! | building blocks of checks | [`ntt::verify`](crate::ntt::verify) | [`gf2::verify`](crate::gf2::verify) | [`msm::verify`](crate::msm::verify()) |
//!
//! The rules for all tasks:
//!
//! - A problem and its settings are built by consuming methods: `Transform::new(p, n)?.with_batch(8)`.
//! - Arguments come in the order device, problem or settings, resident data, data.
//! - Prepared forms have the same methods, as far as a task has them: `plan()`; `run(input)` and
//!   `run_many(inputs)` over host data; `run_on_device(input)` over data that are on the device; and
//!   `record(recorder, input)`, which leaves the submission to the caller.
//! - `check(&device, input, answer)` is a method of the problem, which draws its randomness from the operating
//!   system. It computes on `device` where it takes an elimination or a multiplication. A run that collects evidence
//!   on its way (`Carrying`) has a check that is cheaper (`check_carried`).
//! - A function that waits for a device also has an asynchronous form, whose name ends in `_async`, for
//!   browsers.
//! - The plan decides the memory: it splits the work into parts that fit the [`Profile`]'s host and
//!   device memory, or returns an error with the bytes that would suffice. Nothing is allocated before.
//!   The profile of a device has what its driver reports ([`Budget`]), or the user's limit if that is less. Host and device that
//!   have one memory keep to it together. If an allocation fails although the plan was within its bounds,
//!   [`within_memory`] plans again for half the memory.
//! - Time is an estimate for one device by a model in the task's `cost` module. It only serves to compare
//!   plans: [`Device::auto`](crate::Device::auto) chooses the device whose plan expects the shortest time.
//!
//! A group of devices is a [`Device`](crate::Device) whose profile holds one profile per member. A plan for it holds a share
//! and a plan for each member, the prepared form one prepared form for each, and the host combines the
//! results. Work that is not shared runs on the fastest member.
//!
//! The contract allows for extensions. Another field or group is a type parameter or a field of the problem.
//!
//! # Errors
//! - [`Error::OutOfMemory`](crate::Error::OutOfMemory): not even the smallest parts fit the memory. The error has the
//!   bytes that would suffice.
//! - [`Error::Unsupported`](crate::Error::Unsupported): the device does not support a setting.
//! - [`Error::OtherPlan`](crate::Error::OtherPlan): the plan was made for another kind of device.
//! - [`Error::NoDevice`](crate::Error::NoDevice): a GPU that was named is missing.
//!
//! A shape that is impossible, and an input that does not have the shape or the ranges of the problem, are refused
//! with the errors of the task.

mod any_way;
mod cost;
mod divided;
mod done;
mod kept;
mod memory;
mod offers;
mod one_of;
mod planned;
mod prepared;
mod problem;
#[cfg(not(target_arch = "wasm32"))]
mod select;
mod shared;
mod shares;

pub use any_way::AnyForm;
pub(crate) use any_way::{AnyReady, AnyWay, Running};
pub use cost::Cost;
pub use cost::approximate;
pub use divided::{Divided, Divisible};
pub use done::Done;
pub use kept::Kept;
use memory::needed_memory;
pub use memory::within_memory;
pub use offers::Rejected;
pub use one_of::OneOf;
pub use planned::Planned;
pub use prepared::Prepared;
pub use problem::{Kind, Problem, Ready, Way, Ways, other_device};
pub(crate) use problem::{expect_processes, no_device_vectors};
#[cfg(not(target_arch = "wasm32"))]
pub use select::{Choice, Setup};
pub use shares::Traffic;
pub(crate) use shares::{Share, Shares, equal, write_shared};

pub use crate::device::{Budget, CpuProfile, CpuRecord, Engine, Member, OneEngine, Profile, Rate, typical};
pub use crate::gpu::GpuProfile;

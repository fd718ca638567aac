//! The contract that every task keeps, whatever it computes and wherever.
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
//! answer  --  problem.check(input, answer)  -->  Guarantee
//! ```
//!
//! | | [`ntt`](crate::ntt) | [`gf2`](crate::gf2) | [`msm`](crate::msm) |
//! |---|---|---|---|
//! | problem | `Transform`, `Product` | `Dense`, `System` | `Multiplication` |
//! | plan | `TransformPlan`, `ProductPlan` | `DensePlan`, `SystemPlan` | `MultiplicationPlan` |
//! | prepared | `PreparedTransform`, `PreparedProduct` | `PreparedDense`, `PreparedSystem` | `Bases` |
//!
//! The rules, the same for all:
//!
//! - A problem and its settings are built by consuming methods: `Transform::new(p, n)?.with_batch(8)`.
//! - Arguments come in the order device, problem or settings, resident data, data.
//! - Whatever waits for a device has a twin that ends in `_async`, for browsers.
//! - Memory is settled by the plan: it cuts the work into parts that fit the [`Profile`]'s host and
//!   device memory, or refuses with the bytes that would suffice. Nothing is asked for before.
//!   wgpu does not tell how much memory a device has; where an allocation fails although the plan
//!   was within its bounds, [`within_memory`] plans again for half as much.
//! - Time is an estimate for this device by a model in the task's `cost` module. Only plans compare it:
//!   [`Device::auto`](crate::Device::auto) takes the device whose plan promises to finish first.
//!
//! What comes next fits in without another shape: a group of devices is a
//! [`Device`] whose profile holds one profile for each member, and a plan for it
//! holds a share and a plan for each; an MPI process is a member that is reached otherwise; another
//! field or group is a type parameter or a field of the problem.

mod cost;
mod memory;
mod profile;

pub use cost::Cost;
pub(crate) use cost::approximate;
pub(crate) use memory::ASSUMED;
pub use memory::within_memory;
pub use profile::{Engine, GpuProfile, Profile};

use std::fmt;

use crate::{Device, Result};

/// Something to compute: shapes and ranges, no data and no device.
pub trait Problem {
    /// How it is computed on one device.
    type Plan: Plan;

    /// The plan that promises the shortest time on a device with this profile, within its memory.
    ///
    /// # Errors
    /// [`Error::Input`](crate::Error::Input) for shapes that cannot be;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) with the bytes that would suffice where
    /// not even the smallest parts fit; [`Error::Usage`](crate::Error::Usage) for settings that
    /// the device does not have.
    fn plan_for(&self, profile: &Profile) -> Result<Self::Plan>;

    /// [`plan_for`](Self::plan_for) an open device.
    ///
    /// # Errors
    /// Those of [`plan_for`](Self::plan_for).
    fn plan(&self, device: &Device) -> Result<Self::Plan> {
        self.plan_for(&device.profile())
    }
}

/// How a problem is computed on one device: numbers only. Its text, several lines without a last
/// line break, is what `--plan` prints.
pub trait Plan: fmt::Display {
    /// What it takes.
    fn cost(&self) -> Cost;
}

//! Multi-scalar multiplication: the sum of k_i P_i over a curve's subgroup of order r.

pub mod baseline;
mod finish;
pub mod gpu;
mod known;
mod plan;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod samples;
mod scheme;

pub use gpu::{Bases, DeviceScalars, Settings};
pub use known::{Known, scalars as random_scalars};
pub use plan::{Limits, Plan, THREADS};
pub use scheme::{Destination, MAX_WIDTH, MIN_WIDTH, Precompute, Scheme};

//! Multi-scalar multiplication: the sum of k_i P_i.

pub mod gpu;
mod scheme;

pub use scheme::{Destination, MAX_WIDTH, MIN_WIDTH, Precompute, Scheme};

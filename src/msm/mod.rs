//! Multi-scalar multiplication: the sum of k_i P_i.

pub mod gpu;

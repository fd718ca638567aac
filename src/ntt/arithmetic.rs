//! Building blocks of kernels over words, for kernels of one's own: products modulo a prime, tables of powers, and
//! butterflies on registers.
//!
//! A template that includes `ntt/arithmetic.wgsl` gets the variables of [`Modulus::context`], and constants in the form of
//! [`Modulus::constant`]. [`Passes`](super::Passes) is the cost of such kernels.

pub use super::gpu::{Modulus, ModulusContext, Powers, Program};

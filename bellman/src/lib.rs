//! Groth16 proofs of bellman's and bellperson's circuits on any vendor's GPU: their keys and circuits in, their proofs out.
//!
//! | | here |
//! |---|---|
//! | groth16 0.2: `create_random_proof(circuit, &params, rng)` | `bellman::Prover::new(&device, &params)`, then `prove(circuit, rng)` |
//! | bellperson 0.27: `create_random_proof(..)`, `create_random_proof_batch(circuits, &params, rng)` | `bellperson::Prover::new(&device, &params)`, then `prove(..)`, `prove_batch(circuits, rng)` |
//! | sapling-crypto 0.9: `SpendParameters`, `OutputParameters` | `sapling::DeviceSpendProver`, `sapling::DeviceOutputProver` |
//!
//! A key goes to the device once, from `Parameters`, `MappedParameters` or a file ([`Key`]). With the same randomness the proofs are
//! those of the peer, byte for byte. A circuit is synthesised once for each proof, by a constraint system of this crate, which
//! compares every constraint as it comes: a circuit that is not satisfied is refused, with the constraint ([`Error::Unsatisfied`]).
//!
//! A [`wgalois::Device`] is a GPU (`Device::Gpu(Gpu::new()?)`), the CPU engine, or several GPUs.
//!
//! # Features
//!
//! None is on by default, since each brings the crates of a prover: `bellman`, `bellperson`, `sapling` (with `bellman`), and
//! `sapling-parameters`, which has the parameters of Zcash's ceremony, 48 MB.
//!
//! # Cautions
//!
//! Neither constant-time nor audited. [`wgalois_proofs::groth16`] says which vectors are overwritten; those in which a circuit's
//! synthesis collects values are not.
#![warn(missing_docs)]

#[cfg(any(feature = "bellman", feature = "bellperson"))]
mod batch;
#[cfg(feature = "bellman")]
pub mod bellman;
#[cfg(feature = "bellperson")]
pub mod bellperson;
#[cfg(any(feature = "bellman", feature = "bellperson"))]
mod core;
mod error;
mod key;
#[cfg(any(feature = "bellman", feature = "bellperson"))]
mod prover;
#[cfg(feature = "sapling")]
pub mod sapling;
#[cfg(any(feature = "bellman", feature = "bellperson"))]
mod synthesis;

pub use error::{Counts, Error, Result};
pub use key::Key;
/// The version of the library whose types show in this crate.
pub use wgalois;
/// The crate of the keys that the library has.
pub use wgalois_proofs;

/// The Rust of `README.md` compiles.
#[cfg(all(doctest, feature = "bellman", feature = "bellperson"))]
#[doc = include_str!("../README.md")]
struct Readme;

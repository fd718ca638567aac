//! arkworks' heavy work on any vendor's GPU: its types in, its types out.
//!
//! | arkworks | here | |
//! |---|---|---|
//! | `Radix2EvaluationDomain::new(n)` | [`GpuDomain::new(&device, n)`](GpuDomain::new) | `fft`, `ifft`, in place, on cosets, several at once |
//! | `G1Projective::msm(&points, &scalars)` | [`Bases::new(&device, &points)`](Bases::new) | `msm`, `msm_bigint`, many vectors, ranges of the points |
//! | `Groth16::<E>::prove(&pk, circuit, rng)` | [`Prover::<E>::new(&device, &pk, circuit)`](Prover::new) | `prove` |
//! | `KZG10::commit(&powers, &p, None, None)` | [`Committer::<E>::new(&device, &powers)`](Committer::new) | `commit`, `open` |
//!
//! What stays the same for many calls (points, keys, tables) goes to the device once, when a value of these types is
//! made. Their methods have arkworks' names and return what arkworks returns, as a [`wgalois::Result`]: a device can
//! fail, and nothing here panics where it does. A program that wants to go on without it calls arkworks instead.
//!
//! A [`wgalois::Device`] is a GPU (`Device::Gpu(Gpu::new()?)`), the CPU engine, or several GPUs. Scalars lie on a GPU
//! in arkworks' form, so that an upload converts nothing. Between transforms and multiplications they can stay there:
//! [`GpuDomain::upload`], the methods that end in `_resident`, and [`Bases::msm_resident`].
//!
//! # Features
//!
//! `groth16` has [`Prover`], `poly-commit` has [`Committer`]; both are on by default, as are `parallel`, with which
//! arkworks' own code uses all cores, and the curves `bls12-381`, `bls12-377`, `bn254` and `bls24-315`.
#![warn(missing_docs)]

mod bases;
mod domain;
#[cfg(feature = "groth16")]
mod groth16;
#[cfg(feature = "poly-commit")]
mod kzg10;

pub use bases::Bases;
pub use domain::GpuDomain;
#[cfg(feature = "groth16")]
pub use groth16::Prover;
#[cfg(feature = "poly-commit")]
pub use kzg10::{Committed, Committer};
/// The version of the library whose types show in this crate.
pub use wgalois;

/// The Rust of `README.md` compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

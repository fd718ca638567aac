//! Galois-field algebra on any vendor's GPU, and on the CPU behind the same API.
//!
//! Three tasks, each with kernels in WGSL for every GPU that wgpu reaches and with a CPU engine:
//! number-theoretic transforms and products modulo 32-bit primes ([`ntt`]), elimination and linear
//! algebra over GF(2) ([`gf2`]), and multi-scalar multiplication on elliptic curves ([`msm`]).
//!
//! Every task follows one contract ([`task`]): a *problem* is planned for a *device*, the plan is
//! prepared, and what is prepared runs as often as needed; a check of the answer returns a
//! [`Guarantee`](verify::Guarantee). For a single run each task has functions that do all of that.
//!
//! # Multiply polynomials
//!
//! ```
//! use wgalois::field::BABY_BEAR;
//! use wgalois::{Device, ntt};
//!
//! let (a, b) = ([1, 2, 3], [4, 5]);
//! let product = ntt::Product::new(BABY_BEAR, a.len(), b.len());
//! // A GPU where its plan promises to finish sooner, the CPU engine otherwise.
//! let device = Device::auto(&product)?;
//! let c = ntt::multiply(&device, &product, &a, &b)?;
//! assert_eq!(c, [4, 13, 22, 15]);
//! println!("verified: {}", product.check(&device, &a, &b, &c)?);
//! # Ok::<(), wgalois::Error>(())
//! ```
//!
//! # Transform many times
//!
//! ```
//! use wgalois::field::BABY_BEAR;
//! use wgalois::ntt::{Order, Transform};
//! use wgalois::task::Problem;
//! use wgalois::{Cpu, Device};
//!
//! let device = Device::Cpu(Cpu::default());
//! let forward = Transform::new(BABY_BEAR, 1 << 10)?.with_output(Order::BitReversed);
//! let plan = forward.plan(&device)?; // numbers only: print it
//! let (forward, backward) = (plan.prepare(&device)?, forward.inverted().plan(&device)?.prepare(&device)?);
//! let mut values: Vec<u32> = (0..1 << 10).collect();
//! for _ in 0..3 {
//!     forward.run(&mut values)?;
//!     backward.run(&mut values)?;
//! }
//! assert!(values.into_iter().eq(0..1 << 10));
//! # Ok::<(), wgalois::Error>(())
//! ```
//!
//! # Solve linear systems over GF(2)
//!
//! ```
//! use wgalois::gf2::{self, BitMatrix};
//! use wgalois::{Cpu, Device};
//!
//! let device = Device::Cpu(Cpu::default());
//! let mut a = BitMatrix::identity(3)?;
//! a.set(0, 2, true); // x0 + x2, x1, x2
//! let mut b = BitMatrix::zeros(3, 1)?;
//! b.set(0, 0, true);
//! b.set(2, 0, true);
//! let solution = gf2::solve(&device, &a, &b)?;
//! let x: Vec<bool> = (0..3).map(|row| solution.x.get(row, 0)).collect();
//! assert_eq!(x, [false, false, true]);
//! assert_eq!(gf2::rank(&device, &a)?, 3);
//! # Ok::<(), wgalois::Error>(())
//! ```
//!
//! # Multiply points by scalars
//!
//! ```
//! use rand_chacha::ChaCha8Rng;
//! use rand_chacha::rand_core::SeedableRng;
//! use wgalois::curve::Bls12_381;
//! use wgalois::msm::{self, Known};
//! use wgalois::{Cpu, Device};
//!
//! let device = Device::Cpu(Cpu::default());
//! // 100 points of which the test knows the discrete logarithms, and random scalars.
//! let known = Known::<Bls12_381>::random(100, 1);
//! let scalars = msm::random_scalars::<Bls12_381>(100, &mut ChaCha8Rng::seed_from_u64(2));
//! let sum = msm::multiply(&device, &known.points, &scalars)?;
//! assert_eq!(sum, known.sum(&scalars));
//! # Ok::<(), wgalois::Error>(())
//! ```
//!
//! # Features
//!
//! Each curve is a feature of its name: `bls12-381`, `bls12-377`, `bn254`, `bls24-315` (all default).
//!
//! # Cautions
//!
//! Nothing runs in constant time, and the crate is not audited: `SECURITY.md` says what is checked of
//! inputs and what a faulty or hostile driver could do.
#![warn(missing_docs)]
// Without GPUs, nothing that uses one is reached; in browsers, nothing that uses several; without curves, nothing that is for any.
#![cfg_attr(
    any(
        feature = "cpu-only",
        target_arch = "wasm32",
        not(any(feature = "bls12-381", feature = "bls12-377", feature = "bn254", feature = "bls24-315"))
    ),
    allow(unreachable_code, unused_variables, unused_assignments, unused_mut, dead_code)
)]

// Tests of the library and of its users share files, which name it.
#[cfg(test)]
extern crate self as wgalois;

pub mod curve;
mod device;
mod error;
pub mod field;
#[cfg(not(target_arch = "wasm32"))]
pub mod files;
pub mod gf2;
pub mod gpu;
pub mod huge_pages;
mod kernels;
mod lock;
pub mod msm;
pub mod ntt;
mod page_advice;
pub mod parallel;
mod primitives;
pub mod processes;
pub mod scalars;
pub mod task;
mod threads;
pub mod timeline;
pub mod verify;
mod worker;

pub use device::{Cpu, Device, Group, One, Processes, Select, Simd};
pub use kernels::kernels;
#[cfg(not(target_arch = "wasm32"))]
pub use task::{Choice, Setup};
/// The version of wgpu whose types show in [`gpu`].
pub use wgpu;
pub use worker::serve;

pub use error::{Error, Fault, Place, Position, Result, Shortage, Side, Wrong, quoting};

/// The Rust of `README.md` compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

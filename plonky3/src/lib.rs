//! Plonky3's transforms on any vendor's GPU.
//!
//! [`WgaloisDft`] implements [`TwoAdicSubgroupDft`](p3_dft::TwoAdicSubgroupDft) over
//! [`BabyBear`](p3_baby_bear::BabyBear) and [`KoalaBear`](p3_koala_bear::KoalaBear). Every method returns what
//! [`Radix2DitParallel`](p3_dft::Radix2DitParallel) returns, so it takes that type's place in a prover:
//!
//! ```
//! use p3_baby_bear::BabyBear;
//! use p3_dft::TwoAdicSubgroupDft;
//! use p3_field::Field;
//! use p3_field::PrimeCharacteristicRing;
//! use p3_matrix::Matrix;
//! use p3_matrix::dense::RowMajorMatrix;
//! use wgalois_plonky3::WgaloisDft;
//!
//! // Two columns of eight values each, extended to sixteen values on a coset.
//! let dft = WgaloisDft::<BabyBear>::default();
//! let trace = RowMajorMatrix::new((0..16).map(BabyBear::from_u32).collect(), 2);
//! let evaluations = dft.coset_lde_batch(trace, 1, BabyBear::GENERATOR);
//! assert_eq!((evaluations.width(), evaluations.height()), (2, 16));
//! ```
//!
//! ```text
//! host      RowMajorMatrix, a vector a column                    BitReversedMatrixView of the result
//!             | words in Montgomery form, as they lie               ^
//! device      v                                                     |
//!           inverse, all passes but the last -> last pass of the inverse, first one of the transform -> other passes
//!                                               on the coset
//! ```
//!
//! Words in Montgomery form go through unchanged, since transforms are linear. The host neither converts, nor
//! transposes, nor permutes, nor pads anything; the device transposes only matrices of fewer than four columns, and those for
//! whose extension it has no memory otherwise.
//!
//! - Small matrices go to Plonky3's own code: [`Crossover`].
//! - A matrix that stays on the device, for whoever hashes next, is a [`ResidentMatrix`].
//! - A matrix that the device's memory does not hold is transformed some columns at a time.
//! - The trait's methods cannot fail. Where the device does, Plonky3's own code does the work, and
//!   [`WgaloisDft::last_error`] has the reason.
#![warn(missing_docs)]

mod crossover;
mod dft;
mod field;
mod job;
mod matrix;
mod recover;
mod resident;
mod transform_device;

pub use crossover::Crossover;
pub use dft::WgaloisDft;
pub use field::Field31;
pub use resident::ResidentMatrix;
/// The version of the library whose types show in this crate.
pub use wgalois;

/// The Rust of `README.md` compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

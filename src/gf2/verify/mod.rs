//! Checks of results over GF(2), each with the guarantee that it returns.
//!
//! | check | what a pass proves | missed with a chance of | cost |
//! |---|---|---|---|
//! | [`rank`], [`echelon`] | the rank is right; the row space is right | 2^-64 | an elimination with 64 [`Carried`] columns, or a separate one ([`Proof::determine`]) |
//! | [`kernel`] | the vectors are a basis of the kernel | 2^-64 | the same |
//! | [`solution`] | the solutions are right; so are the sides without one | 2^-64 | the matrices once; for sides without a solution as above |
//! | [`inverse`] | the inverse is right | 2^-64 | the matrices once |
//! | [`product`], [`transposed`] | the result is right | 2^-64 | the matrices once |
//! | [`file_order`] | every row is right | never | up to 2^33 additions of 512 bits, or any number on demand |
//! | [`file_order`] of large F4 matrices | the rows of a sample are right | the rows not drawn | the sample |
//! | [`same_span`] | leads and span are right | 2^-64 | an elimination of a [`CarriedF4Matrix`] |
//!
//! A right result always passes. The chances are over random vectors that each check draws itself, 64
//! at once as the bits of a word; the result must not depend on them. If a guarantee rests on several
//! checks, a wrong result passes one particular check of them with at most the stated chance, so the
//! chances do not add up.
//!
//! # Errors
//! - [`Error::Check`]: the result is wrong, or its shape does not fit. The text has the first row, column, equation
//!   or side that is wrong.
//! - [`Error::Usage`]: columns are carried through an elimination that does not want a form with all rows.
//! - [`Error::Input`]: there are more than 2^32 - 129 columns, with no room for those that are carried.
//! - [`Error::Nonsense`]: the engine's own elimination for a [`Proof`] or a [`SpanProof`] does not pass.
//!
//! Checks also return the errors of reading a matrix ([`Bands`]).

mod bands;
mod carried;
mod definition;
mod echelon;
mod f4;
mod file_order;
mod form;
mod linear;
mod product;
pub(in crate::gf2) mod vectors;

pub use bands::Bands;
pub use carried::{Carried, Proof};
#[cfg(not(target_arch = "wasm32"))]
pub(in crate::gf2) use carried::{of_engine, places};
#[cfg(not(target_arch = "wasm32"))]
pub(in crate::gf2) use definition::{F4Check, Judged, Ones};
#[cfg(not(target_arch = "wasm32"))]
pub(in crate::gf2) use echelon::is_form;
pub use echelon::{echelon, kernel, rank};
pub(in crate::gf2) use echelon::{form_of, kernel_of};
pub use f4::{CarriedF4Matrix, SpanProof, same_span};
pub(super) use file_order::check_bytes;
pub use file_order::{Depth, elimination, file_order, is_cheap};
#[cfg(not(target_arch = "wasm32"))]
pub(in crate::gf2) use form::{OTHER_PIVOTS, check_rank, read_form};
pub(super) use linear::linear_bytes;
pub use linear::{inverse, solution, transposed};
pub(in crate::gf2) use linear::{same_sides, solutions};
pub use product::{ProductCheck, product};

use crate::{Error, Result, Wrong};

/// The randomized checks of this module miss a wrong result with a chance of at most 2^-`MISS_BITS`.
pub const MISS_BITS: u32 = 64;

pub(in crate::gf2) fn failed<T>(message: impl Into<Wrong>) -> Result<T> {
    Err(Error::Check(message.into()))
}

/// What is wrong with a row of an echelon form of another matrix.
pub(in crate::gf2) const NO_SUM: &str = "of the echelon form is not a sum of rows of the matrix";

/// Refuses a matrix that has no room for the 64 columns more that verification takes.
fn expect_room(columns: usize) -> Result<()> {
    Error::expect_at_most("columns of a matrix to verify", u64::from(u32::MAX) - 128, columns as u64)
}

/// Adds words to others.
pub(in crate::gf2) fn add(sums: &mut [u64], others: &[u64]) {
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum ^= other);
}

pub(in crate::gf2) fn first_nonzero(words: impl IntoIterator<Item = u64>) -> Option<usize> {
    words.into_iter().position(|word| word != 0)
}

/// The first place where two lists differ; places past the end of the shorter one do not count.
pub(in crate::gf2) fn first_difference(left: &[u64], right: &[u64]) -> Option<usize> {
    first_nonzero(left.iter().zip(right).map(|(x, y)| x ^ y))
}

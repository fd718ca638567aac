//! Every file format, both directions.
//!
//! A reader takes a [`Source`], the bytes of a file with its name, and returns values or an
//! error that names the place: `file:line:column` in text, `file: byte N` in binary data. It
//! trusts nothing: no allocation that the bytes present do not justify. A writer gets a
//! [`std::io::Write`]; [`write_whole`] makes a file of it that appears whole or not at all.

pub mod bits;
mod budget;
pub mod coefficients;
pub mod integers;
#[cfg(not(target_arch = "wasm32"))]
mod output;
pub mod points;
pub mod scalars;
mod source;
pub mod text;

#[cfg(not(target_arch = "wasm32"))]
pub use output::{Removed, check_writable, destination, remove_unfinished, write_whole};
pub use source::Source;

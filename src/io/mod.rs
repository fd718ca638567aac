//! All file formats: readers and writers.
//!
//! A reader takes a [`Source`], the bytes of a file with its name, and returns values, or an error
//! that names the place: `file:line:column` in text, `file: byte N` in binary data. It trusts no
//! input: an allocation is never larger than the bytes present justify. A writer takes a
//! [`std::io::Write`]; [`write_whole`] makes it a file that appears complete or not at all.

pub mod bits;
mod budget;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod cached;
pub mod coefficients;
pub mod equations;
#[cfg(feature = "kzg")]
pub mod ethereum;
pub mod identify;
pub mod integers;
#[cfg(all(feature = "kzg", not(target_arch = "wasm32")))]
mod known;
#[cfg(not(target_arch = "wasm32"))]
mod output;
pub mod points;
pub mod scalars;
#[cfg(feature = "groth16")]
pub mod snarkjs;
mod source;
pub mod text;

#[cfg(not(target_arch = "wasm32"))]
pub use output::{
    Removed, check_writable, destination, remove_output, remove_unfinished, write_together, write_whole,
};
pub use source::Source;

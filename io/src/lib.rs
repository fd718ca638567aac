//! All file formats: readers and writers.
//!
//! A reader takes a [`Source`], the bytes of a file with its name, and returns values, or an error
//! that names the place: `file:line:column` in text, `file: byte N` in binary data. It trusts no
//! input: an allocation is never larger than the bytes present justify. A writer takes a
//! [`std::io::Write`]; [`write_whole`](wgalois::files::write_whole) makes it a file that appears complete or not at all.

pub mod bits;
pub mod budget;
pub mod coefficients;
pub mod identify;
pub mod integers;
#[cfg(not(target_arch = "wasm32"))]
pub mod known;
pub mod points;
pub mod scalars;
mod source;
pub mod text;

pub use source::Source;

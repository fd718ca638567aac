//! All file formats: readers and writers.
//!
//! A reader takes a [`Source`], the bytes of a file with its name, and returns values, or an error
//! that names the place: `file:line:column` in text, `file: byte N` in binary data. It trusts no
//! input: an allocation is never larger than the bytes present justify. A writer takes a
//! [`std::io::Write`]; [`write_whole`](wgalois::files::write_whole) makes it a file that appears complete or not at all.
//!
//! # Errors
//! Readers:
//!
//! - [`Error::Format`](wgalois::Error::Format): the file violates its format; the error has the place. That is also
//!   the error of a truncated, empty or damaged file, of a value that is no number or is out of its range, and of
//!   another number of values than was asked for.
//! - [`Error::TooLarge`](wgalois::Error::TooLarge): the values take more memory than the caller allows. The error
//!   states what suffices, if that is known.
//! - [`Error::Input`](wgalois::Error::Input): the host lacks memory that the caller allows.
//! - [`Error::Stopped`](wgalois::Error::Stopped): the time of [`Source::with_end`] has come.
//!
//! Writers return the errors of what they write to. What the format cannot hold is an error of the kind
//! [`Unsupported`](std::io::ErrorKind::Unsupported), [`InvalidData`](std::io::ErrorKind::InvalidData) or
//! [`InvalidInput`](std::io::ErrorKind::InvalidInput).

pub mod bits;
pub mod budget;
pub mod coefficients;
pub mod identify;
pub mod integers;
#[cfg(not(target_arch = "wasm32"))]
pub mod known;
mod npy_header;
pub mod points;
pub mod scalars;
mod source;
pub mod text;

pub use source::Source;

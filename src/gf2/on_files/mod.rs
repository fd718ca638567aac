//! Linear algebra with packed files that are larger than memory, on the CPU engine.
//!
//! An elimination needs, at any time, some tiles of 512 columns and the pivots that were found before: in memory are a
//! group of tiles and the pivots' numbers; the rest streams past.
//!
//! ```text
//!   file of the matrix --> a group of tiles --> scratch file of finished tiles --> bands of rows of the answer
//!        (mapped)           ^          |            (unless only the rank is asked for)
//!                           |          v
//!                 scratch file of multipliers: 64 bytes a row and block of 512 columns
//! ```
//!
//! With g groups, every byte of the matrix is read once, its multipliers are written once and read (g - 1) / 2 times;
//! the finished tiles are written and read once. The operations are those of the elimination in memory, in the same
//! order on every tile, so the answers are equal, bit for bit. A system [A | B] of equations has the tiles of B after
//! those of A; the tiles of an identity are made when they are needed.
//!
//! A product needs no scratch file: for each band of rows of the answer, all of B streams past.
//!
//! ```text
//!   rows of A  -->  band of the answer in memory  <--  512 rows of B at a time
//! ```
//!
//! An F4 matrix of sparse lists (see [`F4OnFiles`]) is eliminated in the same way, with its reducers as the first
//! rows.
//!
//! The least memory is one tile and the multipliers of two blocks, about 250 bytes a row: a matrix with few columns and
//! very many rows gains nothing.

mod check;
mod dense;
mod evidence;
mod f4;
mod f4_check;
mod f4_run;
mod product;
mod run;
mod scratch;
mod stored;
mod way;

pub use dense::OnFiles;
pub use f4::F4OnFiles;
pub use f4_check::{ListedResult, StoredResult};
pub use f4_run::{F4OnFilesAnswer, StoredF4Matrix, StoredRows};
pub use product::ProductOnFiles;
pub use run::OnFilesAnswer;
pub use stored::StoredMatrix;
pub use way::FromFiles;

#[cfg(test)]
mod f4_tests;
#[cfg(test)]
mod tests;

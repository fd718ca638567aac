//! Large sparse matrices: pivots that need no arithmetic, then the elimination of the packed remainder.
//!
//! ```text
//! triangle   pivots in an order in which each one's row has, in columns of pivots, only its own one and some of pivots
//!            before it. No row changes: nothing fills up                                                     (`peel`, `triangle`)
//! remainder  the other rows and columns, S = D - C P^-1 B, in blocks of 512 columns: solve with the triangle, multiply
//!            by the other rows                                                        (`remainder`, planned by `on_remainder`)
//! rank       pivots + rank of S, which the device eliminates. The matrix is transposed if S has fewer rows than columns (`rank`)
//! others     rows of the row space, the kernel, solutions: asked of S, and extended by the triangle
//!                                                                                      (`problem`, `right_sides`, `kernel`)
//! check      random vectors through the triangle and the remainder's form                               (`evidence`, `proof`)
//! ```
//!
//! Rows and columns of one 1 are pivots. If there are none, a row or a column that makes many others light is left to the
//! remainder. That a small dense matrix is set apart is the structured elimination of LaMacchia and Odlyzko (CRYPTO 1990); that its
//! columns are chosen while the rest becomes a triangle is inactivation decoding (Shokrollahi, Lassen and Karp 2005).

mod evidence;
mod kernel;
mod on_remainder;
mod peel;
mod problem;
mod proof;
mod rank;
mod remainder;
mod right_sides;
mod triangle;

pub use evidence::SparseEvidence;
pub use kernel::{KernelVectors, SparseKernel};
pub use problem::{Sparse, SparseAnswer, SparseInput, SparseOperation};
pub use proof::SparseProof;
pub use rank::{SparseRank, SparseRankAnswer};
pub use triangle::Triangle;

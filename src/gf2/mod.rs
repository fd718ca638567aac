//! Linear algebra over GF(2): elimination of Groebner matrices in file order, echelon forms,
//! solutions, kernels, inverses, products.

mod bit_matrix;
pub mod cpu;
mod dense;
mod engine;
pub mod generate;
pub mod gpu;
mod index_lists;
mod rounds;
mod system;
mod transpose;
pub mod verify;
mod word_map;

/// Columns of a [`System`] at most: an index has 32 bits.
pub const MAX_COLUMNS: u64 = 1 << 32;

pub(crate) use bit_matrix::last_mask;
pub use bit_matrix::{BitMatrix, BitView, MAX_SIDE};
pub use dense::{Echelon, Inverse, Solution};
pub use engine::{Engine, eliminate, eliminate_async};
pub use index_lists::IndexLists;
pub use system::{Elimination, Method, System, duplicate_lead};

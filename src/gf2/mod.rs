//! Elimination over GF(2).

mod bit_matrix;
pub mod cpu;
mod index_lists;
mod system;
mod transpose;

pub use bit_matrix::{BitMatrix, BitView};
pub use index_lists::IndexLists;
pub use system::{Elimination, Method, System, duplicate_lead};

//! Linear algebra over GF(2): elimination of Groebner matrices in file order, echelon forms,
//! solutions, kernels, inverses, products.
//!
//! # Errors
//! - [`Error::Input`](crate::Error::Input), one of:
//!   - A matrix has more than [`MAX_SIDE`] rows or columns, or a system more than [`MAX_COLUMNS`] columns.
//!   - Matrices do not have the shapes of the problem, or shapes that do not fit each other.
//!   - The rows of a view do not fit its stride or its words.
//!   - The offsets of lists do not ascend from 0 to the number of indices, or the indices of a row do not strictly
//!     descend.
//!   - An index is past the last column, or two eliminators have one lead.
//! - [`Error::Check`](crate::Error::Check): a check found a wrong answer. The text names what is wrong, such as a
//!   row.
//! - [`Error::Usage`](crate::Error::Usage), one of:
//!   - An answer is that of another operation.
//!   - The device lacks the method.
//!   - Matrices on a device are given to the CPU engine, to several devices, or to a plan of several parts, or they
//!     are on another device.
//! - [`Error::Nonsense`](crate::Error::Nonsense): an engine returned pivots that no form has, or the elimination of a
//!   check is wrong itself.

mod answer;
mod bit_matrix;
mod block_cyclic;
mod check;
mod cost;
pub mod cpu;
mod dense;
mod dense_calls;
mod dense_problem;
mod f4;
mod f4_elimination;
mod f4_method;
pub mod generate;
pub mod gpu;
mod index_lists;
mod many;
mod members;
#[cfg(not(target_arch = "wasm32"))]
mod on_files;
mod processes;
mod product;
mod question;
mod reduction;
mod rounds;
mod row_reduction;
mod serve;
mod sharing;
mod sparse;
#[cfg(test)]
mod tests_of_progress;
mod tiles;
mod transpose;
mod transposition;
pub mod verify;
mod word_map;

/// The maximum number of columns of an [`F4Matrix`]: an index has 32 bits.
pub const MAX_COLUMNS: u64 = 1 << 32;

pub use answer::Answer;
pub use bit_matrix::last_mask;
pub use bit_matrix::{BitMatrix, BitView, MAX_SIDE};
#[cfg(not(target_arch = "wasm32"))]
pub use block_cyclic::Deal;
pub use dense::{Echelon, Inverse, Solution};
pub use dense_calls::{
    compute, compute_async, echelon, inverse, kernel, pivots, rank, rref, solve, transpose,
};
pub use dense_problem::{Dense, DenseAnswer, DensePlan, Matrices, Operation, PreparedDense};
pub(crate) use f4::F4Shape;
pub use f4::{Elimination, F4Matrix, duplicate_lead};
pub use f4_elimination::{F4Plan, PreparedF4, eliminate, eliminate_async};
pub use f4_method::{F4Method, Grid, RowSchedule};
pub use index_lists::IndexLists;
pub use many::{Many, ManyPlan, PreparedMany, compute_many};
#[cfg(not(target_arch = "wasm32"))]
pub use on_files::{
    F4OnFiles, F4OnFilesAnswer, FromFiles, ListedResult, OnFiles, OnFilesAnswer, ProductOnFiles,
    StoredF4Matrix, StoredMatrix, StoredResult, StoredRows,
};
pub use product::{Factors, PreparedProduct, Product, ProductPlan, multiply};
pub use question::{Carrying, Evidence, OnElimination};
pub use row_reduction::{RowReduction, Wanted};
pub(crate) use serve::serve;
pub use sparse::{
    KernelVectors, Sparse, SparseAnswer, SparseEvidence, SparseInput, SparseKernel, SparseOperation,
    SparseProof, SparseRank, SparseRankAnswer, Triangle,
};
pub use transposition::Transpose;
pub use verify::ProductCheck;

//! The special elimination of Boolean Groebner bases, of an [`F4Matrix`](super::F4Matrix).
//!
//! The columns are reversed, the reducers are pivots from the start, and the rows keep their order: a row is final once it is a pivot, and
//! later pivots never change it. The two-stage method first eliminates only the columns without a reducer, which determines the
//! new pivots. Several devices share both stages:
//!
//! ```text
//! narrow   each device reduces all rows to its blocks of the columns without a reducer
//! choose   they eliminate these blocks together: which rows become pivots, and their leads
//! widen    they eliminate the new pivots together, in blocks of all columns
//! ```
//!
//! Several processes deal out rows instead. Each eliminates its own rows and sends, of a block of 512 columns, those rows that it would
//! make pivots of if it were alone: no other row of it can become a pivot, since a row that is a sum of rows before it becomes one nowhere. All
//! processes factor the block from these rows, at most 512 of each process, and so find the same pivots.

mod across;
pub(super) mod among;
mod in_parts;
mod on_cpu;
mod on_gpu;
mod plan;
pub(super) mod rounds;
mod together;

pub use plan::{F4Plan, PreparedF4, eliminate, eliminate_async};

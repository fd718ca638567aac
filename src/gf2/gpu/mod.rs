//! Elimination over GF(2) on the GPU. Plans choose the method and the rows on the device at a time
//! (`parts`); nothing is decided here.
//!
//! A matrix is stored in tiles of 128 columns, with the rows of a tile one after the other. 256 columns are one block.
//!
//! ```text
//! for each block of 256 columns:
//!     panel    one workgroup finds the block's pivots: their rows, and how they reduce each other
//!     predict  compute the block's pivots in all tiles to the right
//!     update   add to every row the pivots that its bits in the block select, by tables of sums (four
//!              Russians), in all tiles to the right: first in those of the next block, so that its panel
//!              overlaps the rest
//! ```

mod across;
mod blocks;
mod buffers;
mod compiled;
mod dense;
mod excerpt;
mod f4;
mod f4_across;
mod f4_lists;
mod f4_traffic;
mod kernels;
mod many;
mod matrix;
mod parts;
mod prepare;
mod product;
mod rounds;
mod schedule;
mod shape;
mod stacks;
mod strassen;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_products;
mod two_stage;

#[cfg(not(target_arch = "wasm32"))]
pub use across::reduce as reduce_across;
pub(super) use across::{
    Part, across_bytes, across_message_bytes, across_messages, across_traffic, eliminate as eliminate_across,
};
pub(super) use dense::dense_bytes;
pub(super) use excerpt::{form_from, kernel};
pub(super) use f4::{Rows, ends_of, expect_all_new_pivots};
pub(super) use f4_across::{
    FilePart, choose_across, combine_across, eliminate_rows_across, file_message_bytes,
};
pub(super) use f4_lists::block_of;
pub(super) use f4_traffic::{choose_bytes, choose_traffic, file_messages, rows_across_bytes, rows_traffic};
pub use kernels::KERNELS;
pub(super) use many::{
    at_a_time as many_at_a_time, bytes as many_bytes, fits as many_fit, prepare as prepare_many,
    reduce as reduce_many,
};
pub use matrix::DeviceMatrix;
pub(super) use matrix::{most_columns, most_rows};
pub(super) use parts::{
    echelon, eliminate, expect_columns, expect_rows, f4_bytes, multiply, pivots, product_gain,
    product_traffic,
};
pub(super) use prepare::{prepare_echelon, prepare_f4, prepare_f4_across, prepare_product};
pub(super) use product::product_bytes;
pub use rounds::first_rounds;
pub(super) use rounds::{SOFTWARE_COLUMNS, reduce_rows};
pub(super) use two_stage::{missing_columns, new_pivot_rows};

pub use super::tiles::BLOCK;

//! Sums of blocks for Strassen's recursion.

use serde_json::json;

use crate::gf2::gpu::strassen::{LEFT, MOST_LEVELS, PRODUCT, RIGHT, Sums, side, sums_of};
use crate::gpu::{Variant, kernel};

kernel! {
    /// Adds up blocks of the first factor, for the first factors of all products.
    static STRASSEN_LEFT = "gf2/strassen_left" in "gf2/strassen.wgsl", |_| variants("left", &LEFT);
    StrassenStackBuffers { matrix: read array<u32>, stack: read_write array<u32> }
    StrassenParams {
        /// Rows of the matrix.
        rows,
        /// Vectors from tile to tile of the matrix.
        stride,
        /// The first tile of the matrix's part.
        part_tile,
        /// The tile after the part's last.
        end_tile,
        /// The matrix's row with which the first block's rows begin.
        first_row,
        /// Rows of a block.
        block_rows,
        /// Tiles of a block.
        block_tiles,
        /// Vectors from tile to tile of the stack. Not used for the second factor.
        stack_stride,
        /// The first tile of the stack's part, with which the places begin. Not used for the second factor.
        first_tile,
        /// 1 if sums are added to those that are there. Not used for the product.
        adds,
    }
}

kernel! {
    /// Adds up blocks of the second factor: 256 rows of the second factors of all products, at the places of an
    /// update's pivots.
    static STRASSEN_RIGHT = "gf2/strassen_right" in "gf2/strassen.wgsl", |_| variants("right", &RIGHT);
    StrassenStackBuffers
    StrassenParams
}

kernel! {
    /// Adds up the products, for all blocks of the product.
    static STRASSEN_PRODUCT = "gf2/strassen_product" in "gf2/strassen.wgsl", |_| variants("product", &PRODUCT);
    StrassenProductBuffers { stack: read array<u32>, matrix: read_write array<u32> }
    StrassenParams
}

/// Threads of a workgroup.
pub const WORKGROUP: usize = 256;

/// The variants of a kernel.
fn variants(form: &str, of_one: &Sums) -> Vec<Variant> {
    (1..=MOST_LEVELS).map(|levels| variant(form, of_one, levels)).collect()
}

/// The variant of a kernel that adds up the blocks that `of_one` lists for one level.
pub fn variant(form: &str, of_one: &Sums, levels: u32) -> Variant {
    let sums = sums_of(of_one, levels);
    let (side, products) = (side(levels), sums.len());
    let context = json!({ "form": form, "levels": levels, "side": side, "products": products, "sums": sums });
    Variant::new(WORKGROUP as u32, context)
}

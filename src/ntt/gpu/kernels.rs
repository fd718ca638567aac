//! The kernels of the fast transforms.

use super::specs::{bit_reverse, pointwise};
use super::variants;
use crate::gpu::{Binding, Kernel, params};

const WORDS: &str = "array<u32>";
const PAIRS: &str = "array<vec2<u32>>";
const VECTORS: &str = "array<vec4<u32>>";

params! {
    /// The parameters of every pass of a transform.
    pub(super) struct PassParams {
        /// log2 of the length of a vector.
        log_n,
        /// The index within its vector of the first word of the chunk.
        place,
        /// log2 of the words between the rows of a tile.
        log_stride,
        /// Words of the source; words past them read as zero.
        source_len,
        /// Words of the second source; words past them read as zero.
        second_len,
        /// Words of the target; words past them are not written.
        target_len,
        /// log2 of the length of the low table of the twiddles between passes.
        log_low_powers,
        /// log2 of the length of the low table of the weights.
        log_low_weights,
        /// The factor of every result, as a pair of [`Modulus::constant`](super::reduction::Modulus).
        scale,
        /// The second word of that pair.
        scale_quotient,
    }
}

params! {
    /// The parameters of [`ROWS_PRODUCT`].
    pub(super) struct RowsProductParams {
        /// Words of a vector; the second vector begins there.
        n,
    }
}

params! {
    /// The parameters of [`ROWS_PRODUCT_TO`].
    pub(super) struct RowsProductToParams {
        /// Coefficients of the first factor.
        left_len,
        /// Coefficients of the second factor.
        right_len,
        /// The factor of every result, as a pair of constants.
        scale,
        /// The second word of that pair.
        scale_quotient,
    }
}

params! {
    /// The parameters of [`HALVES`].
    pub(super) struct HalvesParams {
        /// Words of a chunk.
        len,
        /// The index of the first word of the left chunk within its half of the block.
        m,
        /// The level: blocks have n / 2^level words.
        level,
        /// The index within the vector of the first word of the left chunk.
        left_place,
        /// The index within the vector of the first word of the right chunk.
        right_place,
        /// log2 of the length of the low table of the twiddles.
        log_low_powers,
        /// log2 of the length of the low table of the weights.
        log_low_weights,
        /// The factor of every result, as a pair of constants.
        scale,
        /// The second word of that pair.
        scale_quotient,
    }
}

params! {
    /// The parameters of [`BIT_REVERSE`].
    pub(super) struct BitReverseParams {
        /// log2 of the length of a vector.
        log_n,
        /// Words of the target.
        len,
        /// The index within its vector of the first word of the source.
        source_place,
        /// The index within its vector of the first word of the target.
        target_place,
    }
}

params! {
    /// The parameters of [`POINTWISE`].
    pub(super) struct PointwiseParams {
        /// Words of either buffer.
        len,
    }
}

/// A pass along a stride, in place.
pub static COLUMNS: Kernel = Kernel {
    name: "ntt/columns",
    source: "ntt/columns.wgsl",
    bindings: &[
        Binding::read_write("data", WORDS),
        Binding::read("twiddles", PAIRS),
        Binding::read("pairs", PAIRS),
        Binding::read("powers", WORDS),
        Binding::read("weights", WORDS),
    ],
    params: PassParams::NAMES,
    variants: variants::columns_variants,
};

/// A pass along a stride from one buffer to another.
pub static COLUMNS_TO: Kernel = Kernel {
    name: "ntt/columns_to",
    source: "ntt/columns.wgsl",
    bindings: &[
        Binding::read("source", WORDS),
        Binding::read_write("data", WORDS),
        Binding::read("twiddles", PAIRS),
        Binding::read("pairs", PAIRS),
        Binding::read("powers", WORDS),
        Binding::read("weights", WORDS),
    ],
    params: PassParams::NAMES,
    variants: variants::columns_to_variants,
};

/// A pass along a stride from two vectors to one buffer that holds both.
pub static COLUMNS_PAIR: Kernel = Kernel {
    name: "ntt/columns_pair",
    source: "ntt/columns.wgsl",
    bindings: &[
        Binding::read("source", WORDS),
        Binding::read("second_source", WORDS),
        Binding::read_write("data", WORDS),
        Binding::read("twiddles", PAIRS),
        Binding::read("pairs", PAIRS),
        Binding::read("powers", WORDS),
        Binding::read("weights", WORDS),
    ],
    params: PassParams::NAMES,
    variants: variants::columns_pair_variants,
};

/// A pass over contiguous vectors, in place.
pub static ROWS: Kernel = Kernel {
    name: "ntt/rows",
    source: "ntt/rows.wgsl",
    bindings: &[
        Binding::read_write("data", WORDS),
        Binding::read("twiddles", PAIRS),
        Binding::read("weights", WORDS),
    ],
    params: PassParams::NAMES,
    variants: variants::rows_variants,
};

/// A pass over contiguous vectors in the middle of a plan, in place.
pub static ROWS_VECTORS: Kernel = Kernel {
    name: "ntt/rows_vectors",
    source: "ntt/rows_vectors.wgsl",
    bindings: &[Binding::read_write("data", VECTORS), Binding::read("twiddles", PAIRS)],
    params: &[],
    variants: variants::vectors_variants,
};

/// A whole short transform by several workgroups, from one buffer to another.
pub static ROWS_PARTS: Kernel = Kernel {
    name: "ntt/rows_parts",
    source: "ntt/rows_parts.wgsl",
    bindings: &[
        Binding::read("source", WORDS),
        Binding::read_write("data", WORDS),
        Binding::read("twiddles", PAIRS),
        Binding::read("pairs", PAIRS),
    ],
    params: &[],
    variants: variants::parts_variants,
};

/// The last pass to natural order, from one buffer to another.
pub static ROWS_TRANSPOSED: Kernel = Kernel {
    name: "ntt/rows_transposed",
    source: "ntt/rows_transposed.wgsl",
    bindings: &[
        Binding::read("source", WORDS),
        Binding::read_write("data", WORDS),
        Binding::read("twiddles", PAIRS),
        Binding::read("weights", WORDS),
    ],
    params: PassParams::NAMES,
    variants: variants::transposed_variants,
};

/// The middle of a product, in place of the first of the two vectors of one buffer.
pub static ROWS_PRODUCT: Kernel = Kernel {
    name: "ntt/rows_product",
    source: "ntt/rows_product.wgsl",
    bindings: &[Binding::read_write("data", WORDS), Binding::read("twiddles", PAIRS)],
    params: RowsProductParams::NAMES,
    variants: |arithmetic| variants::product_variants(arithmetic, false),
};

/// A whole short product.
pub static ROWS_PRODUCT_TO: Kernel = Kernel {
    name: "ntt/rows_product_to",
    source: "ntt/rows_product.wgsl",
    bindings: &[
        Binding::read("left", WORDS),
        Binding::read("right", WORDS),
        Binding::read_write("data", WORDS),
        Binding::read("twiddles", PAIRS),
        Binding::read("weights", WORDS),
    ],
    params: RowsProductToParams::NAMES,
    variants: |arithmetic| variants::product_variants(arithmetic, true),
};

/// A radix-2 stage between two bindings.
pub static HALVES: Kernel = Kernel {
    name: "ntt/halves",
    source: "ntt/halves.wgsl",
    bindings: &[
        Binding::read_write("left", WORDS),
        Binding::read_write("right", WORDS),
        Binding::read("powers", WORDS),
        Binding::read("weights", WORDS),
    ],
    params: HalvesParams::NAMES,
    variants: variants::halves_variants,
};

/// Reordering between natural and bit-reversed order, from one buffer to another.
pub static BIT_REVERSE: Kernel = Kernel {
    name: "ntt/bit_reverse",
    source: "ntt/bit_reverse.wgsl",
    bindings: &[Binding::read("source_words", WORDS), Binding::read_write("target_words", WORDS)],
    params: BitReverseParams::NAMES,
    variants: |_| vec![bit_reverse()],
};

/// Products of values at the same point.
pub static POINTWISE: Kernel = Kernel {
    name: "ntt/pointwise",
    source: "ntt/pointwise.wgsl",
    bindings: &[Binding::read_write("left", WORDS), Binding::read("right", WORDS)],
    params: PointwiseParams::NAMES,
    variants: |arithmetic| variants::samples(arithmetic, |modulus, out| out.push(pointwise(modulus))),
};

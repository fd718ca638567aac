//! The kernels of the fast transforms.

use super::specs::{bit_reverse, pointwise};
use super::variants::*;
use crate::gpu::{Kernel, buffers, params};

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
    /// The parameters of [`OUTER_RADIX2`].
    pub(super) struct OuterRadix2Params {
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
pub static COLUMNS: Kernel =
    Kernel::of::<ColumnsBuffers, PassParams>("ntt/columns", "ntt/columns.wgsl", columns_variants);

buffers! {
    /// The buffers of [`COLUMNS`] and of passes over a matrix.
    pub(super) struct ColumnsBuffers {
        data: read_write array<u32>,
        twiddles: read array<vec2<u32>>,
        pairs: read array<vec2<u32>>,
        powers: read array<u32>,
        weights: read array<u32>,
    }
}

/// A pass along a stride from one buffer to another.
pub static COLUMNS_TO: Kernel =
    Kernel::of::<ColumnsToBuffers, PassParams>("ntt/columns_to", "ntt/columns.wgsl", columns_to_variants);

buffers! {
    /// The buffers of [`COLUMNS_TO`] and of passes over a matrix.
    pub(super) struct ColumnsToBuffers {
        source: read array<u32>,
        data: read_write array<u32>,
        twiddles: read array<vec2<u32>>,
        pairs: read array<vec2<u32>>,
        powers: read array<u32>,
        weights: read array<u32>,
    }
}

/// A pass along a stride from two vectors to one buffer that holds both.
pub static COLUMNS_PAIR: Kernel = Kernel::of::<ColumnsPairBuffers, PassParams>(
    "ntt/columns_pair",
    "ntt/columns.wgsl",
    columns_pair_variants,
);

buffers! {
    /// The buffers of [`COLUMNS_PAIR`].
    pub(super) struct ColumnsPairBuffers {
        source: read array<u32>,
        second_source: read array<u32>,
        data: read_write array<u32>,
        twiddles: read array<vec2<u32>>,
        pairs: read array<vec2<u32>>,
        powers: read array<u32>,
        weights: read array<u32>,
    }
}

/// A pass over contiguous vectors, in place.
pub static ROWS: Kernel = Kernel::of::<RowsBuffers, PassParams>("ntt/rows", "ntt/rows.wgsl", rows_variants);

buffers! {
    /// The buffers of [`ROWS`].
    pub(super) struct RowsBuffers {
        data: read_write array<u32>,
        twiddles: read array<vec2<u32>>,
        weights: read array<u32>,
    }
}

/// A pass over contiguous vectors in the middle of a plan, in place.
pub static ROWS_VECTORS: Kernel =
    Kernel::of::<RowsVectorsBuffers, ()>("ntt/rows_vectors", "ntt/rows_vectors.wgsl", vectors_variants);

buffers! {
    /// The buffers of [`ROWS_VECTORS`].
    pub(super) struct RowsVectorsBuffers {
        data: read_write array<vec4<u32>>,
        twiddles: read array<vec2<u32>>,
    }
}

/// A whole short transform by several workgroups, from one buffer to another.
pub static ROWS_PARTS: Kernel =
    Kernel::of::<RowsPartsBuffers, ()>("ntt/rows_parts", "ntt/rows_parts.wgsl", parts_variants);

buffers! {
    /// The buffers of [`ROWS_PARTS`].
    pub(super) struct RowsPartsBuffers {
        source: read array<u32>,
        data: read_write array<u32>,
        twiddles: read array<vec2<u32>>,
        pairs: read array<vec2<u32>>,
    }
}

/// The last pass to natural order, from one buffer to another.
pub static ROWS_TRANSPOSED: Kernel = Kernel::of::<RowsTransposedBuffers, PassParams>(
    "ntt/rows_transposed",
    "ntt/rows_transposed.wgsl",
    transposed_variants,
);

buffers! {
    /// The buffers of [`ROWS_TRANSPOSED`].
    pub(super) struct RowsTransposedBuffers {
        source: read array<u32>,
        data: read_write array<u32>,
        twiddles: read array<vec2<u32>>,
        weights: read array<u32>,
    }
}

/// The middle of a product, in place of the first of the two vectors of one buffer.
pub static ROWS_PRODUCT: Kernel = Kernel::of::<RowsProductBuffers, RowsProductParams>(
    "ntt/rows_product",
    "ntt/rows_product.wgsl",
    |arithmetic| product_variants(arithmetic, false),
);

buffers! {
    /// The buffers of [`ROWS_PRODUCT`].
    pub(super) struct RowsProductBuffers {
        data: read_write array<u32>,
        twiddles: read array<vec2<u32>>,
    }
}

/// A whole short product.
pub static ROWS_PRODUCT_TO: Kernel = Kernel::of::<RowsProductToBuffers, RowsProductToParams>(
    "ntt/rows_product_to",
    "ntt/rows_product.wgsl",
    |arithmetic| product_variants(arithmetic, true),
);

buffers! {
    /// The buffers of [`ROWS_PRODUCT_TO`].
    pub(super) struct RowsProductToBuffers {
        left: read array<u32>,
        right: read array<u32>,
        data: read_write array<u32>,
        twiddles: read array<vec2<u32>>,
        weights: read array<u32>,
    }
}

/// A radix-2 stage between two bindings.
pub static OUTER_RADIX2: Kernel = Kernel::of::<OuterRadix2Buffers, OuterRadix2Params>(
    "ntt/outer_radix2",
    "ntt/outer_radix2.wgsl",
    outer_radix2_variants,
);

buffers! {
    /// The buffers of [`OUTER_RADIX2`].
    pub(super) struct OuterRadix2Buffers {
        left: read_write array<u32>,
        right: read_write array<u32>,
        powers: read array<u32>,
        weights: read array<u32>,
    }
}

/// Reordering between natural and bit-reversed order, from one buffer to another.
pub static BIT_REVERSE: Kernel =
    Kernel::of::<BitReverseBuffers, BitReverseParams>("ntt/bit_reverse", "ntt/bit_reverse.wgsl", |_| {
        vec![bit_reverse()]
    });

buffers! {
    /// The buffers of [`BIT_REVERSE`].
    pub(super) struct BitReverseBuffers {
        source_words: read array<u32>,
        target_words: read_write array<u32>,
    }
}

/// Products of values at the same point.
pub static POINTWISE: Kernel =
    Kernel::of::<PointwiseBuffers, PointwiseParams>("ntt/pointwise", "ntt/pointwise.wgsl", |arithmetic| {
        samples(arithmetic, |modulus, out| out.push(pointwise(modulus)))
    });

buffers! {
    /// The buffers of [`POINTWISE`].
    pub(super) struct PointwiseBuffers {
        left: read_write array<u32>,
        right: read array<u32>,
    }
}

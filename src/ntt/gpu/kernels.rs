//! The kernels of the fast transforms.

use super::specs::{bit_reverse, pointwise};
use super::variants;
use crate::gpu::{Binding, Kernel};

const WORDS: &str = "array<u32>";
const PAIRS: &str = "array<vec2<u32>>";
const VECTORS: &str = "array<vec4<u32>>";

/// The parameters of every pass of a transform.
pub(super) const PASS_PARAMS: &[&str] = &[
    "log_n",
    "place",
    "log_stride",
    "source_len",
    "second_len",
    "target_len",
    "log_low_powers",
    "log_low_weights",
    "scale",
    "scale_quotient",
];

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
    params: PASS_PARAMS,
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
    params: PASS_PARAMS,
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
    params: PASS_PARAMS,
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
    params: PASS_PARAMS,
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
    params: PASS_PARAMS,
    variants: variants::transposed_variants,
};

/// The middle of a product, in place of the first of the two vectors of one buffer.
pub static ROWS_PRODUCT: Kernel = Kernel {
    name: "ntt/rows_product",
    source: "ntt/rows_product.wgsl",
    bindings: &[Binding::read_write("data", WORDS), Binding::read("twiddles", PAIRS)],
    params: &["n"],
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
    params: &["left_len", "right_len", "scale", "scale_quotient"],
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
    params: &[
        "len",
        "m",
        "level",
        "left_place",
        "right_place",
        "log_low_powers",
        "log_low_weights",
        "scale",
        "scale_quotient",
    ],
    variants: variants::halves_variants,
};

/// Between natural and bit-reversed order, from one buffer to another.
pub static BIT_REVERSE: Kernel = Kernel {
    name: "ntt/bit_reverse",
    source: "ntt/bit_reverse.wgsl",
    bindings: &[Binding::read("source_words", WORDS), Binding::read_write("target_words", WORDS)],
    params: &["log_n", "len", "source_place", "target_place"],
    variants: |_| vec![bit_reverse()],
};

/// Products of values at the same point.
pub static POINTWISE: Kernel = Kernel {
    name: "ntt/pointwise",
    source: "ntt/pointwise.wgsl",
    bindings: &[Binding::read_write("left", WORDS), Binding::read("right", WORDS)],
    params: &["len"],
    variants: |arithmetic| variants::samples(arithmetic, |modulus, out| out.push(pointwise(modulus))),
};

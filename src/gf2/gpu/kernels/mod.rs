//! The declarations of the kernels of `shaders/gf2/`, each with its parameters.
//!
//! | file | kernels | used by |
//! |---|---|---|
//! | [`convert`] | rows to tiles and back | [`matrix`](super::matrix), [`f4_lists`](super::f4_lists) |
//! | [`panel`] | the pivots of a block | [`blocks`](super::blocks) |
//! | [`update`] | pivots added to rows | [`blocks`](super::blocks), [`product`](super::product) |
//! | [`strassen`] | sums of blocks | [`product`](super::product) |
//! | [`substitute`] | reducers, and rows reduced by them | [`f4_lists`](super::f4_lists), [`two_stage`](super::two_stage) |
//! | [`rows`] | one thread a row | [`rounds`](super::rounds) |
//! | [`many`] | one workgroup a matrix | [`many`](super::many) |

pub(super) mod convert;
pub(super) mod many;
pub(super) mod panel;
pub(super) mod rows;
pub(super) mod strassen;
pub(super) mod substitute;
pub(super) mod update;

/// The kernels of elimination and products.
pub static KERNELS: &[&crate::gpu::Kernel] = &[
    &update::UPDATE,
    &update::UPDATE_STACK,
    &update::UPDATE_NEXT,
    &update::UPDATE_NEXT_IN_ORDER,
    &panel::STATE,
    &update::PREDICT,
    &update::PREDICT_IN_ORDER,
    &substitute::ELIMINATORS,
    &panel::PANEL_FIRST,
    &panel::PANEL_FLAGGED,
    &panel::PANEL_REMAINDERS,
    &panel::PANEL_IN_ORDER,
    &convert::EXTRACT,
    &convert::PACK,
    &convert::UNPACK,
    &convert::EXPAND,
    &substitute::INVERSE,
    &substitute::UNITS,
    &substitute::ELSEWHERE,
    &substitute::SUBSTITUTE,
    &substitute::GATHER,
    &update::FACTORS,
    &strassen::STRASSEN_LEFT,
    &strassen::STRASSEN_RIGHT,
    &strassen::STRASSEN_PRODUCT,
    &rows::REDUCE_ROWS,
    &many::REDUCE_MANY,
];

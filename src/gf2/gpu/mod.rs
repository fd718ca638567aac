//! Elimination over GF(2) on the GPU.

mod blocks;
mod dense;
mod kernels;
mod matrix;

pub(super) use dense::echelon;
pub use kernels::{
    EXPAND, EXTRACT, INVERSE, PACK, PANEL_FIRST, PANEL_FLAGGED, PANEL_IN_ORDER, PREDICT, PREDICT_IN_ORDER,
    STATE, UNPACK, UPDATE,
};
pub use matrix::DeviceMatrix;

use crate::gpu::Kernel;

/// The kernels of this module.
pub static KERNELS: &[&Kernel] = &[
    &UPDATE,
    &STATE,
    &PREDICT,
    &PREDICT_IN_ORDER,
    &PANEL_FIRST,
    &PANEL_FLAGGED,
    &PANEL_IN_ORDER,
    &EXTRACT,
    &PACK,
    &UNPACK,
    &EXPAND,
    &INVERSE,
];

//! Elimination over GF(2) on the GPU.

mod blocks;
mod dense;
mod kernels;
mod matrix;
mod special;
mod system;

pub(super) use dense::echelon;
pub use kernels::{
    EXPAND, EXTRACT, INVERSE, PACK, PANEL_FIRST, PANEL_FLAGGED, PANEL_IN_ORDER, PREDICT, PREDICT_IN_ORDER,
    STATE, UNPACK, UPDATE,
};
pub use matrix::DeviceMatrix;

use super::{Elimination, Method, System};
use crate::gpu::{Gpu, Kernel};
use crate::{Error, Result};

/// The method that `method` stands for.
pub(super) fn resolve(_system: &System, method: Method) -> Method {
    if method == Method::Auto { Method::Blocked } else { method }
}

/// Eliminates a system.
pub(super) fn eliminate(gpu: &Gpu, system: &System, method: Method) -> Result<Elimination> {
    match resolve(system, method) {
        Method::Blocked => special::eliminate(gpu, system),
        method => Err(Error::Usage(format!("method {method} does not run on a GPU"))),
    }
}

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

//! The pivots of a block.

use super::{INFO, OUTCOME, SELECTIONS, SELECTIONS_READ, STATES};
use crate::gf2::gpu::shape::{Window, ordered, panel};
use crate::gpu::{Binding, Kernel, params};

const PREVIOUS: Binding = Binding::read("previous", "array<u32>");
const NEW_OUTCOME: Binding = Binding::read_write("outcome", "array<u32>");
const NEW_INFO: Binding = Binding::read_write("info", "array<u32>");
const NEW_STATES: Binding = Binding::read_write("states", "array<vec4<u32>>");
const REMAINDERS: Binding = Binding::read("remainders", "array<vec4<u32>>");
const FLAGS: Binding = Binding::read_write("flags", "array<u32>");

/// Reduces rows in a block's columns by the block's pivots, and flags those that are not zero there.
pub static STATE: Kernel = Kernel {
    name: "gf2/state",
    source: "gf2/state.wgsl",
    bindings: &[
        OUTCOME,
        INFO,
        STATES,
        SELECTIONS_READ,
        Binding::read_write("remainders", "array<vec4<u32>>"),
        Binding::read_write("flags", "array<atomic<u32>>"),
    ],
    params: StateParams::NAMES,
    variants: |_| [false, true].map(ordered).into(),
};

params! {
    /// The parameters of [`STATE`].
    pub struct StateParams {
        /// The block.
        block,
        /// The first row.
        first,
        /// The row after the last one.
        rows,
        /// Vectors from tile to tile.
        stride,
        /// 1 before a second attempt, which the outcome of the first one may make unnecessary.
        again,
    }
}

/// Finds pivots of a block among the first rows that are not pivots.
pub static PANEL_FIRST: Kernel = Kernel {
    name: "gf2/panel_first",
    source: "gf2/panel.wgsl",
    bindings: &[PREVIOUS, NEW_OUTCOME, NEW_INFO, NEW_STATES, SELECTIONS],
    params: PanelParams::NAMES,
    variants: |_| vec![panel(Window::First, false)],
};

/// Finds pivots of a block that has none yet, among flagged rows.
pub static PANEL_FLAGGED: Kernel = Kernel {
    name: "gf2/panel_flagged",
    source: "gf2/panel.wgsl",
    bindings: &[PREVIOUS, NEW_OUTCOME, NEW_INFO, NEW_STATES, SELECTIONS, FLAGS],
    params: PanelParams::NAMES,
    variants: |_| vec![panel(Window::Flagged, false)],
};

/// Finds further pivots of a block, among flagged rows reduced by the pivots that it has.
pub static PANEL_REMAINDERS: Kernel = Kernel {
    name: "gf2/panel_remainders",
    source: "gf2/panel.wgsl",
    bindings: &[PREVIOUS, NEW_OUTCOME, NEW_INFO, NEW_STATES, SELECTIONS, REMAINDERS, FLAGS],
    params: PanelParams::NAMES,
    variants: |_| vec![panel(Window::Remainders, false)],
};

/// Finds pivots of a block in file order: a column's pivot is the first row with a one there.
pub static PANEL_IN_ORDER: Kernel = Kernel {
    name: "gf2/panel_in_order",
    source: "gf2/panel.wgsl",
    bindings: &[
        PREVIOUS,
        NEW_OUTCOME,
        NEW_INFO,
        NEW_STATES,
        SELECTIONS,
        REMAINDERS,
        FLAGS,
        Binding::read_write("leads", "array<u32>"),
    ],
    params: PanelParams::NAMES,
    variants: |_| vec![panel(Window::Remainders, true)],
};

params! {
    /// The parameters of every panel.
    pub struct PanelParams {
        /// The block.
        block,
        /// Rows of the matrix.
        rows,
        /// Vectors from tile to tile.
        stride,
        /// The attempt: an `Attempt` of [`blocks`](super::super::blocks).
        attempt,
    }
}

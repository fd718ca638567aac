//! The pivots of a block.

use crate::gf2::gpu::shape::{Window, ordered, panel};
use crate::gpu::{Kernel, buffers, params};

/// Reduces rows in a block's columns by the block's pivots, and flags those that are not zero there.
pub static STATE: Kernel = Kernel {
    name: "gf2/state",
    source: "gf2/state.wgsl",
    bindings: StateBuffers::BINDINGS,
    params: StateParams::NAMES,
    variants: |_| [false, true].map(ordered).into(),
};

buffers! {
    /// The buffers of [`STATE`].
    pub struct StateBuffers {
        outcome: read array<u32>,
        info: read array<u32>,
        states: read array<vec4<u32>>,
        selections: read array<vec4<u32>>,
        remainders: read_write array<vec4<u32>>,
        flags: read_write array<atomic<u32>>,
    }
}

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
    bindings: PanelFirstBuffers::BINDINGS,
    params: PanelParams::NAMES,
    variants: |_| vec![panel(Window::First, false)],
};

buffers! {
    /// The buffers of [`PANEL_FIRST`].
    pub struct PanelFirstBuffers {
        previous: read array<u32>,
        outcome: read_write array<u32>,
        info: read_write array<u32>,
        states: read_write array<vec4<u32>>,
        selections: read_write array<vec4<u32>>,
    }
}

/// Finds pivots of a block that has none yet, among flagged rows.
pub static PANEL_FLAGGED: Kernel = Kernel {
    name: "gf2/panel_flagged",
    source: "gf2/panel.wgsl",
    bindings: PanelFlaggedBuffers::BINDINGS,
    params: PanelParams::NAMES,
    variants: |_| vec![panel(Window::Flagged, false)],
};

buffers! {
    /// The buffers of [`PANEL_FLAGGED`].
    pub struct PanelFlaggedBuffers {
        previous: read array<u32>,
        outcome: read_write array<u32>,
        info: read_write array<u32>,
        states: read_write array<vec4<u32>>,
        selections: read_write array<vec4<u32>>,
        flags: read_write array<u32>,
    }
}

/// Finds further pivots of a block, among flagged rows reduced by the pivots that it has.
pub static PANEL_REMAINDERS: Kernel = Kernel {
    name: "gf2/panel_remainders",
    source: "gf2/panel.wgsl",
    bindings: PanelRemaindersBuffers::BINDINGS,
    params: PanelParams::NAMES,
    variants: |_| vec![panel(Window::Remainders, false)],
};

buffers! {
    /// The buffers of [`PANEL_REMAINDERS`].
    pub struct PanelRemaindersBuffers {
        previous: read array<u32>,
        outcome: read_write array<u32>,
        info: read_write array<u32>,
        states: read_write array<vec4<u32>>,
        selections: read_write array<vec4<u32>>,
        remainders: read array<vec4<u32>>,
        flags: read_write array<u32>,
    }
}

/// Finds pivots of a block in file order: a column's pivot is the first row with a one there.
pub static PANEL_IN_ORDER: Kernel = Kernel {
    name: "gf2/panel_in_order",
    source: "gf2/panel.wgsl",
    bindings: PanelInOrderBuffers::BINDINGS,
    params: PanelParams::NAMES,
    variants: |_| vec![panel(Window::Remainders, true)],
};

buffers! {
    /// The buffers of [`PANEL_IN_ORDER`].
    pub struct PanelInOrderBuffers {
        previous: read array<u32>,
        outcome: read_write array<u32>,
        info: read_write array<u32>,
        states: read_write array<vec4<u32>>,
        selections: read_write array<vec4<u32>>,
        remainders: read array<vec4<u32>>,
        flags: read_write array<u32>,
        leads: read_write array<u32>,
    }
}

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

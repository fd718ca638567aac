//! The pivots of a block.

use crate::gf2::gpu::shape::{Window, ordered, panel};
use crate::gpu::kernel;

kernel! {
    /// Reduces rows in a block's columns by the block's pivots, and flags those that are not zero there.
    static STATE = "gf2/state", |_| [false, true].map(ordered).into();
    StateBuffers {
        outcome: read array<u32>,
        info: read array<u32>,
        states: read array<vec4<u32>>,
        selections: read array<vec4<u32>>,
        remainders: read_write array<vec4<u32>>,
        flags: read_write array<atomic<u32>>,
    }
    StateParams {
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

kernel! {
    /// Finds pivots of a block among the first rows that are not pivots.
    static PANEL_FIRST = "gf2/panel_first" in "gf2/panel.wgsl", |_| vec![panel(Window::First, false)];
    PanelFirstBuffers {
        previous: read array<u32>,
        outcome: read_write array<u32>,
        info: read_write array<u32>,
        states: read_write array<vec4<u32>>,
        selections: read_write array<vec4<u32>>,
    }
    PanelParams {
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

kernel! {
    /// Finds pivots of a block that has none yet, among flagged rows.
    static PANEL_FLAGGED = "gf2/panel_flagged" in "gf2/panel.wgsl", |_| vec![panel(Window::Flagged, false)];
    PanelFlaggedBuffers {
        previous: read array<u32>,
        outcome: read_write array<u32>,
        info: read_write array<u32>,
        states: read_write array<vec4<u32>>,
        selections: read_write array<vec4<u32>>,
        flags: read_write array<u32>,
    }
    PanelParams
}

kernel! {
    /// Finds further pivots of a block, among flagged rows reduced by the pivots that it has.
    static PANEL_REMAINDERS = "gf2/panel_remainders" in "gf2/panel.wgsl", |_| vec![panel(Window::Remainders, false)];
    PanelRemaindersBuffers {
        previous: read array<u32>,
        outcome: read_write array<u32>,
        info: read_write array<u32>,
        states: read_write array<vec4<u32>>,
        selections: read_write array<vec4<u32>>,
        remainders: read array<vec4<u32>>,
        flags: read_write array<u32>,
    }
    PanelParams
}

kernel! {
    /// Finds pivots of a block in file order: a column's pivot is the first row with a one there.
    static PANEL_IN_ORDER = "gf2/panel_in_order" in "gf2/panel.wgsl", |_| vec![panel(Window::Remainders, true)];
    PanelInOrderBuffers {
        previous: read array<u32>,
        outcome: read_write array<u32>,
        info: read_write array<u32>,
        states: read_write array<vec4<u32>>,
        selections: read_write array<vec4<u32>>,
        remainders: read array<vec4<u32>>,
        flags: read_write array<u32>,
        leads: read_write array<u32>,
    }
    PanelParams
}

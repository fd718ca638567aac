//! Sizes shared by kernels and host, and the variants in which the kernels are built.

use serde::Serialize;
use serde_json::json;

pub use crate::gf2::tiles::{BLOCK, TILE};
use crate::gpu::{Gpu, Variant};

/// Words of `info` per block; see `shaders/gf2/info.wgsl`.
pub const INFO: usize = 272;
/// Words of a panel's outcome; see `shaders/gf2/outcome.wgsl`.
pub const OUTCOME_LEN: usize = 4 + 8 * BLOCK;
/// The number of ones of a row that one thread of *expand*, or one dispatch of *gather*, processes.
pub const ONES_A_THREAD: usize = 2048;

/// The rows among which a panel seeks pivots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Window {
    /// The first rows that are not pivots.
    First,
    /// The first flagged rows, in a block without pivots.
    Flagged,
    /// The first flagged rows, reduced by the block's pivots.
    Remainders,
}

impl Window {
    /// The maximum number of rows of the window. With 320 random rows, 64 more than columns, some column lacks a
    /// pivot with a chance of 2^-64.
    pub const fn rows(self) -> usize {
        match self {
            Window::First => 320,
            Window::Flagged | Window::Remainders => 512,
        }
    }
}

/// The number of workgroups that keep a large GPU busy.
const BUSY: usize = 512;

/// The shape of an update: the number of sums that it keeps in workgroup memory, and how it makes them.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The number of tables at a time, each of 256 sums, 4 KiB.
    tables: u32,
    /// Threads of a workgroup.
    pub workgroup: u32,
    /// True if a tile's reduced pivots, 4 KiB, are copied to workgroup memory too, and the tables are
    /// made word by word. For Vulkan only: WGSL allows a write to one word of a vector to touch the
    /// whole vector, and on Metal and Direct3D it does.
    staged: bool,
}

impl Shape {
    pub const STAGED: Shape = Shape { tables: 8, workgroup: 512, staged: true };
    pub const WIDE: Shape = Shape { staged: false, ..Shape::STAGED };
    /// A shape within WebGPU's default limits.
    pub const PORTABLE: Shape = Shape { tables: 4, workgroup: 256, staged: false };

    /// Bytes of workgroup memory.
    fn storage(self) -> u32 {
        4096 * (self.tables + u32::from(self.staged))
    }

    /// The fastest shape that the device's limits allow.
    pub fn of(gpu: &Gpu) -> Self {
        let limits = gpu.limits();
        let is_vulkan = gpu.adapter().backend == wgpu::Backend::Vulkan.to_str();
        let fits = |shape: &Shape| {
            shape.storage() <= limits.max_compute_workgroup_storage_size && (is_vulkan || !shape.staged)
        };
        match [Shape::STAGED, Shape::WIDE].into_iter().find(fits) {
            None => Shape::PORTABLE,
            Some(shape) => {
                let threads =
                    limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
                Shape { workgroup: if threads >= 512 { 512 } else { 256 }, ..shape }
            }
        }
    }

    /// The maximum number of rows of a workgroup: with more, a thread of 512 has too few registers.
    pub const MOST_ROWS: u32 = 2048;

    /// The rows per thread: the most that leave enough workgroups for a large GPU.
    pub fn rows_a_thread(self, rows: usize, tiles: usize) -> u32 {
        let groups = |rows_a_thread: u32| tiles * rows.div_ceil((self.workgroup * rows_a_thread) as usize);
        let most = Shape::MOST_ROWS / self.workgroup;
        [8, 4, 2].into_iter().find(|&rows| rows <= most && groups(rows) >= BUSY).unwrap_or(1)
    }

    /// The number of tiles that a workgroup updates one after the other, reading its rows' selections
    /// once, and the number of workgroups for `rows` rows of `tiles` tiles at `rows_a_group` rows each.
    pub fn span_and_groups(tiles: u32, rows: u32, rows_a_group: u32) -> (u32, u32) {
        let row_groups = rows.div_ceil(rows_a_group);
        let span = Self::span(tiles, row_groups);
        (span, tiles.div_ceil(span) * row_groups)
    }

    fn span(tiles: u32, row_groups: u32) -> u32 {
        let groups = |span: u32| (tiles.div_ceil(span) * row_groups) as usize;
        [8, 4, 2].into_iter().find(|&span| groups(span) >= BUSY).unwrap_or(1)
    }

    /// The variant of an update with `rows` rows per thread.
    pub fn variant(self, rows: u32, in_order: bool) -> Variant {
        self.variant_of(rows, in_order, false)
    }

    /// The variant of an update of a stack of products.
    pub fn stack_variant(self, rows: u32) -> Variant {
        self.variant_of(rows, true, true)
    }

    fn variant_of(self, rows: u32, in_order: bool, stack: bool) -> Variant {
        let low_bits = (self.workgroup / if self.staged { 4 * self.tables } else { self.tables }).ilog2();
        let step =
            |i: u32| json!({ "bit": low_bits + i.trailing_zeros(), "high": (i ^ (i >> 1)) << low_bits });
        let context = json!({
            "tables": self.tables,
            "log_tables": self.tables.ilog2(),
            "phases": 32 / self.tables,
            "staged": self.staged,
            "rows": rows,
            "in_order": in_order,
            "stack": stack,
            "low_bits": low_bits,
            "gray": (1..1 << (8 - low_bits)).map(step).collect::<Vec<_>>(),
        });
        Variant::new(self.workgroup, context)
    }
}

/// The variant of a kernel that differs if rows keep their places.
pub fn ordered(in_order: bool) -> Variant {
    Variant::new(256, json!({ "in_order": in_order }))
}

/// The variant of a panel.
pub fn panel(window: Window, in_order: bool) -> Variant {
    Variant::new(256, json!({ "window": window, "window_rows": window.rows(), "in_order": in_order }))
}

/// The variant of a kernel whose threads process `share` ones of a row each.
pub fn shared(share: usize) -> Variant {
    Variant::new(64, json!({ "share": share }))
}

/// The variant of a kernel that may reverse the columns.
pub fn reversed(reversed: bool) -> Variant {
    Variant::new(256, json!({ "reversed": reversed }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time of an update depends on the sums looked up for each vector that it changes, and on
    /// the number of vectors that share the tables of a workgroup.
    #[test]
    fn updates_look_up_as_often_as_they_did() {
        let tables = BLOCK as u32 / 8;
        assert_eq!(tables, 32);
        for (n, staged, portable) in [(8192, 2, 4), (16_384, 4, 8), (32_768, 4, 8), (65_536, 4, 8)] {
            for (shape, rows) in [(Shape::STAGED, staged), (Shape::PORTABLE, portable)] {
                assert_eq!(shape.rows_a_thread(n, n / TILE), rows, "{n} {shape:?}");
                // Making a sum takes one addition.
                let (made, looked_up) = (256 * tables, shape.workgroup * rows * tables);
                assert!(4 * made <= looked_up, "{n} {shape:?}");
            }
        }
        // Selections are read once for `span` tiles.
        for (tiles, row_groups, span) in [(126, 8, 1), (190, 12, 4), (510, 32, 8)] {
            assert_eq!(Shape::span(tiles, row_groups), span);
        }
    }
}

//! The shapes in which the kernels are built.

use serde::Serialize;

use crate::gpu::{Gpu, Variant};

/// Rows among which a panel seeks pivots, of those flagged.
const WINDOW: usize = 512;
/// Rows among which a panel seeks pivots, of the first: 64 random ones more than columns lack a
/// pivot in one of 2^64 cases.
pub(super) const FIRST_WINDOW: usize = 320;

/// How the kernels with tables of sums are built.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Tables of 256 sums at a time, 4 KiB each.
    tables: u32,
    pub workgroup: u32,
}

impl Shape {
    pub const WIDE: Shape = Shape { tables: 8, workgroup: 512 };
    /// Within WebGPU's default limits.
    pub const PORTABLE: Shape = Shape { tables: 4, workgroup: 256 };

    /// The fastest shape that the device's limits allow.
    pub fn of(gpu: &Gpu) -> Self {
        let limits = gpu.limits();
        if limits.max_compute_workgroup_storage_size < 4096 * Shape::WIDE.tables {
            return Shape::PORTABLE;
        }
        let threads = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
        Shape { workgroup: if threads >= 512 { 512 } else { 256 }, ..Shape::WIDE }
    }

    /// Rows a thread, so that a matrix of `rows` rows and `tiles` tiles keeps a large GPU busy.
    pub fn rows_a_thread(self, rows: usize, tiles: usize) -> u32 {
        let groups = |rows_a_thread: u32| tiles * rows.div_ceil((self.workgroup * rows_a_thread) as usize);
        [8, 4, 2].into_iter().find(|&rows| groups(rows) >= 512).unwrap_or(1)
    }

    pub fn variant(self, rows: u32, in_order: bool) -> Variant {
        #[derive(Serialize)]
        struct Context {
            tables: u32,
            rows: u32,
            in_order: bool,
            low_bits: u32,
            gray: Vec<Step>,
        }
        #[derive(Serialize)]
        struct Step {
            bit: u32,
            high: u32,
        }
        let low_bits = (self.workgroup / self.tables).ilog2();
        let steps = (1u32..1 << (8 - low_bits))
            .map(|i| Step { bit: low_bits + i.trailing_zeros(), high: (i ^ (i >> 1)) << low_bits });
        let gray = steps.collect();
        Variant::new(self.workgroup, Context { tables: self.tables, rows, in_order, low_bits, gray })
    }
}

pub(super) fn ordered(in_order: bool) -> Variant {
    Variant::new(256, serde_json::json!({ "in_order": in_order }))
}

pub(super) fn panel(window: &str, in_order: bool) -> Variant {
    let rows = if window == "first" { FIRST_WINDOW } else { WINDOW };
    Variant::new(256, serde_json::json!({ "window": window, "window_rows": rows, "in_order": in_order }))
}

/// A kernel whose threads do so many ones of a row.
pub(super) fn shared(share: usize) -> Variant {
    Variant::new(64, serde_json::json!({ "share": share }))
}

pub(super) fn reversed(reversed: bool) -> Variant {
    Variant::new(256, serde_json::json!({ "reversed": reversed }))
}

#[cfg(test)]
mod tests {
    use super::super::kernels::{BLOCK, TILE};
    use super::*;

    /// What decides the time of an update: sums looked up for each vector that it changes, and how
    /// many vectors share the tables of sums that a workgroup makes.
    #[test]
    fn updates_look_up_as_often_as_they_did() {
        let tables = BLOCK as u32 / 8;
        assert_eq!(tables, 32);
        for (n, wide, portable) in [(8192, 2, 4), (16_384, 8, 8), (32_768, 8, 8), (65_536, 8, 8)] {
            for (shape, rows) in [(Shape::WIDE, wide), (Shape::PORTABLE, portable)] {
                assert_eq!(shape.rows_a_thread(n, n / TILE), rows, "{n} {shape:?}");
                // A sum takes an addition to make.
                let (made, looked_up) = (256 * tables, shape.workgroup * rows * tables);
                assert!(4 * made <= looked_up, "{n} {shape:?}");
            }
        }
    }
}

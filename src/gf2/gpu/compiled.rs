//! The pipelines of a blocked elimination.

use std::sync::Arc;

use super::kernels::convert::EXTRACT;
use super::kernels::panel::{PANEL_FIRST, PANEL_FLAGGED, PANEL_IN_ORDER, PANEL_REMAINDERS, STATE};
use super::kernels::substitute::{ELIMINATORS, INVERSE};
use super::kernels::update::{PREDICT, PREDICT_IN_ORDER, UPDATE, UPDATE_NEXT, UPDATE_NEXT_IN_ORDER};
use super::shape::{Shape, Window, ordered, panel};
use crate::Result;
use crate::gpu::{Gpu, Kernel, Pipeline, Variant};

/// A kernel and the variant in which it is built.
pub type Build = (&'static Kernel, Variant);

/// The pipelines of a blocked elimination.
pub struct Compiled {
    pub update: Arc<Pipeline>,
    /// Rows per workgroup of an update.
    pub rows_a_group: u32,
    pub update_next: Arc<Pipeline>,
    pub state: Arc<Pipeline>,
    pub extract: Arc<Pipeline>,
    pub predict: Arc<Pipeline>,
    /// The panels by window. If rows keep their places, they are the same.
    pub panels: [Arc<Pipeline>; 3],
    /// The reducers as rows, if rows keep their places.
    pub to_rows: Option<Arc<Pipeline>>,
}

impl Compiled {
    /// Compiles the pipelines for a matrix of `rows` rows and `tiles` tiles, in file order or with pivot
    /// rows first.
    pub fn new(gpu: &Gpu, rows: usize, tiles: usize, in_order: bool) -> Result<Self> {
        let builds = builds(gpu, rows, tiles, in_order);
        let pipelines = gpu.pipelines(builds.each_ref().map(|(kernel, variant)| (*kernel, variant)))?;
        let [update, state, extract, predict, update_next, a, b, c] = pipelines;
        let (panels, to_rows) = match in_order {
            false => ([a, b, c], None),
            true => ([b.clone(), b.clone(), b], Some(a)),
        };
        let shape = Shape::of(gpu);
        let rows_a_group = shape.workgroup * shape.rows_a_thread(rows, tiles);
        Ok(Compiled { update, rows_a_group, update_next, state, extract, predict, panels, to_rows })
    }
}

/// The kernels of [`Compiled::new`] with the same arguments.
pub fn builds(gpu: &Gpu, rows: usize, tiles: usize, in_order: bool) -> [Build; 8] {
    let shape = Shape::of(gpu);
    let (plain, ordered) = (Variant::plain(256), ordered(in_order));
    let (predict, update_next, [a, b, c]): (_, _, [Build; 3]) = match in_order {
        false => {
            let first = (&PANEL_FIRST, panel(Window::First, false));
            let flagged = (&PANEL_FLAGGED, panel(Window::Flagged, false));
            let remainders = (&PANEL_REMAINDERS, panel(Window::Remainders, false));
            (&PREDICT, &UPDATE_NEXT, [first, flagged, remainders])
        }
        true => {
            let panel = (&PANEL_IN_ORDER, panel(Window::Remainders, true));
            // The reducers invert themselves, and then find their kernel compiled.
            let own = [(&ELIMINATORS, plain.clone()), panel, (&INVERSE, plain.clone())];
            (&PREDICT_IN_ORDER, &UPDATE_NEXT_IN_ORDER, own)
        }
    };
    let update = (&UPDATE, shape.variant(shape.rows_a_thread(rows, tiles), in_order));
    let (state, extract) = ((&STATE, ordered.clone()), (&EXTRACT, plain));
    [update, state, extract, (predict, ordered.clone()), (update_next, ordered), a, b, c]
}

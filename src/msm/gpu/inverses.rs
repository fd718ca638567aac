//! Inverses of many field elements, at a few multiplications each.

use serde::Serialize;

use super::formulas::WORKGROUP;
use crate::curve::{Curve, CurveName};
use crate::field::{BigField, Formula, Turn};
use crate::gpu::{Arithmetic, Kernel, Variant, buffers, params};
use crate::with_curve;

/// Replaces elements by their inverses.
pub static INVERSES: Kernel = Kernel {
    name: "msm/inverses",
    source: "msm/inverses.wgsl",
    bindings: InversesBuffers::BINDINGS,
    params: InversesParams::NAMES,
    variants,
};

buffers! {
    /// The buffers of [`INVERSES`].
    pub(super) struct InversesBuffers {
        elements: read_write array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`INVERSES`].
    pub(super) struct InversesParams {
        /// Threads, each with a share of the elements.
        threads,
        /// Elements.
        len,
    }
}

/// The number of elements that share one inversion in [`INVERSES`].
pub(super) const SHARED_INVERSIONS: u32 = 8;

#[derive(Serialize)]
struct FieldContext {
    field: BigField,
    registers: u32,
    turns: Vec<Turn>,
    /// Elements that share an inversion.
    share: u32,
    division_steps: usize,
}

/// The variant of kernels that need a field and possibly a formula.
pub(super) fn field_variant(field: &BigField, formula: Option<&Formula>) -> Variant {
    let registers = formula.map_or(0, |formula| formula.registers);
    let turns = formula.map(|formula| Turn::of(formula, field)).unwrap_or_default();
    let (share, division_steps) = (SHARED_INVERSIONS, field.division_steps());
    Variant::new(WORKGROUP, FieldContext { field: field.clone(), registers, turns, share, division_steps })
}

fn variants(_: Arithmetic) -> Vec<Variant> {
    fn of<C: Curve>() -> Variant {
        field_variant(&BigField::of::<C::BaseField>(), None)
    }
    CurveName::all().map(|name| with_curve!(name, C => of::<C>())).collect()
}

//! Inverses of many field elements, at a few multiplications each.

use serde_json::json;

use super::formulas::{WORKGROUP, fitting};
use crate::curve::CurveName;
use crate::field::{BigField, Formula, Turn};
use crate::gpu::{Arithmetic, Variant, kernel};

kernel! {
    /// Replaces elements by their inverses.
    static INVERSES = "msm/inverses",
        |arithmetic| CurveName::all().map(|name| inverses_variant(&name.base_field(), arithmetic)).collect();
    InversesBuffers { elements: read_write array<vec4<u32>> }
    InversesParams {
        /// Threads, each with a share of the elements.
        threads,
        /// Elements.
        len,
    }
}

/// The number of elements that share one inversion in [`INVERSES`].
pub(super) const SHARED_INVERSIONS: u32 = 8;

/// The variant of [`INVERSES`]. If registers are few, workgroup memory has the elements that share an inversion.
pub(super) fn inverses_variant(field: &BigField, arithmetic: Arithmetic) -> Variant {
    let mut variant = field_variant(field, None);
    if arithmetic.few_registers {
        variant.workgroup = fitting(WORKGROUP, field, field.degree * SHARED_INVERSIONS as usize);
    }
    variant
}

/// The variant of kernels that need a field and possibly a formula.
pub(super) fn field_variant(field: &BigField, formula: Option<&Formula>) -> Variant {
    let registers = formula.map_or(0, |formula| formula.registers);
    let turns = formula.map(|formula| Turn::of(formula, field)).unwrap_or_default();
    let context = json!({
        "field": field,
        "registers": registers,
        "turns": turns,
        // Elements that share an inversion.
        "share": SHARED_INVERSIONS,
        "division_steps": field.division_steps(),
    });
    Variant::new(WORKGROUP, context)
}

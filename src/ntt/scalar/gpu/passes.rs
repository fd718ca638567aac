//! The kernels of passes, and their variants.

use serde::Serialize;

use super::kernels::field_of;
use super::modulus_limbs::{PassField, SUMS_COVER};
use super::plan::{Shape, Way};
use super::sums;
use crate::curve::scalar_fields;
use crate::field::BigField;
use crate::gpu::{Kernel, Variant, buffers, params};
use crate::scalars::Scalar;

params! {
    /// The parameters of a pass.
    pub(super) struct PassParams {
        /// log2 of the length of a vector.
        log_n,
        /// Scalars of the chunk.
        len,
        /// log2 of the rows of a tile; the shape's, as a parameter so that loops stay loops.
        log_rows,
        /// The binary digit of an index at which that of the row begins.
        row_digit,
        /// The binary digit of an index at which the upper one of row and column begins.
        upper_digit,
        /// Entries of the table.
        factors,
        /// The first entry of the weights.
        weights_at,
        /// log2 of the length of the low part of these.
        log_low_weights,
    }
}

/// One pass, in place.
pub(super) static PASS: Kernel =
    Kernel::of::<PassBuffers, PassParams>("ntt/scalar/pass", "ntt/scalar/pass.wgsl", |_| {
        examples(Way::Stages, false)
    });

buffers! {
    /// The buffers of [`PASS`].
    pub(super) struct PassBuffers {
        target_scalars: read_write array<vec4<u32>>,
        tables: read array<vec4<u32>>,
        second_tables: read array<vec4<u32>>,
        third_tables: read array<vec4<u32>>,
    }
}

/// One pass, from one vector to another.
pub(super) static PASS_TO: Kernel =
    Kernel::of::<PassToBuffers, PassParams>("ntt/scalar/pass_to", "ntt/scalar/pass.wgsl", |_| {
        examples(Way::Stages, true)
    });

buffers! {
    /// The buffers of [`PASS_TO`] and [`SUMS`].
    pub(super) struct PassToBuffers {
        source_scalars: read array<vec4<u32>>,
        target_scalars: read_write array<vec4<u32>>,
        tables: read array<vec4<u32>>,
        second_tables: read array<vec4<u32>>,
        third_tables: read array<vec4<u32>>,
    }
}

params! {
    /// The parameters of a pass by sums.
    pub(super) struct SumsParams {
        /// log2 of the length of a vector.
        log_n,
        /// Scalars of the chunk.
        len,
        /// The binary digit of an index at which that of the row begins.
        row_digit,
        /// Entries of the table.
        factors,
        /// The first entry of the first step.
        first_at,
        /// The first entry of the second step.
        second_at,
        /// The first entry of the weights.
        weights_at,
        /// log2 of the length of the low part of these.
        log_low_weights,
    }
}

/// One pass by sums of products, from one vector to another.
pub(super) static SUMS: Kernel =
    Kernel::of::<PassToBuffers, SumsParams>("ntt/scalar/sums", "ntt/scalar/sums.wgsl", |_| {
        examples(Way::Sums, true)
    });

#[derive(Serialize)]
struct PassContext<'a> {
    #[serde(flatten)]
    field: PassField,
    sums_cover_multiple: u32,
    #[serde(flatten)]
    shape: &'a Shape,
    /// log2 of the products of a sum in the two steps of a pass by sums.
    log_first: u32,
    log_second: u32,
    /// log2 of the scalars that a workgroup computes.
    log_outputs: u32,
}

/// The variant of [`PASS`], [`PASS_TO`] or [`SUMS`] for a shape.
pub(super) fn pass<F: Scalar>(shape: &Shape) -> Variant {
    pass_of(BigField::of::<F>(), shape)
}

fn pass_of(field: BigField, shape: &Shape) -> Variant {
    let [log_first, log_second] = sums::log_radices(shape.log_rows);
    let context = PassContext {
        field: PassField::new(field),
        sums_cover_multiple: SUMS_COVER,
        shape,
        log_first,
        log_second,
        log_outputs: shape.log_outputs(),
    };
    Variant::new(shape.threads(), context)
}

/// The variants of passes that tests translate: every choice of a shape with one field, and one shape with
/// the other fields.
fn examples(way: Way, out_of_place: bool) -> Vec<Variant> {
    let is_one = |shape: &Shape| shape.way == way && shape.out_of_place == out_of_place;
    let shapes: Vec<_> = Shape::examples().into_iter().filter(is_one).collect();
    let mut variants = Vec::new();
    for (i, name) in scalar_fields().into_iter().enumerate() {
        let count = if i == 0 { shapes.len() } else { 1 };
        variants.extend(shapes.iter().take(count).map(|shape| pass_of(field_of(name).field, shape)));
    }
    variants
}

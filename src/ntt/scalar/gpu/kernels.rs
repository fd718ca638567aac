//! The kernels that handle the scalars of vectors one by one, and their variants.

use serde::Serialize;
use serde_json::json;

use crate::curve::{CurveName, scalar_fields};
use crate::field::BigField;
use crate::gpu::{Kernel, Variant, buffers, params};
use crate::scalars::{SCALAR_WORDS, Scalar, words};
use crate::with_curve;

/// Invocations of a workgroup of the kernels that handle scalars one by one.
pub(super) const FLAT: u32 = 64;
/// Scalars that share an inversion.
pub(super) const SHARED_INVERSIONS: usize = 64;

params! {
    /// The parameters of [`REVERSE`].
    pub(super) struct ReverseParams {
        /// log2 of the length of a vector.
        log_n,
        /// Scalars of the chunk.
        len,
    }
}

/// Brings vectors into the other order.
pub(super) static REVERSE: Kernel =
    Kernel::of::<ReverseBuffers, ReverseParams>("ntt/scalar/reverse", "ntt/scalar/reverse.wgsl", |_| {
        vec![Variant::plain(FLAT)]
    });

buffers! {
    /// The buffers of [`REVERSE`].
    pub(super) struct ReverseBuffers {
        source_scalars: read array<vec4<u32>>,
        target_scalars: read_write array<vec4<u32>>,
    }
}

/// An operation on the scalars of two vectors at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::ntt::scalar) enum Operation {
    Add,
    Subtract,
    Multiply,
}

params! {
    /// The parameters of [`COMBINE`].
    pub(super) struct CombineParams {
        /// Scalars of the chunk.
        len,
    }
}

/// Sums, differences or products of the scalars of two vectors.
pub(super) static COMBINE: Kernel =
    Kernel::of::<CombineBuffers, CombineParams>("ntt/scalar/combine", "ntt/scalar/combine.wgsl", |_| {
        let operations = [Operation::Add, Operation::Subtract, Operation::Multiply];
        each_field(|field| operations.map(|operation| combine(field, operation)).to_vec())
    });

buffers! {
    /// The buffers of [`COMBINE`].
    pub(super) struct CombineBuffers {
        target_scalars: read_write array<vec4<u32>>,
        other_scalars: read array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`SCALE`].
    pub(super) struct ScaleParams {
        /// Scalars of the chunk.
        len,
        /// The index of the first of them.
        first,
        /// Digits of an index below those that choose the first factor.
        shift,
        /// The digits that choose the first factor.
        mask,
        /// Digits of an index below those that choose the second factor.
        second_shift,
        /// Entries of the table before those of the second factor.
        second_at,
    }
}

/// Multiplies scalars by one or two entries of tables.
pub(super) static SCALE: Kernel =
    Kernel::of::<ScaleBuffers, ScaleParams>("ntt/scalar/scale", "ntt/scalar/scale.wgsl", |_| {
        each_field(|field| [1, 2].map(|factors| scale(field, factors)).to_vec())
    });

buffers! {
    /// The buffers of [`SCALE`].
    pub(super) struct ScaleBuffers {
        target_scalars: read_write array<vec4<u32>>,
        tables: read array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`INVERT`].
    pub(super) struct InvertParams {
        /// Scalars of the chunk.
        len,
        /// Threads, each with a share of the scalars.
        threads,
    }
}

/// Replaces scalars by their inverses.
pub(super) static INVERT: Kernel =
    Kernel::of::<InvertBuffers, InvertParams>("ntt/scalar/invert", "ntt/scalar/invert.wgsl", |_| {
        each_field(|field| vec![invert(field)])
    });

buffers! {
    /// The buffers of [`INVERT`].
    pub(super) struct InvertBuffers {
        target_scalars: read_write array<vec4<u32>>,
        products: read_write array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`SPARSE`].
    pub(super) struct SparseParams {
        /// Rows of the dispatch.
        rows,
    }
}

/// Multiplies rows of a sparse matrix by a vector.
pub(super) static SPARSE: Kernel =
    Kernel::of::<SparseBuffers, SparseParams>("ntt/scalar/sparse", "ntt/scalar/sparse.wgsl", |_| {
        each_field(|field| {
            let both = [false, true];
            both.iter().flat_map(|&adds| both.map(|shared| sparse(field, shared, adds))).collect()
        })
    });

buffers! {
    /// The buffers of [`SPARSE`].
    pub(super) struct SparseBuffers {
        target_scalars: read_write array<vec4<u32>>,
        source_scalars: read array<vec4<u32>>,
        rows: read array<vec2<u32>>,
        entries: read array<vec2<u32>>,
        factors: read array<vec4<u32>>,
    }
}

/// A scalar field for the templates of kernels that handle scalars one by one.
#[derive(Serialize)]
pub(super) struct Field {
    pub field: BigField,
    /// Bits by which R of the kernels exceeds that of the host.
    more_bits: usize,
    /// 1 in the host's form, in limbs.
    host_one: Vec<u32>,
}

impl Field {
    pub fn of<F: Scalar>() -> Self {
        let field = BigField::of::<F>();
        let one = words(&[F::ONE]);
        let bit = |i: usize| one.get(i / 32).map_or(0, |word| word >> (i % 32) & 1);
        let limb = |limb: usize| (0..30).fold(0, |sum, i| sum | bit(30 * limb + i) << i);
        let host_one = (0..field.limbs).map(limb).collect();
        Field { more_bits: more_bits(&field), host_one, field }
    }
}

/// Bits by which R of the kernels, 2^(30 limbs), exceeds that of the host, 2^256.
fn more_bits(field: &BigField) -> usize {
    (30 * field.limbs).saturating_sub(32 * SCALAR_WORDS)
}

/// 2^14: the factor of a scalar whose words in the host's form are the words of the kernels' form.
pub(super) fn kernel_factor<F: Scalar>() -> F {
    F::from(1u64 << more_bits(&BigField::of::<F>()))
}

/// A variant for a field with other variables of its own.
fn variant(field: &Field, own: serde_json::Value) -> Variant {
    #[derive(Serialize)]
    struct Context<'a> {
        #[serde(flatten)]
        field: &'a Field,
        #[serde(flatten)]
        own: serde_json::Value,
    }
    Variant::new(FLAT, Context { field, own })
}

/// The variant of [`COMBINE`] for an operation.
pub(super) fn combine(field: &Field, operation: Operation) -> Variant {
    variant(field, json!({ "operation": operation }))
}

/// The variant of [`SCALE`] for one or two factors.
pub(super) fn scale(field: &Field, factors: u32) -> Variant {
    variant(field, json!({ "factors": factors }))
}

/// The variant of [`SPARSE`] with a workgroup or a thread for a row, which adds to the product or overwrites it.
pub(super) fn sparse(field: &Field, shared: bool, adds: bool) -> Variant {
    variant(field, json!({ "shared": shared, "adds": adds }))
}

/// The variant of [`INVERT`], with the exponent r - 2 in words.
pub(super) fn invert(field: &Field) -> Variant {
    // r in words of 32 bits, from its limbs of 30, minus 2: r is odd and above 2.
    let bit = |i: usize| field.field.p.get(i / 30).map_or(0, |limb| limb >> (i % 30) & 1);
    let word = |word: usize| (0..32).fold(0, |sum, i| sum | bit(32 * word + i) << i);
    let mut exponent: Vec<u32> = (0..SCALAR_WORDS).map(word).collect();
    let mut borrow = 2;
    for word in &mut exponent {
        let (rest, less) = word.overflowing_sub(borrow);
        (*word, borrow) = (rest, u32::from(less));
    }
    variant(field, json!({ "exponent": exponent }))
}

/// The variants that `build` makes of every curve's scalar field.
fn each_field(build: impl Fn(&Field) -> Vec<Variant>) -> Vec<Variant> {
    scalar_fields().into_iter().flat_map(|name| build(&field_of(name))).collect()
}

pub(super) fn field_of(name: CurveName) -> Field {
    with_curve!(name, C => Field::of::<crate::curve::ScalarField<C>>())
}

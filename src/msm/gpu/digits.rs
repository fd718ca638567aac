//! The kernels that turn scalars into entries and find the buckets among them.

use dashu_int::UBig;
use serde_json::json;

use super::formulas::WORKGROUP;
use crate::curve::{Curve, CurveName};
use crate::field::BigField;
use crate::gpu::{Variant, kernel};
use crate::with_curve;

kernel! {
    /// Converts scalars to entries: a bucket and a point for every digit.
    static DIGITS = "msm/digits", |_| {
        fn of<C: Curve>() -> Vec<Variant> {
            let halves = C::halving().map(|_| digits_variant::<C>(true));
            std::iter::once(digits_variant::<C>(false)).chain(halves).collect()
        }
        // Without any curve, the type does not follow from the arms.
        let of_named = |name: CurveName| -> Vec<Variant> { with_curve!(name, C => of::<C>()) };
        CurveName::all().flat_map(of_named).collect()
    };
    DigitsBuffers { scalars: read array<u32>, keys: read_write array<u32>, values: read_write array<u32> }
    DigitsParams {
        /// The number of the first scalar in its buffer.
        first,
        /// Vectors of scalars.
        vectors,
        /// Scalars of a vector.
        len,
        /// Bases of a level of the table.
        stride,
        /// Entries of a set.
        segment,
        /// Bits of a window.
        width,
        /// Windows of a scalar, filled up to the same number for every set, or of each of its halves.
        windows,
        /// Bucket sets of the whole multiplication.
        sets,
        /// The first set to write entries of.
        first_set,
        /// The set after the last one.
        last_set,
        /// 1 for odd digits.
        odd,
        /// The table's last level.
        last_level,
        /// The low bits of a bucket's number in the last set that the digits of the topmost window fill.
        top_bits,
        /// The last bucket of a set.
        last_bucket,
    }
}

kernel! {
    /// Finds the first entry of each bucket.
    static OFFSETS = "msm/offsets", |_| vec![Variant::plain(WORKGROUP)];
    OffsetsBuffers { keys: read array<u32>, offsets: read_write array<u32> }
    OffsetsParams {
        /// Buckets of all sets.
        all_buckets,
        /// Buckets of a set.
        buckets,
        /// Entries of a set.
        segment,
    }
}

/// The variant of [`DIGITS`] for a curve, which divides scalars into halves if it is to and the curve allows it.
pub(super) fn digits_variant<C: Curve>(halves: bool) -> Variant {
    let field = BigField::of::<C::ScalarField>();
    let halving = C::halving().filter(|_| halves).map(|halving| halving_context(halving.factor));
    // The factor converts a scalar in arkworks' form to the integer.
    let to_integer = field.to_integer::<C::ScalarField>();
    Variant::new(WORKGROUP, json!({ "field": field, "to_integer": to_integer, "halving": halving }))
}

/// The division of scalars by M into halves: M and floor(2^256 / M), in digits of 16 bits, the lowest first.
fn halving_context(factor: u128) -> serde_json::Value {
    let digits = |value: UBig, count: usize| -> Vec<u32> {
        let digit = |i| u32::try_from((&value >> (16 * i)) & UBig::from(0xffffu32)).unwrap_or_default();
        (0..count).map(digit).collect()
    };
    let m = UBig::from(factor);
    json!({ "quotient": digits((UBig::ONE << 256) / &m, 9), "factor": digits(m, 8) })
}

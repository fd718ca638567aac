//! Field elements and points as snarkjs' binary files have them.

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::SWCurveConfig;
use ark_ff::{Field, PrimeField};

use super::sections::Reader;
use wgalois::curve::{Affine, Curve, ScalarInt};
use wgalois::field::{CoordinateField, Words};
use wgalois::parallel::*;
use wgalois::{Fault, Result};
use wgalois_io::budget::Budget;
use wgalois_io::points::Trust;
pub(super) use wgalois_io::points::montgomery_element as element;

/// Bytes of an element in Montgomery form.
pub(super) const fn size_of_element<F: Words>() -> usize {
    8 * F::WORDS
}

/// Appends the bytes of an element in Montgomery form.
pub(super) fn write_element<F: Words>(element: &F, bytes: &mut Vec<u8>) {
    element.words().iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
}

/// The element that is this little-endian integer of 32 bytes; `None` if it is not below the modulus.
pub(super) fn integer<F: PrimeField<BigInt = ScalarInt>>(bytes: &[u8]) -> Option<F> {
    let mut integer = ScalarInt::zero();
    for (word, bytes) in integer.0.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    F::from_bigint(integer)
}

/// A curve whose points these files have.
pub(super) trait Stored: SWCurveConfig<BaseField: CoordinateField> {
    /// Bytes of a point.
    const SIZE: usize = 2 * size_of::<Self::BaseField>();
}

impl<C: SWCurveConfig<BaseField: CoordinateField>> Stored for C {}

type Prime<C> = <<C as ark_ec::CurveConfig>::BaseField as Field>::BasePrimeField;

/// The point with these coordinates in Montgomery form, on the curve unless that is trusted.
pub(super) fn point<C: Stored>(bytes: &[u8], trust: Trust) -> Result<Affine<C>, Fault> {
    if bytes.iter().all(|&byte| byte == 0) {
        return Ok(Affine::identity());
    }
    let coordinate = |bytes: &[u8]| {
        let parts = bytes.chunks_exact(size_of_element::<Prime<C>>()).map_while(element::<Prime<C>>);
        C::BaseField::from_base_prime_field_elems(parts)
    };
    let (x, y) = bytes.split_at(bytes.len() / 2);
    let (Some(x), Some(y)) = (coordinate(x), coordinate(y)) else {
        return Err(Fault::NotBelow { what: "a coordinate".into(), bound: "the modulus" });
    };
    // y^2 = x^3 + a x + b
    match trust == Trust::Everything || y.squared() == C::add_b(C::mul_by_a(x) + x.squared().by(&x)) {
        true => Ok(Affine::new_unchecked(x, y)),
        false => Err(Fault::NotOnCurve { curve: "the curve" }),
    }
}

/// Fills the bytes of a point, which are zeros.
pub(super) fn write_point<C: Stored>(point: &Affine<C>, bytes: &mut [u8]) {
    if !point.is_zero() {
        let words = point.x.all_words().chain(point.y.all_words());
        bytes.as_chunks_mut::<8>().0.iter_mut().zip(words).for_each(|(to, word)| *to = word.to_le_bytes());
    }
}

/// The bytes of a point.
pub(super) fn bytes_of_point<C: Stored>(point: &Affine<C>) -> Vec<u8> {
    let mut bytes = vec![0; C::SIZE];
    write_point(point, &mut bytes);
    bytes
}

/// The next point of a section.
pub(super) fn next_point<C: Stored>(reader: &mut Reader, what: &str) -> Result<Affine<C>> {
    let place = reader.place();
    point(reader.bytes(C::SIZE, what)?, Trust::Nothing)
        .map_err(|fault| reader.error_at(place, fault.of(what)))
}

/// The next point of a section, which must be in the subgroup of order r and not at infinity.
pub(super) fn next_member<C: Stored + Curve>(reader: &mut Reader, what: &str) -> Result<Affine<C>> {
    let place = reader.place();
    let point = next_point(reader, what)?;
    let fault = match &point {
        point if point.is_zero() => "at infinity".into(),
        point if !C::in_subgroup(point) => Fault::OutsideSubgroup,
        _ => return Ok(point),
    };
    Err(reader.error_at(place, fault.of(what)))
}

/// All points of a section, of which there must be `count`. They are on the curve unless that is trusted; infinity is allowed.
pub(super) fn all_points<C: Stored>(
    reader: &mut Reader,
    count: usize,
    what: &str,
    trust: Trust,
    budget: &mut Budget,
) -> Result<Vec<Affine<C>>> {
    let place = reader.place();
    let bytes = reader.records(count, C::SIZE, what)?;
    budget.values(
        bytes.par_chunks_exact(C::SIZE),
        |bytes| point(bytes, trust),
        |i, fault| reader.error_at(place + i * C::SIZE, fault.of(format!("point {i} of {what}"))),
    )
}

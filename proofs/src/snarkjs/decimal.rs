//! Field elements and points as decimal numbers in JSON.

use ark_ec::AffineRepr;
use ark_ff::{AdditiveGroup, BigInteger, Field, PrimeField};
use dashu_int::UBig;
use serde::{Deserialize, Serialize};

use super::points::Stored;
use wgalois::Fault;
use wgalois::curve::Affine;
use wgalois::field::Words;
use wgalois_io::text::quote;

/// A coordinate over the field of the curve: a number, or the two of a quadratic extension.
#[derive(Deserialize, Serialize)]
#[serde(untagged, expecting = "a coordinate must be a string of decimal digits or a list of two")]
pub(super) enum Coordinate {
    One(String),
    Several(Vec<String>),
}

/// A point: x, y, z; z is 1, or 0 at infinity.
pub(super) type Point = Vec<Coordinate>;

/// The element that decimal digits state.
pub(super) fn element<F: PrimeField>(digits: &str, what: &'static str) -> Result<F, Fault> {
    const LONGEST: usize = 200;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        let found = quote(digits.as_bytes());
        return Err(Fault::Unexpected { expected: "decimal digits".into(), found });
    }
    let small = || Fault::NotBelow { what: "the number".into(), bound: what };
    let value = (digits.len() <= LONGEST)
        .then(|| UBig::from_str_radix(digits, 10).ok())
        .flatten()
        .ok_or_else(small)?;
    match value < UBig::from_le_bytes(&F::MODULUS.to_bytes_le()) {
        true => Ok(F::from_le_bytes_mod_order(&value.to_le_bytes())),
        false => Err(small()),
    }
}

/// The point that three coordinates state; it is on the curve.
pub(super) fn point<C: Stored>(coordinates: &[Coordinate]) -> Result<Affine<C>, Fault>
where
    <C::BaseField as Field>::BasePrimeField: Words,
{
    let [x, y, z] = coordinates else {
        let found = coordinates.len();
        return Err(Fault::WrongCount { what: "coordinates".into(), expected: 3, found });
    };
    let coordinate = |from: &Coordinate| -> Result<C::BaseField, Fault> {
        let parts = match from {
            Coordinate::One(digits) => std::slice::from_ref(digits),
            Coordinate::Several(parts) => parts,
        };
        let found = parts.len();
        let parts = parts.iter().map(|digits| element(digits, "the modulus q"));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        let value = C::BaseField::from_base_prime_field_elems(parts);
        value.ok_or_else(|| format!("a coordinate of {found} numbers").into())
    };
    let (x, y, z) = (coordinate(x)?, coordinate(y)?, coordinate(z)?);
    if z == C::BaseField::ZERO {
        return Ok(Affine::identity());
    }
    if z != C::BaseField::ONE {
        return Err("the third coordinate is neither 0 nor 1".into());
    }
    let point = Affine::new_unchecked(x, y);
    if point.is_on_curve() { Ok(point) } else { Err(Fault::NotOnCurve { curve: "the curve" }) }
}

/// The coordinates of a point as snarkjs writes them.
pub(super) fn written<C: Stored>(point: &Affine<C>) -> Point {
    let [x, y, z] = match point.is_zero() {
        true => [C::BaseField::ZERO, C::BaseField::ONE, C::BaseField::ZERO],
        false => [point.x, point.y, C::BaseField::ONE],
    };
    let coordinate = |value: C::BaseField| {
        let parts = value.to_base_prime_field_elements().map(|part| part.into_bigint().to_string());
        match &parts.collect::<Vec<_>>()[..] {
            [one] => Coordinate::One(one.clone()),
            several => Coordinate::Several(several.to_vec()),
        }
    };
    [x, y, z].map(coordinate).into()
}

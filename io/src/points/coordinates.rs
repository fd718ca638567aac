//! The coordinates of points, from bytes.

use ark_ec::AffineRepr;
use ark_ff::{PrimeField, Zero};

use wgalois::Fault;
use wgalois::curve::{Affine, Curve};
use wgalois::field::{CoordinateField, PrimeOf};

/// Returns the field element with these little-endian bytes.
fn element<F: PrimeField>(name: &str, bytes: impl Iterator<Item = u8>) -> Result<F, Fault> {
    let mut value = F::BigInt::default();
    let mut fits = true;
    for (i, byte) in bytes.enumerate() {
        match value.as_mut().get_mut(i / 8) {
            Some(word) => *word |= u64::from(byte) << (i % 8 * 8),
            None => fits &= byte == 0,
        }
    }
    match F::from_bigint(value) {
        Some(element) if fits => Ok(element),
        _ => Err(Fault::NotBelow { what: name.to_owned().into(), bound: "the field's modulus" }),
    }
}

/// Returns the coordinate whose elements have these little-endian bytes, one after the other and equally many of each.
pub fn coordinate<F: CoordinateField>(name: &str, bytes: &[u8]) -> Result<F, Fault> {
    let size = bytes.len() / F::extension_degree() as usize;
    let parts = bytes.chunks(size.max(1)).map(|part| element(name, part.iter().copied()));
    let parts = parts.collect::<Result<Vec<PrimeOf<F>>, _>>()?;
    F::from_base_prime_field_elems(parts).ok_or_else(|| format!("{name} has {} bytes", bytes.len()).into())
}

/// Returns the point of the curve with this x and the larger or smaller of the two y.
pub fn lift<C: Curve>(x: C::BaseField, larger: bool) -> Result<Affine<C>, Fault> {
    let point: Affine<C> = Affine::get_point_from_x_unchecked(x, larger)
        .ok_or_else(|| Fault::from(format!("no point of {} has this x", C::NAME)))?;
    match larger && point.y.is_zero() {
        true => Err("its flags say that y is the larger of the two, but y is 0".into()),
        false => Ok(point),
    }
}

/// Returns the point with these coordinates. (0, 0), which would be taken for infinity, is on none
/// of these curves.
pub fn affine<C: Curve>(x: C::BaseField, y: C::BaseField) -> Result<Affine<C>, Fault> {
    let point = Affine::new_unchecked(x, y);
    if point.is_zero() { Err(format!("(0, 0) is not on {}", C::NAME).into()) } else { Ok(point) }
}

/// Infinity, whose encoding is clean if no bits are set but its flags.
pub fn infinity<C: Curve>(is_clean: bool) -> Result<Affine<C>, Fault> {
    match is_clean {
        true => Ok(Affine::zero()),
        false => Err("its flags say infinity, but other bits are set".into()),
    }
}

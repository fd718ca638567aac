//! The coordinates of points, from bytes.

use std::ops::Deref;

use ark_ec::AffineRepr;
use ark_ff::{PrimeField, Zero};

use wgalois::Fault;
use wgalois::curve::{Affine, Curve};
use wgalois::field::{CoordinateField, PrimeOf};

/// The longest coordinate: two elements of EIP-2537, of 64 bytes each.
const LONGEST: usize = 128;

/// The bytes of a coordinate as [`coordinate`] takes them: little-endian elements, that of 1 first. They are on the stack, since a heap
/// takes longer for a vector than the field for a product.
#[derive(Clone, Copy)]
pub struct Ordered {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Ordered {
    /// Bytes that are in this order. More than [`LONGEST`] are none, which no field takes.
    pub fn new(bytes: &[u8]) -> Self {
        Self::of_big_endian(bytes, 1)
    }

    /// Big-endian integers of `size` bytes each.
    pub fn of_big_endian(bytes: &[u8], size: usize) -> Self {
        let mut ordered = Ordered { bytes: [0; LONGEST], length: 0 };
        if let Some(own) = ordered.bytes.get_mut(..bytes.len()) {
            own.copy_from_slice(bytes);
            own.chunks_mut(size.max(1)).for_each(<[u8]>::reverse);
            ordered.length = bytes.len();
        }
        ordered
    }

    /// Replaces the last byte, which had flags.
    pub fn with_last(mut self, last: u8) -> Self {
        if let Some(byte) = self.bytes[..self.length].last_mut() {
            *byte = last;
        }
        self
    }
}

impl Deref for Ordered {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Returns the little-endian integer, if it has no more words than the field.
fn integer<F: PrimeField>(bytes: &[u8]) -> Option<F::BigInt> {
    let mut value = F::BigInt::default();
    let words = value.as_mut();
    let (held, beyond) = bytes.split_at(bytes.len().min(8 * words.len()));
    let (whole, rest) = held.as_chunks::<8>();
    for (word, bytes) in words.iter_mut().zip(whole) {
        *word = u64::from_le_bytes(*bytes);
    }
    for (i, byte) in rest.iter().enumerate() {
        words[whole.len()] |= u64::from(*byte) << (8 * i);
    }
    beyond.iter().all(|byte| *byte == 0).then_some(value)
}

/// Returns the field element with these little-endian bytes; `None` if they are not below the modulus.
fn element<F: PrimeField>(bytes: &[u8]) -> Option<F> {
    F::from_bigint(integer::<F>(bytes)?)
}

/// The bytes of each element of a coordinate.
fn parts<F: CoordinateField>(bytes: &[u8]) -> std::slice::Chunks<'_, u8> {
    bytes.chunks((bytes.len() / F::extension_degree() as usize).max(1))
}

/// Returns the coordinate whose elements have these little-endian bytes, one after the other and equally many of each.
pub fn coordinate<F: CoordinateField>(name: &str, bytes: &[u8]) -> Result<F, Fault> {
    let elements = parts::<F>(bytes).map_while(element::<PrimeOf<F>>);
    F::from_base_prime_field_elems(elements).ok_or_else(|| {
        match parts::<F>(bytes).all(|part| element::<PrimeOf<F>>(part).is_some()) {
            true => format!("{name} has {} bytes", bytes.len()).into(),
            false => Fault::NotBelow { what: name.to_owned().into(), bound: "the field's modulus" },
        }
    })
}

/// True if a coordinate y with these bytes, which [`coordinate`] takes, is larger than -y: its last element that is not 0 is more than
/// half of the modulus.
pub fn is_larger<F: CoordinateField>(bytes: &[u8]) -> bool {
    let mut integers = parts::<F>(bytes).rev().filter_map(integer::<PrimeOf<F>>);
    let last = integers.find(|integer| *integer != Default::default());
    last.is_some_and(|integer| integer > PrimeOf::<F>::MODULUS_MINUS_ONE_DIV_TWO)
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

#[cfg(test)]
mod tests {
    use ark_ff::BigInteger;

    use super::*;

    /// The order of arkworks: the coefficient of u decides, and that of 1 where it is 0.
    fn the_larger_is_arkworks<F: CoordinateField>() {
        let half = PrimeOf::<F>::from(PrimeOf::<F>::MODULUS_MINUS_ONE_DIV_TWO);
        let values = [0u64, 1, 2].map(PrimeOf::<F>::from).into_iter();
        let values: Vec<_> = values.flat_map(|value| [value, -value, half + value, half - value]).collect();
        let degree = F::extension_degree() as usize;
        for number in 0..values.len().pow(degree as u32) {
            let elements = [values[number % values.len()], values[number / values.len()]];
            let elements = &elements[..degree];
            let y = F::from_base_prime_field_elems(elements.iter().copied()).unwrap();
            let bytes: Vec<u8> = elements.iter().flat_map(|part| part.into_bigint().to_bytes_le()).collect();
            assert_eq!(coordinate::<F>("y", &bytes).unwrap(), y);
            assert_eq!(is_larger::<F>(&bytes), y > -y, "{y}");
        }
    }

    #[test]
    fn the_larger_of_two_is_that_of_arkworks() {
        use wgalois::curve::{Bls12_381, Bls12_381G2, Bn254, Bn254G2};
        the_larger_is_arkworks::<<Bn254 as ark_ec::CurveConfig>::BaseField>();
        the_larger_is_arkworks::<<Bn254G2 as ark_ec::CurveConfig>::BaseField>();
        the_larger_is_arkworks::<<Bls12_381 as ark_ec::CurveConfig>::BaseField>();
        the_larger_is_arkworks::<<Bls12_381G2 as ark_ec::CurveConfig>::BaseField>();
    }

    #[test]
    fn a_coordinate_that_is_too_long_is_refused() {
        type F = <wgalois::curve::Bn254 as ark_ec::CurveConfig>::BaseField;
        // Zeros beyond the field's words are allowed, as EIP-2537 has them, up to the longest record.
        assert_eq!(coordinate::<F>("x", &Ordered::new(&[0; LONGEST])), Ok(F::from(0u64)));
        assert!(coordinate::<F>("x", &Ordered::new(&[0; LONGEST + 1])).is_err());
        let mut bytes = [0; 33];
        bytes[32] = 1;
        assert!(coordinate::<F>("x", &bytes).is_err());
        assert_eq!(coordinate("x", &Ordered::of_big_endian(&bytes, 33)), Ok(F::from(1u64)));
    }
}

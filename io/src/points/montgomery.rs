//! Affine coordinates in Montgomery form, as programs hold them in memory: x and y, each the little-endian words of the coordinate times
//! 2^(64 w) modulo p, where w is the number of 64-bit words of p; of an element of an extension that of 1 first. Infinity is all zeros.

use ark_ec::AffineRepr;
use ark_ff::Field;

use super::coordinates::affine;
use wgalois::Fault;
use wgalois::curve::{Affine, Curve};
use wgalois::field::{CoordinateField, PrimeOf, Words};

/// Bytes per point.
pub fn size<C: Curve>() -> usize {
    2 * size_of::<C::BaseField>()
}

fn coordinate<F: CoordinateField>(name: &str, bytes: &[u8]) -> Result<F, Fault> {
    let words: Vec<u64> = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let parts = words.chunks(PrimeOf::<F>::WORDS).map(PrimeOf::<F>::from_words);
    let not_below = || Fault::NotBelow { what: name.to_owned().into(), bound: "the field's modulus" };
    let parts = parts.collect::<Option<Vec<_>>>().ok_or_else(not_below)?;
    F::from_base_prime_field_elems(parts).ok_or_else(|| format!("{name} has {} bytes", bytes.len()).into())
}

pub fn decode<C: Curve>(bytes: &[u8]) -> Result<Affine<C>, Fault> {
    if bytes.iter().all(|byte| *byte == 0) {
        return Ok(Affine::zero());
    }
    let (x, y) = bytes.split_at(bytes.len() / 2);
    affine(coordinate("x", x)?, coordinate("y", y)?)
}

pub fn encode<C: Curve>(point: &Affine<C>) -> Vec<u8> {
    if point.is_zero() {
        return vec![0; size::<C>()];
    }
    let parts =
        [point.x, point.y].into_iter().flat_map(|x| x.to_base_prime_field_elements().collect::<Vec<_>>());
    parts
        .flat_map(|part| part.words().iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
        .collect()
}

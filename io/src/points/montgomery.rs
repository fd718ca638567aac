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

/// Returns the element of a prime field with these little-endian words in Montgomery form; `None` if they are not below the modulus.
pub fn element<F: Words>(bytes: &[u8]) -> Option<F> {
    /// The most words of a field.
    const MOST: usize = 8;
    let mut words = [0; MOST];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    F::from_words(words.get(..F::WORDS)?)
}

fn coordinate<F: CoordinateField>(name: &str, bytes: &[u8]) -> Result<F, Fault> {
    let parts = bytes.chunks_exact(8 * PrimeOf::<F>::WORDS).map_while(element::<PrimeOf<F>>);
    let not_below = || Fault::NotBelow { what: name.to_owned().into(), bound: "the field's modulus" };
    F::from_base_prime_field_elems(parts).ok_or_else(not_below)
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

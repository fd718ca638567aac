//! Elements in the device's form, read on the host.

use ark_ff::PrimeField;

use super::{CoordinateField, PrimeOf, Words};

/// Words of 64 bits of the longest lazy element that is read: one more than the widest coordinate field has.
const MOST_WORDS: usize = 7;

/// The maximum number of times that p is subtracted from a value; no kernel leaves a larger multiple of it.
const MOST_MULTIPLES: usize = 64;

/// Converts elements from the device's form.
#[derive(Clone, Copy, Debug)]
pub struct Reader<F: CoordinateField> {
    pub(super) degree: usize,
    /// 2^64N / R, by which arkworks' form differs from the device's.
    pub(super) factor: PrimeOf<F>,
}

impl<F: CoordinateField> Reader<F> {
    /// The element that these 32-bit words represent: an integer below a small multiple of p, or two of the same
    /// length in an extension.
    pub fn read(&self, words: &[u32]) -> F {
        let parts = words.chunks((words.len() / self.degree).max(1)).map(|words| self.read_prime(words));
        F::from_base_prime_field_elems(parts).unwrap_or_default()
    }

    fn read_prime(&self, words: &[u32]) -> PrimeOf<F> {
        const { assert!(<PrimeOf<F> as Words>::WORDS < MOST_WORDS) };
        let mut value = [0; MOST_WORDS];
        for (word, pair) in value.iter_mut().zip(words.chunks(2)) {
            *word = u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32;
        }
        let p = PrimeOf::<F>::MODULUS;
        let mut left = MOST_MULTIPLES;
        while !is_less(&value, p.as_ref()) {
            // A faulty device returns any words: 2^32 subtractions would take minutes.
            if left == 0 {
                let bytes: Vec<u8> = value.iter().flat_map(|word| word.to_le_bytes()).collect();
                return PrimeOf::<F>::from_le_bytes_mod_order(&bytes) * self.factor;
            }
            left -= 1;
            subtract(&mut value, p.as_ref());
        }
        let value = &value[..<PrimeOf<F> as Words>::WORDS];
        <PrimeOf<F> as Words>::from_words(value).unwrap_or_default() * self.factor
    }
}

fn is_less(a: &[u64], b: &[u64]) -> bool {
    let digit = |x: &[u64], i: usize| x.get(i).copied().unwrap_or(0);
    let differ = (0..a.len().max(b.len())).rev().find(|&i| digit(a, i) != digit(b, i));
    differ.is_some_and(|i| digit(a, i) < digit(b, i))
}

fn subtract(a: &mut [u64], b: &[u64]) {
    let mut borrow = false;
    for (i, word) in a.iter_mut().enumerate() {
        let (partial, first) = word.overflowing_sub(b.get(i).copied().unwrap_or(0));
        let (rest, second) = partial.overflowing_sub(u64::from(borrow));
        *word = rest;
        borrow = first || second;
    }
}

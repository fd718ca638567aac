//! The fields, and their elements as the words that a device transforms.

use p3_baby_bear::BabyBear;
use p3_field::{PrimeField32, TwoAdicField};
use p3_koala_bear::KoalaBear;
use p3_util::{as_base_slice, flatten_to_base, reconstitute_from_base};
use wgalois::field::{BABY_BEAR, KOALA_BEAR, Prime};

/// A field of Plonky3 whose element is one word in Montgomery form: BabyBear or KoalaBear.
pub trait Field31: TwoAdicField + PrimeField32 + sealed::Sealed {
    /// The field in wgalois.
    const PRIME: Prime;
}

impl Field31 for BabyBear {
    const PRIME: Prime = BABY_BEAR;
}

impl Field31 for KoalaBear {
    const PRIME: Prime = KOALA_BEAR;
}

mod sealed {
    /// [`words`](super::words) and [`elements`](super::elements) rely on the layout of the two fields.
    pub trait Sealed {}
    impl Sealed for super::BabyBear {}
    impl Sealed for super::KoalaBear {}
}

/// The elements as words in Montgomery form, without a copy.
pub(crate) fn words<F: Field31>(elements: &[F]) -> &[u32] {
    // SAFETY: both fields are `MontyField31`, which is `repr(transparent)` over its word, a u32.
    unsafe { as_base_slice(elements) }
}

/// The words of elements in Montgomery form, without a copy.
pub(crate) fn into_words<F: Field31>(elements: Vec<F>) -> Vec<u32> {
    // SAFETY: as in `words`.
    unsafe { flatten_to_base(elements) }
}

/// The elements with these words in Montgomery form, which are below p, without a copy.
pub(crate) fn elements<F: Field31>(words: Vec<u32>) -> Vec<F> {
    // SAFETY: as in `words`. Every u32 is a valid bit pattern of the field's only member.
    unsafe { reconstitute_from_base(words) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `to_unique_u32` is Plonky3's own way to the word; R = 2^32.
    fn words_are_montgomery_forms<F: Field31>() {
        let p = F::PRIME.value();
        assert_eq!(u64::from(p), F::ORDER_U64);
        let values = [0, 1, 2, 12345, p / 2, p - 1].map(F::from_u32);
        for (value, &word) in values.iter().zip(words(&values)) {
            assert_eq!(word, value.to_unique_u32());
            let montgomery = (u64::from(value.as_canonical_u32()) << 32) % u64::from(p);
            assert_eq!(u64::from(word), montgomery);
        }
        assert_eq!(elements::<F>(words(&values).to_vec()), values);
        assert_eq!(into_words(values.to_vec()), words(&values));
    }

    fn roots_of_unity_agree<F: Field31>() {
        assert_eq!(F::PRIME.two_adicity() as usize, F::TWO_ADICITY);
        for log_order in 0..=F::TWO_ADICITY {
            let root = F::PRIME.root_of_unity(log_order as u32).unwrap();
            assert_eq!(root, F::two_adic_generator(log_order).as_canonical_u32(), "order 2^{log_order}");
        }
    }

    #[test]
    fn of_both_fields() {
        words_are_montgomery_forms::<BabyBear>();
        words_are_montgomery_forms::<KoalaBear>();
        roots_of_unity_agree::<BabyBear>();
        roots_of_unity_agree::<KoalaBear>();
    }
}

//! Products of field elements for WebAssembly.
//!
//! WebAssembly has no product of two words of 64 bits with all its 128 bits, of which arkworks' products consist: the compiler calls a
//! function for each. Here elements are cut into limbs of 29 bits. A product of two limbs has 58 bits. A word adds up 64 of them, more than
//! the 28 that a column has for elements of 384 bits, so that there is no carry between steps. Montgomery's reduction (1985) removes a
//! limb a step, and in the last step only what R = 2^64N has left: the form is arkworks'.

const BITS: usize = 29;
const MASK: u64 = (1 << BITS) - 1;

/// Limbs of the largest elements, of six words.
const MOST: usize = limbs(6);

/// Limbs of R = 2^64`words`.
const fn limbs(words: usize) -> usize {
    (64 * words).div_ceil(BITS)
}

/// The limbs of a number.
#[inline(always)]
fn split<const N: usize>(words: &[u64; N]) -> [u64; MOST] {
    let mut limbs = [0; MOST];
    for (i, limb) in limbs.iter_mut().enumerate().take(self::limbs(N)) {
        let (word, shift) = (BITS * i / 64, BITS * i % 64);
        let next = if shift > 64 - BITS && word + 1 < N { words[word + 1] << (64 - shift) } else { 0 };
        *limb = (words[word] >> shift | next) & MASK;
    }
    limbs
}

/// a b / R modulo p, for a and b below p and p below R / 2. `inverse` is -1 / p modulo 2^64.
#[inline(always)]
pub fn product<const N: usize>(a: &[u64; N], b: &[u64; N], p: &[u64; N], inverse: u64) -> [u64; N] {
    let ([a, b], modulus, count) = ([split(a), split(b)], split(p), limbs(N));
    let mut columns = [0u64; MOST];
    for factor in &b[..count - 1] {
        let lowest = columns[0] + a[0] * factor;
        let multiple = ((lowest & MASK) * (inverse & MASK)) & MASK;
        let carry = (lowest + multiple * modulus[0]) >> BITS;
        for i in 1..count {
            columns[i - 1] = columns[i] + a[i] * factor + multiple * modulus[i];
        }
        columns[0] += carry;
        columns[count - 1] = 0;
    }
    // The bits of R that are left.
    let rest = 64 * N - BITS * (count - 1);
    let mask = (1 << rest) - 1;
    let lowest = columns[0] + a[0] * b[count - 1];
    let multiple = ((lowest & mask) * (inverse & mask)) & mask;
    let mut carry = 0;
    for i in 0..count {
        let column = columns[i] + a[i] * b[count - 1] + multiple * modulus[i] + carry;
        columns[i] = if i + 1 < count { column & MASK } else { column };
        carry = column >> BITS;
    }
    below(join(&columns, rest), p)
}

/// The words of the columns, which are limbs but for the last, without their lowest `rest` bits.
#[inline(always)]
fn join<const N: usize>(columns: &[u64; MOST], rest: usize) -> [u64; N] {
    let mut words = [0; N];
    for (i, target) in words.iter_mut().enumerate() {
        // The limb in which the word begins, and those that follow.
        let (first, bit) = ((64 * i + rest) / BITS, (64 * i + rest) % BITS);
        *target = columns[first] >> bit;
        for later in 1..4 {
            let shift = BITS * later - bit;
            if shift < 64 && first + later < limbs(N) {
                *target |= columns[first + later] << shift;
            }
        }
    }
    words
}

/// A number below 2 p modulo p.
#[inline(always)]
fn below<const N: usize>(number: [u64; N], p: &[u64; N]) -> [u64; N] {
    let (mut difference, mut borrow) = ([0; N], false);
    for i in 0..N {
        let (first, under) = number[i].overflowing_sub(p[i]);
        let (second, under_again) = first.overflowing_sub(u64::from(borrow));
        (difference[i], borrow) = (second, under | under_again);
    }
    if borrow { number } else { difference }
}

#[cfg(all(test, feature = "default"))]
mod tests {
    use ark_ff::{AdditiveGroup, Field, Fp, MontBackend, MontConfig, PrimeField, UniformRand};
    use ark_std::rand::{SeedableRng, rngs::StdRng};

    use super::*;
    use crate::curve::{BaseField, Curve, CurveName, ScalarField};

    fn agrees<P: MontConfig<N>, const N: usize>() {
        type F<P, const N: usize> = Fp<MontBackend<P, N>, N>;
        let mut rng = StdRng::seed_from_u64(29);
        let (zero, one) = (F::<P, N>::ZERO, F::<P, N>::ONE);
        // The words of p - 1, and of a number whose limbs are all ones as far as it is below p.
        let mut ones = P::MODULUS;
        ones.0.iter_mut().for_each(|word| *word = u64::MAX);
        ones.0[N - 1] = P::MODULUS.0[N - 1] - 1;
        let mut largest = P::MODULUS;
        largest.0[0] -= 1;
        let edges = [zero, one, -one, Fp::new_unchecked(ones), Fp::new_unchecked(largest)];
        let random = (0..200).map(|_| F::<P, N>::rand(&mut rng));
        let elements: Vec<_> = edges.into_iter().chain(random).collect();
        for a in &elements {
            for b in &elements {
                let found = product(&a.0.0, &b.0.0, &P::MODULUS.0, P::INV);
                assert_eq!(found, (*a * b).0.0, "{a} {b}");
            }
        }
    }

    /// The fields of a curve, whose types say their configurations.
    trait Configured {
        fn agrees();
    }

    impl<P: MontConfig<N>, const N: usize> Configured for Fp<MontBackend<P, N>, N> {
        fn agrees() {
            agrees::<P, N>();
        }
    }

    #[test]
    fn products_are_arkworks() {
        <ark_bn254::Fq as Configured>::agrees();
        <ark_bn254::Fr as Configured>::agrees();
        <ark_bls12_381::Fq as Configured>::agrees();
        <ark_bls12_381::Fr as Configured>::agrees();
        <ark_bls12_377::Fq as Configured>::agrees();
        <ark_bls12_377::Fr as Configured>::agrees();
    }

    fn moduli_leave_a_bit_on<C: Curve>() {
        let base = <<BaseField<C> as Field>::BasePrimeField as PrimeField>::MODULUS_BIT_SIZE;
        for bits in [base, ScalarField::<C>::MODULUS_BIT_SIZE] {
            assert!(bits % 64 != 0 && bits < 64 * 6, "{bits}");
        }
    }

    #[test]
    fn moduli_leave_a_bit() {
        for name in CurveName::all() {
            crate::with_curve!(name, C => moduli_leave_a_bit_on::<C>());
        }
    }
}

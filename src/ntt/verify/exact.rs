//! Is c the product of a and b over the integers?
//!
//! Modulo a prime drawn from those between 2^30 and 2^31, and there at a random point, as
//! for other products. If c is wrong, some coefficient of the difference is not 0; it is
//! below 2^128, so at most 4 of these 5.07e7 primes divide it, and a prime hides the error
//! with a chance below 2^-23.5. The point hides it with one below 2^27 / p^2 < 2^-33. Two
//! rounds are wrong together with a chance below 2^-46.

use super::product::holds;
use crate::field::{Barrett, Extension, Prime, is_prime};
use crate::ntt::Product;
use crate::verify::Guarantee;
use crate::{Error, Result};
use rand::{Rng, RngExt};
use rayon::prelude::*;

/// Checks that `c` is the exact `product` of `a` and `b`. Time O(length), on all threads.
///
/// # Errors
/// [`Error::Check`] where it is not. [`Error::Input`] and [`Error::Usage`] where there is no
/// such product, whatever `c` is.
pub fn verify_exact(
    product: Product,
    a: &[i64],
    b: &[i64],
    c: &[i128],
    rng: &mut impl Rng,
) -> Result<Guarantee> {
    let length = product.length(a.len(), b.len())?;
    if c.len() != length {
        return Err(Error::Check(format!("{} coefficients where the product has {length}", c.len())));
    }
    for _ in 0..2 {
        let prime = random_prime(rng)?;
        let barrett = Barrett::new(prime);
        let short = |words: &[i64]| words.par_iter().map(|&x| residue(barrett, x.into())).collect::<Vec<_>>();
        let (a, b) = (short(a), short(b));
        let (a, b) = (product.fold(prime, &a), product.fold(prime, &b));
        let c: Vec<u32> = c.par_iter().map(|&x| residue(barrett, x)).collect();
        let right = Extension::<2>::new(prime).is_some_and(|field| holds(&field, product, &a, &b, &c, rng));
        if !right {
            return Err(Error::Check("this is not the product".into()));
        }
    }
    Ok(Guarantee::probable("the product is exact", 46))
}

/// A prime from 2^30 to 2^31, all being equally likely.
fn random_prime(rng: &mut impl Rng) -> Result<Prime> {
    loop {
        let candidate = rng.random_range(1 << 30..1u32 << 31);
        if is_prime(candidate) {
            return Prime::new(candidate);
        }
    }
}

/// x mod p.
fn residue(barrett: Barrett, x: i128) -> u32 {
    let magnitude = x.unsigned_abs();
    let high = u64::from(barrett.reduce((magnitude >> 64) as u64));
    let rest = barrett.reduce_wide(u128::from(high) << 64 | u128::from(magnitude as u64));
    if x < 0 { barrett.negate(rest) } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn residues_are_remainders(x: i128, p in 0..3usize) {
            let p = [3, 1_073_741_827, 2_147_483_647][p];
            let barrett = Barrett::new(Prime::new(p).unwrap());
            for x in [x, x >> 64, i128::MIN, i128::MAX, 0, -1] {
                prop_assert_eq!(i128::from(residue(barrett, x)), x.rem_euclid(i128::from(p)));
            }
        }
    }
}

//! The check of products of integers: is c the product of a and b?
//!
//! All three are reduced modulo primes drawn from those between 2^61 and 2^62, of which there
//! are more than 2^55.5: pi(x) is at least x / (ln x - 1) and at most x / (ln x - 1.1) there
//! (Dusart 2010). If a b - c is not 0 and has B bits, it has at most B / 61 such prime factors,
//! so that one prime misses it with a chance below B / 61 / 2^55.5. Two primes bring that to at
//! most 2^-64 up to 2^29 bits, and three up to 2^40 bits.

use crate::ntt::integer::Integer;
use crate::verify::{Guarantee, MISS_BITS, mul_mod_long, random_long_prime, rounds};
use crate::{Error, Result, Wrong};
use rand::Rng;

/// Checks that `c` is the product of `a` and `b`, in time linear in their digits. A wrong product passes
/// with a chance of at most 2^-64.
pub fn integer_product(a: &str, b: &str, c: &str, rng: &mut impl Rng) -> Result<Guarantee> {
    let (a, b) = (Integer::parse("first", a)?, Integer::parse("second", b)?);
    let c = Integer::parse("product", c).map_err(|e| Error::Check(e.to_string().into()))?;
    let difference = 1 + c.bits().max(a.bits() + b.bits());
    let factors = (difference / 61).max(1);
    for _ in 0..rounds(55.5 - f64::log2(factors as f64)) {
        let q = random_long_prime(rng);
        let holds = mul_mod_long(a.modulo(q), b.modulo(q), q) == c.modulo(q);
        Wrong::unless(holds, "this is not the product")?;
    }
    Ok(Guarantee::probable("this is the product", MISS_BITS))
}

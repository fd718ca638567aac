//! Odd primes below 2^31 and their roots of unity.

use super::word::{inverse_mod_2_32, is_prime, pow_mod, prime_factors};
use crate::quoting::one_line;
use crate::{Error, Result};

/// An odd prime below 2^31 with a generator of its multiplicative group.
///
/// # Errors
/// - [`Error::NotAPrime`]: the value is even or composite.
/// - [`Error::PrimeTooLarge`]: it is not below 2^31.
/// - [`Error::NoRootOfUnity`]: the field has no root of unity of this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Prime {
    p: u32,
    generator: u32,
}

/// 2013265921 = 15 * 2^27 + 1.
pub const BABY_BEAR: Prime = Prime { p: 2_013_265_921, generator: 31 };
/// 2130706433 = 127 * 2^24 + 1.
pub const KOALA_BEAR: Prime = Prime { p: 2_130_706_433, generator: 3 };

/// The primes that have a name; a new one is a row here.
pub const NAMED: &[(&str, Prime)] = &[
    ("7340033", Prime { p: 7_340_033, generator: 3 }), // 7 * 2^20 + 1
    ("104857601", Prime { p: 104_857_601, generator: 3 }), // 25 * 2^22 + 1
    ("469762049", Prime { p: 469_762_049, generator: 3 }), // 7 * 2^26 + 1
    ("998244353", Prime { p: 998_244_353, generator: 3 }), // 119 * 2^23 + 1
    ("babybear", BABY_BEAR),
    ("koalabear", KOALA_BEAR),
];

/// Other usual names of primes, in lower case without hyphens, and their values.
pub const OTHER_NAMES: &[(&str, u32)] = &[
    ("mersenne31", 2_147_483_647),
    ("m31", 2_147_483_647),
    ("fermat4", 65_537),
    ("kyber", 3_329),
    ("mlkem", 3_329),
    ("dilithium", 8_380_417),
    ("mldsa", 8_380_417),
    ("falcon", 12_289),
    ("newhope", 12_289),
];

/// Primes of more bits that users ask for: what they are, their names and values.
const LARGE: &[(&str, &[&str])] = &[
    ("Goldilocks, 2^64 - 2^32 + 1", &["goldilocks", "18446744069414584321"]),
    ("Mersenne's prime 2^61 - 1", &["mersenne61", "m61", "2305843009213693951"]),
    ("the order of BN254", &["bn254", "bn254fr"]),
    ("the order of BLS12-381", &["bls12381", "bls12381fr"]),
];

impl Prime {
    /// The field of `p` elements, with its smallest generator, which is searched for or taken from
    /// [`NAMED`].
    pub fn new(p: u32) -> Result<Self> {
        if let Some((_, prime)) = NAMED.iter().find(|(_, prime)| prime.p == p) {
            return Ok(*prime);
        }
        if p >= 1 << 31 {
            return Err(Error::PrimeTooLarge { prime: format!("modulus {p}") });
        }
        if p.is_multiple_of(2) || !is_prime(p) {
            return Err(Error::NotAPrime { modulus: p.into() });
        }
        let factors = prime_factors(p - 1);
        // Every prime has a generator, and the smallest one is tiny.
        let generator = (2..p).find(|&g| generates(g, p, &factors)).unwrap_or(1);
        Ok(Prime { p, generator })
    }

    /// The prime itself.
    pub const fn value(self) -> u32 {
        self.p
    }

    /// A generator of the multiplicative group.
    pub const fn generator(self) -> u32 {
        self.generator
    }

    /// The largest k such that 2^k divides p - 1: transforms of up to 2^k points exist.
    pub const fn two_adicity(self) -> u32 {
        (self.p - 1).trailing_zeros()
    }

    /// 1 / 2^`log_n`, which an inverse transform of length 2^`log_n` multiplies by.
    pub fn inverse_of_length(self, log_n: u32) -> u32 {
        self.inverse(self.pow(2, u64::from(log_n)))
    }

    /// The primitive 2^`log_order`-th root of unity g^((p-1) / 2^log_order).
    pub fn root_of_unity(self, log_order: u32) -> Result<u32> {
        let largest = self.two_adicity();
        if log_order > largest {
            return Err(Error::NoRootOfUnity { modulus: Some(self.p), log_order, largest });
        }
        Ok(self.pow(self.generator, u64::from((self.p - 1) >> log_order)))
    }

    /// a b mod p.
    pub const fn mul(self, a: u32, b: u32) -> u32 {
        (a as u64 * b as u64 % self.p as u64) as u32
    }

    /// a + b mod p, both below p.
    pub const fn add(self, a: u32, b: u32) -> u32 {
        let sum = a + b;
        if sum >= self.p { sum - self.p } else { sum }
    }

    /// a - b mod p, both below p.
    pub const fn sub(self, a: u32, b: u32) -> u32 {
        if a >= b { a - b } else { a + self.p - b }
    }

    /// a^e mod p.
    pub fn pow(self, a: u32, e: u64) -> u32 {
        pow_mod(a, e, self.p)
    }

    /// 1/a mod p; 0 for 0.
    pub fn inverse(self, a: u32) -> u32 {
        self.pow(a, u64::from(self.p - 2))
    }

    /// p^-1 mod 2^32, the constant of Montgomery's reduction (R = 2^32).
    pub fn p_inverse(self) -> u32 {
        inverse_mod_2_32(self.p)
    }

    /// a R mod p, R = 2^32: Montgomery's form of a.
    pub const fn to_montgomery(self, a: u32) -> u32 {
        (((a as u64) << 32) % self.p as u64) as u32
    }

    /// floor(w 2^32 / p): Shoup's quotient of a constant w below p.
    pub const fn shoup_quotient(self, w: u32) -> u32 {
        (((w as u64) << 32) / self.p as u64) as u32
    }
}

impl std::fmt::Display for Prime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.p)
    }
}

impl std::str::FromStr for Prime {
    type Err = Error;

    /// A name of [`NAMED`] or another usual name, with or without hyphens, or a decimal value.
    fn from_str(s: &str) -> Result<Self> {
        let plain = s.replace(['-', '_'], "").to_ascii_lowercase();
        if let Some(&(_, p)) = OTHER_NAMES.iter().find(|(name, _)| *name == plain) {
            return Prime::new(p);
        }
        if let Some((name, _)) = LARGE.iter().find(|(_, names)| names.contains(&plain.as_str())) {
            return Err(Error::PrimeTooLarge { prime: (*name).to_owned() });
        }
        let named = NAMED.iter().find(|(name, _)| *name == plain);
        match (named, s.parse::<u64>()) {
            (Some((_, prime)), _) => Ok(*prime),
            (None, Ok(p)) => match u32::try_from(p) {
                Ok(p) => Prime::new(p),
                Err(_) => {
                    let name = LARGE.iter().find(|(_, names)| names.contains(&p.to_string().as_str()));
                    let name = name.map_or_else(String::new, |(name, _)| format!(" ({name})"));
                    Err(Error::PrimeTooLarge { prime: format!("modulus {p}{name}") })
                }
            },
            (None, Err(_)) if s.len() > 19 && s.bytes().all(|byte| byte.is_ascii_digit()) => {
                Err(Error::PrimeTooLarge { prime: format!("modulus {}", one_line(s, 40)) })
            }
            (None, Err(_)) => {
                let names =
                    NAMED.iter().map(|(name, _)| *name).chain(OTHER_NAMES.iter().map(|(name, _)| *name));
                let known = names.filter(|name| name.contains(char::is_alphabetic)).collect();
                Err(Error::UnknownPrime { name: one_line(s, 40), known })
            }
        }
    }
}

fn generates(g: u32, p: u32, factors: &[u32]) -> bool {
    factors.iter().all(|&q| pow_mod(g, u64::from((p - 1) / q), p) != 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_primes_are_prime_and_their_generators_generate() {
        for (name, prime) in NAMED {
            assert!(is_prime(prime.p), "{name}");
            assert!(generates(prime.generator, prime.p, &prime_factors(prime.p - 1)), "{name}");
        }
    }

    #[test]
    fn what_is_no_odd_prime_below_2_31_is_refused() {
        for bad in [0, 1, 2, 4, 9, 561, 7_340_031, 2_147_483_648, 4_294_967_291] {
            assert!(Prime::new(bad).is_err(), "{bad}");
        }
        assert_eq!(Prime::new(3).unwrap().generator(), 2);
        assert_eq!(Prime::new(2_147_483_647).unwrap().two_adicity(), 1);
        assert!("18446744073709551557".parse::<Prime>().is_err());
        assert_eq!("BabyBear".parse::<Prime>().unwrap(), BABY_BEAR);
    }

    #[test]
    fn roots_have_their_order() {
        for (_, prime) in NAMED {
            for log in 0..=prime.two_adicity() {
                let w = prime.root_of_unity(log).unwrap();
                assert_eq!(prime.pow(w, 1 << log), 1);
                assert!(log == 0 || prime.pow(w, 1 << (log - 1)) == prime.p - 1);
            }
            assert!(prime.root_of_unity(prime.two_adicity() + 1).is_err());
        }
    }
}

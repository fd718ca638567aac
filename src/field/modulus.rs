//! Moduli of residues: every number from 2 to 2^31 - 1.

use std::fmt;
use std::str::FromStr;

use super::Prime;
use super::word::prime_factors;
use crate::{Error, Result};

/// A modulus of residues, from 2 to 2^31 - 1: prime or not.
///
/// # Errors
/// - [`Error::OutOfRange`]: the modulus is 0 or 1.
/// - [`Error::PrimeTooLarge`]: the modulus is not below 2^31.
///
/// ```
/// use wgalois::field::Modulus;
///
/// assert_eq!("kyber".parse::<Modulus>()?.value(), 3329);
/// assert!(Modulus::new(10)?.prime().is_none());
/// assert!(Modulus::new(1).is_err() && Modulus::new(1 << 31).is_err());
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Modulus {
    value: u32,
    prime: Option<Prime>,
}

impl Modulus {
    /// The smallest modulus.
    pub const LEAST: u32 = 2;
    /// The largest modulus.
    pub const MOST: u32 = (1 << 31) - 1;

    /// The modulus `value`.
    pub fn new(value: u32) -> Result<Self> {
        if value < Self::LEAST {
            let (least, most) = (Self::LEAST.into(), Self::MOST.into());
            return Err(Error::OutOfRange { what: "modulus".into(), value: value.into(), least, most });
        }
        match Prime::new(value) {
            Ok(prime) => Ok(prime.into()),
            Err(Error::NotAPrime { .. }) => Ok(Modulus { value, prime: None }),
            Err(error) => Err(error),
        }
    }

    /// The modulus itself.
    pub const fn value(self) -> u32 {
        self.value
    }

    /// The odd prime that the modulus is, if it is one.
    pub const fn prime(self) -> Option<Prime> {
        self.prime
    }

    /// The distinct primes that divide the modulus, in ascending order.
    pub fn prime_factors(self) -> Vec<u32> {
        prime_factors(self.value)
    }

    /// a + b, both below the modulus.
    pub const fn add(self, a: u32, b: u32) -> u32 {
        let sum = a + b;
        if sum >= self.value { sum - self.value } else { sum }
    }

    /// a - b, both below the modulus.
    pub const fn sub(self, a: u32, b: u32) -> u32 {
        if a >= b { a - b } else { a + self.value - b }
    }

    /// a b.
    pub const fn mul(self, a: u32, b: u32) -> u32 {
        (a as u64 * b as u64 % self.value as u64) as u32
    }
}

impl From<Prime> for Modulus {
    fn from(prime: Prime) -> Self {
        Modulus { value: prime.value(), prime: Some(prime) }
    }
}

impl fmt::Display for Modulus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value)
    }
}

impl FromStr for Modulus {
    type Err = Error;

    /// A decimal value, or a name of a prime.
    fn from_str(text: &str) -> Result<Self> {
        match text.parse::<Prime>() {
            Ok(prime) => Ok(prime.into()),
            Err(Error::NotAPrime { modulus }) => Modulus::new(modulus as u32),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moduli_end_where_words_of_31_bits_do() {
        for value in [0u32, 1] {
            assert!(matches!(Modulus::new(value), Err(Error::OutOfRange { least: 2, .. })), "{value}");
            assert!(matches!(value.to_string().parse::<Modulus>(), Err(Error::OutOfRange { .. })));
        }
        for value in [1u32 << 31, u32::MAX] {
            assert!(matches!(Modulus::new(value), Err(Error::PrimeTooLarge { .. })), "{value}");
            assert!(matches!(value.to_string().parse::<Modulus>(), Err(Error::PrimeTooLarge { .. })));
        }
        for (value, prime) in
            [(2, false), (3, true), (4, false), (6, false), (3329, true), (Modulus::MOST, true)]
        {
            let modulus = Modulus::new(value).unwrap();
            assert_eq!((modulus.value(), modulus.prime().is_some()), (value, prime));
            assert_eq!(value.to_string().parse::<Modulus>().unwrap(), modulus);
        }
    }

    #[test]
    fn prime_factors_are_distinct() {
        for (value, factors) in [(2, vec![2]), (360, vec![2, 3, 5]), (3329, vec![3329]), (1 << 30, vec![2])] {
            assert_eq!(Modulus::new(value).unwrap().prime_factors(), factors);
        }
    }
}

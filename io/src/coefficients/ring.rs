//! The sets of coefficients that files can hold.

use crate::text::{NotANumber, decimal, quote};
use wgalois::Fault;
use wgalois::field::Modulus;

/// The set of coefficients: converts the numbers of a file to values, or returns their fault.
pub trait Ring: Sync {
    /// The type of a coefficient in memory.
    type Value: Copy + Default + Send;

    /// Parses a token of decimal text.
    fn parse(&self, token: &[u8]) -> Result<Self::Value, Fault>;

    /// Converts an integer of a binary file; every type of at most 64 bits fits.
    fn embed(&self, number: i128) -> Result<Self::Value, Fault>;
}

/// Residues modulo a prime p: 0 to p - 1, or with `wrap` any integer, reduced modulo p.
#[derive(Clone, Copy, Debug)]
pub struct Residues {
    /// The modulus.
    pub modulus: Modulus,
    /// If true, other integers are reduced instead of refused.
    pub wrap: bool,
}

impl Residues {
    fn refuse(&self, number: impl std::fmt::Display) -> Fault {
        Fault::NotReduced { value: number.to_string(), modulus: self.modulus.value() }
    }

    /// Returns the residue of a number of any length, by Horner's rule on its digits.
    fn wrap_digits(&self, digits: &[u8]) -> u32 {
        let p = u64::from(self.modulus.value());
        digits.iter().fold(0, |sum, &digit| (sum * 10 + u64::from(digit - b'0')) % p) as u32
    }

    fn parse_other(&self, token: &[u8]) -> Result<u32, Fault> {
        let (negative, digits) = split_sign(token);
        match decimal(digits) {
            Err(NotANumber::NoDigits) => {
                let last = self.modulus.value() - 1;
                let expected = format!("a decimal number from 0 to {last}").into();
                Err(Fault::Unexpected { expected, found: quote(token) })
            }
            _ if !self.wrap => Err(self.refuse(quote(token))),
            _ if negative => Ok(self.modulus.sub(0, self.wrap_digits(digits))),
            _ => Ok(self.wrap_digits(digits)),
        }
    }
}

impl Ring for Residues {
    type Value = u32;

    #[inline]
    fn parse(&self, token: &[u8]) -> Result<u32, Fault> {
        match decimal(token) {
            Ok(number) if number < u64::from(self.modulus.value()) => Ok(number as u32),
            _ => self.parse_other(token),
        }
    }

    #[inline]
    fn embed(&self, number: i128) -> Result<u32, Fault> {
        let p = self.modulus.value();
        match u32::try_from(number) {
            Ok(number) if number < p => Ok(number),
            _ if self.wrap => Ok(number.rem_euclid(i128::from(p)) as u32),
            _ => Err(self.refuse(number)),
        }
    }
}

/// The integers from -2^63 to 2^63 - 1.
#[derive(Clone, Copy, Debug)]
pub struct Integers;

impl Ring for Integers {
    type Value = i64;

    #[inline]
    fn parse(&self, token: &[u8]) -> Result<i64, Fault> {
        let (negative, digits) = split_sign(token);
        match decimal(digits) {
            Ok(number) if negative => self.embed(-i128::from(number)),
            Ok(number) => self.embed(number.into()),
            Err(NotANumber::NoDigits) => Err(no_integer(token)),
            Err(NotANumber::TooLarge) => Err(out_of_range(quote(token), 63)),
        }
    }

    #[inline]
    fn embed(&self, number: i128) -> Result<i64, Fault> {
        i64::try_from(number).map_err(|_| out_of_range(number, 63))
    }
}

/// The integers from -2^127 to 2^127 - 1: the coefficients of exact products.
#[derive(Clone, Copy, Debug)]
pub struct WideIntegers;

impl Ring for WideIntegers {
    type Value = i128;

    #[inline]
    fn parse(&self, token: &[u8]) -> Result<i128, Fault> {
        let (negative, digits) = split_sign(token);
        match decimal(digits) {
            Ok(number) if negative => Ok(-i128::from(number)),
            Ok(number) => Ok(number.into()),
            Err(NotANumber::NoDigits) => Err(no_integer(token)),
            // All characters are ASCII digits after at most one sign.
            Err(NotANumber::TooLarge) => {
                let parsed = std::str::from_utf8(token).ok().and_then(|text| text.parse().ok());
                parsed.ok_or_else(|| out_of_range(quote(token), 127))
            }
        }
    }

    fn embed(&self, number: i128) -> Result<i128, Fault> {
        Ok(number)
    }
}

fn no_integer(token: &[u8]) -> Fault {
    Fault::Unexpected { expected: "a decimal integer".into(), found: quote(token) }
}

fn out_of_range(number: impl std::fmt::Display, bits: u32) -> Fault {
    let (least, most) = (format!("-2^{bits}").into(), format!("2^{bits} - 1").into());
    Fault::OutOfRange { value: number.to_string(), least, most }
}

/// Returns true if there is a minus sign, and the text after the sign.
#[inline]
fn split_sign(token: &[u8]) -> (bool, &[u8]) {
    match token {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    }
}

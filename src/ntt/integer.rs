//! Products of big integers, decimal or hexadecimal text to text.
//!
//! The digits are taken as many at a time as the exact product of polynomials in
//! B = 10^k or 16^k allows; carries turn the product's coefficients back to digits. So no
//! number is ever converted from one base to another, unless the operands differ in theirs.

use super::Product;
use super::exact::{self, MODULUS};
use crate::timeline::Phase;
use crate::verify::{Guarantee, MISS_BITS, mul_mod_long, pow_mod_long, random_long_prime, rounds};
use crate::{Device, Error, Result};
use dashu_int::UBig;
use rand::Rng;
use rayon::prelude::*;

/// The product of two integers, each written with an optional sign and decimal digits, or an
/// optional sign, `0x` and hexadecimal digits. The product is written like the first
/// operand, with small letters and no leading zeros.
///
/// # Errors
/// [`Error::Input`] for a text that is no such number, or for more digits than 2^26
/// coefficients hold, about 6.0e8 decimal ones in the product. Whatever the device reports.
pub fn multiply(device: &Device, a: &str, b: &str) -> Result<String> {
    let (a, b) = (Integer::parse("first", a)?, Integer::parse("second", b)?);
    let other = device.timeline().time(Phase::Host, "radix conversion", || b.in_radix(a.radix))?;
    let digits = product(device, a.radix, a.digits, other.as_deref().unwrap_or(b.digits))?;
    let sign = if a.negative != b.negative && digits != "0" { "-" } else { "" };
    Ok([sign, a.radix.prefix(), &digits].concat())
}

/// Checks that `c` is the product of `a` and `b`, in time linear in their digits; if not, it is
/// missed with a chance of at most 2^-64.
///
/// All three are reduced modulo primes drawn from those between 2^61 and 2^62, of which there
/// are more than 2^55.5: pi(x) is at least x / (ln x - 1) and at most x / (ln x - 1.1) there
/// (Dusart 2010). If a b - c is not 0 and has B bits, it has at most B / 61 such prime factors,
/// so that one prime misses it with a chance below B / 61 / 2^55.5. Two primes bring that to at
/// most 2^-64 up to 2^29 bits, and three up to 2^40 bits.
///
/// # Errors
/// [`Error::Check`] where `c` is another number, or none. [`Error::Input`] where `a` or `b` is
/// no number.
pub fn verify(a: &str, b: &str, c: &str, rng: &mut impl Rng) -> Result<Guarantee> {
    let (a, b) = (Integer::parse("first", a)?, Integer::parse("second", b)?);
    let c = Integer::parse("product", c).map_err(|e| Error::Check(e.to_string()))?;
    let difference = 1 + c.bits().max(a.bits() + b.bits());
    let factors = (difference / 61).max(1);
    for _ in 0..rounds(55.5 - f64::log2(factors as f64)) {
        let q = random_long_prime(rng);
        if mul_mod_long(a.modulo(q), b.modulo(q), q) != c.modulo(q) {
            return Err(Error::Check("this is not the product".into()));
        }
    }
    Ok(Guarantee::probable("this is the product", MISS_BITS))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Radix {
    Decimal,
    Hexadecimal,
}

impl Radix {
    fn base(self) -> u8 {
        match self {
            Radix::Decimal => 10,
            Radix::Hexadecimal => 16,
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Radix::Decimal => "",
            Radix::Hexadecimal => "0x",
        }
    }

    /// The value of up to 18 decimal or 15 hexadecimal digits.
    fn value(self, digits: &[u8]) -> u64 {
        let value =
            |digit: u8| u64::from(if digit <= b'9' { digit - b'0' } else { (digit | 32) - b'a' + 10 });
        digits.iter().fold(0, |sum, &digit| sum * u64::from(self.base()) + value(digit))
    }
}

/// A number as it was written.
#[derive(Clone, Copy, Debug)]
struct Integer<'a> {
    negative: bool,
    radix: Radix,
    /// At least one digit; no leading zeros but for 0 itself.
    digits: &'a str,
}

impl<'a> Integer<'a> {
    fn parse(which: &str, text: &'a str) -> Result<Self> {
        let start = text.len() - text.trim_start().len();
        let number = text.trim();
        let unsigned = number.strip_prefix(['-', '+']).unwrap_or(number);
        let hexadecimal = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X"));
        let radix = if hexadecimal.is_some() { Radix::Hexadecimal } else { Radix::Decimal };
        let digits = hexadecimal.unwrap_or(unsigned);
        if digits.is_empty() {
            return Err(Error::Input(format!("the {which} number has no digits")));
        }
        if let Some((i, c)) = digits.char_indices().find(|(_, c)| !c.is_digit(radix.base().into())) {
            let place = start + number.len() - digits.len() + i;
            let (base, hint) = match radix {
                Radix::Decimal if c.is_ascii_hexdigit() => ("decimal", "; hexadecimal numbers begin with 0x"),
                Radix::Decimal => ("decimal", ""),
                Radix::Hexadecimal => ("hexadecimal", ""),
            };
            return Err(Error::Input(format!(
                "byte {place} of the {which} number: {c:?} is no {base} digit{hint}"
            )));
        }
        let significant = digits.trim_start_matches('0');
        let digits = if significant.is_empty() { "0" } else { significant };
        Ok(Integer { negative: number.starts_with('-') && digits != "0", radix, digits })
    }

    /// At least as many as its magnitude has.
    fn bits(&self) -> u64 {
        4 * self.digits.len() as u64
    }

    /// The digits in another radix, or `None` where they are already.
    fn in_radix(&self, radix: Radix) -> Result<Option<String>> {
        if self.radix == radix {
            return Ok(None);
        }
        let value = UBig::from_str_radix(self.digits, self.radix.base().into())
            .map_err(|e| Error::Input(format!("cannot convert a number: {e}")))?;
        Ok(Some(value.in_radix(radix.base()).to_string()))
    }

    /// The number modulo q, 2^61 < q < 2^62.
    fn modulo(&self, q: u64) -> u64 {
        // 10^18 and 16^15 are below 2^61.
        let (base, at_once) = match self.radix {
            Radix::Decimal => (10u64, 18),
            Radix::Hexadecimal => (16, 15),
        };
        // Horner's rule for each part, then for the parts.
        let horner = |words: &mut dyn Iterator<Item = u64>, step: u64| {
            words.fold(0, |sum, word| (mul_mod_long(sum, step, q) + word) % q)
        };
        let part = at_once << 12;
        let parts: Vec<u64> = self
            .digits
            .as_bytes()
            .par_rchunks(part)
            .map(|part| {
                let (first, rest) = part.split_at(part.len() % at_once);
                let rest = rest.chunks(at_once).map(|chunk| self.radix.value(chunk));
                horner(&mut std::iter::once(self.radix.value(first)).chain(rest), base.pow(at_once as u32))
            })
            .collect();
        let value = horner(&mut parts.into_iter().rev(), pow_mod_long(base, part as u64, q));
        if self.negative && value > 0 { q - value } else { value }
    }
}

/// The product of two natural numbers, digits to digits.
fn product(device: &Device, radix: Radix, a: &str, b: &str) -> Result<String> {
    let k = digits_at_once(radix, a.len(), b.len());
    let split = |digits: &str| {
        let chunks = digits.as_bytes().par_rchunks(k).with_min_len(1 << 10);
        chunks.map(|chunk| radix.value(chunk) as i64).collect::<Vec<i64>>()
    };
    let (a, b) = device.timeline().time(Phase::Host, "digits", || (split(a), split(b)));
    let coefficients = exact::multiply(device, Product::Linear, &a, &b)?;
    Ok(device.timeline().time(Phase::Host, "carries", || join(radix, k, &coefficients)))
}

/// The largest k such that the exact product in base^k is safe: 8 or more for operands of up
/// to 2^26 coefficients.
fn digits_at_once(radix: Radix, a: usize, b: usize) -> usize {
    let safe = |&k: &usize| {
        let largest = u128::from(radix.base()).pow(k as u32) - 1;
        let terms = a.min(b).div_ceil(k) as u128;
        (2 * largest * largest).checked_mul(terms).is_some_and(|bound| bound < MODULUS)
    };
    (1..=13).rev().find(safe).unwrap_or(1)
}

/// The digits of the sum of coefficient i times base^(k i), no coefficient being negative.
fn join(radix: Radix, k: usize, coefficients: &[i128]) -> String {
    let step = u64::from(radix.base()).pow(k as u32);
    let wide = u128::from(step);
    // A coefficient is below 2^90: two digits of this base, and a third below 2^31.
    let split = |&x: &i128| {
        let x = x.unsigned_abs();
        let (upper, low) = (x / wide, x % wide);
        [low as u64, (upper % wide) as u64, (upper / wide) as u64]
    };
    let pieces: Vec<[u64; 3]> = coefficients.par_iter().with_min_len(1 << 10).map(split).collect();
    let piece = |i: usize, j: usize| i.checked_sub(j).and_then(|i| pieces.get(i)).map_or(0, |piece| piece[j]);
    let mut text = vec![b'0'; k * (pieces.len() + 3)];
    let mut carry = 0;
    for (i, place) in text.rchunks_exact_mut(k).enumerate() {
        let sum = piece(i, 0) + piece(i, 1) + piece(i, 2) + carry;
        carry = sum / step;
        write(radix, sum % step, place);
    }
    let zeros = text.iter().take_while(|&&digit| digit == b'0').count().min(text.len() - 1);
    String::from_utf8_lossy(&text[zeros..]).into_owned()
}

/// Writes the digits of `value`, which there is room for.
fn write(radix: Radix, mut value: u64, place: &mut [u8]) {
    let base = u64::from(radix.base());
    for digit in place.iter_mut().rev() {
        *digit = b"0123456789abcdef"[(value % base) as usize];
        value /= base;
    }
}

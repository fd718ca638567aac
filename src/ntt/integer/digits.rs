//! Integers as text: digits in groups, and coefficients of a product that carry into digits. Threads share both.

use dashu_int::UBig;

use crate::huge_pages;
use crate::ntt::exact::MODULUS;
use crate::parallel::*;
use crate::verify::{mul_mod_long, pow_mod_long};
use crate::{Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ntt) enum Radix {
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

    pub fn prefix(self) -> &'static str {
        match self {
            Radix::Decimal => "",
            Radix::Hexadecimal => "0x",
        }
    }

    /// True if all of these are digits. It looks at each, so that the compiler takes many at a time.
    fn are_digits(self, digits: &[u8]) -> bool {
        let decimal = |digit: u8| digit.wrapping_sub(b'0') < 10;
        let letter = |digit: u8| (digit | 32).wrapping_sub(b'a') < 6;
        match self {
            Radix::Decimal => digits.iter().fold(true, |all, &digit| all & decimal(digit)),
            Radix::Hexadecimal => {
                digits.iter().fold(true, |all, &digit| all & (decimal(digit) | letter(digit)))
            }
        }
    }

    /// The value of up to 18 decimal or 15 hexadecimal digits.
    fn value(self, digits: &[u8]) -> u64 {
        let letter = |digit: u8| u64::from((digit | 32) - b'a' + 10);
        let decimal = |digit: u8| u64::from(digit - b'0');
        match self {
            Radix::Decimal => digits.iter().fold(0, |sum, &digit| 10 * sum + decimal(digit)),
            Radix::Hexadecimal => digits
                .iter()
                .fold(0, |sum, &digit| 16 * sum + if digit <= b'9' { decimal(digit) } else { letter(digit) }),
        }
    }
}

/// Digits that a thread takes at a time.
const SHARE: usize = 1 << 14;

/// A number as written.
#[derive(Clone, Copy, Debug)]
pub(in crate::ntt) struct Integer<'a> {
    pub negative: bool,
    pub radix: Radix,
    /// At least one digit; no leading zeros except for 0 itself.
    pub digits: &'a str,
}

impl<'a> Integer<'a> {
    pub fn parse(which: &'static str, text: &'a str) -> Result<Self> {
        let start = text.len() - text.trim_start().len();
        let number = text.trim();
        let unsigned = number.strip_prefix(['-', '+']).unwrap_or(number);
        let hexadecimal = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X"));
        let radix = if hexadecimal.is_some() { Radix::Hexadecimal } else { Radix::Decimal };
        let digits = hexadecimal.unwrap_or(unsigned);
        Error::expect_at_least(format!("digits of the {which} number"), 1, digits.len() as u64)?;
        let are_digits = digits.as_bytes().par_chunks(SHARE).all(|digits| radix.are_digits(digits));
        let fault = || digits.char_indices().find(|(_, c)| !c.is_digit(radix.base().into()));
        if !are_digits && let Some((i, c)) = fault() {
            let place = start + number.len() - digits.len() + i;
            let (base, hint) = match radix {
                Radix::Decimal if c.is_ascii_hexdigit() => ("decimal", "; hexadecimal numbers begin with 0x"),
                Radix::Decimal => ("decimal", ""),
                Radix::Hexadecimal => ("hexadecimal", ""),
            };
            return Err(Error::NotADigit { which, place, found: c, base, hint });
        }
        let significant = digits.trim_start_matches('0');
        let digits = if significant.is_empty() { "0" } else { significant };
        Ok(Integer { negative: number.starts_with('-') && digits != "0", radix, digits })
    }

    /// An upper bound of the bits of its magnitude.
    pub fn bits(&self) -> u64 {
        4 * self.digits.len() as u64
    }

    /// The digits in another radix, or `None` if they are in it already.
    pub fn in_radix(&self, radix: Radix) -> Result<Option<String>> {
        if self.radix == radix {
            return Ok(None);
        }
        let value = UBig::from_str_radix(self.digits, self.radix.base().into())
            .map_err(|e| Error::value("a number", e.to_string().into()))?;
        Ok(Some(value.in_radix(radix.base()).to_string()))
    }

    /// The number modulo q, 2^61 < q < 2^62.
    pub fn modulo(&self, q: u64) -> u64 {
        // 10^18 and 16^15 are below 2^61.
        let (base, at_once) = match self.radix {
            Radix::Decimal => (10u64, 18),
            Radix::Hexadecimal => (16, 15),
        };
        // Horner's rule for each run of digits, then for the runs.
        let horner = |words: &mut dyn Iterator<Item = u64>, step: u64| {
            words.fold(0, |sum, word| (mul_mod_long(sum, step, q) + word) % q)
        };
        let run = at_once << 12;
        let of_run = |digits: &[u8]| {
            let (first, rest) = digits.split_at(digits.len() % at_once);
            let rest = rest.chunks(at_once).map(|chunk| self.radix.value(chunk));
            horner(&mut std::iter::once(self.radix.value(first)).chain(rest), base.pow(at_once as u32))
        };
        let runs: Vec<u64> = from_end(self.digits.as_bytes(), run).map(of_run).collect();
        let value = horner(&mut runs.into_iter().rev(), pow_mod_long(base, run as u64, q));
        if self.negative && value > 0 { q - value } else { value }
    }
}

/// The groups of `size` digits from the end on; the one at the beginning is perhaps shorter.
fn from_end(digits: &[u8], size: usize) -> impl Parallel<Item = &[u8]> {
    (0..digits.len().div_ceil(size)).into_par_iter().map(move |i| {
        let end = digits.len() - i * size;
        &digits[end.saturating_sub(size)..end]
    })
}

/// The coefficients in base^k of two numbers, lowest first, with zeros after them up to `lengths`.
pub(super) fn split(radix: Radix, k: usize, texts: [&str; 2], lengths: [usize; 2]) -> [Vec<i64>; 2] {
    let one = |text: &str, length: usize| {
        let digits = from_end(text.as_bytes(), k).with_min_len(1 << 10);
        let mut coefficients: Vec<i64> = digits.map(|digits| radix.value(digits) as i64).collect();
        coefficients.resize(length, 0);
        coefficients
    };
    [one(texts[0], lengths[0]), one(texts[1], lengths[1])]
}

/// The largest k such that the exact product in base^k is safe: 8 or more for operands of up
/// to 2^26 coefficients.
pub(super) fn digits_at_once(radix: Radix, a: usize, b: usize) -> usize {
    let safe = |&k: &usize| {
        let largest = u128::from(radix.base()).pow(k as u32) - 1;
        let terms = a.min(b).div_ceil(k) as u128;
        (2 * largest * largest).checked_mul(terms).is_some_and(|bound| bound < MODULUS)
    };
    (1..=13).rev().find(safe).unwrap_or(1)
}

/// The digits of the sum of coefficient i times B^i, B = base^k, no coefficient being negative.
pub(super) fn join(radix: Radix, k: usize, coefficients: &[i128]) -> Result<String> {
    let step = u64::from(radix.base()).pow(k as u32);
    let mut digits = huge_pages::zeros(coefficients.len() + 3)?;
    // Each thread takes some digits in B, as if nothing were carried to them.
    let carries = (0..digits.len().div_ceil(SHARE)).into_par_iter();
    let shares = carries.zip(digits.par_chunks_mut(SHARE));
    let carries = shares.map(|(share, digits)| carry(step, coefficients, share * SHARE, digits)).collect();
    add_carries(step, &mut digits, carries);
    let mut text = huge_pages::zeros(k * digits.len())?;
    // The text begins with the last digit.
    let places = text.par_chunks_mut(k).with_min_len(SHARE).enumerate();
    places.for_each(|(place, text)| write(radix, digits[digits.len() - 1 - place], text));
    let zeros = text.iter().take_while(|&&digit| digit == b'0').count().min(text.len() - 1);
    text.drain(..zeros);
    Ok(String::from_utf8(text).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
}

/// Sets `digits` to the digits in B = `step` from digit `first` on of the sum, without what is carried to them, and returns what
/// is carried from them: at most 3.
///
/// A coefficient is below 2^90: two digits, and a third below 2^31. Digit i is the sum of the low part of coefficient i, the
/// middle part of the one before, the upper part of the one before that, and a carry.
fn carry(step: u64, coefficients: &[i128], first: usize, digits: &mut [u64]) -> u64 {
    let parts = |i: Option<usize>| -> [u64; 3] {
        let x = i.and_then(|i| coefficients.get(i)).map_or(0, |x| x.unsigned_abs());
        let upper = x / u128::from(step);
        let low = (x - upper * u128::from(step)) as u64;
        match u64::try_from(upper) {
            Ok(upper) => [low, upper % step, upper / step],
            Err(_) => [low, (upper % u128::from(step)) as u64, (upper / u128::from(step)) as u64],
        }
    };
    let [mut before_last, mut last] = [2, 1].map(|back| parts(first.checked_sub(back)));
    let mut carry = 0;
    for (i, digit) in (first..).zip(digits) {
        let own = parts(Some(i));
        let sum = own[0] + last[1] + before_last[2] + carry;
        carry = sum / step;
        *digit = sum - carry * step;
        (before_last, last) = (last, own);
    }
    carry
}

/// Adds what each share of digits carries to the next.
fn add_carries(step: u64, digits: &mut [u64], carries: Vec<u64>) {
    let mut carry = 0;
    for (digits, own) in digits.chunks_mut(SHARE).zip(carries) {
        for digit in digits {
            if carry == 0 {
                break;
            }
            let sum = *digit + carry;
            carry = sum / step;
            *digit = sum % step;
        }
        carry += own;
    }
}

/// Writes the digits of `value` to `place`, which has room for them.
fn write(radix: Radix, value: u64, place: &mut [u8]) {
    // Divisions by a constant are multiplications.
    match radix {
        Radix::Decimal => write_in::<10>(value, place),
        Radix::Hexadecimal => write_in::<16>(value, place),
    }
}

fn write_in<const BASE: u64>(mut value: u64, place: &mut [u8]) {
    for digit in place.iter_mut().rev() {
        *digit = b"0123456789abcdef"[(value % BASE) as usize];
        value /= BASE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum by big integers.
    fn sum(radix: Radix, k: usize, coefficients: &[i128]) -> String {
        let step = UBig::from(radix.base()).pow(k);
        let value = coefficients.iter().rev().fold(UBig::ZERO, |sum, &x| sum * &step + x.unsigned_abs());
        value.in_radix(radix.base()).to_string()
    }

    #[test]
    fn a_carry_runs_through_all_shares() {
        // 1 and nines, then 10 in the lowest place.
        for (radix, k, digit) in [(Radix::Decimal, 2, 99), (Radix::Hexadecimal, 1, 15)] {
            for length in [1, 2, SHARE - 1, SHARE, SHARE + 1, 3 * SHARE + 5] {
                let mut coefficients = vec![digit; length];
                coefficients[0] += 1;
                let expected = format!("1{}", "0".repeat(k * length));
                assert_eq!(join(radix, k, &coefficients).unwrap(), expected, "{length}");
            }
        }
    }

    #[test]
    fn coefficients_have_three_digits() {
        let most = (MODULUS / 2) as i128;
        for (radix, k) in [(Radix::Decimal, 13), (Radix::Decimal, 1), (Radix::Hexadecimal, 11)] {
            for coefficients in [vec![0], vec![most], vec![most; 7], vec![0, 0, most, 0], vec![1, most - 1]] {
                // The top part of a coefficient is a digit only in a wide base.
                if k > 8 {
                    assert_eq!(join(radix, k, &coefficients).unwrap(), sum(radix, k, &coefficients), "{k}");
                }
            }
            let small: Vec<i128> = (0..2 * SHARE as i128 + 3).map(|i| i * i % 1000).collect();
            assert_eq!(join(radix, k, &small).unwrap(), sum(radix, k, &small));
        }
    }
}

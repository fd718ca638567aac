//! Products of big integers, decimal or hexadecimal text to text.
//!
//! Digits are grouped, as many as the exact product of polynomials in B = 10^k or 16^k allows; carries
//! convert the product's coefficients to digits. So no number is converted to another base, unless the
//! operands differ in theirs.

use std::fmt;
use std::time::Duration;

use super::exact::{ExactPlan, ExactProduct, Garner, MODULUS, PreparedExact, fields, residues};
use crate::gpu::block_on;
use crate::huge_pages;
use crate::parallel::*;
use crate::task::{
    Cost, Done, Planned, Prepared, Problem, Profile, Rate, Ready, Traffic, Way, Ways, typical,
};
use crate::timeline::{Phase, Timeline};
use crate::verify::{mul_mod_long, pow_mod_long};
use crate::{Device, Error, Result};
use dashu_int::UBig;

/// The product of two big integers of given lengths. The factors are cut into groups of as many digits as
/// the exact product of polynomials allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerProduct {
    /// The radix of the first factor, in which the product is written.
    radix: Radix,
    /// Digits of the factors in that radix, at most.
    digits: [usize; 2],
    /// True if the second factor has to be converted.
    converts: bool,
}

impl IntegerProduct {
    /// The product of integers as long as these, each written as [`multiply`] takes it.
    pub fn of(a: &str, b: &str) -> Result<Self> {
        let (a, b) = (Integer::parse("first", a)?, Integer::parse("second", b)?);
        let other = match (b.radix, a.radix) {
            (Radix::Hexadecimal, Radix::Decimal) => b.digits.len().saturating_mul(1205) / 1000 + 1,
            (Radix::Decimal, Radix::Hexadecimal) => b.digits.len().saturating_mul(831) / 1000 + 1,
            _ => b.digits.len(),
        };
        Ok(IntegerProduct { radix: a.radix, digits: [a.digits.len(), other], converts: b.radix != a.radix })
    }

    /// The number of digits per coefficient, and the numbers of coefficients of the factors.
    fn cut(&self) -> (usize, [usize; 2]) {
        let [a, b] = self.digits;
        let k = digits_at_once(self.radix, a, b);
        (k, self.digits.map(|digits| digits.div_ceil(k)))
    }
}

impl Problem for IntegerProduct {
    const NAME: &'static str = "this product";

    type Resident<'a> = ();
    /// The factors, written as [`multiply`] takes them.
    type Input<'a> = (&'a str, &'a str);
    /// The product, written like the first factor.
    type Answer = String;
    type Kernels = ();

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        Ok(Ways::default().with(AsPolynomials::NAME, AsPolynomials::new(self, profile)))
    }

    fn check_input(&self, &(a, b): &(&str, &str)) -> Result<()> {
        let found = IntegerProduct::of(a, b)?;
        Error::expect_length("digits of the first number", self.digits[0], found.digits[0])?;
        Error::expect_length("digits of the second number", self.digits[1], found.digits[1])?;
        match found == *self {
            true => Ok(()),
            false => Err(Error::value("the numbers", "in other bases than the plan's".into())),
        }
    }

    fn reborrow<'s>(factors: &'s mut (&str, &str)) -> (&'s str, &'s str) {
        *factors
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([a, b], (k, [x, y])) = (self.digits, self.cut());
        writeln!(f, "factors        {a} and {b} digits, {k} a coefficient: {x} and {y} coefficients")
    }
}

/// A coefficient of a product, on one thread of the host: its digits, residues, remainders and carries. A Xeon with AVX-512 took so
/// long for products of 10^7 digits, 16 threads together.
static COEFFICIENT: Rate = Rate::of_thread("coefficient of integers", 150e-9, coefficient);

fn coefficient() -> f64 {
    const GROUPS: usize = 1 << 11;
    let (k, digits) = (8, "97531864".repeat(GROUPS));
    let (Ok(fields), Ok(thread)) = (fields(), Threads::new(1)) else { return f64::NAN };
    let work = || {
        let [a, b] = split(Radix::Decimal, k, [&digits, &digits], [GROUPS; 2]);
        // As many residues as a product has coefficients, of which the factors have half each.
        let both = [&a[..], &b].concat();
        let residues = fields.map(|field| residues(field, &both));
        let text = join(Radix::Decimal, k, &Garner::new(fields).integers(&residues));
        drop(std::hint::black_box(text));
    };
    typical(2.0 * GROUPS as f64, || thread.run(work))
}

/// The one way: an exact product of polynomials in B = 10^k or 16^k, whose coefficients carry into digits.
#[derive(Debug)]
struct AsPolynomials {
    exact: ExactPlan,
    cost: Cost,
}

impl AsPolynomials {
    const NAME: &'static str = "as an exact product of polynomials";

    fn new(product: &IntegerProduct, profile: &Profile) -> Result<Self> {
        let (k, [a, b]) = product.cut();
        let problem = ExactProduct::new(a, b);
        let exact = problem.plan_for(profile)?;
        let (factors, coefficients) = (8 * (a + b) as u64, problem.length()? as u64);
        // While carries run: the coefficients, a digit in B of each, and the text, which a sign may be put before.
        let carries = (16 + 8) * coefficients + 2 * k as u64 * (coefficients + 3);
        // The second factor as a number, and as digits again.
        let conversion = if product.converts { 8 * product.digits[1] as u64 } else { 0 };
        let cost = exact.cost();
        let host = profile.host();
        let seconds = coefficients as f64 * host.record.seconds(&COEFFICIENT) / host.parallel();
        let time = cost.time + Duration::from_secs_f64(seconds);
        let host_bytes = factors + conversion + cost.host_bytes.max(carries);
        Ok(AsPolynomials { exact, cost: Cost { time, host_bytes, ..cost } })
    }
}

impl Way<IntegerProduct> for AsPolynomials {
    type Device = Device;
    type Ready<'p> = ReadyPolynomials;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        self.exact.traffic()
    }

    fn write(&self, _: &IntegerProduct, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.exact.write_lines(f)
    }

    fn prepare<'p>(&self, _: &IntegerProduct, device: &Device, (): ()) -> Result<Self::Ready<'p>> {
        let timeline = device.timeline().clone();
        Ok(ReadyPolynomials { exact: self.exact.prepare(device)?, timeline })
    }
}

#[derive(Debug)]
pub(super) struct ReadyPolynomials {
    exact: PreparedExact,
    timeline: Timeline,
}

impl Ready<IntegerProduct> for ReadyPolynomials {
    async fn run<'i: 'i>(
        &self,
        product: &IntegerProduct,
        (a, b): (&'i str, &'i str),
        _: &Done,
    ) -> Result<String> {
        let (a, b) = (Integer::parse("first", a)?, Integer::parse("second", b)?);
        let converted = self.timeline.time(Phase::Host, "radix conversion", || b.in_radix(a.radix))?;
        let (k, lengths) = product.cut();
        let texts = [a.digits, converted.as_deref().unwrap_or(b.digits)];
        let cut = || split(a.radix, k, texts, lengths);
        let [x, y] = self.timeline.time(Phase::Host, "digits", cut);
        let coefficients = self.exact.run_async((&x[..], &y[..])).await?;
        drop((x, y));
        let digits = self.timeline.time(Phase::Host, "carries", || join(a.radix, k, &coefficients))?;
        let sign = if a.negative != b.negative && digits != "0" { "-" } else { "" };
        Ok(match (sign, a.radix.prefix()) {
            ("", "") => digits,
            (sign, prefix) => [sign, prefix, &digits].concat(),
        })
    }
}

/// The plan of an [`IntegerProduct`] on one device.
pub type IntegerPlan = Planned<IntegerProduct>;

/// A product of integers ready to run.
pub type PreparedInteger = Prepared<'static, IntegerProduct>;

/// The product of two integers, each written with an optional sign and decimal digits, or an optional sign,
/// `0x` and hexadecimal digits. The product is written like the first factor, in lowercase and without
/// leading zeros. Plans, prepares and runs once. The product has at most as many digits as 2^26 coefficients hold,
/// about 6.0e8 decimal ones.
///
/// ```
/// use wgalois::ntt::integer;
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let product = integer::multiply(&device, "-99999999999999999999", "99999999999999999999")?;
/// assert_eq!(product, "-9999999999999999999800000000000000000001");
/// # Ok::<(), wgalois::Error>(())
/// ```
pub fn multiply(device: &Device, a: &str, b: &str) -> Result<String> {
    block_on(multiply_async(device, a, b))
}

/// The asynchronous form of [`multiply`], for browsers.
pub async fn multiply_async(device: &Device, a: &str, b: &str) -> Result<String> {
    let product = IntegerProduct::of(a, b)?;
    Ok(product.plan(device)?.compute_async(device, (a, b)).await?.0)
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
pub(super) struct Integer<'a> {
    negative: bool,
    radix: Radix,
    /// At least one digit; no leading zeros except for 0 itself.
    digits: &'a str,
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
    fn in_radix(&self, radix: Radix) -> Result<Option<String>> {
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
fn split(radix: Radix, k: usize, texts: [&str; 2], lengths: [usize; 2]) -> [Vec<i64>; 2] {
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
fn digits_at_once(radix: Radix, a: usize, b: usize) -> usize {
    let safe = |&k: &usize| {
        let largest = u128::from(radix.base()).pow(k as u32) - 1;
        let terms = a.min(b).div_ceil(k) as u128;
        (2 * largest * largest).checked_mul(terms).is_some_and(|bound| bound < MODULUS)
    };
    (1..=13).rev().find(safe).unwrap_or(1)
}

/// The digits of the sum of coefficient i times B^i, B = base^k, no coefficient being negative.
fn join(radix: Radix, k: usize, coefficients: &[i128]) -> Result<String> {
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

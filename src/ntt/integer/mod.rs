//! Products of big integers, decimal or hexadecimal text to text.
//!
//! Digits are grouped, as many as the exact product of polynomials in B = 10^k or 16^k allows; carries
//! convert the product's coefficients to digits. So no number is converted to another base, unless the
//! operands differ in theirs.

mod digits;

use std::fmt;
use std::time::Duration;

pub(super) use self::digits::Integer;
use self::digits::{Radix, digits_at_once, join, split};
use super::exact::{ExactPlan, ExactProduct, Garner, PreparedExact, residues};
use super::three_primes::fields;
use crate::gpu::block_on;
use crate::parallel::*;
use crate::task::{
    Cost, Done, Planned, Prepared, Problem, Profile, Rate, Ready, Traffic, Way, Ways, typical,
};
use crate::timeline::{Phase, Timeline};
use crate::{Device, Error, Result};

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

//! Exact products of polynomials with integer coefficients, over three primes.
//!
//! The product is computed modulo each of the [`PRIMES`]. The residues of a coefficient belong to exactly
//! one integer between minus and plus half of [`MODULUS`], which Garner's algorithm computes (Knuth, "The
//! Art of Computer Programming", volume 2, section 4.3.2). This integer is the coefficient, since
//! [`check_bound`] keeps coefficients in that range.

use std::fmt;

use super::cost::NEXT_PRODUCT_COMPILER;
use super::{Form, PreparedProduct, Product, ProductPlan, gpu};
use crate::field::{Barrett, Prime};
use crate::gpu::block_on;
use crate::parallel::*;
use crate::task::{Cost, OneEngine, Plan, Problem, Profile, within_memory, write_unshared};
use crate::timeline::{Phase, Timeline};
use crate::{Device, Error, One, Result};

/// The three primes below 2^31 with transforms of 2^26: 15 2^27 + 1, 27 2^26 + 1 and
/// 7 2^26 + 1.
pub const PRIMES: [u32; 3] = [2_013_265_921, 1_811_939_329, 469_762_049];

/// The product of the [`PRIMES`], about 2^90.5.
pub const MODULUS: u128 = PRIMES[0] as u128 * PRIMES[1] as u128 * PRIMES[2] as u128;

/// The longest transform modulo all [`PRIMES`], log2.
pub const MAX_LOG_N: u32 = 26;

/// The product of two polynomials with integer coefficients, lowest degree first. The zero polynomial may
/// have no coefficients at all.
///
/// The bound on the coefficients depends on the coefficients themselves, see [`check_bound`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExactProduct {
    form: Form,
    lengths: [usize; 2],
}

impl ExactProduct {
    /// The linear product of polynomials of `a` and `b` coefficients.
    pub fn new(a: usize, b: usize) -> Self {
        ExactProduct { form: Form::Linear, lengths: [a, b] }
    }

    /// Sets the ring.
    #[must_use]
    pub fn with_form(self, form: Form) -> Self {
        ExactProduct { form, ..self }
    }

    /// The ring.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The numbers of coefficients of the two factors.
    pub fn lengths(&self) -> [usize; 2] {
        self.lengths
    }

    /// The number of coefficients of the product.
    ///
    /// # Errors
    /// Those of [`Form::length`].
    pub fn length(&self) -> Result<usize> {
        self.form.length(self.lengths[0], self.lengths[1])
    }

    /// The product modulo one of the primes.
    fn modulo(&self, prime: Prime) -> Product {
        Product::new(prime, self.lengths[0], self.lengths[1]).with_form(self.form)
    }

    fn check_input(&self, a: &[i64], b: &[i64]) -> Result<()> {
        let have = [a.len(), b.len()];
        if have != self.lengths {
            let ([have_a, have_b], [a, b]) = (have, self.lengths);
            return Err(Error::Input(format!(
                "factors of {have_a} and {have_b} coefficients where {a} and {b} were expected"
            )));
        }
        check_bound(self.form, a, b)
    }
}

/// The plan of an [`ExactProduct`] on one device: a product modulo each of the [`PRIMES`].
#[derive(Clone, Debug)]
pub struct ExactPlan {
    product: ExactProduct,
    plans: [ProductPlan; 3],
    /// The devices of a group, of which one works.
    devices: usize,
    cost: Cost,
}

impl Problem for ExactProduct {
    type Plan = ExactPlan;

    fn plan_for(&self, profile: &Profile) -> Result<ExactPlan> {
        let (devices, profile) = (profile.device_count(), &*profile.of_one());
        let length = self.length()?;
        let plan = |prime| {
            let product = self.modulo(prime);
            product.convolution().map_err(|_| {
                let [a, b] = self.lengths;
                Error::Input(format!(
                    "the exact product of {a} and {b} coefficients takes transforms longer than \
                     2^{MAX_LOG_N}"
                ))
            })?;
            ProductPlan::unchecked(&product, profile)
        };
        let [p0, p1, p2] = fields()?;
        let plans = [plan(p0)?, plan(p1)?, plan(p2)?];
        let cost = cost(self, length, &plans, profile);
        cost.check(profile, "this product")?;
        Ok(ExactPlan { product: *self, plans, devices, cost })
    }
}

/// The cost of three products that share a scratch vector, one after the other.
fn cost(product: &ExactProduct, length: usize, plans: &[ProductPlan; 3], profile: &Profile) -> Cost {
    let costs = plans.each_ref().map(Plan::cost);
    let startup = profile.gpu().map(|gpu| gpu.startup).unwrap_or_default();
    let most = |bytes: fn(&Cost) -> u64| costs.iter().map(bytes).max().unwrap_or(0);
    let tables: u64 = plans[1..].iter().map(ProductPlan::table_bytes).sum();
    let (host_beside, device_tables) = match profile.one_engine() {
        OneEngine::Cpu(_) => (tables, 0),
        OneEngine::Gpu(_) => (2 * NEXT_PRODUCT_COMPILER, tables),
    };
    let residues = 4 * product.lengths.iter().sum::<usize>() as u64;
    // A result keeps the capacity of the transform that it came from.
    let result = 4 * length.max(plans[0].transform_len().unwrap_or(0)) as u64;
    let last_product = residues + 2 * result + most(|cost| cost.host_bytes);
    let remainders = 3 * result + 16 * length as u64;
    Cost {
        time: costs.iter().map(|cost| cost.time).sum::<std::time::Duration>().saturating_sub(2 * startup),
        host_bytes: last_product.max(remainders + plans[0].host_table_bytes()) + host_beside,
        device_bytes: most(|cost| cost.device_bytes) + device_tables,
    }
}

impl Plan for ExactPlan {
    fn cost(&self) -> Cost {
        self.cost
    }
}

impl ExactPlan {
    /// The product.
    pub fn product(&self) -> &ExactProduct {
        &self.product
    }

    /// Makes the tables and compiles the kernels for all three primes.
    ///
    /// # Errors
    /// Those of [`ProductPlan::prepare`].
    pub fn prepare(&self, device: &Device) -> Result<PreparedExact> {
        // The products run one after the other, so that one scratch vector is enough; their kernels are compiled at the
        // same time.
        let scratch = gpu::Scratch::default();
        let prepare = |plan: &ProductPlan| plan.prepare_sharing(device, &scratch);
        let products = match device.one() {
            One::Gpu(gpu) => gpu.each(&self.plans, prepare)?,
            One::Cpu(_) => self.plans.iter().map(prepare).collect::<Result<_>>()?,
        };
        let products: [_; 3] =
            products.try_into().map_err(|_| Error::Device("not as many products as primes".into()))?;
        Ok(PreparedExact { plan: self.clone(), products, timeline: device.timeline().clone() })
    }
}

impl fmt::Display for ExactPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p0, p1, p2] = PRIMES;
        let [a, b] = self.product.lengths;
        write_unshared(f, self.devices)?;
        writeln!(f, "factors        {a} and {b} integer coefficients")?;
        writeln!(f, "primes         {p0}, {p1}, {p2}")?;
        match self.plans[0].transform_len() {
            Some(n) => writeln!(f, "transforms     of 2^{} words", n.ilog2())?,
            None => writeln!(f, "transforms     none")?,
        }
        self.cost.fmt(f)
    }
}

/// An exact product ready to run.
#[derive(Debug)]
pub struct PreparedExact {
    plan: ExactPlan,
    products: [PreparedProduct; 3],
    timeline: Timeline,
}

impl PreparedExact {
    /// The plan that it was made from.
    pub fn plan(&self) -> &ExactPlan {
        &self.plan
    }

    /// The product of `a` and `b` over the integers, [`ExactProduct::length`] coefficients.
    ///
    /// # Errors
    /// [`Error::Input`] for factors of other lengths than the product's, and for coefficients that are too
    /// large, see [`check_bound`]; those of [`PreparedProduct::run`].
    pub fn run(&self, a: &[i64], b: &[i64]) -> Result<Vec<i128>> {
        block_on(self.run_async(a, b))
    }

    /// The asynchronous form of [`run`](Self::run), for browsers.
    pub async fn run_async(&self, a: &[i64], b: &[i64]) -> Result<Vec<i128>> {
        self.plan.product.check_input(a, b)?;
        let mut words = [vec![], vec![], vec![]];
        let fields = fields()?;
        for ((prime, product), words) in fields.into_iter().zip(&self.products).zip(&mut words) {
            let both = || (residues(prime, a), residues(prime, b));
            let (a, b) = self.timeline.time(Phase::Host, "residues", both);
            *words = product.run_async(&a, &b).await?;
        }
        Ok(self.timeline.time(Phase::Host, "remainders", || Garner::new(fields).integers(&words)))
    }
}

/// The product of `a` and `b` over the integers: plans, prepares and runs once.
///
/// ```
/// use wgalois::ntt::exact::{self, ExactProduct};
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let product = exact::multiply(&device, &ExactProduct::new(2, 2), &[1 << 40, -1], &[1 << 40, 1])?;
/// assert_eq!(product, [1 << 80, 0, -1]);
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// [`Error::Input`] if the coefficients are too large, see [`check_bound`], or the product takes
/// transforms longer than 2^26: a linear one has at most 2^26 coefficients. [`Error::Usage`] for a product
/// modulo x^0 - 1 or x^0 + 1. Those of the plan, of [`ExactPlan::prepare`] and of [`PreparedExact::run`].
pub fn multiply(device: &Device, product: &ExactProduct, a: &[i64], b: &[i64]) -> Result<Vec<i128>> {
    block_on(multiply_async(device, product, a, b))
}

/// The asynchronous form of [`multiply`], for browsers.
pub async fn multiply_async(
    device: &Device,
    product: &ExactProduct,
    a: &[i64],
    b: &[i64],
) -> Result<Vec<i128>> {
    product.length()?;
    product.check_input(a, b)?;
    let run = async |device: &Device| {
        let run = async |profile: &_| product.plan_for(profile)?.prepare(device)?.run_async(a, b).await;
        within_memory(device.profile(), run).await
    };
    device.on_one(run).await
}

/// Checks that no coefficient of the product can be too large: twice the largest number of terms that add up
/// to one coefficient, times the largest magnitudes of `a` and of `b`, has to be below [`MODULUS`]. For a
/// linear product that number is the length of the shorter operand.
///
/// # Errors
/// [`Error::Input`] if it is not.
pub fn check_bound(form: Form, a: &[i64], b: &[i64]) -> Result<()> {
    let largest = |x: &[i64]| u128::from(x.iter().map(|x| x.unsigned_abs()).max().unwrap_or(0));
    let (terms, a, b) = (form.terms(a.len(), b.len()), largest(a), largest(b));
    // a and b are at most 2^63.
    match (2 * a * b).checked_mul(terms as u128) {
        Some(bound) if bound < MODULUS => Ok(()),
        _ => Err(Error::Input(format!(
            "coefficients of magnitude up to {a} and {b}, with {terms} products adding up: the product could \
             have a coefficient of {terms} * {a} * {b}, and exact products are bounded by {}, about 2^89.4",
            MODULUS / 2
        ))),
    }
}

fn fields() -> Result<[Prime; 3]> {
    Ok([Prime::new(PRIMES[0])?, Prime::new(PRIMES[1])?, Prime::new(PRIMES[2])?])
}

fn residues(prime: Prime, words: &[i64]) -> Vec<u32> {
    let barrett = Barrett::new(prime);
    let residue = |&x: &i64| {
        let magnitude = barrett.reduce(x.unsigned_abs());
        if x < 0 { barrett.negate(magnitude) } else { magnitude }
    };
    words.par_iter().with_min_len(1 << 12).map(residue).collect()
}

/// From residues r0, r1, r2 to r0 + p0 d1 + p0 p1 d2.
struct Garner {
    fields: [Barrett; 3],
    primes: [Prime; 3],
    /// 1 / p0 modulo p1, p0 and 1 / (p0 p1) modulo p2.
    inverse_1: u32,
    p0_2: u32,
    inverse_2: u32,
}

impl Garner {
    fn new(primes: [Prime; 3]) -> Self {
        let [p0, p1, p2] = primes;
        let fields = primes.map(Barrett::new);
        let reduced = |by: usize, p: Prime| fields[by].reduce(p.value().into());
        Garner {
            fields,
            primes,
            inverse_1: p1.inverse(reduced(1, p0)),
            p0_2: reduced(2, p0),
            inverse_2: p2.inverse(p2.mul(reduced(2, p0), reduced(2, p1))),
        }
    }

    fn integers(&self, words: &[Vec<u32>; 3]) -> Vec<i128> {
        let [r0, r1, r2] = words;
        let residues = r0.par_iter().zip(r1).zip(r2).with_min_len(1 << 12);
        residues.map(|((&r0, &r1), &r2)| self.integer([r0, r1, r2])).collect()
    }

    fn integer(&self, [r0, r1, r2]: [u32; 3]) -> i128 {
        let ([_, f1, f2], [p0, p1, p2]) = (self.fields, self.primes);
        let d1 = f1.mul(p1.sub(r1, f1.reduce(r0.into())), self.inverse_1);
        let low = p2.add(f2.reduce(r0.into()), f2.mul(f2.reduce(d1.into()), self.p0_2));
        let d2 = f2.mul(p2.sub(r2, low), self.inverse_2);
        let p = |prime: Prime| u128::from(prime.value());
        let x = u128::from(r0) + p(p0) * (u128::from(d1) + p(p1) * u128::from(d2));
        if x > MODULUS / 2 { x as i128 - MODULUS as i128 } else { x as i128 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn primes_have_the_transforms() {
        let adicities = fields().unwrap().map(Prime::two_adicity);
        assert_eq!(*adicities.iter().min().unwrap(), MAX_LOG_N);
        assert_eq!(MODULUS.ilog2(), 90);
    }

    fn round_trip(x: i128) {
        let fields = fields().unwrap();
        let words = fields.map(|p| x.rem_euclid(i128::from(p.value())) as u32);
        assert_eq!(Garner::new(fields).integer(words), x);
    }

    #[test]
    fn extreme_integers_come_back_from_their_residues() {
        let half = (MODULUS / 2) as i128;
        for x in [0, 1, -1, half, -half, half - 1, 1 - half] {
            round_trip(x);
        }
    }

    proptest! {
        #[test]
        fn integers_come_back_from_their_residues(x in -(MODULUS as i128) / 2..=MODULUS as i128 / 2, s in 0..80) {
            round_trip(x);
            round_trip(x >> s);
        }
    }

    #[test]
    fn the_bound_is_exact() {
        // 2 * 1 * a * b against the modulus.
        let fits = |a: i64, b: i64| check_bound(Form::Linear, &[a], &[b]).is_ok();
        let b = 1i64 << 30;
        let a = ((MODULUS - 1) / (2 * b as u128)) as i64;
        assert!(fits(a, b) && fits(-a, b) && fits(b, -a) && !fits(a + 1, b) && !fits(b, -a - 1));
        assert!(!fits(i64::MIN, i64::MIN) && fits(0, i64::MIN));
        assert!(check_bound(Form::Linear, &[], &[i64::MIN]).is_ok());
        // Folded operands add more terms to one coefficient.
        let (x, y) = (vec![1i64 << 44; 4], vec![1i64 << 43; 4]);
        assert!(check_bound(Form::Linear, &x, &y).is_ok());
        assert!(check_bound(Form::Cyclic(4), &x, &y).is_ok());
        assert!(check_bound(Form::Cyclic(1), &x, &y).is_err());
    }
}

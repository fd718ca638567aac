//! Products of two polynomials modulo any number below 2^31.

mod by_integers;
mod engines;

pub(super) use engines::NEXT_COMPILER;
use engines::{COMPILER, compile_seconds};

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::lift::Lift;
use super::ring::{Convolution, expect_factors};
use super::ways::{OnGpu, ReadyOnGpu, divided, on_gpu, ways};
use super::{MAX_LOG_N, Reduction, Ring};
use crate::field::Modulus;
use crate::gpu::{DeviceVec, Recorder, block_on};
use crate::task::{Divided, Divisible, Engine, Planned, Prepared, Problem, Profile, Ways};
use crate::{Device, Error, Result};

/// The product of two polynomials modulo a number from 2 to 2^31 - 1.
///
/// Polynomials are vectors of coefficients, lowest degree first, every one below the modulus before and
/// after. The zero polynomial may have no coefficients at all.
///
/// A product modulo x^N - 1 or x^N + 1 takes transforms of length N if N is a power of two and the prime has
/// the root of unity; otherwise it is the folded linear product. If the modulus is no prime, or has no such root, the product
/// is that of the integers nearest to 0, by transforms modulo one, two or three other primes, of at most 2^26 words,
/// or 2^27 modulo one.
///
/// ```
/// use wgalois::field::{BABY_BEAR, Modulus};
/// use wgalois::ntt::{Ring, Product};
///
/// let product = Product::new(BABY_BEAR, 1000, 300).with_ring(Ring::Negacyclic(1024));
/// assert_eq!(product.length()?, 1024);
/// let kyber = Product::new(Modulus::new(3329)?, 256, 256).with_ring(Ring::Negacyclic(256)).with_batch(1000);
/// assert_eq!(kyber.length()?, 256);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    modulus: Modulus,
    ring: Ring,
    lengths: [usize; 2],
    batch: usize,
    reduction: Reduction,
}

impl Product {
    /// The linear product of polynomials of `a` and `b` coefficients.
    pub fn new(modulus: impl Into<Modulus>, a: usize, b: usize) -> Self {
        let modulus = modulus.into();
        Product { modulus, ring: Ring::Linear, lengths: [a, b], batch: 1, reduction: Reduction::Auto }
    }

    /// Sets the ring.
    #[must_use]
    pub fn with_ring(self, ring: Ring) -> Self {
        Product { ring, ..self }
    }

    /// Sets the reduction of the GPU's kernels; the CPU engine has one reduction only.
    #[must_use]
    pub fn with_reduction(self, reduction: Reduction) -> Self {
        Product { reduction, ..self }
    }

    /// Sets the number of products of these lengths, one by default. Any number can be run; a plan counts the time
    /// and memory of this many.
    #[must_use]
    pub fn with_batch(self, batch: usize) -> Self {
        Product { batch, ..self }
    }

    /// The number of products.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// The modulus.
    pub fn modulus(&self) -> Modulus {
        self.modulus
    }

    /// The ring.
    pub fn ring(&self) -> Ring {
        self.ring
    }

    /// The numbers of coefficients of the two factors.
    pub fn lengths(&self) -> [usize; 2] {
        self.lengths
    }

    /// The reduction of the GPU's kernels.
    pub fn reduction(&self) -> Reduction {
        self.reduction
    }

    /// The number of coefficients of the product.
    pub fn length(&self) -> Result<usize> {
        self.ring.length(self.lengths[0], self.lengths[1])
    }

    /// The numbers of coefficients of the factors once they are folded.
    pub(super) fn folded(&self) -> [usize; 2] {
        self.lengths.map(|length| self.ring.folded(length))
    }

    /// Checks that `a` and `b` are factors of this product.
    pub fn check_factors(&self, a: &[u32], b: &[u32]) -> Result<()> {
        expect_factors(self.lengths, [a.len(), b.len()])?;
        Ring::check_operands(self.modulus, a, b)
    }

    /// The factors folded into the ring.
    fn fold<'a>(&self, a: &'a [u32], b: &'a [u32]) -> (Cow<'a, [u32]>, Cow<'a, [u32]>) {
        (self.ring.fold(self.modulus, a), self.ring.fold(self.modulus, b))
    }

    /// The product from what the transforms give: `count` coefficients of the folded factors' product, then zeros.
    fn finish(&self, mut words: Vec<u32>, count: usize) -> Result<Vec<u32>> {
        let length = self.length()?;
        words.truncate(count);
        if words.len() > length {
            words = self.ring.fold(self.modulus, &words).into_owned();
        }
        let more = length - words.len();
        words.try_reserve_exact(more).map_err(|e| no_room(length, &e))?;
        words.resize(length, 0);
        Ok(words)
    }

    /// The product if a factor has no coefficients.
    fn zero(&self) -> Result<Vec<u32>> {
        crate::huge_pages::zeros(self.length()?)
    }

    /// The transforms modulo its own modulus that compute it, or None if a factor is empty.
    pub(super) fn convolution(&self) -> Result<Option<Convolution>> {
        self.length()?;
        let &Product { modulus, ring, reduction, .. } = self;
        let [a, b] = self.folded();
        if a == 0 || b == 0 {
            return Ok(None);
        }
        let linear = a + b - 1;
        let none = |log_length: u32, largest: u32| {
            let (lengths, modulus) = ([a, b], Some(modulus.value()));
            Err(Error::NoProduct { lengths, log_length, modulus, largest })
        };
        let Some(prime) = modulus.prime() else { return none(linear.next_power_of_two().ilog2().max(1), 0) };
        let negacyclic = matches!(ring, Ring::Negacyclic(_));
        if let Ring::Cyclic(n) | Ring::Negacyclic(n) = ring {
            let order = n.ilog2() + u32::from(negacyclic);
            if n.is_power_of_two() && (2..linear).contains(&n) && order <= prime.two_adicity() {
                return Ok(Some(Convolution { prime, log_n: n.ilog2(), negacyclic, reduction }));
            }
        }
        let log_n = linear.next_power_of_two().ilog2().max(1);
        let largest = prime.two_adicity().min(MAX_LOG_N);
        if log_n > largest {
            return none(log_n, largest);
        }
        Ok(Some(Convolution { prime, log_n, negacyclic: false, reduction }))
    }
}

impl Product {
    /// The transforms that compute it by way of the integers, or None if a factor is empty.
    fn lift(&self) -> Result<Option<Lift>> {
        self.length()?;
        match self.folded() {
            [0, _] | [_, 0] => Ok(None),
            lengths => Lift::new(self.modulus, self.ring, lengths, self.reduction).map(Some),
        }
    }

    /// The length of the transforms; None if a factor is empty.
    fn transform_len(&self) -> Option<usize> {
        match self.convolution() {
            Ok(convolution) => convolution.map(|convolution| convolution.n()),
            Err(_) => self.lift().ok().flatten().map(|lift| lift.n()),
        }
    }
}

fn no_room(length: usize, why: &dyn fmt::Display) -> Error {
    Error::OutOfMemory(format!("a product of {length} coefficients on the host: {why}").into())
}

impl Problem for Product {
    const NAME: &'static str = "this product";

    type Resident<'a> = ();
    /// Pairs of factors.
    type Input<'a> = &'a [[&'a [u32]; 2]];
    /// The products, in order.
    type Answer = Vec<Vec<u32>>;
    type Kernels = ReadyOnGpu<Self>;

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        let own = match (self.convolution(), &profile.engine) {
            // Without transforms of its own the modulus has one way on a device, whose errors are those of the plan.
            (Err(_), Engine::Cpu(_) | Engine::Gpu(_)) => {
                self.lift()?;
                Ways::default()
            }
            _ => ways(self, profile, || divided(self, profile))?,
        };
        Ok(by_integers::with(own, self, profile))
    }

    fn check_input(&self, factors: &Self::Input<'_>) -> Result<()> {
        factors.iter().try_for_each(|[a, b]| self.check_factors(a, b))
    }

    fn reborrow<'s>(factors: &'s mut Self::Input<'_>) -> Self::Input<'s> {
        *factors
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.lengths;
        let ring = match self.ring {
            Ring::Linear => String::new(),
            Ring::Cyclic(n) => format!(", x^{n} - 1"),
            Ring::Negacyclic(n) => format!(", x^{n} + 1"),
        };
        writeln!(f, "factors        {a} and {b} coefficients modulo {}{ring}", self.modulus)?;
        match (self.convolution(), self.lift()) {
            (Ok(Some(Convolution { log_n, .. })), _) => writeln!(f, "transforms     of 2^{log_n} words"),
            (Err(_), Ok(Some(lift))) => writeln!(f, "transforms     {lift}"),
            _ => writeln!(f, "transforms     none"),
        }
    }
}

impl Divisible for Product {
    const THINGS: &'static str = "products";

    fn count(&self) -> usize {
        self.batch
    }

    fn part(&self, count: usize) -> Self {
        self.with_batch(count)
    }

    fn count_of(&self, factors: &Self::Input<'_>) -> usize {
        factors.len()
    }

    fn split<'i>(&self, factors: Self::Input<'i>, ranges: &[Range<usize>]) -> Vec<Self::Input<'i>> {
        ranges.iter().map(|range| &factors[range.clone()]).collect()
    }

    fn join(&self, products: Vec<Vec<Vec<u32>>>) -> Result<Vec<Vec<u32>>> {
        Ok(products.into_iter().flatten().collect())
    }
}

/// The plan of a [`Product`] on one device.
pub type ProductPlan = Planned<Product>;

impl ProductPlan {
    /// n, the length of its transforms; None if a factor is empty.
    pub fn transform_len(&self) -> Option<usize> {
        self.problem().transform_len()
    }

    /// The dispatches of one product on a GPU; None on the CPU engine.
    pub fn dispatches(&self) -> Option<usize> {
        let shared = self.way::<Divided<Product>>().and_then(Divided::largest);
        let plan = shared.unwrap_or(self);
        let direct =
            plan.way::<OnGpu<Product>>().map(|way| way.plan.as_ref().map_or(0, |plan| plan.dispatches()));
        direct.or_else(|| plan.way::<by_integers::OnGpu>().map(by_integers::OnGpu::dispatches))
    }
}

/// A product ready to run: tables made, kernels compiled.
///
/// ```
/// use wgalois::field::BABY_BEAR;
/// use wgalois::ntt::Product;
/// use wgalois::task::Problem;
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let product = Product::new(BABY_BEAR, 2, 3).plan(&device)?.prepare(&device)?;
/// assert_eq!(product.multiply(&[1, 2], &[3, 4, 5])?, [3, 10, 13, 10]);
/// # Ok::<(), wgalois::Error>(())
/// ```
pub type PreparedProduct = Prepared<'static, Product>;

impl PreparedProduct {
    /// The product of `a` and `b`, [`Product::length`] coefficients.
    pub fn multiply(&self, a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
        Ok(self.run(&[[a, b]])?.pop().unwrap_or_default())
    }

    /// The product of `left` and `right`, which are on the device, as a device vector of
    /// [`ProductPlan::transform_len`] words: the coefficients of the product, then zeros. The factors may be
    /// shorter than planned; that their coefficients are below p is not checked.
    ///
    /// It returns before the work is done; the next download waits for it. Refuses a product that has to be folded on
    /// the host, see [`Product`], and factors longer than the transforms.
    pub fn run_on_device(&self, left: &DeviceVec<u32>, right: &DeviceVec<u32>) -> Result<DeviceVec<u32>> {
        self.on_gpu()?.on_device(self.plan().problem(), left, right)
    }

    /// Records the work of [`run_on_device`](Self::run_on_device), into a vector of
    /// [`ProductPlan::transform_len`] words. Work of this prepared product shares a vector on the device: no other
    /// thread may record or run it until this is submitted.
    pub fn record(
        &self,
        recorder: &mut Recorder,
        left: &DeviceVec<u32>,
        right: &DeviceVec<u32>,
        product: &mut DeviceVec<u32>,
    ) -> Result<()> {
        self.on_gpu()?.record(self.plan().problem(), recorder, [left, right], product)
    }

    fn on_gpu(&self) -> Result<&ReadyOnGpu<Product>> {
        if self.plan().way::<by_integers::OnGpu>().is_some() {
            let modulus = self.plan().problem().modulus;
            let what =
                format!("multiply modulo {modulus} on the device: the factors come from the host").into();
            return Err(Error::Unsupported { device: "a GPU", what });
        }
        on_gpu(self, "take factors from a device: they come from the host")
    }
}

/// The product of `a` and `b`: plans, prepares and runs once.
///
/// ```
/// use wgalois::field::BABY_BEAR;
/// use wgalois::ntt::{self, Ring, Product};
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let product = Product::new(BABY_BEAR, 2, 2);
/// assert_eq!(ntt::multiply(&device, &product, &[1, 2], &[3, 4])?, [3, 10, 8]);
/// // Modulo x^2 + 1, x^2 is -1.
/// let product = product.with_ring(Ring::Negacyclic(2));
/// assert_eq!(ntt::multiply(&device, &product, &[1, 2], &[3, 4])?, [BABY_BEAR.value() - 5, 10]);
/// # Ok::<(), wgalois::Error>(())
/// ```
pub fn multiply(device: &Device, product: &Product, a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
    block_on(multiply_async(device, product, a, b))
}

/// The asynchronous form of [`multiply`], for browsers.
pub async fn multiply_async(device: &Device, product: &Product, a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
    Ok(multiply_many_async(device, product, &[[a, b]]).await?.pop().unwrap_or_default())
}

/// The products of several pairs of factors of the lengths that `product` has, in order: plans, prepares and runs
/// once.
///
/// ```
/// use wgalois::field::BABY_BEAR;
/// use wgalois::ntt::{self, Product};
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let factors: [[&[u32]; 2]; 2] = [[&[1, 2], &[3]], [&[0, 1], &[5]]];
/// let products = ntt::multiply_many(&device, &Product::new(BABY_BEAR, 2, 1), &factors)?;
/// assert_eq!(products, [[3, 6], [0, 5]]);
/// # Ok::<(), wgalois::Error>(())
/// ```
pub fn multiply_many(device: &Device, product: &Product, factors: &[[&[u32]; 2]]) -> Result<Vec<Vec<u32>>> {
    block_on(multiply_many_async(device, product, factors))
}

/// The asynchronous form of [`multiply_many`], for browsers.
pub async fn multiply_many_async(
    device: &Device,
    product: &Product,
    factors: &[[&[u32]; 2]],
) -> Result<Vec<Vec<u32>>> {
    let product = product.with_batch(factors.len());
    product.check_input(&factors)?;
    Ok(product.plan(device)?.compute_async(device, factors).await?.0)
}

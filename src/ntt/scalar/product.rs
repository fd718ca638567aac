//! The product of two polynomials over a scalar field.

use std::fmt;
use std::marker::PhantomData;

use super::gpu::chunk_len;
use super::plan::{PreparedTransform, TransformPlan};
use super::problem::Transform;
use super::vector::{Vector, Vectors};
use super::verify::random;
use crate::gpu::{Family, block_on};
use crate::ntt::{Order, ring::expect_factors, verify::on_threads};
use crate::scalars::{SCALAR_BYTES, Scalar};
use crate::task::{
    Cost, Done, Engine, OneOf, Planned, Prepared, Problem, Profile, Ready, Traffic, Way, Ways,
};
use crate::verify::Guarantee;
use crate::{Device, Error, Result, Wrong};

/// The product of two polynomials over a scalar field: vectors of coefficients, lowest degree first. The zero
/// polynomial may have no coefficients at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product<F: Scalar> {
    lengths: [usize; 2],
    field: PhantomData<fn() -> F>,
}

impl<F: Scalar> Product<F> {
    /// The product of polynomials of `a` and `b` coefficients.
    pub fn new(a: usize, b: usize) -> Self {
        Product { lengths: [a, b], field: PhantomData }
    }

    /// The numbers of coefficients of the two factors.
    pub fn lengths(&self) -> [usize; 2] {
        self.lengths
    }

    /// The number of coefficients of the product: 0 if a factor has none.
    pub fn length(&self) -> Result<usize> {
        let [a, b] = self.lengths;
        match a.checked_add(b) {
            _ if a == 0 || b == 0 => Ok(0),
            Some(sum) => Ok(sum - 1),
            None => Err(too_long(a.max(b))),
        }
    }

    fn check_factors(&self, a: &[F], b: &[F]) -> Result<()> {
        expect_factors(self.lengths, [a.len(), b.len()])
    }

    /// Checks that `c` is the product of `a` and `b`, in linear time on the host: the values at a random point agree.
    /// A wrong `c` is missed with a chance of at most n 2^-252 for a product of n coefficients.
    pub fn check(&self, device: &Device, a: &[F], b: &[F], c: &[F]) -> Result<Guarantee> {
        self.check_factors(a, b)?;
        let length = self.length()?;
        Wrong::expect_length("coefficients", length, c.len())?;
        let point: F = random(&mut rand::rng());
        let value = |polynomial: &[F]| {
            let log_len = polynomial.len().next_power_of_two().ilog2();
            super::powers::Powers::new(point, log_len, Order::Natural).dot(polynomial)
        };
        let bits = (F::MODULUS_BIT_SIZE - 1).saturating_sub(length.next_power_of_two().ilog2());
        on_threads(device, || {
            let holds = value(a) * value(b) == value(c);
            Wrong::unless(holds, "the polynomial is not the product of its factors")?;
            Ok(Guarantee::probable("the polynomial is the product of its factors", bits))
        })
    }
}

impl<F: Scalar> Problem for Product<F> {
    const NAME: &'static str = "this product";

    type Resident<'a> = ();
    /// The factors.
    type Input<'a> = (&'a [F], &'a [F]);
    /// The product, [`Product::length`] coefficients.
    type Answer = Vec<F>;
    type Kernels = ();

    fn families(&self) -> Vec<Family> {
        vec![Family::Bits255]
    }

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        Ok(match (self.length()?, &profile.engine) {
            (0, _) => Ways::default().with("nothing to do", Ok(ByTransforms::<F>::default())),
            (_, Engine::Group(_) | Engine::Processes { .. }) => {
                Ways::default().with(OneOf::<Self>::NAME, OneOf::new(self, profile))
            }
            _ => Ways::default().with(ByTransforms::<F>::NAME, ByTransforms::new(self, profile)),
        })
    }

    fn check_input(&self, &(a, b): &Self::Input<'_>) -> Result<()> {
        self.check_factors(a, b)
    }

    fn reborrow<'s>(factors: &'s mut Self::Input<'_>) -> Self::Input<'s> {
        *factors
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.lengths;
        writeln!(f, "product        {a} times {b} scalars of {} bits", F::MODULUS_BIT_SIZE)
    }
}

/// The way of either engine: two transforms, products of values, one transform back.
#[derive(Debug)]
struct ByTransforms<F: Scalar> {
    /// There and back; none if a factor has no coefficients.
    plans: Option<[TransformPlan<F>; 2]>,
    cost: Cost,
    traffic: Traffic,
}

impl<F: Scalar> Default for ByTransforms<F> {
    fn default() -> Self {
        ByTransforms { plans: None, cost: Cost::default(), traffic: Traffic::default() }
    }
}

/// The error of a product of `count` coefficients or a factor of so many, of which the next power of two is no `usize`.
fn too_long(count: usize) -> Error {
    Error::TooMany { what: "coefficients".into(), count: count as u64, most: 1 << (usize::BITS - 1) }
}

impl<F: Scalar> ByTransforms<F> {
    const NAME: &'static str = "by transforms";

    fn new(product: &Product<F>, profile: &Profile) -> Result<Self> {
        let length = product.length()?;
        let n = length.checked_next_power_of_two();
        let n = n.ok_or_else(|| too_long(length))?;
        let transform = Transform::<F>::new(n)?.with_output(Order::BitReversed);
        // A transform is the same in any memory; what both need together is checked.
        let any = profile.unbounded();
        let (there, back) = (transform.plan_for(&any)?, transform.inverted().plan_for(&any)?);
        let [first, second] = [there.cost(), back.cost()];
        let vector = SCALAR_BYTES * n as u64;
        // Two vectors on the engine that computes, and the tables of both transforms.
        let vectors = if matches!(profile.engine, Engine::Gpu(_)) { vector } else { 3 * vector };
        let [to, from] = [there.traffic(), back.traffic()];
        let buffers = match &profile.engine {
            Engine::Gpu(gpu) => n.div_ceil(chunk_len(gpu).max(1)) as u64,
            _ => 1,
        };
        let traffic = Traffic {
            // Nothing on the CPU engine.
            upload: (SCALAR_BYTES * product.lengths.iter().sum::<usize>() as u64).min(2 * to.upload),
            download: from.download.min(SCALAR_BYTES * length as u64),
            // Twice there, once back, and the products in each buffer.
            dispatches: to.dispatches.zip(from.dispatches).map(|(to, from)| 2 * to + from + buffers),
        };
        // A GPU gets the factors and gives the product: the vectors stay there between the transforms.
        let transforms = there.cost_on_device().repeated(2).time + back.cost_on_device().time;
        let cost = Cost {
            time: transforms + traffic.time_on(profile),
            compiling: first.compiling + second.compiling,
            host_bytes: first.host_bytes + second.host_bytes + vectors,
            device_bytes: first.device_bytes + second.device_bytes,
            ..Cost::default()
        };
        Ok(ByTransforms { plans: Some([there, back]), cost, traffic })
    }
}

impl<F: Scalar> Way<Product<F>> for ByTransforms<F> {
    type Device = Device;
    type Ready<'p> = Option<ReadyTransforms<F>>;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }

    fn write(&self, _: &Product<F>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some([there, _]) = &self.plans else { return Ok(()) };
        writeln!(f, "transforms     3, of 2^{} scalars", there.transform().log_n())?;
        match there.passes() {
            Some(passes) => writeln!(f, "passes         {passes} each"),
            None => Ok(()),
        }
    }

    fn prepare<'p>(&self, _: &Product<F>, device: &Device, (): ()) -> Result<Self::Ready<'p>> {
        let Some([there, back]) = &self.plans else { return Ok(None) };
        let (there, back) = (there.prepare(device)?, back.prepare(device)?);
        Ok(Some(ReadyTransforms { there, back, vectors: Vectors::new(device)? }))
    }
}

#[derive(Debug)]
pub struct ReadyTransforms<F: Scalar> {
    there: PreparedTransform<F>,
    back: PreparedTransform<F>,
    vectors: Vectors<F>,
}

impl<F: Scalar> Ready<Product<F>> for Option<ReadyTransforms<F>> {
    async fn run<'i: 'i>(
        &self,
        product: &Product<F>,
        (a, b): (&'i [F], &'i [F]),
        _: &Done,
    ) -> Result<Vec<F>> {
        let Some(ReadyTransforms { there, back, vectors }) = self else { return Ok(Vec::new()) };
        let n = there.plan().transform().n();
        let mut left = vectors.upload_padded(a, n)?;
        let mut right = vectors.upload_padded(b, n)?;
        there.run_vector(&mut left)?;
        there.run_vector(&mut right)?;
        vectors.multiply(&mut left, &right)?;
        back.run_vector(&mut left)?;
        left.truncate(product.length()?);
        match left {
            Vector::Host(scalars) => Ok(scalars),
            Vector::Device(scalars) => scalars.download_async().await,
        }
    }
}

/// The plan of a [`Product`] on one device.
pub type ProductPlan<F> = Planned<Product<F>>;

/// A product ready to run: tables made, kernels compiled.
///
/// ```
/// use ark_bn254::Fr;
/// use wgalois::ntt::scalar::Product;
/// use wgalois::task::Problem;
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let product = Product::<Fr>::new(2, 3).plan(&device)?.prepare(&device)?;
/// let (a, b) = ([1u64, 2].map(Fr::from), [3u64, 4, 5].map(Fr::from));
/// assert_eq!(product.run((&a[..], &b[..]))?, [3u64, 10, 13, 10].map(Fr::from));
/// # Ok::<(), wgalois::Error>(())
/// ```
pub type PreparedProduct<F> = Prepared<'static, Product<F>>;

/// The product of `a` and `b`: plans, prepares and runs once.
///
/// ```
/// use ark_bn254::Fr;
/// use wgalois::ntt::scalar;
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let product = scalar::multiply(&device, &[1u64, 2].map(Fr::from), &[3u64, 4].map(Fr::from))?;
/// assert_eq!(product, [3u64, 10, 8].map(Fr::from));
/// # Ok::<(), wgalois::Error>(())
/// ```
pub fn multiply<F: Scalar>(device: &Device, a: &[F], b: &[F]) -> Result<Vec<F>> {
    block_on(multiply_async(device, a, b))
}

/// The asynchronous form of [`multiply`], for browsers.
pub async fn multiply_async<F: Scalar>(device: &Device, a: &[F], b: &[F]) -> Result<Vec<F>> {
    let product = Product::<F>::new(a.len(), b.len());
    Ok(product.plan(device)?.compute_async(device, (a, b)).await?.0)
}

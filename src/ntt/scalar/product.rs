//! The product of two polynomials over a scalar field.

use std::fmt;
use std::marker::PhantomData;

use super::plan::{PreparedTransform, TransformPlan};
use super::problem::Transform;
use super::vector::{Vector, Vectors};
use super::verify::random;
use crate::gpu::block_on;
use crate::ntt::{Order, check::on_threads};
use crate::scalars::{SCALAR_BYTES, Scalar};
use crate::task::{Cost, OneEngine, Plan, Problem, Profile, Traffic, within_memory};
use crate::verify::Guarantee;
use crate::{Device, Error, Result};

/// The product of two polynomials over a scalar field: vectors of coefficients, lowest degree first. The zero
/// polynomial may have no coefficients at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product<F: Scalar> {
    lengths: [usize; 2],
    field: PhantomData<fn() -> F>,
}

/// The plan of a [`Product`]: that of its transforms, and the vectors between them.
#[derive(Clone, Debug)]
pub struct ProductPlan<F: Scalar> {
    product: Product<F>,
    /// None if a factor is empty.
    transforms: Option<[TransformPlan<F>; 2]>,
    cost: Cost,
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
    ///
    /// # Errors
    /// [`Error::Input`] if it exceeds the numbers of the machine.
    pub fn length(&self) -> Result<usize> {
        let [a, b] = self.lengths;
        match a.checked_add(b) {
            _ if a == 0 || b == 0 => Ok(0),
            Some(sum) => Ok(sum - 1),
            None => Err(Error::Input(format!("factors of {a} and {b} coefficients"))),
        }
    }

    fn check_input(&self, a: &[F], b: &[F]) -> Result<()> {
        if [a.len(), b.len()] == self.lengths {
            return Ok(());
        }
        let ([have_a, have_b], [a, b]) = ([a.len(), b.len()], self.lengths);
        Err(Error::Input(format!(
            "factors of {have_a} and {have_b} coefficients where {a} and {b} were expected"
        )))
    }

    /// Checks that `c` is the product of `a` and `b`, in linear time on the host: the values at a random point agree.
    ///
    /// # Errors
    /// [`Error::Check`] if it is not, which is missed with a chance of at most n 2^-252 for a product of n coefficients;
    /// [`Error::Input`] if `a` and `b` are not factors of this product.
    pub fn check(&self, device: &Device, a: &[F], b: &[F], c: &[F]) -> Result<Guarantee> {
        self.check_input(a, b)?;
        let length = self.length()?;
        if c.len() != length {
            return Err(Error::Check(format!("{} coefficients, where {length} were expected", c.len())));
        }
        let point: F = random(&mut rand::rng());
        let value = |polynomial: &[F]| {
            let log_len = polynomial.len().next_power_of_two().ilog2();
            super::powers::Powers::new(point, log_len, Order::Natural).dot(polynomial)
        };
        let bits = (F::MODULUS_BIT_SIZE - 1).saturating_sub(length.next_power_of_two().ilog2());
        on_threads(device, || match value(a) * value(b) == value(c) {
            true => Ok(Guarantee::probable("the polynomial is the product of its factors", bits)),
            false => Err(Error::Check("the polynomial is not the product of its factors".into())),
        })
    }
}

impl<F: Scalar> Problem for Product<F> {
    type Plan = ProductPlan<F>;

    fn plan_for(&self, profile: &Profile) -> Result<ProductPlan<F>> {
        let length = self.length()?;
        if length == 0 {
            return Ok(ProductPlan { product: *self, transforms: None, cost: Cost::default() });
        }
        let n = length.checked_next_power_of_two();
        let n = n.ok_or_else(|| Error::Input(format!("a product of {length} coefficients")))?;
        let there = Transform::<F>::new(n)?.with_output(Order::BitReversed);
        let profile = profile.of_one();
        let transforms = [there.plan_for(&profile)?, there.inverted().plan_for(&profile)?];
        let [first, second] = [transforms[0].cost(), transforms[1].cost()];
        let vector = SCALAR_BYTES * n as u64;
        // Two vectors on the engine that computes, and the tables of both transforms.
        let on_gpu = matches!(profile.one_engine(), OneEngine::Gpu(_));
        let cost = Cost {
            time: 2 * first.time + second.time,
            host_bytes: first.host_bytes + second.host_bytes + if on_gpu { vector } else { 3 * vector },
            device_bytes: first.device_bytes + second.device_bytes,
        };
        cost.check(&profile, "this product")?;
        Ok(ProductPlan { product: *self, transforms: Some(transforms), cost })
    }
}

impl<F: Scalar> Plan for ProductPlan<F> {
    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        let Some([there, back]) = &self.transforms else { return Traffic::default() };
        let (there, back) = (there.traffic(), back.traffic());
        let factors = SCALAR_BYTES * self.product.lengths.iter().sum::<usize>() as u64;
        Traffic {
            // Nothing on the CPU engine.
            upload: factors.min(2 * there.upload),
            download: back.download.min(SCALAR_BYTES * self.product.length().unwrap_or(0) as u64),
            // Twice there, once back, and the products.
            dispatches: there.dispatches.zip(back.dispatches).map(|(there, back)| 2 * there + back + 1),
        }
    }
}

impl<F: Scalar> fmt::Display for ProductPlan<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.product.lengths;
        writeln!(f, "product        {a} times {b} scalars of {} bits", F::MODULUS_BIT_SIZE)?;
        if let Some([there, _]) = &self.transforms {
            writeln!(f, "transforms     3, of 2^{} scalars", there.transform().log_n())?;
            if let Some(passes) = there.passes() {
                writeln!(f, "passes         {passes} each")?;
            }
        }
        self.cost.fmt(f)
    }
}

impl<F: Scalar> ProductPlan<F> {
    /// The product.
    pub fn product(&self) -> &Product<F> {
        &self.product
    }

    /// Makes the tables and compiles the kernels.
    ///
    /// # Errors
    /// [`Error::Usage`] for a device of another kind than the plan's; [`Error::OutOfMemory`], and
    /// the device's faults.
    pub fn prepare(&self, device: &Device) -> Result<PreparedProduct<F>> {
        let transforms = match &self.transforms {
            None => None,
            Some([there, back]) => Some([there.prepare(device)?, back.prepare(device)?]),
        };
        Ok(PreparedProduct { plan: self.clone(), transforms, vectors: Vectors::new(device)? })
    }
}

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
/// assert_eq!(product.run(&a, &b)?, [3u64, 10, 13, 10].map(Fr::from));
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Debug)]
pub struct PreparedProduct<F: Scalar> {
    plan: ProductPlan<F>,
    transforms: Option<[PreparedTransform<F>; 2]>,
    vectors: Vectors<F>,
}

impl<F: Scalar> PreparedProduct<F> {
    /// The plan that it was made from.
    pub fn plan(&self) -> &ProductPlan<F> {
        &self.plan
    }

    /// The product of `a` and `b`, [`Product::length`] coefficients.
    ///
    /// # Errors
    /// [`Error::Input`] for factors of other lengths than the product's; [`Error::OutOfMemory`], and the device's faults.
    pub fn run(&self, a: &[F], b: &[F]) -> Result<Vec<F>> {
        block_on(self.run_async(a, b))
    }

    /// The asynchronous form of [`run`](Self::run), for browsers.
    pub async fn run_async(&self, a: &[F], b: &[F]) -> Result<Vec<F>> {
        self.plan.product.check_input(a, b)?;
        let Some([there, back]) = &self.transforms else { return Ok(Vec::new()) };
        let n = there.plan().transform().n();
        let (mut left, mut right) = (self.vectors.upload_padded(a, n)?, self.vectors.upload_padded(b, n)?);
        there.run_vector(&mut left)?;
        there.run_vector(&mut right)?;
        self.vectors.multiply(&mut left, &right)?;
        back.run_vector(&mut left)?;
        left.truncate(self.plan.product.length()?);
        match left {
            Vector::Host(scalars) => Ok(scalars),
            Vector::Device(scalars) => scalars.download_async().await,
        }
    }
}

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
///
/// # Errors
/// Those of the plan, of [`ProductPlan::prepare`] and of [`PreparedProduct::run`].
pub fn multiply<F: Scalar>(device: &Device, a: &[F], b: &[F]) -> Result<Vec<F>> {
    block_on(multiply_async(device, a, b))
}

/// The asynchronous form of [`multiply`], for browsers.
pub async fn multiply_async<F: Scalar>(device: &Device, a: &[F], b: &[F]) -> Result<Vec<F>> {
    let product = Product::<F>::new(a.len(), b.len());
    within_memory(device.profile(), async |profile| {
        product.plan_for(profile)?.prepare(device)?.run_async(a, b).await
    })
    .await
}

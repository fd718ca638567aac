//! From a plan to a product that is ready to run.

use std::fmt;

use super::Form;
use super::product::{Convolution, Product};
use super::product_plan::{Engine, ProductPlan};
use super::transform_plan::{no_device_vectors, other_device};
use super::{cpu, gpu};
use crate::gpu::{DeviceVec, Gpu, Recorder, block_on};
use crate::task::{Problem, within_memory};
use crate::timeline::{Phase, Timeline};
use crate::{Device, Error, Group, One, Result};

impl ProductPlan {
    /// Makes the tables and compiles the kernels.
    ///
    /// # Errors
    /// [`Error::Usage`] for a device of another kind than the plan's; [`Error::OutOfMemory`], and
    /// the device's faults.
    pub fn prepare(&self, device: &Device) -> Result<PreparedProduct> {
        if let (Engine::Group(shares), Device::Group(group)) = (&self.engine, device) {
            let plans = shares.list.iter().map(|share| (share.member, &share.plan)).collect();
            let prepare = |device: &Device, plan: &mut &ProductPlan| plan.prepare(device).map(Some);
            let prepared = group.each(plans, prepare, |_, _| Ok(None))?;
            let engine = PreparedEngine::Group(group.clone(), prepared);
            return Ok(PreparedProduct { plan: self.clone(), engine });
        }
        self.prepare_sharing(device, &gpu::Scratch::default())
    }

    /// The same with the scratch vector of another product of the same lengths.
    pub(super) fn prepare_sharing(&self, device: &Device, scratch: &gpu::Scratch) -> Result<PreparedProduct> {
        let engine = match (&self.engine, device.one()) {
            (Engine::Cpu { .. }, One::Cpu(cpu)) => match self.convolution {
                None => PreparedEngine::Nothing,
                Some(Convolution { prime, log_n, negacyclic, .. }) => {
                    let prepare = || cpu::Convolution::new(prime, log_n, negacyclic, cpu.threads);
                    let convolution = cpu.timeline.time(Phase::Preparing, "tables", prepare)?;
                    let convolution = Box::new(convolution.recorded(&cpu.timeline));
                    PreparedEngine::Cpu { convolution, timeline: cpu.timeline.clone() }
                }
            },
            (Engine::Gpu(None), One::Gpu(_)) => PreparedEngine::Nothing,
            (Engine::Gpu(Some(plan)), One::Gpu(gpu)) => PreparedEngine::Gpu {
                gpu: gpu.clone(),
                product: Box::new(gpu::PreparedProduct::new(gpu, plan, scratch.clone())?),
            },
            _ => return Err(other_device()),
        };
        Ok(PreparedProduct { plan: self.clone(), engine })
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
/// assert_eq!(product.run(&[1, 2], &[3, 4, 5])?, [3, 10, 13, 10]);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Debug)]
pub struct PreparedProduct {
    plan: ProductPlan,
    engine: PreparedEngine,
}

#[derive(Debug)]
enum PreparedEngine {
    /// A factor is empty.
    Nothing,
    Cpu {
        convolution: Box<cpu::Convolution>,
        timeline: Timeline,
    },
    Gpu {
        gpu: Gpu,
        product: Box<gpu::PreparedProduct>,
    },
    /// The prepared share of each member; `None` for one that was lost.
    Group(Group, Vec<Option<PreparedProduct>>),
}

impl PreparedProduct {
    /// The plan that it was made from.
    pub fn plan(&self) -> &ProductPlan {
        &self.plan
    }

    /// The product of `a` and `b`, [`Product::length`] coefficients.
    ///
    /// # Errors
    /// [`Error::Input`] for factors of other lengths than the product's, and for a coefficient that is not
    /// below p; [`Error::OutOfMemory`], and the device's faults.
    pub fn run(&self, a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
        block_on(self.run_async(a, b))
    }

    /// The asynchronous form of [`run`](Self::run), for browsers.
    pub async fn run_async(&self, a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
        let (product, length) = (&self.plan.product, self.plan.length);
        let (prime, form) = (product.prime(), product.form());
        product.check_input(a, b)?;
        if let PreparedEngine::Group(group, prepared) = &self.engine {
            return Ok(self.run_shared(group, prepared, &[[a, b]])?.pop().unwrap_or_default());
        }
        let (a, b) = (form.fold(prime, a), form.fold(prime, b));
        let mut words = match &self.engine {
            PreparedEngine::Nothing | PreparedEngine::Group(..) => return zeros(length),
            PreparedEngine::Cpu { convolution, timeline } => {
                timeline.time(Phase::Host, "product", || convolution.multiply(&a, &b))?
            }
            PreparedEngine::Gpu { gpu, product } => {
                product.run(&gpu.upload(&a)?, &gpu.upload(&b)?)?.download_async().await?
            }
        };
        words.truncate(a.len() + b.len() - 1);
        if words.len() > length {
            words = form.fold(prime, &words).into_owned();
        }
        let more = length - words.len();
        words.try_reserve_exact(more).map_err(|e| no_room(length, &e))?;
        words.resize(length, 0);
        Ok(words)
    }

    /// The products of several pairs of factors of the planned lengths, in order. The devices of a group share
    /// them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_many(&self, factors: &[[&[u32]; 2]]) -> Result<Vec<Vec<u32>>> {
        block_on(self.run_many_async(factors))
    }

    /// The asynchronous form of [`run_many`](Self::run_many), for browsers.
    pub async fn run_many_async(&self, factors: &[[&[u32]; 2]]) -> Result<Vec<Vec<u32>>> {
        if let PreparedEngine::Group(group, prepared) = &self.engine {
            return self.run_shared(group, prepared, factors);
        }
        let mut products = Vec::with_capacity(factors.len());
        for [a, b] in factors {
            products.push(self.run_async(a, b).await?);
        }
        Ok(products)
    }

    /// Each device of a group computes a share of the products. Those of a device that was lost are computed by
    /// another.
    fn run_shared(
        &self,
        group: &Group,
        prepared: &[Option<PreparedProduct>],
        factors: &[[&[u32]; 2]],
    ) -> Result<Vec<Vec<u32>>> {
        type Part<'p> = (&'p Option<PreparedProduct>, &'p [[&'p [u32]; 2]]);
        let Engine::Group(shares) = &self.plan.engine else { return Err(other_device()) };
        let members = || shares.list.iter().map(|share| share.member);
        let ranges = group.divide(members(), factors.len());
        let parts = prepared.iter().zip(ranges).map(|(prepared, range)| (prepared, &factors[range]));
        let again =
            |device: &Device, (_, factors): &mut Part| multiply_many(device, &self.plan.product, factors);
        let work = |device: &Device, part: &mut Part| match part {
            (Some(prepared), factors) => prepared.run_many(factors),
            (None, _) => again(device, part),
        };
        Ok(group.each(members().zip(parts).collect(), work, again)?.into_iter().flatten().collect())
    }

    /// The product of `left` and `right`, which are on the device, as a device vector of
    /// [`ProductPlan::transform_len`] words: the coefficients of the product, then zeros. The factors may be
    /// shorter than planned; that their coefficients are below p is not checked.
    ///
    /// It returns before the work is done; the next download waits for it.
    ///
    /// # Errors
    /// [`Error::Usage`] on the CPU engine, for factors on another device, and for a product that has to be folded on the
    /// host, see [`Product`]; [`Error::Input`] for factors longer than the transforms; the device's faults.
    pub fn run_on_device(&self, left: &DeviceVec<u32>, right: &DeviceVec<u32>) -> Result<DeviceVec<u32>> {
        self.on_device()?.run(left, right)
    }

    /// Records the work of [`run_on_device`](Self::run_on_device), into a vector of
    /// [`ProductPlan::transform_len`] words. Work of this prepared product shares a vector on the device: no other
    /// thread may record or run it until this is submitted.
    ///
    /// # Errors
    /// Those of [`run_on_device`](Self::run_on_device).
    pub fn record(
        &self,
        recorder: &mut Recorder,
        left: &DeviceVec<u32>,
        right: &DeviceVec<u32>,
        product: &mut DeviceVec<u32>,
    ) -> Result<()> {
        self.on_device()?.record(recorder, left, right, product)
    }

    fn on_device(&self) -> Result<&gpu::PreparedProduct> {
        match (&self.engine, self.plan.convolution) {
            (PreparedEngine::Cpu { .. }, _) => Err(no_device_vectors()),
            (PreparedEngine::Gpu { product, .. }, Some(convolution))
                if self.plan.length <= convolution.n() && self.is_in_its_ring(&convolution) =>
            {
                Ok(product)
            }
            (PreparedEngine::Gpu { .. }, _) => {
                Err(Error::Usage("this product is folded on the host: its factors come from there".into()))
            }
            (PreparedEngine::Group(..), _) => {
                Err(Error::Usage("a group takes the factors of a product from the host".into()))
            }
            (PreparedEngine::Nothing, _) => {
                Err(Error::Usage("a factor of this product has no coefficients: nothing runs".into()))
            }
        }
    }

    /// True if the transforms give the product in its own ring, without folding.
    fn is_in_its_ring(&self, convolution: &Convolution) -> bool {
        let [a, b] = self.plan.product.folded();
        match self.plan.product.form() {
            Form::Linear => true,
            Form::Cyclic(n) | Form::Negacyclic(n) => n == convolution.n() || a + b - 1 <= n,
        }
    }
}

/// `length` zeros; an error if there is no room for them.
fn zeros(length: usize) -> Result<Vec<u32>> {
    let zeros: Vec<u32> = bytemuck::allocation::try_zeroed_vec(length)
        .map_err(|()| no_room(length, &"the allocator refused"))?;
    crate::pages::prefer_huge(zeros.as_ptr(), length);
    Ok(zeros)
}

fn no_room(length: usize, why: &dyn fmt::Display) -> Error {
    Error::OutOfMemory(format!("a product of {length} coefficients on the host: {why}").into())
}

/// The product of `a` and `b`: plans, prepares and runs once.
///
/// ```
/// use wgalois::field::BABY_BEAR;
/// use wgalois::ntt::{self, Form, Product};
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let product = Product::new(BABY_BEAR, 2, 2);
/// assert_eq!(ntt::multiply(&device, &product, &[1, 2], &[3, 4])?, [3, 10, 8]);
/// // Modulo x^2 + 1, x^2 is -1.
/// let product = product.with_form(Form::Negacyclic(2));
/// assert_eq!(ntt::multiply(&device, &product, &[1, 2], &[3, 4])?, [BABY_BEAR.value() - 5, 10]);
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// Those of the plan, of [`ProductPlan::prepare`] and of [`PreparedProduct::run`].
pub fn multiply(device: &Device, product: &Product, a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
    block_on(multiply_async(device, product, a, b))
}

/// The asynchronous form of [`multiply`], for browsers.
pub async fn multiply_async(device: &Device, product: &Product, a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
    product.check_input(a, b)?;
    let product = product.with_batch(1);
    within_memory(device.profile(), async |profile| {
        product.plan_for(profile)?.prepare(device)?.run_async(a, b).await
    })
    .await
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
///
/// # Errors
/// Those of [`multiply`].
pub fn multiply_many(device: &Device, product: &Product, factors: &[[&[u32]; 2]]) -> Result<Vec<Vec<u32>>> {
    block_on(multiply_many_async(device, product, factors))
}

/// The asynchronous form of [`multiply_many`], for browsers.
pub async fn multiply_many_async(
    device: &Device,
    product: &Product,
    factors: &[[&[u32]; 2]],
) -> Result<Vec<Vec<u32>>> {
    factors.iter().try_for_each(|[a, b]| product.check_input(a, b))?;
    let product = product.with_batch(factors.len());
    within_memory(device.profile(), async |profile| {
        product.plan_for(profile)?.prepare(device)?.run_many_async(factors).await
    })
    .await
}

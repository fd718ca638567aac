//! Products of polynomials modulo a prime.

use super::{Coset, MAX_LOG_N, ProductPlan, Reduction, cpu};
use crate::field::Prime;
use crate::gpu::block_on;
use crate::timeline::Phase;
use crate::{Device, Error, Result};
use std::borrow::Cow;

/// What a product of two polynomials is taken modulo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Product {
    /// Nothing: of a and b coefficients, it has a + b - 1.
    Linear,
    /// x^N - 1, for any N from 1 to 2^27: it has N coefficients.
    Cyclic(usize),
    /// x^N + 1, for any N from 1 to 2^27: it has N coefficients.
    Negacyclic(usize),
}

/// The product of `a` and `b` modulo `prime`, lowest degree first, every coefficient below
/// p before and after. The zero polynomial may have no coefficients at all, and then a
/// linear product with it has none either.
///
/// A product modulo x^N - 1 or x^N + 1 takes transforms of length N where N is a power of
/// two and the prime has the root of unity; otherwise it is the linear one, folded.
///
/// # Errors
/// [`Error::Usage`] for N = 0. [`Error::Input`] for a coefficient that is not below p, a
/// length above 2^27, or a prime without the root of unity that the length needs. Whatever
/// the device reports.
pub fn multiply(device: &Device, prime: Prime, product: Product, a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
    multiply_with(device, prime, product, Reduction::Auto, a, b)
}

/// [`multiply`] for the browser.
pub async fn multiply_async(
    device: &Device,
    prime: Prime,
    product: Product,
    a: &[u32],
    b: &[u32],
) -> Result<Vec<u32>> {
    multiply_with_async(device, prime, product, Reduction::Auto, a, b).await
}

/// [`multiply`] with the GPU's kernels built for `reduction`; the CPU engine has its own.
pub fn multiply_with(
    device: &Device,
    prime: Prime,
    product: Product,
    reduction: Reduction,
    a: &[u32],
    b: &[u32],
) -> Result<Vec<u32>> {
    block_on(multiply_with_async(device, prime, product, reduction, a, b))
}

async fn multiply_with_async(
    device: &Device,
    prime: Prime,
    product: Product,
    reduction: Reduction,
    a: &[u32],
    b: &[u32],
) -> Result<Vec<u32>> {
    Product::check_operands(prime, a, b)?;
    let length = product.length(a.len(), b.len())?;
    if a.is_empty() || b.is_empty() {
        return Ok(vec![0; length]);
    }
    let (a, b) = (product.fold(prime, a), product.fold(prime, b));
    let convolution = Convolution::of(prime, product, reduction, a.len(), b.len())?;
    let mut words = convolution.run(device, &a, &b).await?;
    words.truncate(a.len() + b.len() - 1);
    if words.len() > length {
        words = product.fold(prime, &words).into_owned();
    }
    words.resize(length, 0);
    Ok(words)
}

impl Product {
    /// How many coefficients the product of `a` and `b` coefficients has.
    ///
    /// # Errors
    /// [`Error::Usage`] for N = 0, [`Error::Input`] for more than 2^27.
    pub fn length(self, a: usize, b: usize) -> Result<usize> {
        let length = match self {
            Product::Linear if a == 0 || b == 0 => 0,
            Product::Linear => a + b - 1,
            Product::Cyclic(0) => return Err(Error::Usage("a product modulo x^0 - 1 = 0".into())),
            Product::Negacyclic(0) => return Err(Error::Usage("a product modulo x^0 + 1 = 2".into())),
            Product::Cyclic(n) | Product::Negacyclic(n) => n,
        };
        if length > 1 << MAX_LOG_N {
            return Err(Error::Input(format!(
                "a product of {length} coefficients: at most 2^{MAX_LOG_N} are possible"
            )));
        }
        Ok(length)
    }

    /// Checks that all coefficients of the operands are below p.
    pub(super) fn check_operands(prime: Prime, a: &[u32], b: &[u32]) -> Result<()> {
        for (which, operand) in [("first", a), ("second", b)] {
            if let Some(i) = operand.iter().position(|&x| x >= prime.value()) {
                return Err(Error::Input(format!(
                    "coefficient {i} of the {which} polynomial is {}, not below the modulus {prime}",
                    operand[i]
                )));
            }
        }
        Ok(())
    }

    /// How many products at most add up to one coefficient of the product of `a` and `b`.
    pub(super) fn terms(self, a: usize, b: usize) -> usize {
        let turns = |length: usize| length.div_ceil(self.folded(length).max(1));
        (a * turns(b)).min(b * turns(a))
    }

    /// How many coefficients are left of so many.
    fn folded(self, length: usize) -> usize {
        match self {
            Product::Linear => length,
            Product::Cyclic(n) | Product::Negacyclic(n) => length.min(n),
        }
    }

    /// The remainder of a polynomial.
    pub(super) fn fold(self, prime: Prime, words: &[u32]) -> Cow<'_, [u32]> {
        let n = match self {
            Product::Cyclic(n) | Product::Negacyclic(n) if n < words.len() => n,
            _ => return Cow::Borrowed(words),
        };
        let mut folded = words[..n].to_vec();
        for (turn, part) in words.chunks(n).enumerate().skip(1) {
            let subtract = turn % 2 == 1 && matches!(self, Product::Negacyclic(_));
            for (sum, &x) in folded.iter_mut().zip(part) {
                *sum = if subtract { prime.sub(*sum, x) } else { prime.add(*sum, x) };
            }
        }
        Cow::Owned(folded)
    }
}

/// A product modulo x^n - 1 or x^n + 1, n = 2^`log_n`: what the engines compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Convolution {
    prime: Prime,
    log_n: u32,
    negacyclic: bool,
    reduction: Reduction,
}

impl Convolution {
    /// One that holds the product of `a` and `b` coefficients, folded.
    pub(super) fn of(
        prime: Prime,
        product: Product,
        reduction: Reduction,
        a: usize,
        b: usize,
    ) -> Result<Self> {
        let (a, b) = (product.folded(a), product.folded(b));
        let linear = (a + b).saturating_sub(1);
        let negacyclic = matches!(product, Product::Negacyclic(_));
        if let Product::Cyclic(n) | Product::Negacyclic(n) = product {
            let order = n.ilog2() + u32::from(negacyclic);
            if n.is_power_of_two() && (2..linear).contains(&n) && order <= prime.two_adicity() {
                return Ok(Convolution { prime, log_n: n.ilog2(), negacyclic, reduction });
            }
        }
        let log_n = linear.next_power_of_two().ilog2().max(1);
        let possible = prime.two_adicity().min(MAX_LOG_N);
        if log_n > possible {
            return Err(Error::Input(format!(
                "the product of {a} and {b} coefficients takes transforms of length 2^{log_n}: \
                 modulo {prime} there are none longer than 2^{possible}"
            )));
        }
        Ok(Convolution { prime, log_n, negacyclic: false, reduction })
    }

    /// The n coefficients of the product, on either engine.
    async fn run(self, device: &Device, a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
        match device {
            Device::Cpu(engine) => {
                let Convolution { prime, log_n, negacyclic, .. } = self;
                let prepare = || cpu::Convolution::new(prime, log_n, negacyclic, engine.threads);
                let convolution = engine.timeline.time(Phase::Preparing, "tables", prepare)?;
                engine.timeline.time(Phase::Host, "product", || convolution.multiply(a, b))
            }
            Device::Gpu(gpu) => {
                let coset = if self.negacyclic { Coset::Negacyclic } else { Coset::Subgroup };
                let plan = ProductPlan::new(gpu, self.prime, 1 << self.log_n, coset, self.reduction)?;
                gpu.need(4 * (a.len() + b.len() + plan.run_len()) as u64, "this product")?;
                plan.run(&gpu.upload(a)?, &gpu.upload(b)?)?.download_async().await
            }
        }
    }
}

//! Checks of answers by their problems, each with its guarantee.
//!
//! The host checks, in linear time: on the threads of the CPU engine, or on all threads if the device is a GPU,
//! which is not used.

use super::exact::ExactProduct;
use super::integer::IntegerProduct;
use super::verify::{self, on_threads};
use super::{Product, Transform};
use crate::verify::Guarantee;
use crate::{Device, Result};

impl Transform {
    /// Checks that this transform takes `before` to `after`, in linear time: see
    /// [`verify::transform`]. A wrong `after` is missed with a chance of at most 2^-64.
    ///
    /// ```
    /// use wgalois::field::BABY_BEAR;
    /// use wgalois::ntt::Transform;
    /// use wgalois::{Cpu, Device};
    ///
    /// let (device, transform) = (Device::Cpu(Cpu::default()), Transform::new(BABY_BEAR, 2)?);
    /// let guarantee = transform.check(&device, &[5, 3], &[8, 2])?;
    /// assert_eq!(guarantee.claim(), "every vector is the transform of its input");
    /// assert!(transform.check(&device, &[5, 3], &[2, 8]).is_err());
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    pub fn check(&self, device: &Device, before: &[u32], after: &[u32]) -> Result<Guarantee> {
        on_threads(device, || verify::transform(self, before, after, &mut rand::rng()))
    }
}

impl Product {
    /// The bytes of host memory that [`check`](Self::check) takes beside the factors and the product: the
    /// folded factors.
    pub fn check_bytes(&self) -> u64 {
        self.ring().folded_bytes(self.lengths())
    }

    /// Checks that `c` is the product of `a` and `b`, in linear time: see [`verify::product`]. A wrong `c` is missed
    /// with a chance of at most 2^-64.
    pub fn check(&self, device: &Device, a: &[u32], b: &[u32], c: &[u32]) -> Result<Guarantee> {
        self.check_factors(a, b)?;
        on_threads(device, || verify::product(self.ring(), self.modulus(), a, b, c, &mut rand::rng()))
    }
}

impl ExactProduct {
    /// The bytes of host memory that [`check`](Self::check) takes beside the factors and the product: the
    /// residues of all three, and the folded factors.
    pub fn check_bytes(&self) -> u64 {
        let lengths = self.lengths();
        let all = lengths.into_iter().chain(self.length().ok());
        let residues = all.fold(0u64, |sum, length| sum.saturating_add(4 * length as u64));
        residues.saturating_add(self.ring().folded_bytes(lengths))
    }

    /// Checks that `c` is the exact product of `a` and `b`, in linear time: see [`verify::exact_product`]. A wrong
    /// `c` is missed with a chance of at most 2^-64.
    pub fn check(&self, device: &Device, a: &[i64], b: &[i64], c: &[i128]) -> Result<Guarantee> {
        on_threads(device, || verify::exact_product(self.ring(), a, b, c, &mut rand::rng()))
    }
}

impl IntegerProduct {
    /// Checks that `c` is the product of `a` and `b`, in time linear in their digits: see
    /// [`verify::integer_product`]. A wrong `c`, which need not be a number, is missed with a chance of at most
    /// 2^-64.
    pub fn check(&self, device: &Device, a: &str, b: &str, c: &str) -> Result<Guarantee> {
        on_threads(device, || verify::integer_product(a, b, c, &mut rand::rng()))
    }
}

//! The way of discrete transforms: cyclic products with the powers w^t(k).

use std::fmt;

use super::DiscreteTransform;
use crate::field::Prime;
use crate::ntt::{Direction, PreparedProduct, Product, ProductPlan, Ring};
use crate::task::{Cost, Done, Problem, Profile, Ready, Traffic, Way};
use crate::timeline::{Phase, Timeline};
use crate::{Device, Result};

/// A product of each vector, in reverse order, with 2 n - 1 powers. It may wrap around at any length from 2 n - 1 on: the places
/// n - 1 to 2 n - 2 are those of the linear product.
#[derive(Debug)]
pub(super) struct ByProducts {
    products: ProductPlan,
    cost: Cost,
}

impl ByProducts {
    pub const NAME: &'static str = "by products";

    pub fn new(transform: &DiscreteTransform, profile: &Profile) -> Result<Self> {
        let n = transform.n();
        let length = (2 * n - 1).next_power_of_two();
        let product = Product::new(transform.prime(), n, 2 * n - 1).with_ring(Ring::Cyclic(length));
        let products = product.with_batch(transform.batch()).plan_for(profile)?;
        let cost = products.cost();
        // The weighted vectors, and the powers and weights.
        let host_bytes = cost.host_bytes + 4 * (transform.len() + 4 * n) as u64;
        Ok(ByProducts { products, cost: Cost { host_bytes, ..cost } })
    }
}

impl Way<DiscreteTransform> for ByProducts {
    type Device = Device;
    type Ready<'p> = ReadyProducts;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        self.products.traffic()
    }

    fn write(&self, _: &DiscreteTransform, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.products.write_lines(f)
    }

    fn prepare<'p>(&self, transform: &DiscreteTransform, device: &Device, (): ()) -> Result<Self::Ready<'p>> {
        let tables = || Tables::new(transform);
        let tables = device.timeline().time(Phase::Preparing, "tables", tables);
        Ok(ReadyProducts {
            products: self.products.prepare(device)?,
            tables,
            timeline: device.timeline().clone(),
        })
    }
}

/// The weights of entries and results, and the powers.
#[derive(Debug)]
struct Tables {
    before: Vec<u32>,
    powers: Vec<u32>,
    after: Vec<u32>,
}

impl Tables {
    fn new(transform: &DiscreteTransform) -> Self {
        let (prime, n) = (transform.prime(), transform.n());
        let inverse = transform.direction() == Direction::Inverse;
        let (root, shift) = (transform.root(), transform.shift());
        let of_root = if inverse { prime.inverse(root) } else { root };
        let powers = triangular(prime, of_root, 2 * n - 1);
        let back = triangular(prime, prime.inverse(of_root), n);
        let weights = |first: u32, step: u32| {
            let powers = std::iter::successors(Some(first), |&x| Some(prime.mul(x, step)));
            back.iter().zip(powers).map(|(&back, x)| prime.mul(back, x)).collect::<Vec<_>>()
        };
        let (before, after) = match inverse {
            false => (weights(1, shift), back.clone()),
            true => {
                let by_n = prime.inverse((n as u64 % u64::from(prime.value())) as u32);
                (back.clone(), weights(by_n, prime.inverse(shift)))
            }
        };
        Tables { before, powers, after }
    }
}

/// w^t(k) for k from 0 on.
fn triangular(prime: Prime, root: u32, count: usize) -> Vec<u32> {
    // t(k + 1) - t(k) = k.
    let next = |&(power, step): &(u32, u32)| Some((prime.mul(power, step), prime.mul(step, root)));
    std::iter::successors(Some((1, 1)), next).take(count).map(|(power, _)| power).collect()
}

#[derive(Debug)]
pub(super) struct ReadyProducts {
    products: PreparedProduct,
    tables: Tables,
    timeline: Timeline,
}

impl Ready<DiscreteTransform> for ReadyProducts {
    async fn run<'i: 'i>(&self, transform: &DiscreteTransform, batch: &'i mut [u32], _: &Done) -> Result<()> {
        let (prime, n) = (transform.prime(), transform.n());
        let Tables { before, powers, after } = &self.tables;
        let weigh = || {
            let mut reversed = batch.to_vec();
            for vector in reversed.chunks_exact_mut(n) {
                vector.iter_mut().zip(before).for_each(|(x, &weight)| *x = prime.mul(*x, weight));
                vector.reverse();
            }
            reversed
        };
        let reversed = self.timeline.time(Phase::Host, "weights", weigh);
        let factors: Vec<[&[u32]; 2]> = reversed.chunks_exact(n).map(|vector| [vector, powers]).collect();
        let products = self.products.run_async(&factors).await?;
        self.timeline.time(Phase::Host, "weights", || {
            for (vector, product) in batch.chunks_exact_mut(n).zip(products) {
                let sums = product[n - 1..].iter().zip(after);
                vector.iter_mut().zip(sums).for_each(|(x, (&sum, &weight))| *x = prime.mul(sum, weight));
            }
        });
        Ok(())
    }
}

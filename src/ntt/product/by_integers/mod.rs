//! Products modulo any number by way of the integers: see [`lift`](crate::ntt::lift).

mod cpu;
mod gpu;

use super::Product;
use crate::ntt::conversion::{Centring, Combination};
use crate::ntt::cpu as engine;
use crate::ntt::lift::Lift;
use crate::ntt::three_primes::fields;
use crate::parallel::*;
use crate::task::{Engine, Profile, Ways};
use crate::{Error, Result};

pub(super) use gpu::OnGpu;

/// The name of these ways.
const NAME: &str = "by products of integers";

/// Adds the ways of one device to those of products.
pub(super) fn with(ways: Ways<Product>, product: &Product, profile: &Profile) -> Ways<Product> {
    match &profile.engine {
        Engine::Cpu(cpu) => ways.with(NAME, cpu::OnCpu::new(product, *cpu)),
        Engine::Gpu(gpu) => ways.with(NAME, OnGpu::new(product, gpu)),
        Engine::Group(_) | Engine::Processes { .. } => ways,
    }
}

/// The transforms of a product that has some.
fn lift(product: &Product) -> Result<Lift> {
    product.lift()?.ok_or_else(|| Error::needs("transforms", "coefficients in both factors"))
}

/// The constants of the conversions.
#[derive(Debug)]
struct Conversions {
    centrings: Vec<Centring>,
    combination: Combination,
}

impl Conversions {
    fn new(lift: &Lift) -> Result<Self> {
        let centrings = lift.primes.iter().map(|&prime| Centring::new(lift.modulus, prime)).collect();
        Ok(Conversions {
            centrings,
            combination: Combination::new(lift.modulus, fields()?, lift.primes.len()),
        })
    }

    /// Writes the integers nearest to 0 of `from`, modulo the prime at this place, to `to`, and zeros after them, by all threads.
    fn centre(&self, prime: usize, to: &mut [u32], from: &[u32]) {
        if to.len() <= SHARE {
            return engine::centre(to, from, &self.centrings[prime]);
        }
        to.par_chunks_mut(SHARE).enumerate().for_each(|(share, to)| {
            let first = (share * SHARE).min(from.len());
            let part = &from[first..from.len().min(first + to.len())];
            engine::centre(to, part, &self.centrings[prime]);
        });
    }

    /// The residues modulo m from those modulo each prime, by all threads.
    fn combine(&self, residues: &mut [Vec<u32>]) -> Vec<u32> {
        let Some((first, others)) = residues.split_first_mut() else { return Vec::new() };
        first.par_chunks_mut(SHARE).enumerate().for_each(|(share, first)| {
            let other =
                |i: usize| others.get(i).map_or(&[][..], |other| &other[share * SHARE..][..first.len()]);
            engine::combine(first, [other(0), other(1)], &self.combination);
        });
        std::mem::take(first)
    }
}

/// Words that a thread converts at a time.
const SHARE: usize = 1 << 14;

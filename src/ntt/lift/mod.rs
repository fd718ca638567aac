//! Products of residues by way of the integers.
//!
//! A residue modulo m stands for the integer of its class that is nearest to 0, at most m / 2 in magnitude. The product of two
//! polynomials of such integers has coefficients below T (m / 2)^2, where T is the number of terms that add up to one of them.
//! It is computed modulo as many of the [`PRIMES`](super::three_primes::PRIMES) as make twice that bound fit their product: one, two or
//! three. Garner's algorithm (Knuth, "The Art of Computer Programming", volume 2, section 4.3.2) gives each coefficient as
//! d0 + p0 d1 + p0 p1 d2, which is reduced modulo m term by term, so that no number is longer than a word.
//!
//! ```text
//! residues modulo m  ->  nearest to 0, modulo each prime     centring
//!                    ->  products modulo each prime          transforms
//!                    ->  residues modulo m                   combination
//! ```

use std::fmt;

use super::ring::{Convolution, Ring};
use super::three_primes::{self, PRIMES, fields};
use super::{MAX_LOG_N, Reduction};
use crate::field::{Modulus, Prime};
use crate::{Error, Result};

/// The transforms by which products modulo any number are computed.
#[derive(Clone, Debug)]
pub struct Lift {
    /// The modulus of the residues.
    pub modulus: Modulus,
    /// The primes: one to three of them.
    pub primes: Vec<Prime>,
    /// log2 of the length of the transforms.
    pub log_n: u32,
    /// True if they compute modulo x^n + 1.
    pub negacyclic: bool,
    reduction: Reduction,
}

impl Lift {
    /// The transforms for a product of factors of these lengths, which are not longer than those of the ring and not 0.
    pub fn new(modulus: Modulus, ring: Ring, [a, b]: [usize; 2], reduction: Reduction) -> Result<Self> {
        let linear = a + b - 1;
        let (log_n, negacyclic) = match ring {
            Ring::Cyclic(n) | Ring::Negacyclic(n) if n.is_power_of_two() && (2..linear).contains(&n) => {
                (n.ilog2(), matches!(ring, Ring::Negacyclic(_)))
            }
            _ => (linear.next_power_of_two().ilog2().max(1), false),
        };
        let primes = fields()?[..primes_for(modulus.value(), a.min(b))].to_vec();
        // The first prime alone has transforms of 2^27.
        let largest = if primes.len() == 1 { MAX_LOG_N } else { three_primes::MAX_LOG_N };
        if log_n + u32::from(negacyclic) > largest {
            let modulus = Some(modulus.value());
            return Err(Error::NoProduct { lengths: [a, b], log_length: log_n, modulus, largest });
        }
        Ok(Lift { modulus, primes, log_n, negacyclic, reduction })
    }

    /// n.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// The products modulo each prime.
    pub fn convolutions(&self) -> impl Iterator<Item = Convolution> {
        let &Lift { log_n, negacyclic, reduction, .. } = self;
        self.primes.iter().map(move |&prime| Convolution { prime, log_n, negacyclic, reduction })
    }
}

impl fmt::Display for Lift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "of 2^{} words modulo ", self.log_n)?;
        for (place, prime) in self.primes.iter().enumerate() {
            write!(f, "{}{prime}", if place == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// The number of primes for coefficients of at most `terms` products of residues modulo `m`.
fn primes_for(m: u32, terms: usize) -> usize {
    let half = u128::from(m / 2);
    // At most 2 * 2^27 * 2^60.
    let twice = 2 * terms as u128 * half * half;
    let mut product = 1;
    let fits = |&p: &u32| {
        product *= u128::from(p);
        twice < product
    };
    1 + PRIMES.iter().position(fits).unwrap_or(PRIMES.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_few_primes_as_the_bound_allows() {
        assert_eq!(primes_for(3329, 256), 1);
        // 2 * 256 * h^2 < 2013265921 up to h = 1982.
        assert_eq!((primes_for(3965, 256), primes_for(3966, 256)), (1, 2));
        assert_eq!(primes_for(1_000_000_007, 1 << 16), 3);
        assert_eq!(primes_for(Modulus::MOST, 1 << 26), 3);
        assert_eq!(primes_for(2, 1 << 26), 1);
        let bound = 2 * (1u128 << 26) * u128::from(Modulus::MOST / 2).pow(2);
        assert!(bound < three_primes::MODULUS);
    }
}

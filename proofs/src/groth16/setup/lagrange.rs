//! Lagrange polynomials at one place, a range of them at a time.

use ark_ff::{PrimeField, serial_batch_inversion_and_mul};

use wgalois::parallel::*;

/// Values that share an inversion.
const SHARED: usize = 1 << 10;

/// Points x = first root^i of a coset, and the place tau.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coset<F> {
    tau: F,
    root: F,
    first: F,
    scale: F,
}

impl<F: PrimeField> Coset<F> {
    /// The Lagrange polynomials of the n-th roots of unity `root^i` at tau: `root^i (tau^n - 1) / (n (tau - root^i))`.
    pub fn of_roots(tau: F, root: F, n: usize) -> Self {
        Coset { tau, root, first: F::ONE, scale: (tau.pow([n as u64]) - F::ONE) / F::from(n as u64) }
    }

    /// Those of the roots of order 2n at tau, at the odd powers of `double`, times `factor`.
    pub fn of_odd_powers(tau: F, double: F, n: usize, factor: F) -> Self {
        let scale = factor * (tau.pow([2 * n as u64]) - F::ONE) / F::from(2 * n as u64);
        Coset { tau, root: double.square(), first: double, scale }
    }

    /// The values of polynomials `start` to `start + values.len()`: `x scale / (tau - x)`.
    pub fn fill(&self, start: usize, values: &mut [F]) {
        values.par_chunks_mut(SHARED).enumerate().for_each(|(block, values)| {
            let first = self.first * self.root.pow([(start + block * SHARED) as u64]);
            let mut x = first;
            for value in &mut *values {
                *value = self.tau - x;
                x *= self.root;
            }
            serial_batch_inversion_and_mul(values, &F::ONE);
            let mut x = first * self.scale;
            for value in &mut *values {
                *value *= x;
                x *= self.root;
            }
        });
    }
}

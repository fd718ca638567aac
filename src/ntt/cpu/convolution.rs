//! Products of polynomials modulo x^n - 1 and x^n + 1.

use super::kernels::Instructions;
use super::plan::Plan;
use super::threads::Threads;
use crate::field::Prime;
use crate::ntt::{Coset, Order, Transform};
use crate::parallel::copy;
use crate::{Error, Result};

/// Products of one length, ready to run.
///
/// Both operands are transformed to bit-reversed order, multiplied there, and transformed back, so that
/// nothing is reordered.
#[derive(Debug)]
pub struct Convolution {
    forward: Plan,
    inverse: Plan,
}

impl Convolution {
    /// Products modulo x^n - 1 (`negacyclic`: x^n + 1), n = 2^`log_n`; `threads` is the
    /// number of threads to use, 0 for one per core. `log_n` is from 1 to 27, and `prime` must have a root of unity
    /// of order n (2n).
    pub fn new(prime: Prime, log_n: u32, negacyclic: bool, threads: usize) -> Result<Self> {
        Self::on(prime, log_n, negacyclic, Threads::new(threads)?)
    }

    /// The same on these threads.
    pub(super) fn on(prime: Prime, log_n: u32, negacyclic: bool, threads: Threads) -> Result<Self> {
        let n = 1usize.checked_shl(log_n).unwrap_or(0);
        let coset = if negacyclic { Coset::Negacyclic } else { Coset::Subgroup };
        let forward = Transform::new(prime, n)?.with_output(Order::BitReversed).with_coset(coset);
        // Montgomery's products lack a factor 2^32, which the inverse transform supplies.
        let (instructions, radix) = (Instructions::widest(), prime.to_montgomery(1));
        Ok(Convolution {
            inverse: Plan::scaled(&forward.inverted(), threads.clone(), instructions, radix)?,
            forward: Plan::scaled(&forward, threads, instructions, 1)?,
        })
    }

    /// The n coefficients of the product of `a` and `b`, lowest degree first. The factors have at most n
    /// coefficients, below p.
    pub fn multiply(&self, a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
        let mut product = self.padded(a)?;
        self.forward.run(&mut product)?;
        if a == b {
            let square = self.padded(&product)?;
            self.forward.multiply(&mut product, &square);
        } else {
            let mut other = self.padded(b)?;
            self.forward.run(&mut other)?;
            self.forward.multiply(&mut product, &other);
        }
        self.inverse.run_checked(&mut product)?;
        Ok(product)
    }

    /// Replaces the vectors of n words in `a` by their products with those of `b`, or by their squares. All are below p, and `b`
    /// is used up.
    pub(in crate::ntt) fn multiply_rows(&self, a: &mut [u32], b: Option<&mut [u32]>) -> Result<()> {
        self.forward.run_checked(a)?;
        match b {
            Some(b) => {
                self.forward.run_checked(b)?;
                self.forward.multiply(a, b);
            }
            None => {
                let same = a.to_vec();
                self.forward.multiply(a, &same);
            }
        }
        self.inverse.run_checked(a)
    }

    /// Replaces the vectors of n words in `values` by their transforms, in bit-reversed order.
    pub(in crate::ntt) fn transform_rows(&self, values: &mut [u32]) -> Result<()> {
        self.forward.run_checked(values)
    }

    /// Replaces the vectors of n words in `a` by their products with the vector whose transform `values` is.
    pub(in crate::ntt) fn multiply_rows_by(&self, a: &mut [u32], values: &[u32]) -> Result<()> {
        self.forward.run_checked(a)?;
        a.chunks_exact_mut(values.len()).for_each(|a| self.forward.multiply(a, values));
        self.inverse.run_checked(a)
    }

    /// n.
    pub(in crate::ntt) fn n(&self) -> usize {
        self.forward.transform().n()
    }

    /// The threads.
    pub(super) fn threads(&self) -> &Threads {
        self.forward.threads()
    }

    fn padded(&self, operand: &[u32]) -> Result<Vec<u32>> {
        let n = self.forward.transform().n();
        Error::expect_at_most("coefficients of a factor", n as u64, operand.len() as u64)?;
        let mut words = crate::huge_pages::zeros(n)?;
        copy(&mut words[..operand.len()], operand);
        Ok(words)
    }
}

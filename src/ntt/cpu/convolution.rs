//! Products of polynomials modulo x^n - 1 and x^n + 1.

use super::kernels::Instructions;
use super::plan::Plan;
use super::threads::Threads;
use crate::field::Prime;
use crate::ntt::{Coset, Order, Transform};
use crate::parallel::copy;
use crate::timeline::Timeline;
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
        let threads = Threads::new(threads)?;
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

    /// The same products, whose threads record their tasks on `timeline`.
    pub(in crate::ntt) fn recorded(self, timeline: &Timeline) -> Self {
        Convolution { forward: self.forward.recorded(timeline), inverse: self.inverse.recorded(timeline) }
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

    fn padded(&self, operand: &[u32]) -> Result<Vec<u32>> {
        let n = self.forward.transform().n();
        Error::expect_at_most("coefficients of a factor", n as u64, operand.len() as u64)?;
        let mut words = crate::huge_pages::zeros(n)?;
        copy(&mut words[..operand.len()], operand);
        Ok(words)
    }
}

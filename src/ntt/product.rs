//! The product of two polynomials modulo a prime, as a problem.

use super::{Form, MAX_LOG_N, Reduction};
use crate::field::Prime;
use crate::{Error, Result};

/// The product of two polynomials modulo a prime.
///
/// Polynomials are vectors of coefficients, lowest degree first, every one below p before and
/// after. The zero polynomial may have no coefficients at all.
///
/// A product modulo x^N - 1 or x^N + 1 takes transforms of length N if N is a power of two and the prime has
/// the root of unity; otherwise it is the folded linear product.
///
/// ```
/// use wgalois::field::BABY_BEAR;
/// use wgalois::ntt::{Form, Product};
///
/// let product = Product::new(BABY_BEAR, 1000, 300).with_form(Form::Negacyclic(1024));
/// assert_eq!(product.length()?, 1024);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    prime: Prime,
    form: Form,
    lengths: [usize; 2],
    batch: usize,
    reduction: Reduction,
}

impl Product {
    /// The linear product of polynomials of `a` and `b` coefficients.
    pub fn new(prime: Prime, a: usize, b: usize) -> Self {
        Product { prime, form: Form::Linear, lengths: [a, b], batch: 1, reduction: Reduction::Auto }
    }

    /// Sets the ring.
    #[must_use]
    pub fn with_form(self, form: Form) -> Self {
        Product { form, ..self }
    }

    /// Sets the reduction of the GPU's kernels; the CPU engine has one reduction only.
    #[must_use]
    pub fn with_reduction(self, reduction: Reduction) -> Self {
        Product { reduction, ..self }
    }

    /// Sets the number of products of these lengths, one by default. Any number can be run; a plan counts the time
    /// and memory of this many.
    #[must_use]
    pub fn with_batch(self, batch: usize) -> Self {
        Product { batch, ..self }
    }

    /// The number of products.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// The field.
    pub fn prime(&self) -> Prime {
        self.prime
    }

    /// The ring.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The numbers of coefficients of the two factors.
    pub fn lengths(&self) -> [usize; 2] {
        self.lengths
    }

    /// The reduction of the GPU's kernels.
    pub fn reduction(&self) -> Reduction {
        self.reduction
    }

    /// The number of coefficients of the product.
    ///
    /// # Errors
    /// Those of [`Form::length`].
    pub fn length(&self) -> Result<usize> {
        self.form.length(self.lengths[0], self.lengths[1])
    }

    /// The numbers of coefficients of the factors once they are folded.
    pub(super) fn folded(&self) -> [usize; 2] {
        self.lengths.map(|length| self.form.folded(length))
    }

    /// Checks that `a` and `b` are factors of this product.
    ///
    /// # Errors
    /// [`Error::Input`] for another number of coefficients, or one that is not below p.
    pub fn check_input(&self, a: &[u32], b: &[u32]) -> Result<()> {
        if [a.len(), b.len()] != self.lengths {
            let ([have_a, have_b], [a, b]) = ([a.len(), b.len()], self.lengths);
            return Err(Error::Input(format!(
                "factors of {have_a} and {have_b} coefficients where {a} and {b} were expected"
            )));
        }
        Form::check_operands(self.prime, a, b)
    }

    /// The transforms that compute it, or None if a factor is empty.
    ///
    /// # Errors
    /// Those of [`length`](Self::length); [`Error::Input`] if the prime has no transform that is long
    /// enough.
    pub(super) fn convolution(&self) -> Result<Option<Convolution>> {
        self.length()?;
        let &Product { prime, form, reduction, .. } = self;
        let [a, b] = self.folded();
        if a == 0 || b == 0 {
            return Ok(None);
        }
        let linear = a + b - 1;
        let negacyclic = matches!(form, Form::Negacyclic(_));
        if let Form::Cyclic(n) | Form::Negacyclic(n) = form {
            let order = n.ilog2() + u32::from(negacyclic);
            if n.is_power_of_two() && (2..linear).contains(&n) && order <= prime.two_adicity() {
                return Ok(Some(Convolution { prime, log_n: n.ilog2(), negacyclic, reduction }));
            }
        }
        let log_n = linear.next_power_of_two().ilog2().max(1);
        let possible = prime.two_adicity().min(MAX_LOG_N);
        if log_n > possible {
            return Err(Error::Input(format!(
                "the product of {a} and {b} coefficients takes transforms of length 2^{log_n}: \
                 modulo {prime} there are none longer than 2^{possible}; without a prime the product is exact, and \
                 can be reduced"
            )));
        }
        Ok(Some(Convolution { prime, log_n, negacyclic: false, reduction }))
    }
}

/// A product modulo x^n - 1 or x^n + 1, n = 2^`log_n`: the part that the engines compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Convolution {
    pub prime: Prime,
    pub log_n: u32,
    pub negacyclic: bool,
    pub reduction: Reduction,
}

impl Convolution {
    /// n.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }
}

//! A number-theoretic transform, as a problem.

use crate::field::{Prime, bit_reverse};
use crate::gpu::DeviceVec;
use crate::{Error, Result};

/// The order in which coefficients or frequencies stand in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Entry i at place i.
    Natural,
    /// Entry i at the place whose binary digits are those of i reversed.
    BitReversed,
}

/// The direction of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Coefficients to values.
    Forward,
    /// Values to coefficients, the factor 1/n included.
    Inverse,
}

/// The points at which values are taken: X_j = sum over i of x_i (g w^j)^i.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coset {
    /// At the powers of w, the primitive n-th root of unity: g = 1.
    Subgroup,
    /// At g w^j for a shift g that is not 0.
    Shift(u32),
    /// At the odd powers of a primitive 2n-th root: g^2 = w. Products of such transforms
    /// are products modulo x^n + 1.
    Negacyclic,
}

/// The reduction that a kernel or engine uses for its modular products.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// The fastest: Shoup's for constants, Montgomery's for products of variables.
    #[default]
    Auto,
    /// Montgomery (1985), R = 2^32.
    Montgomery,
    /// Barrett (1986), with a precomputed reciprocal.
    Barrett,
    /// Shoup, with a precomputed quotient per constant.
    Shoup,
    /// The remainder operator.
    Plain,
}

/// A batch of number-theoretic transforms of one length modulo one prime:
/// X_j = sum over i of x_i (g w^j)^i, with w the prime's primitive n-th root of unity.
///
/// The vectors of n coefficients stand one after the other; every entry is below p, before and after.
/// n is a power of two from 2 to 2^27. [`transposed`](super::transposed()) brings the columns of a table on a device into
/// this form, and [`DeviceVec::assign_padded`] puts zeros between vectors.
///
/// Transforms are linear: words in Montgomery form, R x mod p, go through unchanged and come out as R X mod p.
///
/// ```
/// use wgalois::field::BABY_BEAR;
/// use wgalois::ntt::{Coset, Direction, Order, Transform};
///
/// let transform = Transform::new(BABY_BEAR, 1 << 10)?
///     .with_batch(8)
///     .with_direction(Direction::Inverse)
///     .with_input(Order::BitReversed)
///     .with_coset(Coset::Negacyclic);
/// assert_eq!(transform.len(), 8 << 10);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transform {
    pub(super) prime: Prime,
    pub(super) log_n: u32,
    pub(super) batch: usize,
    pub(super) direction: Direction,
    pub(super) input: Order,
    pub(super) output: Order,
    pub(super) coset: Coset,
    pub(super) reduction: Reduction,
}

/// Checks that device vectors have as many words as a plan works on: a kernel does not check where it reads
/// and writes.
///
/// # Errors
/// [`Error::Input`] if one has another length.
pub(super) fn check_lengths(words: usize, vectors: &[&DeviceVec<u32>]) -> Result<()> {
    match vectors.iter().map(|vector| vector.len()).find(|&len| len != words) {
        None => Ok(()),
        Some(len) => Err(Error::Input(format!("a vector of {len} words where the plan has {words}"))),
    }
}

/// The longest transform, log2.
pub const MAX_LOG_N: u32 = 27;

impl Transform {
    /// One forward transform of length `n`, natural order on both sides, on the subgroup.
    ///
    /// # Errors
    /// [`Error::Input`] if `n` is not a power of two from 2 to 2^27 or `prime` has no root of unity of that
    /// order.
    pub fn new(prime: Prime, n: usize) -> Result<Self> {
        if !n.is_power_of_two() || !(2..=1 << MAX_LOG_N).contains(&n) {
            return Err(Error::Input(format!(
                "length {n}: it must be a power of two from 2 to 2^{MAX_LOG_N}"
            )));
        }
        let log_n = n.trailing_zeros();
        prime.root_of_unity(log_n)?;
        Ok(Transform {
            prime,
            log_n,
            batch: 1,
            direction: Direction::Forward,
            input: Order::Natural,
            output: Order::Natural,
            coset: Coset::Subgroup,
            reduction: Reduction::Auto,
        })
    }

    /// Sets the number of vectors.
    #[must_use]
    pub fn with_batch(self, batch: usize) -> Self {
        Transform { batch, ..self }
    }

    /// Sets the direction; the orders stay.
    #[must_use]
    pub fn with_direction(self, direction: Direction) -> Self {
        Transform { direction, ..self }
    }

    /// Sets the order of the input.
    #[must_use]
    pub fn with_input(self, input: Order) -> Self {
        Transform { input, ..self }
    }

    /// Sets the order of the output.
    #[must_use]
    pub fn with_output(self, output: Order) -> Self {
        Transform { output, ..self }
    }

    /// Sets the points of evaluation. Points that do not exist are an error of the plan.
    #[must_use]
    pub fn with_coset(self, coset: Coset) -> Self {
        Transform { coset, ..self }
    }

    /// Sets the reduction of the GPU's kernels; the CPU engine has one reduction only.
    #[must_use]
    pub fn with_reduction(self, reduction: Reduction) -> Self {
        Transform { reduction, ..self }
    }

    /// The field.
    pub fn prime(&self) -> Prime {
        self.prime
    }

    /// log2 of the length.
    pub fn log_n(&self) -> u32 {
        self.log_n
    }

    /// The number of vectors.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Forward or inverse.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The order of the input.
    pub fn input(&self) -> Order {
        self.input
    }

    /// The order of the output.
    pub fn output(&self) -> Order {
        self.output
    }

    /// The points of evaluation.
    pub fn coset(&self) -> Coset {
        self.coset
    }

    /// The reduction of the GPU's kernels.
    pub fn reduction(&self) -> Reduction {
        self.reduction
    }

    /// Returns the inverse: the other direction, from the order of the output to that of the input. It swaps the orders,
    /// so that the inverse of a transform from natural to bit-reversed order takes bit-reversed values.
    #[must_use]
    pub fn inverted(self) -> Self {
        let direction = match self.direction {
            Direction::Forward => Direction::Inverse,
            Direction::Inverse => Direction::Forward,
        };
        Transform { direction, input: self.output, output: self.input, ..self }
    }

    /// n, the length of one vector.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// The words of the whole batch.
    pub fn len(&self) -> usize {
        self.batch.saturating_mul(self.n())
    }

    /// True if the batch is empty.
    pub fn is_empty(&self) -> bool {
        self.batch == 0
    }

    /// w, the primitive n-th root of unity of the forward transform.
    ///
    /// # Errors
    /// None for a transform made by [`Transform::new`].
    pub fn root(&self) -> Result<u32> {
        self.prime.root_of_unity(self.log_n)
    }

    /// g, the shift of the coset.
    ///
    /// # Errors
    /// [`Error::Input`] for a shift that is 0 or not below p, and if the prime has no 2n-th root of unity
    /// for the negacyclic transform.
    pub fn shift(&self) -> Result<u32> {
        match self.coset {
            Coset::Subgroup => Ok(1),
            Coset::Shift(g) if g > 0 && g < self.prime.value() => Ok(g),
            Coset::Shift(g) => Err(Error::Input(format!("coset shift {g}: it must be from 1 to p - 1"))),
            Coset::Negacyclic => self.prime.root_of_unity(self.log_n + 1),
        }
    }

    /// Checks that `data` are valid input of this transform.
    ///
    /// # Errors
    /// [`Error::Input`] for another length, or an entry that is not below p.
    pub(super) fn check_input(&self, data: &[u32]) -> Result<()> {
        self.shift()?;
        if data.len() != self.len() {
            return Err(Error::Input(format!(
                "{} entries where {} vectors of {} were expected",
                data.len(),
                self.batch,
                self.n()
            )));
        }
        let p = self.prime.value();
        match data.iter().position(|&x| x >= p) {
            Some(i) => Err(Error::Input(format!("entry {i} is {}, not below the modulus {p}", data[i]))),
            None => Ok(()),
        }
    }

    /// The transform of `data` by its definition, in time O(n^2): an oracle for tests.
    ///
    /// # Errors
    /// [`Error::Input`] if `data` are not valid input of this transform, and those of
    /// [`shift`](Self::shift).
    pub fn by_definition(&self, data: &[u32]) -> Result<Vec<u32>> {
        self.check_input(data)?;
        let (p, n) = (self.prime, self.n());
        let place = |order: Order, i: usize| match order {
            Order::Natural => i,
            Order::BitReversed => bit_reverse(i, self.log_n),
        };
        let (root, shift) = (self.root()?, self.shift()?);
        let mut result = vec![0; data.len()];
        for (x, y) in data.chunks(n).zip(result.chunks_mut(n)) {
            for j in 0..n {
                let sum = match self.direction {
                    Direction::Forward => {
                        let point = p.mul(shift, p.pow(root, j as u64));
                        (0..n).rev().fold(0, |sum, i| p.add(p.mul(sum, point), x[place(self.input, i)]))
                    }
                    Direction::Inverse => {
                        let point = p.inverse(p.pow(root, j as u64));
                        let sum =
                            (0..n).rev().fold(0, |sum, i| p.add(p.mul(sum, point), x[place(self.input, i)]));
                        p.mul(p.mul(sum, p.inverse(n as u32)), p.inverse(p.pow(shift, j as u64)))
                    }
                };
                y[place(self.output, j)] = sum;
            }
        }
        Ok(result)
    }
}

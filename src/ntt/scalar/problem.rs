//! A transform over a scalar field, as a problem.

use crate::field::bit_reverse;
use crate::ntt::{Direction, Order};
use crate::scalars::Scalar;
use crate::{Error, Result};

/// The longest transform, log2: indices have 32 bits.
const MAX_LOG_N: u32 = 31;

/// The points at which values are taken: X_j = sum over i of x_i (g w^j)^i.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coset<F> {
    /// At the powers of w, the primitive n-th root of unity: g = 1.
    Subgroup,
    /// At g w^j for a shift g that is not 0.
    Shift(F),
    /// At the odd powers of a primitive 2n-th root: g^2 = w.
    Negacyclic,
}

/// A batch of number-theoretic transforms of one length over a scalar field:
/// X_j = sum over i of x_i (g w^j)^i, with w arkworks' primitive n-th root of unity.
///
/// The vectors of n scalars stand one after the other. n is a power of two from 1 to 2^s, where s is the two-adicity of
/// r - 1: 32 for BLS12-381, 47 for BLS12-377 (31 here), 28 for BN254, 22 for BLS24-315.
///
/// ```
/// use ark_bn254::Fr;
/// use wgalois::ntt::scalar::{Coset, Transform};
/// use wgalois::ntt::{Direction, Order};
///
/// let transform = Transform::<Fr>::new(1 << 10)?
///     .with_batch(3)
///     .with_direction(Direction::Inverse)
///     .with_input(Order::BitReversed)
///     .with_coset(Coset::Shift(Fr::from(7)));
/// assert_eq!(transform.len(), 3 << 10);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transform<F: Scalar> {
    pub(super) log_n: u32,
    pub(super) batch: usize,
    pub(super) direction: Direction,
    pub(super) input: Order,
    pub(super) output: Order,
    pub(super) coset: Coset<F>,
}

impl<F: Scalar> Transform<F> {
    /// One forward transform of length `n`, natural order on both sides, on the subgroup.
    ///
    /// # Errors
    /// [`Error::Input`] if `n` is not a power of two, or there is no root of unity of that order.
    pub fn new(n: usize) -> Result<Self> {
        let most = F::TWO_ADICITY.min(MAX_LOG_N);
        if !n.is_power_of_two() || n.ilog2() > most {
            return Err(Error::Input(format!("length {n}: it must be a power of two from 1 to 2^{most}")));
        }
        Ok(Transform {
            log_n: n.ilog2(),
            batch: 1,
            direction: Direction::Forward,
            input: Order::Natural,
            output: Order::Natural,
            coset: Coset::Subgroup,
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
    pub fn with_coset(self, coset: Coset<F>) -> Self {
        Transform { coset, ..self }
    }

    /// Returns the inverse: the other direction, from the order of the output to that of the input.
    #[must_use]
    pub fn inverted(self) -> Self {
        let direction = match self.direction {
            Direction::Forward => Direction::Inverse,
            Direction::Inverse => Direction::Forward,
        };
        Transform { direction, input: self.output, output: self.input, ..self }
    }

    /// log2 of the length.
    pub fn log_n(&self) -> u32 {
        self.log_n
    }

    /// n, the length of one vector.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// The number of vectors.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// The scalars of the whole batch.
    pub fn len(&self) -> usize {
        self.batch.saturating_mul(self.n())
    }

    /// True if the batch is empty.
    pub fn is_empty(&self) -> bool {
        self.batch == 0
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
    pub fn coset(&self) -> Coset<F> {
        self.coset
    }

    /// w, the primitive n-th root of unity of the forward transform: arkworks'.
    pub fn root(&self) -> F {
        root_of_unity(self.log_n)
    }

    /// g, the shift of the coset.
    ///
    /// # Errors
    /// [`Error::Input`] for a shift of 0, and if there is no 2n-th root of unity for the negacyclic transform.
    pub fn shift(&self) -> Result<F> {
        match self.coset {
            Coset::Subgroup => Ok(F::ONE),
            Coset::Shift(g) if g.is_zero() => {
                Err(Error::Input("coset shift 0: it must have an inverse".into()))
            }
            Coset::Shift(g) => Ok(g),
            Coset::Negacyclic if self.log_n < F::TWO_ADICITY => Ok(root_of_unity(self.log_n + 1)),
            Coset::Negacyclic => Err(Error::Input(format!(
                "no root of unity of order 2^{}: the field has none past 2^{}",
                self.log_n + 1,
                F::TWO_ADICITY
            ))),
        }
    }

    /// The root of this direction: w or its inverse.
    pub(super) fn directed_root(&self) -> F {
        let root = self.root();
        match self.direction {
            Direction::Forward => root,
            // A power of w, so that nothing has to be unwrapped.
            Direction::Inverse => root.pow([self.n() as u64 - 1]),
        }
    }

    /// The factors of the coefficients by their powers: coefficient i is multiplied by first ratio^i, before a
    /// forward transform or after an inverse one. None if all are 1.
    ///
    /// # Errors
    /// Those of [`shift`](Self::shift).
    pub(super) fn weights(&self) -> Result<Option<Weights<F>>> {
        let shift = self.shift()?;
        let weights = match self.direction {
            Direction::Forward => Weights { first: F::ONE, ratio: shift },
            Direction::Inverse => Weights {
                first: F::from(self.n() as u64).inverse().unwrap_or_default(),
                ratio: shift.inverse().unwrap_or_default(),
            },
        };
        Ok(Some(weights).filter(|weights| !weights.first.is_one() || !weights.ratio.is_one()))
    }

    /// Checks the number of scalars.
    pub(super) fn check_len(&self, len: usize) -> Result<()> {
        match len == self.len() {
            true => Ok(()),
            false => {
                let (batch, n) = (self.batch, self.n());
                Err(Error::Input(format!("{len} scalars where {batch} vectors of {n} were expected")))
            }
        }
    }

    /// The transform of `data` by its definition, in time O(n^2): an oracle for tests.
    ///
    /// # Errors
    /// [`Error::Input`] for another number of scalars than the batch's; those of [`shift`](Self::shift).
    pub fn by_definition(&self, data: &[F]) -> Result<Vec<F>> {
        self.check_len(data.len())?;
        let (n, root, shift) = (self.n(), self.root(), self.shift()?);
        let place = |order: Order, i: usize| match order {
            Order::Natural => i,
            Order::BitReversed => bit_reverse(i, self.log_n),
        };
        let mut result = vec![F::ZERO; data.len()];
        for (x, y) in data.chunks(n).zip(result.chunks_mut(n)) {
            let sum = |point: F| (0..n).rev().fold(F::ZERO, |sum, i| sum * point + x[place(self.input, i)]);
            for j in 0..n {
                let power = root.pow([j as u64]);
                y[place(self.output, j)] = match self.direction {
                    Direction::Forward => sum(shift * power),
                    Direction::Inverse => {
                        sum(power.inverse().unwrap_or_default()) / (F::from(n as u64) * shift.pow([j as u64]))
                    }
                };
            }
        }
        Ok(result)
    }
}

/// The factors first ratio^i of coefficients.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights<F> {
    pub first: F,
    pub ratio: F,
}

/// arkworks' root of unity of order 2^`log_n`, at most 2 to the two-adicity.
pub(super) fn root_of_unity<F: Scalar>(log_n: u32) -> F {
    let mut root = F::TWO_ADIC_ROOT_OF_UNITY;
    for _ in log_n..F::TWO_ADICITY {
        root.square_in_place();
    }
    root
}

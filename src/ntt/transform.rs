//! The statement of a number-theoretic transform, over any field.

use std::fmt;

use crate::field::bit_reverse;
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
pub enum CosetOf<E> {
    /// At the powers of w, the primitive n-th root of unity: g = 1.
    Subgroup,
    /// At g w^j for a shift g that is not 0.
    Shift(E),
    /// At the odd powers of a primitive 2n-th root: g^2 = w. Products of such transforms
    /// are products modulo x^n + 1.
    Negacyclic,
}

/// A batch of number-theoretic transforms of one length: X_j = sum over i of x_i (g w^j)^i, with w a primitive n-th
/// root of unity. The vectors of n coefficients stand one after the other.
///
/// `E` is the type of the elements, `S` the settings that a field has of its own. There are two forms:
/// [`Transform`](super::Transform) of words and [`scalar::Transform`](super::scalar::Transform).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TransformOf<E, S = ()> {
    pub(super) settings: S,
    pub(super) log_n: u32,
    pub(super) batch: usize,
    pub(super) direction: Direction,
    pub(super) input: Order,
    pub(super) output: Order,
    pub(super) coset: CosetOf<E>,
}

impl<E: Copy, S> TransformOf<E, S> {
    /// One forward transform of length 2^`log_n`, natural order on both sides, on the subgroup.
    pub(super) fn with_settings(settings: S, log_n: u32) -> Self {
        TransformOf {
            settings,
            log_n,
            batch: 1,
            direction: Direction::Forward,
            input: Order::Natural,
            output: Order::Natural,
            coset: CosetOf::Subgroup,
        }
    }

    /// Sets the number of vectors.
    #[must_use]
    pub fn with_batch(self, batch: usize) -> Self {
        TransformOf { batch, ..self }
    }

    /// Sets the direction; the orders stay.
    #[must_use]
    pub fn with_direction(self, direction: Direction) -> Self {
        TransformOf { direction, ..self }
    }

    /// Sets the order of the input.
    #[must_use]
    pub fn with_input(self, input: Order) -> Self {
        TransformOf { input, ..self }
    }

    /// Sets the order of the output.
    #[must_use]
    pub fn with_output(self, output: Order) -> Self {
        TransformOf { output, ..self }
    }

    /// Sets the points of evaluation. Points that do not exist are an error of the plan.
    #[must_use]
    pub fn with_coset(self, coset: CosetOf<E>) -> Self {
        TransformOf { coset, ..self }
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
    pub fn coset(&self) -> CosetOf<E> {
        self.coset
    }

    /// Returns the inverse: the other direction, from the order of the output to that of the input. It swaps the orders,
    /// so that the inverse of a transform from natural to bit-reversed order takes bit-reversed values.
    #[must_use]
    pub fn inverted(self) -> Self {
        let direction = match self.direction {
            Direction::Forward => Direction::Inverse,
            Direction::Inverse => Direction::Forward,
        };
        TransformOf { direction, input: self.output, output: self.input, ..self }
    }

    /// n, the length of one vector.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// The entries of the whole batch.
    pub fn len(&self) -> usize {
        self.batch.saturating_mul(self.n())
    }

    /// True if the batch is empty.
    pub fn is_empty(&self) -> bool {
        self.batch == 0
    }

    /// Writes the line of a plan that states the transforms, of elements that are `what`.
    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>, what: fmt::Arguments<'_>) -> fmt::Result {
        let (batch, log_n) = (self.batch, self.log_n);
        let direction = match self.direction {
            Direction::Forward => "forward",
            Direction::Inverse => "inverse",
        };
        writeln!(f, "transforms     {batch} {direction}, of 2^{log_n} {what}")
    }

    /// Checks the number of entries, which an error calls `what`.
    pub(super) fn check_len(&self, len: usize, what: &str) -> Result<()> {
        if len == self.len() {
            return Ok(());
        }
        let (batch, n) = (self.batch, self.n());
        Err(Error::Input(format!("{len} {what} where {batch} vectors of {n} were expected")))
    }

    /// The sums over i of x_i z^i for the vectors x of `data`, in the orders of this transform. `point` takes j to z and
    /// to the factor of the sum at place j, and `step` takes a, b and c to a b + c.
    pub(super) fn sums(
        &self,
        data: &[E],
        zero: E,
        step: impl Fn(E, E, E) -> E,
        point: impl Fn(usize) -> (E, E),
    ) -> Vec<E> {
        let n = self.n();
        let place = |order: Order, i: usize| match order {
            Order::Natural => i,
            Order::BitReversed => bit_reverse(i, self.log_n),
        };
        let mut result = vec![zero; data.len()];
        for (x, y) in data.chunks(n).zip(result.chunks_mut(n)) {
            for j in 0..n {
                let (z, factor) = point(j);
                let sum = (0..n).rev().fold(zero, |sum, i| step(sum, z, x[place(self.input, i)]));
                y[place(self.output, j)] = step(sum, factor, zero);
            }
        }
        result
    }
}

//! What a transform computes, apart from who computes it.

use crate::field::{Prime, bit_reverse};
use crate::{Error, Result};

/// The order in which coefficients or frequencies stand in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Entry i at place i.
    Natural,
    /// Entry i at the place whose binary digits are those of i reversed.
    BitReversed,
}

/// Which way a transform goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Coefficients to values.
    Forward,
    /// Values to coefficients, the factor 1/n included.
    Inverse,
}

/// Where the values are taken: X_j = sum over i of x_i (g w^j)^i.
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
    /// Shoup's precomputed quotient a constant.
    Shoup,
    /// The remainder operator.
    Plain,
}

/// A batch of number-theoretic transforms of one length modulo one prime.
///
/// `batch` vectors of n = 2^`log_n` coefficients stand one after the other; every entry
/// is below p, before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transform {
    /// The field.
    pub prime: Prime,
    /// log2 of the length, 1 to 27.
    pub log_n: u32,
    /// How many vectors.
    pub batch: usize,
    /// Forward or inverse.
    pub direction: Direction,
    /// The order of the entries before.
    pub input: Order,
    /// The order of the entries after.
    pub output: Order,
    /// The points of evaluation.
    pub coset: Coset,
    /// The arithmetic.
    pub reduction: Reduction,
}

/// The longest transform, log2.
pub const MAX_LOG_N: u32 = 27;

impl Transform {
    /// One forward transform of length `n`, natural order on both sides, on the subgroup.
    ///
    /// # Errors
    /// [`Error::Input`] where `n` is not a power of two from 2 to 2^27 or `prime` has no
    /// root of unity of that order.
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

    /// The same in the other direction, from the order of its output to that of its input.
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
        self.batch << self.log_n
    }

    /// Whether the batch is empty.
    pub fn is_empty(&self) -> bool {
        self.batch == 0
    }

    /// w, the primitive n-th root of unity of the forward transform.
    pub fn root(&self) -> Result<u32> {
        self.prime.root_of_unity(self.log_n)
    }

    /// g, the shift of the coset.
    ///
    /// # Errors
    /// [`Error::Input`] for a shift that is 0 or not below p, and where the prime has no
    /// 2n-th root of unity for the negacyclic transform.
    pub fn shift(&self) -> Result<u32> {
        match self.coset {
            Coset::Subgroup => Ok(1),
            Coset::Shift(g) if g > 0 && g < self.prime.value() => Ok(g),
            Coset::Shift(g) => Err(Error::Input(format!("coset shift {g}: it must be from 1 to p - 1"))),
            Coset::Negacyclic => self.prime.root_of_unity(self.log_n + 1),
        }
    }

    /// Checks that `data` are what this transform takes.
    ///
    /// # Errors
    /// [`Error::Input`] for another length, or an entry that is not below p.
    pub fn check_input(&self, data: &[u32]) -> Result<()> {
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

    /// The transform by its definition, in time O(n^2): the oracle of the tests.
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

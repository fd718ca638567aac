//! Number-theoretic transforms over any field: the statement, and its ways.

mod elements;
mod engines;

pub use elements::{Counts, Elements};

use std::fmt;
use std::ops::Range;

use super::ways::{OnGpu, ReadyOnGpu, divided, on_gpu, ways};
use crate::field::bit_reverse;
use crate::gpu::{Family, Recorder, block_on};
use crate::task::{Divided, Divisible, Planned, Prepared, Problem, Profile, Ways};
use crate::{Device, Error, Result};

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
/// `K` is the kind of the elements, with the settings that it has of its own. There are two forms:
/// [`Transform`](super::Transform) of words and [`scalar::Transform`](super::scalar::Transform).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TransformOf<K: Elements> {
    pub(super) settings: K,
    pub(super) log_n: u32,
    pub(super) batch: usize,
    pub(super) direction: Direction,
    pub(super) input: Order,
    pub(super) output: Order,
    pub(super) coset: CosetOf<K::Element>,
}

impl<K: Elements> TransformOf<K> {
    /// One forward transform of length 2^`log_n`, natural order on both sides, on the subgroup.
    pub(super) fn with_settings(settings: K, log_n: u32) -> Self {
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
    pub fn with_coset(self, coset: CosetOf<K::Element>) -> Self {
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
    pub fn coset(&self) -> CosetOf<K::Element> {
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

    /// Checks the number of entries, which an error calls `what`.
    pub(super) fn check_len(&self, len: usize, what: &'static str) -> Result<()> {
        match self.batch {
            1 => Error::expect_length(what, self.n(), len),
            batch => {
                Error::expect_length(format!("{what} for {batch} vectors of {}", self.n()), self.len(), len)
            }
        }
    }

    /// The sums over i of x_i z^i for the vectors x of `data`, in the orders of this transform. `point` takes j to z and
    /// to the factor of the sum at place j, and `step` takes a, b and c to a b + c.
    pub(super) fn sums(
        &self,
        data: &[K::Element],
        zero: K::Element,
        step: impl Fn(K::Element, K::Element, K::Element) -> K::Element,
        point: impl Fn(usize) -> (K::Element, K::Element),
    ) -> Vec<K::Element> {
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

impl<K: Elements> Problem for TransformOf<K> {
    const NAME: &'static str = "this transform";

    type Resident<'a> = ();
    /// The batch.
    type Input<'a> = &'a mut [K::Element];
    type Answer = ();
    type Kernels = ReadyOnGpu<Self>;

    fn families(&self) -> Vec<Family> {
        vec![K::RATES.family()]
    }

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        K::check(self)?;
        ways(self, profile, || divided(self, profile))
    }

    fn check_input(&self, batch: &&mut [K::Element]) -> Result<()> {
        K::check_batch(self, batch)
    }

    fn reborrow<'s>(batch: &'s mut Self::Input<'_>) -> Self::Input<'s> {
        batch
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = match self.direction {
            Direction::Forward => "forward",
            Direction::Inverse => "inverse",
        };
        let (batch, log_n) = (self.batch, self.log_n);
        writeln!(f, "transforms     {batch} {direction}, of 2^{log_n} {}", self.settings.name())
    }
}

impl<K: Elements> Divisible for TransformOf<K> {
    const THINGS: &'static str = "vectors";

    fn count(&self) -> usize {
        self.batch
    }

    fn part(&self, count: usize) -> Self {
        self.with_batch(count)
    }

    fn count_of(&self, batch: &&mut [K::Element]) -> usize {
        batch.len() / self.n()
    }

    fn split<'i>(&self, batch: Self::Input<'i>, ranges: &[Range<usize>]) -> Vec<Self::Input<'i>> {
        let mut rest = batch;
        let next = |range: &Range<usize>| {
            let (batch, after) = std::mem::take(&mut rest).split_at_mut(range.len() * self.n());
            rest = after;
            batch
        };
        ranges.iter().map(next).collect()
    }

    fn join(&self, _: Vec<()>) -> Result<()> {
        Ok(())
    }
}

/// Plans of transforms.
impl<K: Elements> Planned<TransformOf<K>> {
    /// The transform.
    pub fn transform(&self) -> &TransformOf<K> {
        self.problem()
    }

    /// The passes of a GPU over the data, each of which reads and writes every element once; None on the CPU engine.
    pub fn passes(&self) -> Option<usize> {
        let shared = self.way::<Divided<TransformOf<K>>>().and_then(Divided::largest);
        shared.unwrap_or(self).way::<OnGpu<TransformOf<K>>>().map(|way| way.plan.passes())
    }

    /// The number of parts in which the batch is transformed one after the other, because memory does not hold it at once.
    pub fn parts(&self) -> usize {
        self.way::<OnGpu<TransformOf<K>>>().map_or(1, |way| way.plan.parts)
    }
}

/// Transforms of vectors that are on a device.
impl<K: Elements> Prepared<'_, TransformOf<K>> {
    /// Transforms every vector of the batch in `data`, which stay on the device. That words are below p is not checked.
    ///
    /// It returns before the work is done; the next download waits for it.
    pub fn run_on_device(&self, data: &mut K::Vector) -> Result<()> {
        self.on_gpu()?.on_device(data)
    }

    /// Records the work of [`run_on_device`](Self::run_on_device). Work of this prepared transform shares a vector on the
    /// device: no other thread may record or run it until this is submitted.
    pub fn record(&self, recorder: &mut Recorder, data: &mut K::Vector) -> Result<()> {
        self.on_gpu()?.record(recorder, data)
    }

    pub(super) fn on_gpu(&self) -> Result<&ReadyOnGpu<TransformOf<K>>> {
        on_gpu(self, "take a batch from a device: it comes from the host")
    }
}

/// Transforms every vector of the batch in `data`, in place: plans, prepares and runs once.
///
/// ```
/// use wgalois::field::Prime;
/// use wgalois::ntt::{self, Transform};
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let mut data = [1, 2, 3, 4];
/// ntt::transform(&device, &Transform::new(Prime::new(17)?, 4)?, &mut data)?;
/// assert_eq!((data[0], data[2]), (10, 15)); // the values at 1 and -1
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// ```
/// use ark_bn254::Fr;
/// use wgalois::ntt::scalar::{self, Transform};
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let mut scalars = [5u64, 3].map(Fr::from);
/// scalar::transform(&device, &Transform::new(2)?, &mut scalars)?;
/// assert_eq!(scalars, [8u64, 2].map(Fr::from)); // the values at 1 and -1
/// # Ok::<(), wgalois::Error>(())
/// ```
pub fn transform<K: Elements>(
    device: &Device,
    transform: &TransformOf<K>,
    data: &mut [K::Element],
) -> Result<()> {
    block_on(transform_async(device, transform, data))
}

/// The asynchronous form of [`transform`], for browsers.
pub async fn transform_async<K: Elements>(
    device: &Device,
    transform: &TransformOf<K>,
    data: &mut [K::Element],
) -> Result<()> {
    transform.plan(device)?.compute_async(device, data).await.map(drop)
}

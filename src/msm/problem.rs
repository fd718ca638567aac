//! The problem of a multiplication: its sizes and options, without the data.

use std::fmt;
use std::marker::PhantomData;

use super::{Precompute, Settings};
use crate::curve::Curve;

/// Multiplications by the same points of a curve: the sum of `k_i P_i` for `i` below
/// [`points`](Self::points), for each of [`vectors`](Self::vectors) vectors of scalars `k`.
///
/// ```
/// use ark_ec::AffineRepr;
/// use wgalois::curve::{Affine, Bn254};
/// use wgalois::msm::{Multiplication, Precompute};
/// use wgalois::task::Problem;
/// use wgalois::{Cpu, Device};
///
/// // Two commitments to vectors of three scalars by the same bases, which stay on the device.
/// let device = Device::Cpu(Cpu::default());
/// let g = Affine::<Bn254>::generator();
/// let points = [g; 3];
/// let problem = Multiplication::new(3).with_vectors(2).with_precompute(Precompute::Windows);
/// let bases = problem.plan(&device)?.prepare(&device, &points)?;
/// let [a, b] = [[1u64, 2, 3], [0, 5, 1]].map(|vector| vector.map(ark_bn254::Fr::from));
/// let sums = bases.run_many(&[&a, &b])?;
/// assert_eq!(sums[0], sums[1]);
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// Points lie on the curve; infinity is allowed. They have to lie in the subgroup of order r for
/// the sum to depend on scalars modulo r; [`first_outside`](super::first_outside) checks this.
pub struct Multiplication<C: Curve> {
    points: usize,
    vectors: usize,
    settings: Settings,
    /// The share of scalars that are expected to be 0 or 1.
    bits: f64,
    curve: PhantomData<fn() -> C>,
}

impl<C: Curve> Multiplication<C> {
    /// One multiplication by `points` points.
    pub fn new(points: usize) -> Self {
        Multiplication { points, vectors: 1, settings: Settings::default(), bits: 0.0, curve: PhantomData }
    }

    /// Sets the number of vectors of scalars, one by default. Any number can be run; a plan counts the
    /// time and memory of this many. A GPU multiplies short vectors together, up to this many at a time, which
    /// takes less time for each, and more memory.
    #[must_use]
    pub fn with_vectors(self, vectors: usize) -> Self {
        Multiplication { vectors, ..self }
    }

    /// Sets the number of points.
    pub(super) fn with_points(self, points: usize) -> Self {
        Multiplication { points, ..self }
    }

    /// Sets the options of the method.
    #[must_use]
    pub fn with_settings(self, settings: Settings) -> Self {
        Multiplication { settings, ..self }
    }

    /// Sets the multiples to store of every point, as
    /// [`Settings::with_precompute`](Settings::with_precompute).
    #[must_use]
    pub fn with_precompute(self, precompute: Precompute) -> Self {
        Multiplication { settings: self.settings.with_precompute(precompute), ..self }
    }

    /// Sets the share of scalars that are expected to be 0 or 1, from 0 to 1 and 0 by default: [`share_of_bits`](super::share_of_bits)
    /// of a vector. If it is large, a GPU skips zeros, sums the points of ones and multiplies the others, which takes less time and
    /// memory. Scalars that are on the GPU come back to the host first. Sums are right whatever the scalars are.
    #[must_use]
    pub fn with_bits(self, share: f64) -> Self {
        Multiplication { bits: share.clamp(0.0, 1.0), ..self }
    }

    /// The share of scalars that are expected to be 0 or 1.
    pub fn bits(&self) -> f64 {
        self.bits
    }

    /// The number of points.
    pub fn points(&self) -> usize {
        self.points
    }

    /// The number of vectors of scalars.
    pub fn vectors(&self) -> usize {
        self.vectors
    }

    /// The options of the method.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

// Derived implementations would require the same of `C`.
impl<C: Curve> Clone for Multiplication<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Curve> Copy for Multiplication<C> {}

impl<C: Curve> fmt::Debug for Multiplication<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Multiplication { points, vectors, settings, .. } = self;
        write!(f, "{vectors} vectors times {points} points of {}, {settings:?}", C::NAME)
    }
}

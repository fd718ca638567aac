//! The problem of a multiplication: its sizes and options, without the data.

use std::fmt;
use std::marker::PhantomData;

use super::on_cpu::OnCpu;
use super::on_gpu::{OnGpu, ReadyOnGpu};
use super::on_group::{Division, OnGroup};
use super::on_processes::OnProcesses;
use super::operands::too_many_scalars;
use super::{Points, Precompute, Scalars, Settings, cost};
use crate::curve::{Affine, Curve};
use crate::task::{Engine, Problem, Profile, Ways};
use crate::verify::Guarantee;
use crate::{Device, Error, Result};
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
    curve: PhantomData<fn() -> C>,
}

impl<C: Curve> Multiplication<C> {
    /// One multiplication by `points` points.
    pub fn new(points: usize) -> Self {
        Multiplication { points, vectors: 1, settings: Settings::default(), curve: PhantomData }
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

    /// The bytes of host memory that [`check`](Self::check) takes beside its arguments and the multiplication
    /// that it calls.
    pub fn check_bytes(&self) -> u64 {
        cost::check_host_bytes::<C>(self.points as u64)
    }

    /// Checks that `sums[j]` is the sum of `vectors[j][i]` times `points[i]`, with one more multiplication on
    /// `device`, which need not be trusted: see [`verify`](super::verify).
    ///
    /// # Errors
    /// [`Error::Check`] for a wrong sum; [`Error::Input`] for more or fewer points than the problem's; those of
    /// [`verify`](super::verify) and of the device.
    pub fn check(
        &self,
        device: &Device,
        points: &[Affine<C>],
        vectors: &[&[C::ScalarField]],
        sums: &[Affine<C>],
    ) -> Result<Guarantee> {
        Error::expect_length("points", self.points, points.len())?;
        let again = |scalars: &[C::ScalarField]| {
            super::multiply_unchecked(device, &self.settings, &points[..scalars.len()], scalars)
        };
        super::verify(points, vectors, sums, &mut rand::rng(), again)
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

    /// Refuses more scalars than points.
    pub(super) fn check_len(&self, scalars: usize) -> Result<()> {
        match scalars <= self.points {
            true => Ok(()),
            false => Err(too_many_scalars(scalars, self.points)),
        }
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

impl<C: Curve> Problem for Multiplication<C> {
    const NAME: &'static str = "this multiplication";

    type Resident<'a> = Points<'a, C>;
    type Input<'a> = Scalars<'a, C::ScalarField>;
    /// A sum for each vector, in order.
    type Answer = Vec<Affine<C>>;
    type Kernels = ReadyOnGpu<C>;

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        Ok(match &profile.engine {
            Engine::Cpu { threads } => {
                Ways::default().with(OnCpu::NAME, Ok(OnCpu::new(self, *threads, profile.host_memory)))
            }
            Engine::Gpu(gpu) => OnGpu::ways(self, gpu, profile.device_memory)?,
            Engine::Group(_) => {
                let of = |division| OnGroup::new(self, profile, division);
                let ways = Ways::default().with(Division::Points.name(), of(Division::Points));
                ways.with(Division::Vectors.name(), of(Division::Vectors))
            }
            Engine::Processes { .. } => {
                Ways::default().with(OnProcesses::<Self>::NAME, OnProcesses::new(self, profile))
            }
        })
    }

    fn check_resident(&self, points: &Points<'_, C>) -> Result<()> {
        Error::expect_length("points", self.points, points.len())
    }

    fn check_input(&self, scalars: &Scalars<'_, C::ScalarField>) -> Result<()> {
        self.check_len(scalars.reach())
    }

    fn reborrow<'s>(scalars: &'s mut Scalars<'_, C::ScalarField>) -> Scalars<'s, C::ScalarField> {
        *scalars
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "curve          {}", C::NAME)?;
        writeln!(f, "points         {}", self.points)?;
        writeln!(f, "vectors        {}", self.vectors)
    }
}

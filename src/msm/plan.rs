//! The plan of a multiplication on one device: numbers only.

use std::borrow::Cow;

use super::apart::OnGpuApart;
use super::gpu::compile_check;
use super::on_cpu::OnCpu;
use super::on_gpu::OnGpu;
use super::tiling::parts;
use super::{Bases, Cut, Multiplication, Points, Settings, cost, cpu};
use crate::curve::{Affine, Curve};
use crate::task::Planned;
use crate::{Device, One, Result};

/// A plan for a [`Multiplication`] on one device. `wgalois msm --plan` prints it as text.
///
/// ```
/// use wgalois::curve::Bn254;
/// use wgalois::task::Problem;
/// use wgalois::{Cpu, Device, msm::Multiplication};
///
/// let device = Device::Cpu(Cpu::default());
/// let plan = Multiplication::<Bn254>::new(1 << 16).plan(&device)?;
/// assert_eq!(plan.parts(), 1);
/// assert_eq!(plan.cost().device_bytes, 0);
/// println!("{plan}");
/// # Ok::<(), wgalois::Error>(())
/// ```
pub type MultiplicationPlan<C> = Planned<Multiplication<C>>;

impl<C: Curve> MultiplicationPlan<C> {
    /// The number of points.
    pub fn points(&self) -> usize {
        self.problem().points()
    }

    /// The number of vectors.
    pub fn vectors(&self) -> usize {
        self.problem().vectors()
    }

    /// The number of points of a part: all points, unless memory is too short.
    pub fn part(&self) -> usize {
        let on_cpu = self.way::<OnCpu>().map(|way| way.part);
        let on_gpu = || self.way::<OnGpu>().map(|way| way.part);
        let apart = || self.way::<OnGpuApart>().map(|way| way.part);
        on_cpu.or_else(on_gpu).or_else(apart).unwrap_or(self.points())
    }

    /// The number of parts in which the points go to the engine, one after the other.
    pub fn parts(&self) -> usize {
        parts(self.points(), self.part())
    }

    /// The cut of a part on a GPU; `None` on the CPU engine and on a group.
    pub fn cut(&self) -> Option<&Cut> {
        self.way::<OnGpu>().map(|way| &way.cut)
    }

    /// The options of the method.
    pub fn settings(&self) -> &Settings {
        self.problem().settings()
    }

    /// Prepares the multiplication by `points` on the device that was planned for, after the host has checked that they
    /// lie on the curve; infinity is allowed. Whether they lie in the subgroup of order r is not checked
    /// ([`first_outside`](super::first_outside) does). See [`Multiplication`].
    pub fn prepare<'p>(
        &self,
        device: &Device,
        points: impl Into<Cow<'p, [Affine<C>]>>,
    ) -> Result<Bases<'p, C>> {
        let points = Points::new(points);
        cpu::expect_on_curve(&points)?;
        self.prepare_with(device, points)
    }

    /// [`prepare`](Self::prepare) for points that lie on the curve. With others, multiplications have wrong sums.
    pub fn prepare_unchecked<'p>(
        &self,
        device: &Device,
        points: impl Into<Cow<'p, [Affine<C>]>>,
    ) -> Result<Bases<'p, C>> {
        self.prepare_with(device, Points::new(points))
    }

    /// Compiles the kernels of [`prepare`](Self::prepare) and those of [`first_outside`](super::first_outside), which compile
    /// them otherwise. It can run in parallel with other work, such as reading the points. Through OpenGL, call it on the thread
    /// that also multiplies: its driver takes one thread at a time.
    pub fn compile_with_check(&self, device: &Device) -> Result<()> {
        match device.one() {
            One::Gpu(gpu) if cost::is_worth_checking_on(gpu, self.points()) => {
                gpu.beside(|| self.compile(device), || compile_check::<C>(gpu)).map(drop)
            }
            _ => self.compile(device),
        }
    }
}

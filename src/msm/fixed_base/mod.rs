//! Multiples of one base by many scalars, as the setup of a proof system makes the points of its keys.
//!
//! A table has the base times every digit of every window of a scalar, so that a multiple is the sum of one point of the table
//! for each window (Brickell, Gordon, McCurley, Wilson, "Fast exponentiation with precomputation", EUROCRYPT 1992, with signed
//! digits). The host computes the table, in which each addition shares an inversion with many others. The CPU engine adds up
//! many multiples window by window in the same way; a GPU has a thread for each multiple.

mod on_cpu;
mod on_gpu;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;
use std::marker::PhantomData;

use super::speeds::family;
use crate::Result;
use crate::curve::{Affine, Curve};
use crate::gpu::Family;
use crate::task::{Engine, Planned, Prepared, Problem, Profile, Ways};
use on_cpu::OnCpu;
pub(super) use on_cpu::multiples;
use on_gpu::OnGpu;

/// Multiples of one base of a curve: `k_i` times the base for some scalars `k`.
///
/// ```
/// use ark_bn254::Fr;
/// use ark_ec::{AffineRepr, CurveGroup};
/// use wgalois::curve::{Affine, Bn254};
/// use wgalois::task::Problem;
/// use wgalois::{Cpu, Device, msm::FixedBase};
///
/// let device = Device::Cpu(Cpu::default());
/// let base = Affine::<Bn254>::generator();
/// let multiples = FixedBase::new(3).plan(&device)?.prepare_with(&device, base)?;
/// let points = multiples.run(&[0u64, 1, 7].map(Fr::from))?;
/// assert_eq!(points, [0u64, 1, 7].map(|k| (base * Fr::from(k)).into_affine()));
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// The base lies in the subgroup of order r; otherwise multiples are wrong. The time depends on the scalars: neither engine is
/// suitable for secret ones.
pub struct FixedBase<C: Curve> {
    count: usize,
    curve: PhantomData<fn() -> C>,
}

/// A base prepared for its multiples.
pub type Multiples<C> = Prepared<'static, FixedBase<C>>;

/// The plan of [`Multiples`] on one device.
pub type FixedBasePlan<C> = Planned<FixedBase<C>>;

/// The base by the name that [`Way::prepare`](crate::task::Way::prepare) has for it: with its own, `'p` would be late bound.
type ResidentBase<'p, C> = <FixedBase<C> as Problem>::Resident<'p>;

impl<C: Curve> FixedBase<C> {
    /// The multiples by `count` scalars in all, for the width of windows, the time, and the memory of one run. Any number can be
    /// multiplied, in any number of runs.
    pub fn new(count: usize) -> Self {
        FixedBase { count, curve: PhantomData }
    }

    /// The number of scalars.
    pub fn count(&self) -> usize {
        self.count
    }
}

impl<C: Curve> Problem for FixedBase<C> {
    const NAME: &'static str = "these multiples";

    type Resident<'a> = Affine<C>;
    type Input<'a> = &'a [C::ScalarField];
    /// A point for each scalar, in order.
    type Answer = Vec<Affine<C>>;
    type Kernels = ();

    fn families(&self) -> Vec<Family> {
        vec![family::<C>()]
    }

    /// Of several devices, one multiplies.
    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        let profile = profile.of_one();
        Ok(match &profile.engine {
            Engine::Gpu(gpu) => {
                Ways::default().with("on one GPU", OnGpu::new(self, gpu, profile.device_memory))
            }
            Engine::Cpu(cpu) => Ways::default().with("on the CPU engine", Ok(OnCpu::new(self, *cpu))),
            Engine::Group(_) | Engine::Processes { .. } => Ways::default(),
        })
    }

    fn check_input(&self, _: &&[C::ScalarField]) -> Result<()> {
        Ok(())
    }

    fn reborrow<'s>(scalars: &'s mut Self::Input<'_>) -> Self::Input<'s> {
        scalars
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "curve          {}", C::NAME)?;
        writeln!(f, "multiples      {}", self.count)
    }
}

// Derived implementations would require the same of `C`.
impl<C: Curve> Clone for FixedBase<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Curve> Copy for FixedBase<C> {}

impl<C: Curve> fmt::Debug for FixedBase<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} multiples of a point of {}", self.count, C::NAME)
    }
}

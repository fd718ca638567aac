//! Kernels and methods to compare with the library's: those of textbooks, and those of published works.
//!
//! The transforms on GPUs are problems with plans and prepared forms like the library's, and their costs follow from the
//! same rates. Each has one way: on one GPU.

pub mod four_step;
pub mod msm;
pub mod naive;
pub mod small;
pub mod textbook;

use std::fmt;

use wgalois::gpu::{DeviceVec, Gpu, Kernel, Recorder};
use wgalois::ntt::Passes;
use wgalois::task::{Cost, Prepared, Problem, Profile, Ready, Traffic, Way, other_device};
use wgalois::{Device, Error, One, Result};

/// Returns the kernels of all modules.
pub(crate) fn kernels() -> impl Iterator<Item = &'static Kernel> {
    [textbook::KERNELS, four_step::KERNELS, small::KERNELS].into_iter().flatten().copied()
}

/// A problem of one GPU, whose kernels do the work of a run.
trait OnOneGpu: for<'a> Problem<Resident<'a> = (), Kernels: Ready<Self>> {
    /// Compiles the kernels and makes the tables.
    fn ready(&self, gpu: &Gpu) -> Result<Self::Kernels>;
}

/// The way of such a problem.
#[derive(Debug)]
struct OnGpu {
    cost: Cost,
    traffic: Traffic,
}

impl OnGpu {
    const NAME: &str = "on one GPU";

    /// The way that makes these passes, over words that come from the host and return to it.
    ///
    /// # Errors
    /// Those of [`Passes::cost`].
    fn new(passes: &Passes, profile: &Profile) -> Result<Self> {
        let bytes = 4 * passes.words as u64;
        let dispatches = if bytes == 0 { 0 } else { passes.dispatches };
        let traffic = Traffic { upload: bytes, download: bytes, dispatches: Some(dispatches as u64) };
        Ok(OnGpu { cost: passes.cost(profile)?, traffic })
    }
}

impl<P: OnOneGpu> Way<P> for OnGpu {
    type Device = Device;
    type Ready<'p> = P::Kernels;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// The lines of the problem say it all.
    fn write(&self, _: &P, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }

    fn prepare<'p>(&self, problem: &P, device: &Device, (): ()) -> Result<Self::Ready<'p>> {
        let One::Gpu(gpu) = device.one() else { return Err(other_device()) };
        problem.ready(gpu)
    }
}

/// The kernels of a prepared form, to be recorded.
///
/// # Errors
/// [`Error::Usage`], if it was not prepared for a GPU.
pub fn on_gpu<'p, P: Problem>(prepared: &'p Prepared<'_, P>) -> Result<&'p P::Kernels> {
    prepared.kernels().ok_or_else(other_device)
}

/// Checks that device vectors have as many words as a plan works on: a kernel does not check where it reads
/// and writes.
///
/// # Errors
/// [`Error::Input`] if one has another length.
fn check_lengths(words: usize, vectors: &[&DeviceVec<u32>]) -> Result<()> {
    match vectors.iter().map(|vector| vector.len()).find(|&len| len != words) {
        None => Ok(()),
        Some(len) => Err(Error::Input(format!("a vector of {len} words where the plan has {words}"))),
    }
}

/// Replaces host data by what `record` makes of them on the device.
///
/// # Errors
/// Those of `record`.
fn in_place(
    gpu: &Gpu,
    data: &mut [u32],
    record: impl FnOnce(&mut Recorder, &DeviceVec<u32>, &mut DeviceVec<u32>) -> Result<()>,
) -> Result<()> {
    let (source, mut target) = (gpu.upload(data)?, gpu.zeros(data.len())?);
    let mut recorder = gpu.record();
    record(&mut recorder, &source, &mut target)?;
    recorder.submit()?;
    data.copy_from_slice(&target.download()?);
    Ok(())
}

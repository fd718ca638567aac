//! Kernels and methods to compare with the library's: those of textbooks, and those of published works.
//!
//! The transforms on GPUs are problems with plans and prepared forms like the library's, and their costs follow from the
//! same rates.

pub mod four_step;
pub mod msm;
pub mod naive;
pub mod small;
pub mod textbook;

use wgalois::gpu::{DeviceVec, Gpu, Kernel, Recorder};
use wgalois::task::Traffic;
use wgalois::{Device, Error, One, Result};

/// Returns the kernels of all modules.
pub(crate) fn kernels() -> impl Iterator<Item = &'static Kernel> {
    [textbook::KERNELS, four_step::KERNELS, small::KERNELS].into_iter().flatten().copied()
}

/// Returns the GPU for which a plan is prepared.
///
/// # Errors
/// [`Error::Usage`] for the CPU engine.
fn gpu_of(device: &Device) -> Result<&Gpu> {
    match device.one() {
        One::Gpu(gpu) => Ok(gpu),
        One::Cpu(_) => Err(Error::Usage("the plan was made for a device of another kind".into())),
    }
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

/// The traffic of words that come from the host and return to it.
fn traffic(words: usize, dispatches: usize) -> Traffic {
    let bytes = 4 * words as u64;
    Traffic { upload: bytes, download: bytes, dispatches: Some(dispatches as u64) }
}

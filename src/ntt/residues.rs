//! Residues that go to a device.

use rayon::prelude::*;

use crate::field::Prime;
use crate::gpu::{DeviceVec, Gpu};
use crate::{Error, Result};

/// Copies residues modulo `prime` to a new device vector, after the host has checked that all are below it. Transforms and
/// products of other words are wrong; [`Gpu::upload`] does not check them.
///
/// ```no_run
/// use wgalois::{field::BABY_BEAR, gpu::Gpu, ntt};
///
/// let gpu = Gpu::new()?;
/// let values = ntt::upload_checked(&gpu, BABY_BEAR, &[0, 1, 2013265920])?;
/// assert!(ntt::upload_checked(&gpu, BABY_BEAR, &[0, 1, 2013265921]).is_err());
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// [`Error::Input`] for the first word that is not below the prime; those of [`Gpu::upload`].
pub fn upload_checked(gpu: &Gpu, prime: Prime, words: &[u32]) -> Result<DeviceVec<u32>> {
    match words.par_iter().position_first(|&word| word >= prime.value()) {
        Some(i) => {
            Err(Error::Input(format!("word {i} is {}, which is not below {}", words[i], prime.value())))
        }
        None => gpu.upload(words),
    }
}

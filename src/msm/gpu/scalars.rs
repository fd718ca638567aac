//! Scalars on the device.

use rayon::prelude::*;

use crate::Result;
use crate::curve::Curve;
use crate::field::Words;
use crate::gpu::{DeviceVec, Gpu};

/// Words of a scalar.
const SCALAR_WORDS: usize = 8;
/// The words of one write that is queued with the next submission: 1 MiB.
const QUEUED_WORDS: usize = 1 << 18;

fn words<C: Curve>(scalars: &[C::ScalarField]) -> Vec<u32> {
    let mut words = vec![0; scalars.len() * SCALAR_WORDS];
    words.par_chunks_mut(SCALAR_WORDS).zip(scalars).with_min_len(1 << 10).for_each(|(target, scalar)| {
        for (pair, word) in target.chunks_exact_mut(2).zip(scalar.words()) {
            pair.copy_from_slice(&[*word as u32, (*word >> 32) as u32]);
        }
    });
    words
}

/// Scalars on a GPU, for [`Bases::run_on_device`](crate::msm::Bases::run_on_device).
pub struct DeviceScalars<C: Curve> {
    words: DeviceVec<u32>,
    len: usize,
    curve: std::marker::PhantomData<fn() -> C>,
}

impl<C: Curve> DeviceScalars<C> {
    /// Copies scalars to the device.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) and the device's other faults.
    pub fn upload(gpu: &Gpu, scalars: &[C::ScalarField]) -> Result<Self> {
        Ok(Self::of(gpu.upload(&words::<C>(scalars))?, scalars.len()))
    }

    /// Copies scalars to the device with its next submission, without waiting for the work that it is
    /// doing.
    pub(super) fn upload_behind(gpu: &Gpu, scalars: &[C::ScalarField]) -> Result<Self> {
        let mut vector = gpu.zeros(scalars.len() * SCALAR_WORDS)?;
        for (i, words) in words::<C>(scalars).chunks(QUEUED_WORDS).enumerate() {
            vector.write(i * QUEUED_WORDS, words)?;
        }
        Ok(Self::of(vector, scalars.len()))
    }

    fn of(words: DeviceVec<u32>, len: usize) -> Self {
        DeviceScalars { words, len, curve: std::marker::PhantomData }
    }

    /// The number of scalars.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The buffer that holds scalar `index`, and the scalar's number in it.
    pub(super) fn at(&self, index: usize) -> (&wgpu::Buffer, u32) {
        let chunk_len = self.words.chunk_len() / SCALAR_WORDS;
        (&self.words.chunks()[index / chunk_len], (index % chunk_len) as u32)
    }
}

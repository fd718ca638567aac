//! Scalars on the device.

use ark_ff::AdditiveGroup;
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
    /// The number of vectors, one after the other.
    vectors: usize,
    /// The number of scalars of a vector.
    len: usize,
    curve: std::marker::PhantomData<fn() -> C>,
}

impl<C: Curve> DeviceScalars<C> {
    /// Copies scalars to the device.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) and the device's other faults.
    pub fn upload(gpu: &Gpu, scalars: &[C::ScalarField]) -> Result<Self> {
        Ok(Self::of(gpu.upload(&words::<C>(scalars))?, 1, scalars.len()))
    }

    /// Copies vectors of scalars to the device, with zeros behind those that are shorter than the longest: with its next
    /// submission, without waiting for the work that it is doing, if it works.
    pub(super) fn upload_together(gpu: &Gpu, vectors: &[&[C::ScalarField]], works: bool) -> Result<Self> {
        let len = vectors.iter().map(|scalars| scalars.len()).max().unwrap_or(0);
        let words = match vectors {
            [scalars] => words::<C>(scalars),
            _ => {
                let mut padded = vec![C::ScalarField::ZERO; vectors.len() * len];
                for (scalars, target) in vectors.iter().zip(padded.chunks_mut(len.max(1))) {
                    target[..scalars.len()].copy_from_slice(scalars);
                }
                words::<C>(&padded)
            }
        };
        if !works {
            return Ok(Self::of(gpu.upload(&words)?, vectors.len(), len));
        }
        let mut target = gpu.zeros(words.len())?;
        for (i, words) in words.chunks(QUEUED_WORDS).enumerate() {
            target.write(i * QUEUED_WORDS, words)?;
        }
        Ok(Self::of(target, vectors.len(), len))
    }

    fn of(words: DeviceVec<u32>, vectors: usize, len: usize) -> Self {
        DeviceScalars { words, vectors, len, curve: std::marker::PhantomData }
    }

    /// The number of vectors.
    pub(super) fn vectors(&self) -> usize {
        self.vectors
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

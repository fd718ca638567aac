//! Vectors of scalars on a GPU, in the form that transforms and multi-scalar multiplication share.
//!
//! A scalar lies on the device as it lies in the host's memory, in arkworks' form: Montgomery's with R = 2^256, below
//! r, in eight words of 32 bits, the least significant first. So an upload converts nothing, a transform's
//! result multiplies bases without leaving the device, and a download is the answer.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Range;

use ark_ff::{BigInt, PrimeField};

use crate::field::Words;
use crate::gpu::{DeviceVec, Gpu, Source, block_on};
use crate::parallel::*;
use crate::{Error, Result};

/// Words of 32 bits of a scalar.
pub(crate) const SCALAR_WORDS: usize = 8;
/// Bytes of a scalar.
pub(crate) const SCALAR_BYTES: u64 = 4 * SCALAR_WORDS as u64;

/// A field of scalars: the integers modulo a prime r of at most 255 bits, as arkworks keeps them, in four
/// words of 64 bits. The scalar field of every [`Curve`](crate::curve::Curve) is one.
pub trait Scalar: Words + PrimeField<BigInt = BigInt<4>> {}

impl<F: Words + PrimeField<BigInt = BigInt<4>>> Scalar for F {}

/// Scalars as words of 32 bits.
pub fn words<F: Scalar>(scalars: &[F]) -> Vec<u32> {
    let mut words = vec![0; scalars.len() * SCALAR_WORDS];
    write_words(scalars, &mut words);
    words
}

fn write_words<F: Scalar>(scalars: &[F], words: &mut [u32]) {
    words.par_chunks_mut(SCALAR_WORDS).zip(scalars).with_min_len(1 << 10).for_each(|(target, scalar)| {
        for (pair, word) in target.chunks_exact_mut(2).zip(scalar.words()) {
            pair.copy_from_slice(&[*word as u32, (*word >> 32) as u32]);
        }
    });
}

/// The bytes of vectors one after the other, with zeros behind those that are shorter than the longest.
struct Together<'a, F> {
    vectors: &'a [&'a [F]],
    /// Scalars of the longest.
    len: usize,
}

impl<'a, F: Scalar> Together<'a, F> {
    fn new(vectors: &'a [&'a [F]]) -> Self {
        Together { vectors, len: vectors.iter().map(|vector| vector.len()).max().unwrap_or(0) }
    }

    fn scalars(&self) -> usize {
        self.vectors.len() * self.len
    }
}

impl<F: Scalar> Source for Together<'_, F> {
    fn len(&self) -> usize {
        self.scalars() * SCALAR_BYTES as usize
    }

    fn bytes(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        const SIZE: usize = SCALAR_BYTES as usize;
        let numbers = range.start / SIZE..range.end.div_ceil(SIZE);
        let mut bytes = Vec::with_capacity(numbers.len() * SIZE);
        for number in numbers.clone() {
            match self.vectors[number / self.len].get(number % self.len) {
                Some(scalar) => {
                    // Four words at once, which the compiler makes one copy of.
                    let mut words = [0; SIZE / 8];
                    words.iter_mut().zip(scalar.words()).for_each(|(to, word)| *to = word.to_le());
                    bytes.extend_from_slice(bytemuck::cast_slice(&words));
                }
                None => bytes.extend([0; SIZE]),
            }
        }
        // Where a chunk ends within a scalar, only a part of it is wanted.
        bytes.truncate(range.end - numbers.start * SIZE);
        bytes.drain(..range.start - numbers.start * SIZE);
        Cow::Owned(bytes)
    }
}

/// The scalar of eight words.
fn scalar<F: Scalar>(words: &[u32]) -> Option<F> {
    let mut wide = [0; SCALAR_WORDS / 2];
    for (wide, pair) in wide.iter_mut().zip(words.chunks_exact(2)) {
        *wide = u64::from(pair[0]) | u64::from(pair[1]) << 32;
    }
    F::from_words(&wide)
}

/// The scalar of eight words that were checked.
fn of_words<F: Scalar>(words: &[u32]) -> F {
    scalar(words).unwrap_or_default()
}

/// Scalars on a GPU: transforms of [`ntt::scalar`](crate::ntt::scalar) take them in place, and
/// [`Bases::run_on_device`](crate::msm::Bases::run_on_device) multiplies by them. They keep their values between
/// calls and are freed when dropped; [`clear`](Self::clear) first overwrites secret ones.
///
/// # Errors
/// - [`Error::PastTheEnd`]: a range or a copy reaches past the end of a vector.
/// - [`Error::Nonsense`]: a value that is not below r was downloaded, which only a faulty driver leaves.
#[derive(Debug)]
pub struct DeviceScalars<F: Scalar> {
    words: DeviceVec<u32>,
    len: usize,
    field: PhantomData<fn() -> F>,
}

impl<F: Scalar> DeviceScalars<F> {
    /// Copies scalars to the device.
    pub fn upload(gpu: &Gpu, scalars: &[F]) -> Result<Self> {
        Self::upload_source(gpu, &[scalars], false)
    }

    /// `len` zeros on the device.
    pub fn zeros(gpu: &Gpu, len: usize) -> Result<Self> {
        let words = len.checked_mul(SCALAR_WORDS);
        let words = words.ok_or_else(|| Error::OutOfMemory(format!("{len} scalars").into()))?;
        Ok(Self::of(gpu.zeros(words)?, len))
    }

    /// Copies vectors to the device, one after the other, with zeros behind those that are shorter than the longest.
    pub fn upload_together(gpu: &Gpu, vectors: &[&[F]]) -> Result<Self> {
        Self::upload_source(gpu, vectors, false)
    }

    /// [`upload_together`](Self::upload_together) with the device's next submission, without waiting for the work that
    /// it is doing.
    pub fn upload_behind(gpu: &Gpu, vectors: &[&[F]]) -> Result<Self> {
        Self::upload_source(gpu, vectors, true)
    }

    fn upload_source(gpu: &Gpu, vectors: &[&[F]], behind: bool) -> Result<Self> {
        let source = Together::new(vectors);
        let mut words = gpu.unset(source.scalars() * SCALAR_WORDS)?;
        block_on(words.write_source(0, &source, behind))?;
        Ok(Self::of(words, source.scalars()))
    }

    fn of(words: DeviceVec<u32>, len: usize) -> Self {
        DeviceScalars { words, len, field: PhantomData }
    }

    /// The number of scalars.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device that holds them.
    pub fn gpu(&self) -> &Gpu {
        self.words.gpu()
    }

    /// Copies scalars over those from `start` on.
    pub fn write(&mut self, start: usize, scalars: &[F]) -> Result<()> {
        block_on(self.write_async(start, scalars))
    }

    /// The asynchronous form of [`write`](Self::write), for browsers.
    pub async fn write_async(&mut self, start: usize, scalars: &[F]) -> Result<()> {
        if start.checked_add(scalars.len()).is_none_or(|end| end > self.len) {
            let (count, len) = (scalars.len(), self.len);
            return Err(Error::PastTheEnd { what: "scalars", start, count, len });
        }
        self.words.write_source(start * SCALAR_WORDS, &Together::new(&[scalars]), false).await
    }

    /// Copies all scalars to the host.
    pub fn download(&self) -> Result<Vec<F>> {
        block_on(self.download_async())
    }

    /// The asynchronous form of [`download`](Self::download), for browsers.
    pub async fn download_async(&self) -> Result<Vec<F>> {
        let words = self.checked_words(self.len).await?;
        let mut scalars: Vec<F> = Vec::new();
        let room = scalars.try_reserve_exact(self.len);
        room.map_err(|e| Error::OutOfMemory(format!("{} scalars on the host: {e}", self.len).into()))?;
        crate::page_advice::prefer_huge(scalars.as_ptr(), self.len);
        words.par_chunks_exact(SCALAR_WORDS).map(|words| of_words(words)).append_to(&mut scalars);
        Ok(scalars)
    }

    /// Copies the first scalars over `scalars`: all arrive, or none.
    pub async fn read_into_async(&self, scalars: &mut [F]) -> Result<()> {
        self.check(&(0..scalars.len()))?;
        let words = self.checked_words(scalars.len()).await?;
        let pairs = scalars.par_iter_mut().zip(words.par_chunks_exact(SCALAR_WORDS));
        pairs.for_each(|(scalar, words)| *scalar = of_words(words));
        Ok(())
    }

    /// The words of the first `count` scalars, each of which is below r.
    async fn checked_words(&self, count: usize) -> Result<Vec<u32>> {
        let words = self.words.read_async(0..count * SCALAR_WORDS).await?;
        match words.par_chunks_exact(SCALAR_WORDS).position_first(|words| scalar::<F>(words).is_none()) {
            None => Ok(words),
            Some(i) => Err(Error::nonsense_at("scalar", i, "came back as a value that is not below r")),
        }
    }

    /// Leaves only the first `len` scalars; nothing happens if there are no more.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Copies all of `other` to the first scalars, on the device, and sets the rest to zero.
    pub fn assign(&mut self, other: &Self) -> Result<()> {
        if other.len > self.len {
            return Err(Error::PastTheEnd { what: "scalars", start: 0, count: other.len, len: self.len });
        }
        if other.words.len() == other.len * SCALAR_WORDS {
            return self.words.assign(&other.words);
        }
        // `other` was truncated: what it still holds behind its end is not copied.
        self.words.assign_first(&other.words, other.len * SCALAR_WORDS)
    }

    /// Copies the scalars of a range to a new vector, on the device.
    pub fn copy(&self, range: Range<usize>) -> Result<Self> {
        self.check(&range)?;
        let copy = Self::of(self.gpu().unset(range.len() * SCALAR_WORDS)?, range.len());
        copy.words.assign_range(&self.words, range.start * SCALAR_WORDS..range.end * SCALAR_WORDS)?;
        Ok(copy)
    }

    /// Refuses a range that reaches past the end.
    pub fn check(&self, range: &Range<usize>) -> Result<()> {
        match range.start <= range.end && range.end <= self.len {
            true => Ok(()),
            false => {
                let (start, count) = (range.start, range.len());
                Err(Error::PastTheEnd { what: "scalars", start, count, len: self.len })
            }
        }
    }

    /// Overwrites all scalars with zeros, also those that [`truncate`](Self::truncate) left out.
    pub fn clear(&mut self) -> Result<()> {
        self.words.clear()
    }

    /// The words, for transforms and operations on vectors.
    pub fn words(&self) -> &DeviceVec<u32> {
        &self.words
    }

    /// The words, for transforms that replace the vector.
    pub fn words_mut(&mut self) -> &mut DeviceVec<u32> {
        &mut self.words
    }

    /// The buffer that holds scalar `index`, and the scalar's number in it.
    pub fn at(&self, index: usize) -> (&wgpu::Buffer, u32) {
        let chunk_len = self.words.chunk_len() / SCALAR_WORDS;
        (&self.words.chunks()[index / chunk_len], (index % chunk_len) as u32)
    }
}

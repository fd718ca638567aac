//! Bases that stay on the device, and multiplications by them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;
use web_time::Instant;

use super::compiled::Compiled;
use super::kernels::PointKernels;
use super::pairs::{self, PairKernels};
use super::part::Part;
use super::settings::Settings;
use super::stages;
use super::workspace::Workspace;
use crate::curve::{Affine, Curve};
use crate::field::{BigField, Words};
use crate::gpu::{DeviceVec, Gpu, Pipeline, Recorder, block_on};
use crate::msm::finish::{self, PointReader};
use crate::msm::{Cut, Precompute};
use crate::timeline::Phase;
use crate::{Error, Result};

/// Bases on a device, with what is precomputed of them and the memory that multiplications
/// by them work in. They can be used again and again, from several threads, one at a time.
pub struct Bases<C: Curve> {
    gpu: Gpu,
    plan: Cut,
    points: PointReader<C>,
    len: usize,
    /// The table of each chunk of bases.
    tables: Vec<DeviceVec<u32>>,
    digits: Arc<Pipeline>,
    kernels: PointKernels,
    /// Only where entries are added up in pairs first.
    pairs: Option<PairKernels>,
    workspace: Mutex<Workspace>,
}

/// Words of a scalar.
const SCALAR_WORDS: usize = 8;
/// Words of a write that rides along with the next submission: 1 MiB.
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

/// Scalars on a device.
pub struct DeviceScalars<C: Curve> {
    words: DeviceVec<u32>,
    len: usize,
    curve: std::marker::PhantomData<fn() -> C>,
}

impl<C: Curve> DeviceScalars<C> {
    /// Copies scalars to the device.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] and the device's other faults.
    pub fn upload(gpu: &Gpu, scalars: &[C::ScalarField]) -> Result<Self> {
        Ok(Self::of(gpu.upload(&words::<C>(scalars))?, scalars.len()))
    }

    /// Copies scalars to the device with its next submission, without waiting for work that is
    /// under way there.
    fn upload_behind(gpu: &Gpu, scalars: &[C::ScalarField]) -> Result<Self> {
        let mut vector = gpu.zeros(scalars.len() * SCALAR_WORDS)?;
        for (i, words) in words::<C>(scalars).chunks(QUEUED_WORDS).enumerate() {
            vector.write(i * QUEUED_WORDS, words)?;
        }
        Ok(Self::of(vector, scalars.len()))
    }

    fn of(words: DeviceVec<u32>, len: usize) -> Self {
        DeviceScalars { words, len, curve: std::marker::PhantomData }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The buffer that scalar `index` is in, and its number there.
    pub(super) fn at(&self, index: usize) -> (&wgpu::Buffer, u32) {
        let chunk_len = self.words.chunk_len() / SCALAR_WORDS;
        (&self.words.chunks()[index / chunk_len], (index % chunk_len) as u32)
    }
}

impl<C: Curve> Bases<C> {
    /// Uploads `points`, which must lie on the curve; infinity is allowed. Windows have the
    /// width that promises to be fastest.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] and the device's other faults.
    pub fn upload(gpu: &Gpu, points: &[Affine<C>], precompute: Precompute) -> Result<Self> {
        Settings::default().precompute(precompute).upload(gpu, points)
    }

    pub(super) fn new(gpu: &Gpu, points: &[Affine<C>], settings: &Settings) -> Result<Self> {
        let plan = settings.plan::<C>(gpu, points.len())?;
        let Compiled { tables, digits, points: kernels, pairs } = Compiled::new::<C>(gpu, settings, &plan)?;
        let tables = points.chunks(plan.chunk).map(|chunk| tables.build(gpu, chunk));
        let field = BigField::of::<C::BaseField>();
        Ok(Bases {
            digits,
            kernels,
            pairs,
            tables: tables.collect::<Result<_>>()?,
            workspace: Mutex::new(Workspace::new(gpu, &plan, &field, settings.coordinates.words(&field))?),
            gpu: gpu.clone(),
            points: PointReader::new(settings.coordinates, &field),
            len: points.len(),
            plan,
        })
    }

    /// How many bases there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How multiplications by these bases are cut up.
    pub fn plan(&self) -> &Cut {
        &self.plan
    }

    /// The sum of `scalars[i]` times base i. There may be fewer scalars than bases; the rest
    /// of the bases then count as multiplied by 0.
    ///
    /// # Errors
    /// [`Error::Input`] for more scalars than bases, and the device's faults.
    pub fn msm(&self, scalars: &[C::ScalarField]) -> Result<Affine<C>> {
        block_on(self.msm_async(scalars))
    }

    /// [`Bases::msm`] for the browser.
    pub async fn msm_async(&self, scalars: &[C::ScalarField]) -> Result<Affine<C>> {
        self.check_len(scalars.len())?;
        self.msm_on_device_async(&DeviceScalars::upload(&self.gpu, scalars)?).await
    }

    /// [`Bases::msm`] for scalars that are on the device already.
    ///
    /// # Errors
    /// As [`Bases::msm`].
    pub fn msm_on_device(&self, scalars: &DeviceScalars<C>) -> Result<Affine<C>> {
        block_on(self.msm_on_device_async(scalars))
    }

    /// [`Bases::msm_on_device`] for the browser.
    pub async fn msm_on_device_async(&self, scalars: &DeviceScalars<C>) -> Result<Affine<C>> {
        self.finish(&self.start(scalars)?).await
    }

    /// Waits for what [`Bases::start`] submitted, and puts it together.
    pub(super) async fn finish(&self, sums: &[DeviceVec<u32>]) -> Result<Affine<C>> {
        Ok(self.combine(&download(sums).await?))
    }

    /// One result for each vector of scalars. While the device works on one, the host prepares
    /// the next and puts the one before together.
    ///
    /// # Errors
    /// As [`Bases::msm`].
    pub fn batch(&self, vectors: &[&[C::ScalarField]]) -> Result<Vec<Affine<C>>> {
        vectors.iter().try_for_each(|scalars| self.check_len(scalars.len()))?;
        let mut results = Vec::with_capacity(vectors.len());
        let mut done = None;
        let mut next = vectors.first().map(|first| DeviceScalars::upload(&self.gpu, first)).transpose()?;
        for i in 1..=vectors.len() {
            let Some(scalars) = next else { break };
            let sums = self.start(&scalars)?;
            next = vectors.get(i).map(|v| DeviceScalars::upload_behind(&self.gpu, v)).transpose()?;
            results.extend(done.map(|sums: Vec<_>| self.combine(&sums)));
            done = Some(block_on(download(&sums))?);
        }
        results.extend(done.map(|sums| self.combine(&sums)));
        Ok(results)
    }

    /// Submits the work for `scalars`. The results are what [`Bases::finish`] takes.
    pub(super) fn start(&self, scalars: &DeviceScalars<C>) -> Result<Vec<DeviceVec<u32>>> {
        self.check_len(scalars.len)?;
        // Kept until all is submitted: submissions of two calls must not alternate.
        let workspace = self.workspace();
        let mut recorder = self.gpu.record();
        let results = self.record_groups(&mut recorder, &workspace, scalars, true)?;
        recorder.submit()?;
        Ok(results)
    }

    /// Records the work for `scalars`, for nothing but its time to be taken.
    pub(crate) fn record(&self, recorder: &mut Recorder, scalars: &DeviceScalars<C>) -> Result<()> {
        self.record_groups(recorder, &self.workspace(), scalars, false).map(drop)
    }

    fn workspace(&self) -> MutexGuard<'_, Workspace> {
        // A panic elsewhere leaves the buffers as good as any: every call writes what it reads.
        self.workspace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the work for `scalars`: a vector of sums for each group of bucket sets. With
    /// `early` the device begins while the rest is recorded.
    fn record_groups(
        &self,
        recorder: &mut Recorder,
        workspace: &Workspace,
        scalars: &DeviceScalars<C>,
        early: bool,
    ) -> Result<Vec<DeviceVec<u32>>> {
        if scalars.is_empty() {
            return Ok(Vec::new());
        }
        let scheme = &self.plan.scheme;
        let sums_a_set = scheme.weights().ilog2() as usize + 1;
        let groups = (0..scheme.sets).step_by(self.plan.group as usize);
        groups
            .map(|first| {
                let sets = [first, scheme.sets.min(first + self.plan.group)];
                let count = (sets[1] - sets[0]) as usize;
                let results = self.gpu.zeros_whole(count * sums_a_set * self.points.words())?;
                self.record_group(recorder, workspace, (scalars, sets), &results, early)?;
                Ok(results)
            })
            .collect()
    }

    fn record_group(
        &self,
        recorder: &mut Recorder,
        workspace: &Workspace,
        (scalars, sets): (&DeviceScalars<C>, [u32; 2]),
        results: &DeviceVec<u32>,
        early: bool,
    ) -> Result<()> {
        let scheme = &self.plan.scheme;
        let sums = workspace.sums.whole()?;
        for (i, table) in self.tables.iter().enumerate() {
            let first = i * self.plan.chunk;
            if first >= scalars.len {
                break;
            }
            let stride = self.plan.chunk.min(self.len - first);
            let len = stride.min(scalars.len - first);
            let part = Part { cut: &self.plan, table, stride, len, sets, fresh: i == 0 };
            stages::digits(recorder, &self.digits, &part, scalars.at(first), workspace)?;
            let sorted = stages::sort(recorder, &part, workspace)?;
            if self.kernels.need_offsets() || self.pairs.is_some() {
                stages::offsets(recorder, &self.kernels.offsets, &part, &sorted)?;
            }
            if let Some(pipeline) = &self.kernels.accumulate_whole {
                stages::accumulate_whole(recorder, &self.kernels, pipeline, &part, &sorted, sums)?;
                continue;
            }
            // Pairs take as many dispatches as all else: the device sorts while they are recorded.
            if early && self.pairs.is_some() {
                recorder.submit()?;
            }
            let entries = match (&self.pairs, &workspace.pairs) {
                (Some(kernels), Some(memory)) => pairs::add_pairs(recorder, kernels, &part, sorted, memory)?,
                _ => sorted,
            };
            stages::clear(recorder, &self.kernels.clear, &part, self.points.words(), sums)?;
            stages::accumulate(recorder, &self.kernels, &part, &entries, sums)?;
            if early {
                recorder.submit()?;
            }
            stages::gather(recorder, &self.kernels, &part, &entries, sums)?;
        }
        stages::reduce(recorder, &self.kernels, scheme, sets[1] - sets[0], workspace, results.whole()?)
    }

    /// Puts the sums of every group together.
    fn combine(&self, groups: &[Vec<u32>]) -> Affine<C> {
        let begin = Instant::now();
        let sets: Vec<Vec<&[u32]>> = groups.iter().flat_map(|words| self.set_sums(words)).collect();
        let read = |set: &Vec<&[u32]>| set.iter().map(|words| self.points.read(words)).collect();
        let result = finish::combine(&self.plan.scheme, &sets, read);
        self.gpu.timeline().push(Phase::Host, "combine windows", begin, begin.elapsed());
        result
    }

    /// The sums of each set of a group: array k of the group holds sum k of every set.
    fn set_sums<'w>(&self, words: &'w [u32]) -> Vec<Vec<&'w [u32]>> {
        let points: Vec<&[u32]> = words.chunks(self.points.words()).collect();
        let sums_a_set = self.plan.scheme.weights().ilog2() as usize + 1;
        let sets = points.len() / sums_a_set;
        (0..sets).map(|set| points[set..].iter().step_by(sets).copied().collect()).collect()
    }

    fn check_len(&self, scalars: usize) -> Result<()> {
        match scalars <= self.len {
            true => Ok(()),
            false => Err(Error::Input(format!("{scalars} scalars for {} bases", self.len))),
        }
    }
}

/// Waits for the sums of every group.
async fn download(groups: &[DeviceVec<u32>]) -> Result<Vec<Vec<u32>>> {
    let mut sums = Vec::with_capacity(groups.len());
    for group in groups {
        sums.push(group.download_async().await?);
    }
    Ok(sums)
}

/// Bytes of device memory to count on: the caller's limit, or, as wgpu does not tell how much there
/// is, 32 GiB.
pub(super) fn available_memory(gpu: &Gpu) -> u64 {
    gpu.options().memory.min(32 << 30)
}

//! Bases that stay on the device, and multiplications by them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rayon::prelude::*;

use super::kernels::{DIGITS, PointKernels, Scalars, digits_variant};
use super::stages::{self, Part};
use super::tables::TableKernels;
use super::workspace::Workspace;
use crate::curve::coordinates::{Coordinates, XYZZ};
use crate::curve::{Affine, Curve};
use crate::field::{BigField, Words};
use crate::gpu::{DeviceVec, Gpu, Pipeline, Recorder};
use crate::msm::finish::{self, SetSums};
use crate::msm::{Limits, Plan, Precompute, THREADS};
use crate::timeline::Phase;
use crate::{Error, Result};
use ark_ff::PrimeField;

/// How bases are prepared, beyond which ones.
#[derive(Clone, Debug)]
pub struct Settings {
    precompute: Precompute,
    width: Option<u32>,
    coordinates: &'static Coordinates,
    balance: Balance,
    threads: u64,
}

/// How the sorted entries are shared out among threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Balance {
    /// Equal slices, wherever buckets begin and end.
    #[default]
    Slices,
    /// Slices that end where a bucket ends: a baseline. Not with odd digits, nor for bases in
    /// several chunks.
    Buckets,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            precompute: Precompute::Plain,
            width: None,
            coordinates: &XYZZ,
            balance: Balance::Slices,
            threads: THREADS,
        }
    }
}

impl Settings {
    /// What is stored of every base besides itself.
    pub fn precompute(self, precompute: Precompute) -> Self {
        Settings { precompute, ..self }
    }

    /// The bits of a window, from [`MIN_WIDTH`](crate::msm::MIN_WIDTH) to
    /// [`MAX_WIDTH`](crate::msm::MAX_WIDTH); otherwise what a model of the device's time says.
    pub fn width(self, width: Option<u32>) -> Self {
        Settings { width, ..self }
    }

    /// The coordinates that sums are kept in.
    pub fn coordinates(self, coordinates: &'static Coordinates) -> Self {
        Settings { coordinates, ..self }
    }

    /// How the sorted entries are shared out among threads.
    pub fn balance(self, balance: Balance) -> Self {
        Settings { balance, ..self }
    }

    /// Threads that share out the accumulation.
    pub fn threads(self, threads: u64) -> Self {
        Settings { threads, ..self }
    }

    /// What is stored, in words.
    pub fn describe(&self) -> String {
        match self.precompute {
            Precompute::Plain => "none".to_owned(),
            Precompute::Doublings(tau) => format!("doublings:{tau}"),
            Precompute::Windows => "windows".to_owned(),
        }
    }

    /// The coordinates that sums are kept in.
    pub fn coordinates_name(&self) -> &'static str {
        self.coordinates.name
    }

    /// How entries are shared out, in words.
    pub fn balance_name(&self) -> &'static str {
        match self.balance {
            Balance::Slices => "balanced",
            Balance::Buckets => "imbalanced",
        }
    }

    /// Uploads `points` and prepares them.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Usage`] for a width that is none, and the device's faults.
    pub fn upload<C: Curve>(&self, gpu: &Gpu, points: &[Affine<C>]) -> Result<Bases<C>> {
        Bases::new(gpu, points, self)
    }
}

/// Bases on a device, with what is precomputed of them and the memory that multiplications
/// by them work in. They can be used again and again, from several threads, one at a time.
pub struct Bases<C: Curve> {
    gpu: Gpu,
    plan: Plan,
    coordinates: &'static Coordinates,
    len: usize,
    /// The table of each chunk of bases.
    tables: Vec<DeviceVec<u32>>,
    digits: Arc<Pipeline>,
    kernels: PointKernels,
    workspace: Mutex<Workspace>,
    curve: std::marker::PhantomData<fn() -> C>,
}

/// Words of a scalar.
const SCALAR_WORDS: usize = 8;

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
        let words: Vec<u32> = scalars
            .par_iter()
            .flat_map_iter(|scalar| scalar.words().iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]))
            .collect();
        Ok(DeviceScalars { words: gpu.upload(&words)?, len: scalars.len(), curve: std::marker::PhantomData })
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

    fn new(gpu: &Gpu, points: &[Affine<C>], settings: &Settings) -> Result<Self> {
        let field = BigField::of::<C::BaseField>();
        let sum_words = settings.coordinates.words(&field);
        let limits = Limits {
            binding_words: gpu.chunk_len::<u32>()? as u64,
            memory: gpu.options().memory.min(gpu_memory()),
            threads: settings.threads,
            scalar_bits: C::ScalarField::MODULUS_BIT_SIZE,
            point_words: 2 * field.words as u64,
            sum_words: sum_words as u64,
        };
        let plan = Plan::new(points.len(), settings.precompute, settings.width, &limits)?;
        if settings.balance == Balance::Buckets && (plan.scheme.odd || plan.chunk < points.len()) {
            return Err(Error::Usage(
                "whole buckets a thread: only for even digits and one chunk of bases".into(),
            ));
        }
        let table_kernels = TableKernels::new::<C>(gpu)?;
        let tables = points
            .chunks(plan.chunk)
            .map(|chunk| table_kernels.build(gpu, chunk, &plan.scheme))
            .collect::<Result<_>>()?;
        Ok(Bases {
            digits: gpu.pipeline(&DIGITS, &digits_variant::<C>(Scalars::Field))?,
            kernels: PointKernels::new::<C::BaseField>(gpu, settings.coordinates, settings.balance)?,
            workspace: Mutex::new(Workspace::new(gpu, &plan, sum_words)?),
            gpu: gpu.clone(),
            coordinates: settings.coordinates,
            len: points.len(),
            plan,
            tables,
            curve: std::marker::PhantomData,
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
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The sum of `scalars[i]` times base i. There may be fewer scalars than bases; the rest
    /// of the bases then count as multiplied by 0.
    ///
    /// # Errors
    /// [`Error::Input`] for more scalars than bases, and the device's faults.
    pub fn msm(&self, scalars: &[C::ScalarField]) -> Result<Affine<C>> {
        self.check_len(scalars.len())?;
        self.msm_on_device(&DeviceScalars::upload(&self.gpu, scalars)?)
    }

    /// [`Bases::msm`] for scalars that are on the device already.
    ///
    /// # Errors
    /// As [`Bases::msm`].
    pub fn msm_on_device(&self, scalars: &DeviceScalars<C>) -> Result<Affine<C>> {
        let sums = self.start(scalars)?;
        self.finish(&sums)
    }

    /// One result for each vector of scalars.
    ///
    /// # Errors
    /// As [`Bases::msm`].
    pub fn batch(&self, vectors: &[&[C::ScalarField]]) -> Result<Vec<Affine<C>>> {
        vectors.iter().try_for_each(|scalars| self.check_len(scalars.len()))?;
        let started = vectors
            .iter()
            .map(|scalars| self.start(&DeviceScalars::upload(&self.gpu, scalars)?))
            .collect::<Result<Vec<_>>>()?;
        started.iter().map(|sums| self.finish(sums)).collect()
    }

    /// Records the work for `scalars` and submits it. The results are read by [`Bases::finish`].
    fn start(&self, scalars: &DeviceScalars<C>) -> Result<Vec<DeviceVec<u32>>> {
        self.check_len(scalars.len)?;
        let mut recorder = self.gpu.record();
        let results = self.record(&mut recorder, scalars)?;
        recorder.submit()?;
        Ok(results)
    }

    /// Records the work for `scalars`. The results, one vector a group of bucket sets, are
    /// what [`Bases::finish`] takes.
    pub(crate) fn record(
        &self,
        recorder: &mut Recorder,
        scalars: &DeviceScalars<C>,
    ) -> Result<Vec<DeviceVec<u32>>> {
        if scalars.is_empty() {
            return Ok(Vec::new());
        }
        // A panic elsewhere leaves the buffers as good as any: every call writes what it reads.
        let workspace = self.workspace.lock().unwrap_or_else(PoisonError::into_inner);
        let scheme = &self.plan.scheme;
        let sum_words = self.coordinates.words(&BigField::of::<C::BaseField>());
        let sums_a_set = scheme.weights().ilog2() as usize + 1;
        let groups = (0..scheme.sets).step_by(self.plan.group as usize);
        groups
            .map(|first| {
                let sets = [first, scheme.sets.min(first + self.plan.group)];
                let count = (sets[1] - sets[0]) as usize;
                let results = self.gpu.zeros(count * sums_a_set * sum_words)?;
                self.record_group(recorder, &workspace, scalars, sets, &results)?;
                Ok(results)
            })
            .collect()
    }

    fn record_group(
        &self,
        recorder: &mut Recorder,
        workspace: &Workspace,
        scalars: &DeviceScalars<C>,
        sets: [u32; 2],
        results: &DeviceVec<u32>,
    ) -> Result<()> {
        let scheme = &self.plan.scheme;
        // One bucket a set needs no reduction.
        let sums = if scheme.weights() == 1 { results.whole()? } else { workspace.sums.whole()? };
        for (i, table) in self.tables.iter().enumerate() {
            let first = i * self.plan.chunk;
            if first >= scalars.len {
                break;
            }
            let stride = self.plan.chunk.min(self.len - first);
            let len = stride.min(scalars.len - first);
            let part = Part { plan: &self.plan, table, stride, len, sets, fresh: i == 0 };
            stages::digits(recorder, &self.digits, &part, scalars.at(first), workspace)?;
            let sorted = stages::sort(recorder, &part, workspace)?;
            stages::offsets(recorder, &self.kernels.offsets, &part, sorted.0, workspace)?;
            if let Some(pipeline) = &self.kernels.accumulate_whole {
                stages::accumulate_whole(recorder, &self.kernels, pipeline, &part, sorted.1, workspace)?;
                continue;
            }
            stages::accumulate(recorder, &self.kernels, &part, sorted, workspace)?;
            stages::gather(recorder, &self.kernels, &part, workspace, sums)?;
        }
        stages::reduce(recorder, &self.kernels, scheme, sets[1] - sets[0], workspace, results.whole()?)
    }

    /// Waits for the sums of every group and puts them together.
    pub(crate) fn finish(&self, groups: &[DeviceVec<u32>]) -> Result<Affine<C>> {
        let downloaded = groups.iter().map(DeviceVec::download).collect::<Result<Vec<_>>>()?;
        let begin = Instant::now();
        let sums: Vec<SetSums<C>> = downloaded.iter().flat_map(|words| self.set_sums(words)).collect();
        let result = finish::combine(&self.plan.scheme, &sums);
        self.gpu.timeline().push(Phase::Host, "combine windows", begin, begin.elapsed());
        Ok(result)
    }

    /// The sums of each set of a group: array k of the group holds sum k of every set.
    fn set_sums(&self, words: &[u32]) -> Vec<SetSums<C>> {
        let points = finish::points::<C>(self.coordinates, words);
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

/// Bytes of device memory to count on where the caller sets no limit: wgpu does not tell how
/// much there is.
fn gpu_memory() -> u64 {
    32 << 30
}

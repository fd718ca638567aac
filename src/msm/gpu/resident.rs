//! Bases on the device, and multiplications by them.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use web_time::Instant;

use super::compiled::Compiled;
use super::pairs;
use super::part::Part;
use super::reduction::{self, Buckets};
use super::stages;
use super::tables::TableKernels;
use super::workspace::Workspace;
use crate::curve::{Affine, Curve};
use crate::field::BigField;
use crate::gpu::{BegunRead, DeviceVec, Gpu, Recorder};
use crate::msm::finish::{self, PointReader};
use crate::msm::progress::Progress;
use crate::msm::{Cut, Reduction, Settings};
use crate::parallel::*;
use crate::scalars::DeviceScalars;
use crate::timeline::{Phase, named};
use crate::{Error, Result};

/// The steps of a multiplication for its progress: the entries are sorted after the first of them, and added up before
/// the last. From the times on an H200, roughly.
const STEPS: usize = 8;

/// Bases on a device, with their precomputed tables and the working memory of multiplications by
/// them, one multiplication at a time.
pub(in crate::msm) struct Resident<C: Curve> {
    pub(super) gpu: Gpu,
    /// The name of the bases in timelines.
    pub(super) name: String,
    pub(super) cut: Cut,
    pub(super) points: PointReader<C>,
    pub(super) len: usize,
    /// The table of each chunk of bases.
    pub(super) tables: Vec<DeviceVec<u32>>,
    pub(super) kernels: Compiled,
    workspace: Mutex<Workspace>,
    pub(super) reduction: Reduction,
}

/// The scalars of a multiplication on the device.
struct Operand<'s, C: Curve> {
    scalars: &'s DeviceScalars<C::ScalarField>,
    /// The vectors that are multiplied together, one after the other.
    vectors: usize,
    /// The scalars of the first vector.
    range: Range<usize>,
}

/// The sums of a multiplication that the device works on, a few for each set of buckets: see
/// [`Bases::record`](crate::msm::Bases::record).
pub struct Sums(Vec<DeviceVec<u32>>);

impl Sums {
    /// The sums of a multiplication without points.
    pub(in crate::msm) fn of_nothing() -> Self {
        Sums(Vec::new())
    }
}

impl<C: Curve> Resident<C> {
    /// Uploads and prepares `points`, at most as many as the cut is made for, with this name in timelines. They are uploaded while the
    /// kernels of multiplications are compiled.
    pub(in crate::msm) fn new(
        gpu: &Gpu,
        name: &str,
        points: &[Affine<C>],
        settings: &Settings,
        cut: &Cut,
    ) -> Result<Self> {
        let memory = || {
            let kernels = TableKernels::new::<C>(gpu, &cut.scheme)?;
            let tables = points.chunks(cut.chunk).map(|chunk| kernels.build(gpu, chunk));
            let tables = tables.collect::<Result<Vec<_>>>()?;
            let field = BigField::of::<C::BaseField>();
            Ok((tables, Workspace::new(gpu, cut, &field, settings.coordinates.words(&field))?))
        };
        let (kernels, (tables, workspace)) = gpu.beside(|| Compiled::new::<C>(gpu, settings, cut), memory)?;
        Ok(Self::with(gpu, (name, points.len()), settings, cut, (kernels, tables, workspace)))
    }

    /// Bases whose tables are elsewhere or not filled yet.
    pub(super) fn with(
        gpu: &Gpu,
        (name, len): (&str, usize),
        settings: &Settings,
        cut: &Cut,
        (kernels, tables, workspace): (Compiled, Vec<DeviceVec<u32>>, Workspace),
    ) -> Self {
        Resident {
            kernels,
            tables,
            workspace: Mutex::new(workspace),
            gpu: gpu.clone(),
            name: name.to_owned(),
            points: PointReader::new(settings.coordinates, &BigField::of::<C::BaseField>()),
            len,
            cut: *cut,
            reduction: settings.reduction,
        }
    }

    /// Computes one sum for each vector of scalars, none longer than there are bases. While the device
    /// works on a vector, the host prepares the next and combines the sums of the previous one.
    pub(in crate::msm) async fn run_many(&self, vectors: &[&[C::ScalarField]]) -> Result<Vec<Affine<C>>> {
        let meter = self.gpu.timeline().meter(vectors.iter().map(|scalars| scalars.len() as u64).sum());
        let mut points = 0;
        // Vectors that are multiplied together are filled up to one length, so similar ones go together.
        let mut order: Vec<_> =
            (0..).zip(vectors).map(|(number, vector)| (Reverse(vector.len()), number)).collect();
        order.sort_unstable();
        let order: Vec<usize> = order.into_iter().map(|(_, number)| number).collect();
        let batches: Vec<&[usize]> = order.chunks(self.cut.together).collect();
        let upload = |batch: &[usize], is_first: bool| {
            let vectors: Vec<&[C::ScalarField]> = batch.iter().map(|&vector| vectors[vector]).collect();
            match is_first {
                true => DeviceScalars::upload_together(&self.gpu, &vectors),
                false => DeviceScalars::upload_behind(&self.gpu, &vectors),
            }
        };
        let mut sums = Vec::with_capacity(vectors.len());
        let combine = |done: Option<(Vec<Vec<u32>>, usize)>| {
            done.map_or(Vec::new(), |(words, count)| self.combine_many(&words, count))
        };
        let mut done = None;
        let mut next = batches.first().map(|first| upload(first, true)).transpose()?;
        for (i, batch) in batches.iter().enumerate() {
            let Some(scalars) = next.take() else { break };
            let own = batch.iter().map(|&vector| vectors[vector].len()).sum();
            let progress = Progress::new(&meter, points, own);
            points += own;
            let range = 0..scalars.len() / batch.len();
            let operand = Operand { scalars: &scalars, vectors: batch.len(), range };
            let running = self.submit(operand, progress)?;
            if let Some(batch) = batches.get(i + 1) {
                // The device works on while the host fills staging buffers.
                self.gpu.flush()?;
                next = Some(upload(batch, false)?);
            }
            sums.extend(combine(done.take()));
            done = Some((running.download().await?, batch.len()));
        }
        sums.extend(combine(done));
        meter.reach(points as u64);
        let mut results = vec![Affine::<C>::default(); vectors.len()];
        order.into_iter().zip(sums).for_each(|(vector, sum)| results[vector] = sum);
        Ok(results)
    }

    /// Computes the sum for scalars that are on the device.
    pub(in crate::msm) async fn run_on_device(
        &self,
        scalars: &DeviceScalars<C::ScalarField>,
    ) -> Result<Affine<C>> {
        let meter = self.gpu.timeline().meter(scalars.len() as u64);
        let progress = Progress::new(&meter, 0, scalars.len());
        self.finish(&self.start(scalars, 0..scalars.len(), progress)?).await
    }

    /// Submits the multiplication by the scalars in `range`, whose start is one that a chunk may have.
    pub(in crate::msm) fn start(
        &self,
        scalars: &DeviceScalars<C::ScalarField>,
        range: Range<usize>,
        progress: Progress,
    ) -> Result<Sums> {
        self.submit(Operand { scalars, vectors: 1, range }, progress)
    }

    fn submit(&self, operand: Operand<C>, progress: Progress) -> Result<Sums> {
        // Locked until all is submitted: submissions of two calls must not alternate.
        let workspace = self.workspace();
        let mut recorder = self.gpu.record();
        let sums = self.record_groups(&mut recorder, &workspace, &operand, Some(progress))?;
        progress.mark(&mut recorder, 1, 1);
        // With the copy of the sums to the host.
        match recorder.submit_later() {
            Ok(()) => Ok(sums),
            Err(error) => Err(self.clear_after(error, &sums.0)),
        }
    }

    /// Submits the multiplication by the scalars in `range`, and copies of the sums to the host.
    pub(in crate::msm) fn begin(
        &self,
        scalars: &DeviceScalars<C::ScalarField>,
        range: Range<usize>,
    ) -> Result<Vec<BegunRead>> {
        let meter = self.gpu.timeline().meter(range.len() as u64);
        let progress = Progress::new(&meter, 0, range.len());
        // Where the vector has several buffers, the bases of one chunk would meet the scalars of two.
        let copy = match scalars.words().chunks() {
            [_] => None,
            _ if range.start == 0 => None,
            _ => Some(scalars.copy(range.clone())?),
        };
        let started = match &copy {
            None => self.start(scalars, range, progress),
            Some(copy) => self.start(copy, 0..copy.len(), progress),
        };
        let sums = started.as_ref().map_or(&[][..], |Sums(sums)| sums);
        let reads = sums.iter().map(DeviceVec::begin_read).collect::<Result<_>>();
        // The device clears them behind the work, before a new vector uses their memory; after an error, too.
        let copied = copy.as_ref().map(DeviceScalars::words);
        self.gpu.clear_all(sums.iter().chain(copied))?;
        started?;
        reads
    }

    /// Waits for the sums of a multiplication and combines them.
    pub(in crate::msm) async fn end(&self, pending: Vec<BegunRead>) -> Result<Affine<C>> {
        // If nothing followed the multiplication, its sums are still to be cleared.
        self.gpu.flush()?;
        let mut sums = Vec::with_capacity(pending.len());
        for read in pending {
            sums.push(read.finish().await?);
        }
        Ok(self.combine(&sums))
    }

    /// Overwrites sums that an error leaves behind, and returns the error.
    pub(super) fn clear_after(&self, error: Error, sums: &[DeviceVec<u32>]) -> Error {
        // A device with a fault keeps nothing to clear.
        let _ = self.gpu.clear_all(sums);
        error
    }

    /// Overwrites the working memory, which holds digits of scalars and sums.
    pub(in crate::msm) fn clear(&self) -> Result<()> {
        self.gpu.clear_all(self.workspace().vectors())?;
        self.gpu.flush()
    }

    /// Records the multiplication by all of `scalars`.
    pub(in crate::msm) fn record(
        &self,
        recorder: &mut Recorder,
        scalars: &DeviceScalars<C::ScalarField>,
    ) -> Result<Sums> {
        let operand = Operand { scalars, vectors: 1, range: 0..scalars.len() };
        self.record_groups(recorder, &self.workspace(), &operand, None)
    }

    /// Waits for the sums of a multiplication and combines them.
    pub(in crate::msm) async fn finish(&self, sums: &Sums) -> Result<Affine<C>> {
        Ok(self.combine(&sums.download().await?))
    }

    pub(super) fn workspace(&self) -> MutexGuard<'_, Workspace> {
        // After a panic elsewhere the buffers are still usable: every call writes before it reads.
        self.workspace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the work for an operand: a vector of sums for each group of bucket sets. With
    /// `progress` the device begins while the rest is recorded.
    fn record_groups(
        &self,
        recorder: &mut Recorder,
        workspace: &Workspace,
        operand: &Operand<C>,
        progress: Option<Progress>,
    ) -> Result<Sums> {
        if operand.range.is_empty() {
            return Ok(Sums(Vec::new()));
        }
        self.gpu.expect_same_device([operand.scalars.gpu(), recorder.gpu()])?;
        recorder.set_part(&self.name);
        let scheme = &self.cut.scheme;
        let sums_a_set = self.sums_a_set();
        let groups = (0..scheme.sets).step_by(self.cut.group as usize);
        let count = groups.len();
        let mut sums = Vec::with_capacity(count);
        let recorded = groups.enumerate().try_for_each(|(number, first)| {
            let progress = progress.map(|whole| whole.part(number, count));
            let sets = [first, scheme.sets.min(first + self.cut.group)];
            let count = operand.vectors * (sets[1] - sets[0]) as usize;
            let results = self.gpu.zeros_whole(count * sums_a_set * self.points.words())?;
            let recorded = self.record_group(recorder, workspace, (operand, sets), &results, progress);
            sums.push(results);
            recorded
        });
        recorder.set_part("");
        match recorded {
            Ok(()) => Ok(Sums(sums)),
            // A part may have been submitted.
            Err(error) => Err(self.clear_after(error, &sums)),
        }
    }

    fn record_group(
        &self,
        recorder: &mut Recorder,
        workspace: &Workspace,
        (operand, sets): (&Operand<C>, [u32; 2]),
        results: &DeviceVec<u32>,
        progress: Option<Progress>,
    ) -> Result<()> {
        let scheme = &self.cut.scheme;
        let &Operand { scalars, vectors, ref range } = operand;
        let (vectors, kernels) = (vectors as u32, &self.kernels.points);
        let sums = workspace.sums.whole()?;
        for (i, table) in self.tables.iter().enumerate() {
            let first = i * self.cut.chunk;
            if first >= range.len() {
                break;
            }
            let progress = progress.map(|whole| whole.part(i, range.len().div_ceil(self.cut.chunk)));
            let stride = self.cut.chunk.min(self.len - first);
            let len = stride.min(range.len() - first);
            let part = Part { cut: &self.cut, table, stride, vectors, len, sets, fresh: i == 0 };
            stages::digits(
                recorder,
                &self.kernels.digits,
                &part,
                scalars.at(range.start + first),
                workspace,
            )?;
            let sorted = stages::sort(recorder, &part, workspace)?;
            if kernels.need_offsets() || self.kernels.pairs.is_some() {
                stages::offsets(recorder, &kernels.offsets, &part, &sorted)?;
            }
            if kernels.take_whole_buckets() {
                stages::accumulate(recorder, kernels, &part, &sorted, sums)?;
                continue;
            }
            // Pairs take as many dispatches as all other steps: the device sorts while they are recorded.
            if let (Some(progress), true) = (progress, self.kernels.pairs.is_some()) {
                progress.mark(recorder, 1, STEPS);
                recorder.submit()?;
            }
            let entries = match (&self.kernels.pairs, &workspace.pairs) {
                (Some(kernels), Some(memory)) => pairs::add_pairs(recorder, kernels, &part, sorted, memory)?,
                _ => sorted,
            };
            stages::clear(recorder, &kernels.clear, &part, self.points.words(), sums)?;
            stages::accumulate(recorder, kernels, &part, &entries, sums)?;
            if let Some(progress) = progress {
                progress.mark(recorder, STEPS - 1, STEPS);
                recorder.submit()?;
            }
            stages::gather(recorder, kernels, &part, &entries, sums)?;
        }
        let buckets = Buckets { scheme, sets: vectors * (sets[1] - sets[0]) };
        let kernels = &kernels.reduction;
        reduction::reduce(recorder, kernels, &buckets, self.reduction, workspace, results.whole()?)
    }

    /// The number of sums that the reduction leaves of each set.
    pub(super) fn sums_a_set(&self) -> usize {
        self.reduction.digits(self.cut.scheme.weights()).len() + 1
    }

    /// Combines the sums of all groups to the sum of one vector.
    fn combine(&self, groups: &[Vec<u32>]) -> Affine<C> {
        self.combine_many(groups, 1).first().copied().unwrap_or_default()
    }

    /// Combines the sums of all groups to the sums of `vectors` vectors, of which the first one's sets come first.
    fn combine_many(&self, groups: &[Vec<u32>], vectors: usize) -> Vec<Affine<C>> {
        let begin = Instant::now();
        let sets: Vec<Vec<&[u32]>> = groups.iter().flat_map(|words| self.set_sums(words)).collect();
        let read = |set: &Vec<&[u32]>| set.iter().map(|words| self.points.read(words)).collect();
        let combine = |sets: &[_]| finish::combine(&self.cut.scheme, self.reduction, sets, read);
        let results = match sets.len() {
            // Vectors without scalars.
            0 => vec![Affine::<C>::default(); vectors],
            // The calling thread works, too.
            _ if vectors == 1 => vec![combine(&sets)],
            count => sets.par_chunks(count / vectors).map(combine).collect(),
        };
        let name = named(&self.name, "combine windows");
        self.gpu.timeline().push(Phase::Host, &name, begin, begin.elapsed());
        results
    }

    /// The sums of each set of a group: array k of the group holds sum k of every set.
    fn set_sums<'w>(&self, words: &'w [u32]) -> Vec<Vec<&'w [u32]>> {
        let points: Vec<&[u32]> = words.chunks(self.points.words()).collect();
        let sets = points.len() / self.sums_a_set();
        (0..sets).map(|set| points[set..].iter().step_by(sets).copied().collect()).collect()
    }
}

impl Sums {
    /// Waits for the sums of all groups and downloads them.
    async fn download(&self) -> Result<Vec<Vec<u32>>> {
        let mut sums = Vec::with_capacity(self.0.len());
        for group in &self.0 {
            sums.push(group.download_async().await?);
        }
        Ok(sums)
    }
}

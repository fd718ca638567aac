//! Multiplications on one GPU by scalars of which most are 0 or 1: zeros are skipped, ones summed, and the others multiplied.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ark_ff::AdditiveGroup;

use super::gpu::{Apart, PendingApart};
use super::on_gpu::{OnDevice, ReadyOnGpu};
use super::operands::ResidentPoints;
use super::search::fastest;
use super::speeds::Speeds;
use super::split_scalars::SplitScalars;
use super::tiling::{Cut, Limits, write_parts};
use super::{Multiplication, Points, Precompute, Scalars, Scheme, Settings, cost};
use crate::curve::{Affine, Curve, Projective, normalized};
use crate::gpu::Gpu;
use crate::task::{AnyForm, Cost, Done, GpuProfile, Ready, Traffic, Way};
use crate::{Error, Result, Shortage, Side};

/// The way's name.
pub(super) const NAME: &str = "on one GPU, bits apart";

/// Nanoseconds of the host for a byte of a scalar that it looks at: 50 GB/s, half of what the memory of a server gives its cores.
const LOOKING: f64 = 0.02;

/// The way.
#[derive(Debug)]
pub(super) struct OnGpuApart {
    /// The number of points of a part: all, unless memory is too short.
    pub part: usize,
    /// The cut of the ones, and that of the others, whose chunk has as many points as are multiplied at a time.
    pub cuts: [Cut; 2],
    cost: Cost,
    traffic: Traffic,
}

/// The settings of both parts: a table of few points is not worth multiples.
pub(super) fn settings(settings: &Settings) -> Settings {
    let once = settings.is_for_one_run;
    Settings { is_for_one_run: once, ..Settings::default().with_precompute(Precompute::Plain) }
}

/// The cut of the ones among `n` points: all entries fall into bucket 0.
fn cut_of_ones(n: usize, limits: &Limits) -> Cut {
    let scheme = Scheme { width: 2, windows: 1, sets: 1, levels: 1, odd: false, halves: false, top_bits: 1 };
    let fitting = usize::try_from(limits.binding_words / limits.point_words).unwrap_or(usize::MAX).max(1);
    let chunk = if fitting < n { 1 << fitting.ilog2() } else { n };
    // Half of a chunk's scalars are ones where bits are random.
    let slice = (chunk as u64 / 2).div_ceil(limits.threads.max(1)).max(16) as usize;
    Cut { scheme, chunk, group: 1, rounds: 0, slice, together: 1 }
}

impl OnGpuApart {
    /// The way for the problem's share of bits. Refuses a problem without one, and points that exceed the device's memory.
    pub fn new<C: Curve>(problem: &Multiplication<C>, gpu: &GpuProfile, memory: u64) -> Result<Self> {
        let (n, vectors, share) = (problem.points(), problem.vectors(), problem.bits());
        if n == 0 || share <= 0.0 {
            return Err(Error::Usage("no share of the scalars is known to be 0 or 1".into()));
        }
        let settings = settings(problem.settings());
        let limits = Limits::new::<C>(&settings, 1, [gpu.binding_bytes, memory], Speeds::of::<C>(gpu));
        // All points or, where memory is too short, parts of which two are there at a time.
        let whole = Fit::new(n, share, &settings, &limits)?;
        let halves = std::iter::successors(Some(n.next_power_of_two() / 2), |part| Some(part / 2));
        let parts = halves.take_while(|&part| part >= SMALLEST_PART);
        let half = Limits { memory: memory / 2, ..limits };
        let fit = match whole {
            Some(fit) => fit,
            None => {
                let mut fits = parts.map(|part| Fit::new(part, share, &settings, &half));
                match fits.find_map(Result::transpose).transpose()? {
                    Some(fit) => Fit { device_bytes: 2 * fit.device_bytes, ..fit },
                    None => return Err(too_little(n.min(SMALLEST_PART), &limits, memory)),
                }
            }
        };
        let Fit { part, cuts: [ones, rest], device_bytes } = fit;
        let (capacity, parts) = (rest.chunk, n.div_ceil(part));
        let turns = (n as f64 * (1.0 - share) / capacity as f64).ceil().max(parts as f64);
        let of_ones = n as f64 * share * cost::addition_nanoseconds(&limits);
        let looking = n as f64 * 32.0 * LOOKING;
        let uploaded = 4.0 * n as f64 * share + 36.0 * n as f64 * (1.0 - share);
        let preparing = cost::preparing_seconds(gpu, n, &limits);
        let each = 1e-9 * (of_ones + looking + turns * cost::run_nanoseconds(&rest, capacity, &limits))
            + gpu.upload_seconds(uploaded)
            + (parts as f64 + turns) * cost::CALLS * gpu.record.call;
        let seconds = preparing + vectors as f64 * each;
        let cost = Cost {
            time: Duration::from_secs_f64(seconds),
            compiling: Duration::from_secs_f64(cost::compile_seconds(gpu, &limits)),
            preparing: Duration::from_secs_f64(preparing),
            // The lists of two vectors, beside what the host takes for a chunk.
            host_bytes: cost::gpu_host_bytes(ones.chunk as u64, capacity as u64, &limits, false)
                + 2 * (8 * n as u64 + 40 * capacity as u64),
            device_bytes,
        };
        let traffic = Traffic { upload: vectors as u64 * uploaded as u64, download: 0, dispatches: None };
        Ok(OnGpuApart { part, cuts: [ones, rest], cost, traffic })
    }
}

/// The cuts with which some points fit a device.
struct Fit {
    part: usize,
    cuts: [Cut; 2],
    device_bytes: u64,
}

impl Fit {
    /// The cuts of `n` points, of whose scalars this share is 0 or 1; `None` if they do not fit.
    fn new(n: usize, share: f64, settings: &Settings, limits: &Limits) -> Result<Option<Self>> {
        let ones = cut_of_ones(n, limits);
        let table = 4 * limits.point_words;
        // The tables, a chunk's points as they are uploaded, keys and values of a chunk's ones, and the sums of slices.
        let sums = 4 * limits.sum_words * (ones.slots() + ones.all_buckets() + ones.sums()) as u64;
        let held = table
            .saturating_mul((n + ones.chunk) as u64)
            .saturating_add(8 * ones.chunk as u64)
            .saturating_add(sums);
        // A quarter more than are expected, so that witnesses which differ a little need no second turn.
        let expected = (n as f64 * (1.0 - share) * 1.25) as usize + (1 << 12);
        let mut capacity = expected.min(n).min(ones.chunk);
        while held < limits.memory && capacity > 0 {
            let left = limits.memory - held;
            let limits = Limits { memory: left.saturating_sub(4 * capacity as u64), ..*limits };
            if let Some(rest) = fastest(capacity, settings, &limits)?.filter(|cut| cut.chunk >= capacity) {
                let own = rest.device_bytes(capacity as u64, &limits) + 4 * capacity as u64;
                let cuts = [ones, Cut { chunk: capacity, ..rest }];
                return Ok(Some(Fit { part: n, cuts, device_bytes: held + own }));
            }
            capacity = if capacity > FEWEST { capacity / 2 } else { 0 };
        }
        Ok(None)
    }
}

/// The error of a device that is too small for parts of `part` points, with a memory that suffices.
fn too_little(part: usize, limits: &Limits, memory: u64) -> Error {
    let needed = (0..64).map(|k| memory.max(1) << k).find(|needed| {
        let settings = Settings::default().with_precompute(Precompute::Plain);
        let half = Limits { memory: needed / 2, ..*limits };
        matches!(Fit::new(part, 1.0, &settings, &half), Ok(Some(_)))
    });
    let needed = needed.unwrap_or(u64::MAX);
    Error::OutOfMemory(Shortage::new("multiplications with bits apart", Side::Device, needed, memory))
}

/// The number of points of the smallest part.
const SMALLEST_PART: usize = 1 << 12;
/// The fewest points that are multiplied at a time, if there are so many.
const FEWEST: usize = 1 << 10;

impl<C: Curve> Way<Multiplication<C>> for OnGpuApart {
    type Device = Gpu;
    type Ready<'p> = AnyForm<'p, Multiplication<C>>;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }

    fn write(&self, problem: &Multiplication<C>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [ones, rest] = &self.cuts;
        let percent = 100.0 * problem.bits();
        writeln!(f, "method         GPU, bits apart: zeros are skipped, ones summed, the others multiplied")?;
        writeln!(f, "bits           {percent:.1}% of the scalars are expected to be 0 or 1")?;
        writeln!(
            f,
            "ones           {} chunks of {} points",
            problem.points().div_ceil(ones.chunk),
            ones.chunk
        )?;
        writeln!(
            f,
            "others         {} points at a time, in {} windows of {} bits",
            rest.chunk, rest.scheme.windows, rest.scheme.width
        )?;
        write_parts(f, problem.points(), self.part)
    }

    fn compile(&self, problem: &Multiplication<C>, gpu: &Gpu) -> Result<()> {
        Apart::<C>::compile(gpu, &settings(problem.settings()), &self.cuts)
    }

    fn prepare<'p>(
        &self,
        problem: &Multiplication<C>,
        gpu: &Gpu,
        points: ResidentPoints<'p, C>,
    ) -> Result<Self::Ready<'p>> {
        let (settings, cuts) = (settings(problem.settings()), self.cuts);
        if self.part < points.len() {
            return Ok(AnyForm::new(ReadyInParts {
                gpu: gpu.clone(),
                part: self.part,
                settings,
                cuts,
                points,
            }));
        }
        let apart = Apart::new(gpu, points.name(), &points, &settings, &cuts)?;
        Ok(AnyForm::new(ReadyOnGpu(OnDevice::Apart(Box::new(apart)))))
    }
}

/// Points that go to the device part by part in every run.
#[derive(Debug)]
pub(super) struct ReadyInParts<P> {
    gpu: Gpu,
    part: usize,
    settings: Settings,
    cuts: [Cut; 2],
    points: P,
}

impl<C: Curve> Ready<Multiplication<C>> for ReadyInParts<Points<'_, C>> {
    /// Each part serves all vectors. While the device works, the host uploads the next.
    async fn run<'i: 'i>(
        &self,
        _: &Multiplication<C>,
        scalars: Scalars<'i, C::ScalarField>,
        _: &Done,
    ) -> Result<Vec<Affine<C>>> {
        let reach = scalars.reach();
        let vectors = scalars.downloaded().await?;
        let split: Vec<_> = vectors.iter().map(|(_, scalars)| SplitScalars::of(scalars)).collect();
        let mut sums = vec![Projective::<C>::ZERO; vectors.len()];
        let mut before: Option<(Arc<Apart<C>>, PendingApart, usize)> = None;
        for (start, points) in (0..reach).step_by(self.part).zip(self.points.chunks(self.part)) {
            let name = self.points.name();
            let apart = Arc::new(Apart::new(&self.gpu, name, points, &self.settings, &self.cuts)?);
            for (i, (first, scalars)) in vectors.iter().enumerate() {
                // The scalars whose points are in this part.
                let places = |point: usize| point.saturating_sub(*first).min(scalars.len());
                let range = places(start)..places(start + points.len());
                if range.is_empty() {
                    continue;
                }
                let base = (*first + range.start) - start;
                let begun = apart.begin(&split[i], range, base)?;
                if let Some((apart, begun, i)) = before.replace((Arc::clone(&apart), begun, i)) {
                    sums[i] += apart.end(begun).await?;
                }
            }
        }
        if let Some((apart, begun, i)) = before {
            sums[i] += apart.end(begun).await?;
        }
        Ok(normalized(&sums))
    }
}

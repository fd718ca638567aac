//! Times of the same work on one GPU of a group and on all of its GPUs, by the host's clock.
//!
//! `on the devices`: every GPU holds its share of the data. All begin at the same moment, and the time ends when
//! the last one is done, with the host's last step. `in host memory`: a whole call of the library.

use std::sync::{Barrier, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ark_ec::CurveGroup;
use ark_ff::AdditiveGroup;

use super::msm::{Data, Distribution};
use super::{Fields, Row, Timing};
use wgalois::curve::{Curve, Projective};
use wgalois::field::Prime;
use wgalois::gf2::gpu::{BLOCK, DeviceMatrix, reduce_across};
use wgalois::gf2::{BitMatrix, Deal, Dense, RowReduction, Wanted, generate};
use wgalois::gpu::{Gpu, Samples};
use wgalois::msm::{DeviceScalars, Multiplication};
use wgalois::ntt::{Order, Transform};
use wgalois::processes::{Threads, Transport};
use wgalois::task::Problem;
use wgalois::{Device, Group, Result, Wrong};

/// A group that is compared with its first GPU.
pub struct Compared<'g> {
    group: &'g Group,
    samples: usize,
}

impl<'g> Compared<'g> {
    /// Every time is to be the median of `samples`.
    pub fn new(group: &'g Group, samples: usize) -> Self {
        Compared { group, samples }
    }

    /// Takes samples of the time that `sample` returns. Before each it runs once for nothing: an idle GPU lowers its
    /// clock, and raises it under load.
    fn samples(&self, mut sample: impl FnMut() -> Result<Duration>) -> Result<Samples> {
        let mut sorted = Vec::with_capacity(self.samples);
        while sorted.len() < self.samples {
            sample()?;
            sorted.push(sample()?);
        }
        sorted.sort();
        Ok(Samples { sorted, rejected: 0 })
    }

    /// Times `work` on the shares of the GPUs, all at the same time, each as one of several processes, and `finish` on
    /// what they return. Before each sample `ready` prepares every share.
    fn resident<S: Send, T: Send>(
        &self,
        shares: Vec<S>,
        ready: impl Fn(&mut S) -> Result<()> + Sync,
        work: impl Fn(&dyn Transport, &mut S) -> Result<T> + Sync,
        mut finish: impl FnMut(Vec<T>) -> Result<()>,
    ) -> Result<Samples> {
        let gate = Barrier::new(shares.len());
        let shares: Vec<Mutex<S>> = shares.into_iter().map(Mutex::new).collect();
        self.samples(|| {
            let results = Threads::run(shares.len(), |processes| {
                let processes = &**processes;
                let mut share = shares[processes.rank()].lock().unwrap_or_else(PoisonError::into_inner);
                let is_ready = ready(&mut share);
                gate.wait();
                is_ready?;
                let begin = Instant::now();
                Ok((begin, work(processes, &mut share)?))
            })?;
            let begin = results.iter().map(|(begin, _)| *begin).min();
            finish(results.into_iter().map(|(_, result)| result).collect())?;
            Ok(begin.map_or(Duration::ZERO, |begin| begin.elapsed()))
        })
    }

    /// Measures the first GPU, then all, and gives the second row its speed-up.
    fn rows(
        &self,
        fields: &Fields,
        data: &str,
        mut times: impl FnMut(&'g [Gpu]) -> Result<Samples>,
    ) -> Result<Vec<Row>> {
        let all = self.group.members();
        let mut row = |gpus: &'g [Gpu]| {
            let system = if gpus.len() == 1 { "1 GPU".to_owned() } else { format!("{} GPUs", gpus.len()) };
            let timing = times(gpus).map(|times| Timing {
                spread: Some(times.spread()),
                ..Timing::of_calls(times.median().as_secs_f64())
            });
            Row::new(fields.clone().with("data", data), system, timing)
        };
        let one = row(&all[..1])?;
        let all = row(all)?.over(one.seconds());
        Ok(vec![one, all])
    }

    /// The rows of whole calls, of which `prepare` makes one for a device; `check` checks what it returns.
    fn in_host_memory<T, C: FnMut() -> Result<T>>(
        &self,
        fields: &Fields,
        prepare: impl Fn(Device) -> Result<C>,
        mut check: impl FnMut(T) -> Result<()>,
    ) -> Result<Vec<Row>> {
        self.rows(fields, "in host memory", |gpus| {
            let mut call = prepare(match gpus {
                [one] => Device::Gpu(one.clone()),
                _ => Device::Group(self.group.clone()),
            })?;
            self.samples(|| {
                let begin = Instant::now();
                let result = call()?;
                let time = begin.elapsed();
                check(result).map(|()| time)
            })
        })
    }

    /// Multiplications of `n` points without stored multiples.
    pub fn msm<C: Curve>(&self, n: usize) -> Result<Vec<Row>> {
        let data = Data::<C>::new(n, Distribution::Uniform);
        let mut rows = self.rows(&data.fields(), "on the devices", |gpus| {
            let mut shares = Vec::new();
            for (gpu, range) in gpus.iter().zip(self.group.divide(0..gpus.len(), n)) {
                let (device, points) = (Device::Gpu(gpu.clone()), &data.known.points[range.clone()]);
                let plan = Multiplication::new(points.len()).plan(&device)?;
                let bases = plan.prepare_unchecked(&device, points)?;
                shares.push((bases, DeviceScalars::upload(gpu, &data.scalars[range])?));
            }
            self.resident(
                shares,
                |_| Ok(()),
                |_, (bases, scalars)| bases.run_on_device(scalars),
                |sums| {
                    let sum = sums.iter().fold(Projective::<C>::ZERO, |total, sum| total + sum);
                    data.check(sum.into_affine())
                },
            )
        })?;
        let data = &data;
        let prepare = |device| {
            let plan = Multiplication::new(n).plan(&device)?;
            let bases = plan.prepare_unchecked(&device, &data.known.points)?;
            Ok(move || bases.multiply(&data.scalars))
        };
        rows.extend(self.in_host_memory(&data.fields(), prepare, |sum| data.check(sum))?);
        Ok(rows)
    }

    /// The rank of a random matrix with `n` rows and columns. The group shares it, whether that pays or not.
    pub fn rank(&self, n: usize) -> Result<Vec<Row>> {
        let matrix = generate::matrix(n, n, 0.5, 1)?;
        let mut expected = None;
        let mut check = |pivots: Vec<u32>| {
            let is_right = *expected.get_or_insert_with(|| pivots.clone()) == pivots;
            Wrong::unless(is_right, format!("the pivots of {n} rows differ"))
        };
        let fields = Fields::default().with("rank of", n);
        let mut rows =
            self.rows(&fields, "on the devices", |gpus| self.rank_on_devices(gpus, &matrix, &mut check))?;
        let prepare = |device| {
            let prepared = Dense::rank(n, n)?.with_sharing(true).plan(&device)?.prepare(&device)?;
            let matrix = &matrix;
            Ok(move || prepared.run((matrix, None))?.into_pivots())
        };
        rows.extend(self.in_host_memory(&fields, prepare, check)?);
        Ok(rows)
    }

    /// The rank of a matrix whose blocks of columns are on the GPUs.
    fn rank_on_devices(
        &self,
        gpus: &[Gpu],
        matrix: &BitMatrix,
        mut check: impl FnMut(Vec<u32>) -> Result<()>,
    ) -> Result<Samples> {
        let n = matrix.rows();
        let deal = Deal::new(n, &vec![1.0; gpus.len()]);
        let reduction = RowReduction::new(n, n, Wanted::Pivots)?;
        let mut shares = Vec::new();
        for (member, gpu) in gpus.iter().enumerate() {
            let own = deal.part(matrix, member)?;
            let work = DeviceMatrix::zeros(gpu, n, own.columns())?;
            shares.push((gpu, DeviceMatrix::upload(gpu, &own)?, work));
        }
        self.resident(
            shares,
            |(gpu, original, work)| {
                work.assign(original)?;
                gpu.wait()
            },
            |processes, (gpu, _, work)| {
                let pivots = match gpus.len() {
                    1 => work.reduce_to_echelon(&reduction)?,
                    _ => reduce_across(processes, work, &deal, &reduction)?,
                };
                gpu.wait().map(|()| pivots)
            },
            |parts| {
                // A member does not hear of blocks after its own last one.
                let own = |(member, pivots): (usize, Vec<u32>)| {
                    let deal = &deal;
                    pivots.into_iter().filter(move |&pivot| deal.owner(pivot as usize / BLOCK) == member)
                };
                let mut pivots: Vec<u32> = parts.into_iter().enumerate().flat_map(own).collect();
                pivots.sort_unstable();
                check(pivots)
            },
        )
    }

    /// `batch` transforms of 2^`log_n` points, fifty times in a row.
    pub fn transforms(&self, prime: Prime, log_n: u32, batch: usize) -> Result<Vec<Row>> {
        const RUNS: usize = 50;
        let n = 1usize << log_n;
        let data: Vec<u32> = (0..n * batch).map(|i| i as u32 % prime.value()).collect();
        let fields = Fields::default().with("transforms", batch).with("log_n", log_n);
        let mut expected = None;
        self.rows(&fields, "on the devices", |gpus| {
            let mut shares = Vec::new();
            for (gpu, range) in gpus.iter().zip(self.group.divide(0..gpus.len(), batch)) {
                let device = Device::Gpu(gpu.clone());
                let problem =
                    Transform::new(prime, n)?.with_output(Order::BitReversed).with_batch(range.len());
                let prepared = problem.plan(&device)?.prepare(&device)?;
                shares.push((prepared, gpu.upload(&data[range.start * n..range.end * n])?, gpu.clone()));
            }
            let mut found = Vec::new();
            for (prepared, vector, _) in &mut shares {
                prepared.run_on_device(vector)?;
                found.extend(vector.download()?);
            }
            let is_right = *expected.get_or_insert_with(|| found.clone()) == found;
            Wrong::unless(is_right, format!("{} GPUs have other transforms than one", gpus.len()))?;
            let mut times = self.resident(
                shares,
                |_| Ok(()),
                |_, (prepared, vector, gpu)| {
                    (0..RUNS).try_for_each(|_| prepared.run_on_device(vector))?;
                    gpu.wait()
                },
                |_| Ok(()),
            )?;
            times.sorted.iter_mut().for_each(|time| *time /= RUNS as u32);
            Ok(times)
        })
    }
}

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
use wgalois::gf2::{BitMatrix, Deal, Dense, Form, generate};
use wgalois::gpu::{Gpu, Samples};
use wgalois::msm::{DeviceScalars, Multiplication};
use wgalois::ntt::{Order, Transform};
use wgalois::processes::{Threads, Transport};
use wgalois::task::Problem;
use wgalois::{Device, Error, Group, Result};

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

    /// The GPUs whose times are compared: the first one, and all.
    fn compared(&self) -> [&'g [Gpu]; 2] {
        let all = self.group.members();
        [&all[..1], all]
    }

    /// The device that these GPUs are.
    fn device(&self, gpus: &[Gpu]) -> Device {
        match gpus {
            [one] => Device::Gpu(one.clone()),
            _ => Device::Group(self.group.clone()),
        }
    }

    /// Multiplications of `n` points without stored multiples.
    ///
    /// # Errors
    /// [`Error::Check`] if a sum is wrong; the devices' faults.
    pub fn msm<C: Curve>(&self, n: usize) -> Result<Vec<Row>> {
        let data = Data::<C>::new(n, Distribution::Uniform);
        let check = |sum| match sum == data.sum {
            true => Ok(()),
            false => Err(Error::Check(format!("the multiplication of {n} points is wrong"))),
        };
        let mut rows = Vec::new();
        for gpus in self.compared() {
            let mut shares = Vec::new();
            for (gpu, range) in gpus.iter().zip(self.group.divide(0..gpus.len(), n)) {
                let (device, points) = (Device::Gpu(gpu.clone()), &data.known.points[range.clone()]);
                let plan = Multiplication::new(points.len()).plan(&device)?;
                let bases = plan.prepare_unchecked(&device, points)?;
                shares.push((bases, DeviceScalars::upload(gpu, &data.scalars[range])?));
            }
            let times = self.resident(
                shares,
                |_| Ok(()),
                |_, (bases, scalars)| bases.run_on_device(scalars),
                |sums| check(sums.iter().fold(Projective::<C>::ZERO, |total, sum| total + sum).into_affine()),
            );
            rows.push(row(data.fields(), "on the devices", gpus.len(), times)?);
        }
        for gpus in self.compared() {
            let device = self.device(gpus);
            let bases =
                Multiplication::new(n).plan(&device)?.prepare_unchecked(&device, &data.known.points)?;
            let times = self.samples(|| {
                let begin = Instant::now();
                let sum = bases.multiply(&data.scalars)?;
                let time = begin.elapsed();
                check(sum).map(|()| time)
            });
            rows.push(row(data.fields(), "in host memory", gpus.len(), times)?);
        }
        Ok(with_ratios(rows))
    }

    /// The rank of a random matrix with `n` rows and columns. The group shares it, whether that pays or not.
    ///
    /// # Errors
    /// [`Error::Check`] if the pivots differ; the devices' faults.
    pub fn rank(&self, n: usize) -> Result<Vec<Row>> {
        let matrix = generate::matrix(n, n, 0.5, 1)?;
        let mut expected = None;
        let mut check = |pivots: Vec<u32>| match *expected.get_or_insert_with(|| pivots.clone()) == pivots {
            true => Ok(()),
            false => Err(Error::Check(format!("the pivots of {n} rows differ"))),
        };
        let fields = || Fields::default().with("rank of", n);
        let mut rows = Vec::new();
        for gpus in self.compared() {
            let times = self.rank_on_devices(gpus, &matrix, &mut check);
            rows.push(row(fields(), "on the devices", gpus.len(), times)?);
        }
        for gpus in self.compared() {
            let device = self.device(gpus);
            let problem = Dense::rank(n, n)?.with_sharing(true);
            let prepared = problem.plan(&device)?.prepare(&device)?;
            let times = self.samples(|| {
                let begin = Instant::now();
                let pivots = prepared.run((&matrix, None))?.into_pivots()?;
                let time = begin.elapsed();
                check(pivots).map(|()| time)
            });
            rows.push(row(fields(), "in host memory", gpus.len(), times)?);
        }
        Ok(with_ratios(rows))
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
        let form = Form { rows: n, columns: n, limit: n, full: false, pivots_only: true };
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
                    1 => work.reduce_to_echelon(n, false)?,
                    _ => reduce_across(processes, work, &deal, &form)?,
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
    ///
    /// # Errors
    /// [`Error::Check`] if the shares differ from one GPU's transforms; the devices' faults.
    pub fn transforms(&self, prime: Prime, log_n: u32, batch: usize) -> Result<Vec<Row>> {
        const RUNS: usize = 50;
        let n = 1usize << log_n;
        let data: Vec<u32> = (0..n * batch).map(|i| i as u32 % prime.value()).collect();
        let fields = || Fields::default().with("transforms", batch).with("log_n", log_n);
        let (mut rows, mut expected) = (Vec::new(), None);
        for gpus in self.compared() {
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
            if *expected.get_or_insert_with(|| found.clone()) != found {
                return Err(Error::Check(format!("{} GPUs have other transforms than one", gpus.len())));
            }
            let times = self.resident(
                shares,
                |_| Ok(()),
                |_, (prepared, vector, gpu)| {
                    (0..RUNS).try_for_each(|_| prepared.run_on_device(vector))?;
                    gpu.wait()
                },
                |_| Ok(()),
            );
            let times = times.map(|times| Samples {
                sorted: times.sorted.iter().map(|time| *time / RUNS as u32).collect(),
                ..times
            });
            rows.push(row(fields(), "on the devices", gpus.len(), times)?);
        }
        Ok(with_ratios(rows))
    }
}

fn row(fields: Fields, data: &str, count: usize, times: Result<Samples>) -> Result<Row> {
    let system = if count == 1 { "1 GPU".to_owned() } else { format!("{count} GPUs") };
    let timing = times.map(|times| Timing {
        spread: Some(times.spread()),
        ..Timing::of_calls(times.median().as_secs_f64())
    });
    Row::new(fields.with("data", data), system, timing)
}

/// Gives each second row the speed-up over the row before it.
fn with_ratios(rows: Vec<Row>) -> Vec<Row> {
    let one: Vec<Option<f64>> = rows.iter().map(Row::seconds).collect();
    let over = |(place, row): (usize, Row)| if place % 2 == 1 { row.over(one[place - 1]) } else { row };
    rows.into_iter().enumerate().map(over).collect()
}

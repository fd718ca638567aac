//! Many small matrices of one shape, such as those of a code's decoders.

use std::fmt;

use super::dense_answer::{DenseAnswer, read, right_sides};
use super::{BitMatrix, Dense, DensePlan, cost, cpu, gpu};
use crate::gpu::block_on;
use crate::task::{Cost, OneEngine, Plan, Problem, Profile, within_memory, write_unshared};
use crate::verify::Guarantee;
use crate::{Device, Error, One, Result};

/// The same problem for many matrices of one shape, at most 2^32 - 1: any [`Dense`] one that eliminates.
///
/// A GPU reduces matrices of at most 1024 rows beside each other, a workgroup each, and larger ones one after the other.
/// The CPU engine reduces one on each thread.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{BitMatrix, Dense, Many}, task::Problem};
///
/// let device = Device::Cpu(Cpu::default());
/// let matrices = vec![BitMatrix::identity(64)?; 100];
/// let problem = Many::new(100, Dense::rank(64, 64)?)?;
/// for answer in problem.plan(&device)?.prepare(&device)?.run(&matrices, None)? {
///     assert_eq!(answer.into_pivots()?.len(), 64);
/// }
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Many {
    matrices: usize,
    each: Dense,
}

impl Many {
    /// The problem `each` for `matrices` matrices.
    ///
    /// # Errors
    /// [`Error::Input`] for more than 2^32 - 1 matrices; [`Error::Usage`] for a problem that eliminates nothing.
    pub fn new(matrices: usize, each: Dense) -> Result<Self> {
        if u32::try_from(matrices).is_err() {
            return Err(Error::Input(format!("{matrices} matrices: at most {} are allowed", u32::MAX)));
        }
        match each.eliminates() {
            true => Ok(Many { matrices, each }),
            false => Err(Error::Usage(format!("{:?} takes no elimination", each.operation()))),
        }
    }

    /// The number of matrices.
    pub fn matrices(&self) -> usize {
        self.matrices
    }

    /// The problem of each of them.
    pub fn each(&self) -> &Dense {
        &self.each
    }

    /// Checks the answers for the matrices `a` and, if the problem has right sides, `b`, each as [`Dense::check`] does.
    /// Every wrong answer is missed with a chance of at most 2^-64, so answers with wrong ones among them are, too.
    ///
    /// # Errors
    /// [`Error::Check`] with the number of the first wrong answer, from 0; [`Error::Input`] for other numbers or shapes of
    /// matrices than the problem's.
    pub fn check(
        &self,
        device: &Device,
        a: &[BitMatrix],
        b: Option<&[BitMatrix]>,
        answers: &[DenseAnswer],
    ) -> Result<Guarantee> {
        self.expect_input(a, b)?;
        if answers.len() != a.len() {
            return Err(Error::Check(format!("{} answers for {} matrices", answers.len(), a.len())));
        }
        for (k, (a, answer)) in a.iter().zip(answers).enumerate() {
            let outcome = self.each.check(device, a, nth(b, k), answer.as_answer());
            outcome.map_err(|error| match error {
                Error::Check(message) => Error::Check(format!("matrix {k}: {message}")),
                other => other,
            })?;
        }
        Ok(Guarantee::probable(format!("the {} answers are right", answers.len()), 64))
    }

    fn expect_input(&self, a: &[BitMatrix], b: Option<&[BitMatrix]>) -> Result<()> {
        let planned = self.matrices;
        if let Some(given) =
            [Some(a), b].into_iter().flatten().map(<[_]>::len).find(|&given| given != planned)
        {
            return Err(Error::Input(format!("{given} matrices: the plan is for {planned}")));
        }
        a.iter().enumerate().try_for_each(|(k, a)| self.each.expect_input(a, nth(b, k)))
    }
}

fn nth(matrices: Option<&[BitMatrix]>, k: usize) -> Option<&BitMatrix> {
    matrices.and_then(|matrices| matrices.get(k))
}

/// How the answers are computed.
#[derive(Clone, Debug)]
enum Way {
    /// On the CPU engine, one matrix per thread.
    Threads,
    /// On a GPU, one matrix per workgroup, this many at a time.
    Workgroups { at_a_time: usize },
    /// One after the other.
    Each(Box<DensePlan>),
}

/// A plan to compute a problem of [`Many`] matrices on one device.
#[derive(Clone, Debug)]
pub struct ManyPlan {
    problem: Many,
    way: Way,
    devices: usize,
    cost: Cost,
}

impl Problem for Many {
    type Plan = ManyPlan;

    fn plan_for(&self, profile: &Profile) -> Result<ManyPlan> {
        let (devices, profile) = (profile.device_count(), &*profile.of_one());
        let (problem, rows, columns) = (*self, self.each.shape().0, self.each.eliminated_columns());
        // The forms, and the answers that are read from them.
        let answers = 2 * cost::forms_bytes(self.matrices, rows, columns);
        let (way, cost) = match profile.one_engine() {
            OneEngine::Cpu(threads) => {
                let one = cost::cpu::echelon_time(rows, columns, self.each.is_reduced(), 1);
                let at_a_time = threads.min(self.matrices) as u64;
                let working = cost::cpu::echelon_bytes(rows, columns).saturating_mul(at_a_time);
                let cost = Cost {
                    time: one.mul_f64(self.matrices as f64 / threads.max(1) as f64),
                    host_bytes: answers.saturating_add(working),
                    device_bytes: 0,
                };
                (Way::Threads, cost)
            }
            OneEngine::Gpu(gpu) if gpu::many_fit(rows, columns, gpu.binding_bytes, gpu.is_software) => {
                let most = gpu::many_at_a_time(rows, columns, gpu.binding_bytes, profile.device_memory);
                let at_a_time = most.min(self.matrices.max(1));
                let device_bytes = gpu::many_bytes(at_a_time, rows, columns);
                let host_bytes = cost::gpu::many_bytes(answers, device_bytes);
                let time = cost::gpu::many_time(gpu, self.matrices, rows, columns);
                (Way::Workgroups { at_a_time }, Cost { time, host_bytes, device_bytes })
            }
            OneEngine::Gpu(_) => {
                let plan = self.each.plan_for(profile)?;
                let one = plan.cost();
                let time = one.time.mul_f64(self.matrices as f64);
                let host_bytes = one.host_bytes.saturating_add(answers);
                (Way::Each(Box::new(plan)), Cost { time, host_bytes, ..one })
            }
        };
        cost.check(profile, "these matrices")?;
        Ok(ManyPlan { problem, way, devices, cost })
    }
}

impl ManyPlan {
    /// The problem.
    pub fn problem(&self) -> &Many {
        &self.problem
    }

    /// Prepares the plan to run on `device`: compiles the kernels, which the device keeps.
    ///
    /// # Errors
    /// [`Error::Usage`] if the plan was made for another kind of device; those of the device.
    pub fn prepare(&self, device: &Device) -> Result<PreparedMany> {
        match (&self.way, device.one()) {
            (Way::Threads, One::Cpu(_)) => {}
            (Way::Workgroups { .. }, One::Gpu(gpu)) => gpu::prepare_many(gpu)?,
            (Way::Each(plan), One::Gpu(_)) => drop(plan.prepare(device)?),
            _ => return Err(Error::Usage("a plan runs on the kind of device that it was made for".into())),
        }
        Ok(PreparedMany { device: device.clone(), plan: self.clone() })
    }
}

impl Plan for ManyPlan {
    fn cost(&self) -> Cost {
        self.cost
    }
}

impl fmt::Display for ManyPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (operation, (rows, columns)) = (self.problem.each.operation(), self.problem.each.shape());
        write_unshared(f, self.devices)?;
        writeln!(f, "operation      {}", format!("{operation:?}").to_lowercase())?;
        writeln!(f, "matrices       {} of {rows} x {columns}", self.problem.matrices)?;
        match &self.way {
            Way::Threads => writeln!(f, "method         one by each thread")?,
            Way::Workgroups { at_a_time } => {
                writeln!(f, "method         one by each workgroup, {at_a_time} on the device at a time")?;
            }
            Way::Each(_) => writeln!(f, "method         one after the other, blocked")?,
        }
        self.cost.fmt(f)
    }
}

/// A [`ManyPlan`] that is ready to run on a device, as often as you like.
#[derive(Clone, Debug)]
pub struct PreparedMany {
    device: Device,
    plan: ManyPlan,
}

impl PreparedMany {
    /// The plan.
    pub fn plan(&self) -> &ManyPlan {
        &self.plan
    }

    /// Returns the answers for the matrices `a` and, if the problem has right sides, `b`, in their order.
    ///
    /// # Errors
    /// [`Error::Input`] for another number of matrices or other shapes than planned; those of the device.
    pub fn run(&self, a: &[BitMatrix], b: Option<&[BitMatrix]>) -> Result<Vec<DenseAnswer>> {
        block_on(self.run_async(a, b))
    }

    /// The asynchronous form of [`run`](Self::run), for browsers.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub async fn run_async(&self, a: &[BitMatrix], b: Option<&[BitMatrix]>) -> Result<Vec<DenseAnswer>> {
        self.plan.problem.expect_input(a, b)?;
        let each = &self.plan.problem.each;
        match (&self.plan.way, self.device.one()) {
            (Way::Threads, One::Cpu(cpu)) => cpu::many(cpu, each, a, b),
            (Way::Workgroups { at_a_time }, One::Gpu(gpu)) => {
                let mut answers = Vec::with_capacity(a.len());
                for first in (0..a.len()).step_by(*at_a_time) {
                    let part = first..a.len().min(first + at_a_time);
                    let sides = part.clone().map(|k| right_sides(each, &a[k], nth(b, k)));
                    let sides = sides.collect::<Result<Vec<_>>>()?;
                    let matrices = sides.iter().zip(&a[part]).map(|(side, a)| side.as_ref().unwrap_or(a));
                    let forms = gpu::reduce_many(gpu, &matrices.collect::<Vec<_>>(), each.limit()).await?;
                    drop(sides);
                    for form in forms {
                        answers.push(read(each, form)?);
                    }
                }
                Ok(answers)
            }
            (Way::Each(plan), _) => {
                let prepared = plan.prepare(&self.device)?;
                let mut answers = Vec::with_capacity(a.len());
                for (k, a) in a.iter().enumerate() {
                    answers.push(prepared.run_async(a, nth(b, k)).await?);
                }
                Ok(answers)
            }
            _ => Err(Error::Usage("a plan runs on the kind of device that it was made for".into())),
        }
    }
}

/// Plans, prepares and runs the problem `each` for the matrices `a` and, if it has right sides, `b`.
///
/// # Errors
/// [`Error::Input`] for matrices of other shapes than the problem's; [`Error::OutOfMemory`]; those of the device.
pub fn compute_many(
    device: &Device,
    each: &Dense,
    a: &[BitMatrix],
    b: Option<&[BitMatrix]>,
) -> Result<Vec<DenseAnswer>> {
    block_on(compute_many_async(device, each, a, b))
}

/// The asynchronous form of [`compute_many`], for browsers.
///
/// # Errors
/// Those of [`compute_many`].
pub async fn compute_many_async(
    device: &Device,
    each: &Dense,
    a: &[BitMatrix],
    b: Option<&[BitMatrix]>,
) -> Result<Vec<DenseAnswer>> {
    let problem = Many::new(a.len(), *each)?;
    let run = async |device: &Device| {
        let run = async |profile: &_| problem.plan_for(profile)?.prepare(device)?.run_async(a, b).await;
        within_memory(device.profile(), run).await
    };
    device.on_one(run).await
}

//! From transforms of a matrix's columns to their plan, and from the plan to their prepared form.

use std::fmt;

use super::columns::{ColumnTransform, columns_of, followed_by_zeros, rows_of};
use super::{cost, cpu, gpu, residues};
use crate::gpu::{DeviceVec, Gpu, Recorder, block_on};
use crate::task::{self, Solvable, Cost, Plan, Problem, Profile, Traffic};
use crate::task::{no_device_vectors, other_device};
use crate::timeline::{Phase, Timeline};
use crate::{Device, Error, Result};

/// The plan of a [`ColumnTransform`] on one device.
#[derive(Clone, Debug)]
pub struct ColumnTransformPlan {
    columns: ColumnTransform,
    engine: Engine,
    cost: Cost,
}

#[derive(Clone, Debug)]
enum Engine {
    Cpu { threads: usize },
    Gpu(gpu::MatrixPlan),
}

/// Groups have no plan: their members take vectors from the host ([`Error::Usage`]). A GPU has one if its memory holds
/// both matrices, and each fits one binding ([`Error::OutOfMemory`]); otherwise
/// [`transposed`](super::transposed()) and a [`Transform`](super::Transform) may have one.
impl Problem for ColumnTransform {
    type Plan = ColumnTransformPlan;

    fn plan_for(&self, profile: &Profile) -> Result<ColumnTransformPlan> {
        self.check_shape()?;
        let (engine, cost) = match &profile.engine {
            task::Engine::Cpu { threads } => {
                (Engine::Cpu { threads: *threads }, cost::columns_on_cpu(self, *threads))
            }
            task::Engine::Gpu(gpu) => {
                let plan = gpu::MatrixPlan::new(self, gpu)?;
                let cost = cost::columns_on_gpu(self, &plan, gpu);
                (Engine::Gpu(plan), cost)
            }
            task::Engine::Group(_) => {
                return Err(Error::Usage("a group takes vectors that stand one after the other".into()));
            }
        };
        cost.check(profile, "this transform")?;
        Ok(ColumnTransformPlan { columns: *self, engine, cost })
    }
}

impl Plan for ColumnTransformPlan {
    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        match &self.engine {
            Engine::Cpu { .. } => Traffic::default(),
            Engine::Gpu(plan) => Traffic {
                upload: 4 * self.columns.len_before() as u64,
                download: 4 * self.columns.len_after() as u64,
                dispatches: Some(plan.passes() as u64),
            },
        }
    }
}

impl ColumnTransformPlan {
    /// The problem.
    pub fn columns(&self) -> &ColumnTransform {
        &self.columns
    }

    /// The passes of a GPU over the matrix; None on the CPU engine.
    pub fn passes(&self) -> Option<usize> {
        match &self.engine {
            Engine::Cpu { .. } => None,
            Engine::Gpu(plan) => Some(plan.passes()),
        }
    }

    /// Makes the tables and compiles the kernels.
    ///
    /// # Errors
    /// [`Error::Usage`] for a device of another kind than the plan's; [`Error::OutOfMemory`], and the device's faults.
    pub fn prepare(&self, device: &Device) -> Result<PreparedColumnTransform> {
        let engine = match (&self.engine, device) {
            (Engine::Cpu { .. }, Device::Cpu(cpu)) => {
                let prepare = |transform| {
                    let plan = cpu
                        .timeline
                        .time(Phase::Preparing, "tables", || cpu::Plan::new(transform, cpu.threads));
                    plan.map(|plan| Box::new(plan.recorded(&cpu.timeline)))
                };
                PreparedEngine::Cpu {
                    inverse: self.columns.inverse().map(prepare).transpose()?,
                    plan: prepare(self.columns.transform())?,
                    timeline: cpu.timeline.clone(),
                }
            }
            (Engine::Gpu(plan), Device::Gpu(gpu)) => {
                PreparedEngine::Gpu { gpu: gpu.clone(), matrix: gpu::PreparedMatrix::new(gpu, plan)? }
            }
            _ => return Err(other_device()),
        };
        Ok(PreparedColumnTransform { plan: self.clone(), engine })
    }
}

impl fmt::Display for ColumnTransformPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transform = self.columns.transform();
        transform.write(f)?;
        let rows = self.columns.rows();
        match self.columns.inverse() {
            None => writeln!(f, "vectors        columns of a matrix of {rows} rows")?,
            Some(_) => writeln!(f, "vectors        from values in the columns of a matrix of {rows} rows")?,
        }
        match &self.engine {
            Engine::Cpu { threads } => writeln!(f, "engine         CPU, {threads} threads")?,
            Engine::Gpu(plan) => {
                writeln!(f, "engine         GPU")?;
                writeln!(f, "passes         {}", plan.passes())?;
            }
        }
        self.cost.fmt(f)
    }
}

/// Transforms of a matrix's columns, ready to run: tables made, kernels compiled.
#[derive(Debug)]
pub struct PreparedColumnTransform {
    plan: ColumnTransformPlan,
    engine: PreparedEngine,
}

#[derive(Debug)]
enum PreparedEngine {
    Cpu { inverse: Option<Box<cpu::Plan>>, plan: Box<cpu::Plan>, timeline: Timeline },
    Gpu { gpu: Gpu, matrix: gpu::PreparedMatrix },
}

impl PreparedColumnTransform {
    /// The plan that it was made from.
    pub fn plan(&self) -> &ColumnTransformPlan {
        &self.plan
    }

    /// Transforms the columns of `matrix`, and returns the rows of the result.
    ///
    /// # Errors
    /// [`Error::Input`] if `matrix` has another length than the problem's or an entry that is not below p; the device's
    /// faults.
    pub fn run(&self, matrix: &[u32]) -> Result<Vec<u32>> {
        block_on(self.run_async(matrix))
    }

    /// The asynchronous form of [`run`](Self::run), for browsers.
    pub async fn run_async(&self, matrix: &[u32]) -> Result<Vec<u32>> {
        let columns = &self.plan.columns;
        columns.check_len(matrix)?;
        match &self.engine {
            PreparedEngine::Cpu { inverse, plan, timeline } => {
                timeline.time(Phase::Host, "transform", || {
                    residues::check(matrix, columns.transform().prime())?;
                    let (width, rows, n) = (columns.width(), columns.rows(), columns.rows_after());
                    let mut vectors = columns_of(matrix, width, rows);
                    if let Some(inverse) = inverse {
                        inverse.run(&mut vectors)?;
                    }
                    let mut vectors = followed_by_zeros(vectors, rows, n);
                    plan.run(&mut vectors)?;
                    Ok(rows_of(&vectors, width, n))
                })
            }
            PreparedEngine::Gpu { gpu, .. } => {
                let source = residues::upload_checked_async(gpu, columns.transform().prime(), matrix).await?;
                self.run_on_device(&source)?.download_async().await
            }
        }
    }

    /// Transforms the columns of a matrix on the device, and returns the result there. The entries must be below p,
    /// which is not checked.
    ///
    /// It returns before the work is done; the next download waits for it.
    ///
    /// # Errors
    /// [`Error::Usage`] on the CPU engine, and for a matrix on another device; [`Error::Input`] for another length than the
    /// problem's; the device's faults.
    pub fn run_on_device(&self, matrix: &DeviceVec<u32>) -> Result<DeviceVec<u32>> {
        let PreparedEngine::Gpu { gpu, matrix: prepared } = &self.engine else {
            return Err(no_device_vectors());
        };
        self.check_lengths(matrix.len(), self.plan.columns.len_after())?;
        let mut result = gpu.unset(self.plan.columns.len_after())?;
        prepared.run(matrix, &mut result)?;
        Ok(result)
    }

    /// Records the work of [`run_on_device`](Self::run_on_device), from one matrix into another. Work of this prepared
    /// transform shares a vector on the device: no other thread may record or run it until this is submitted.
    ///
    /// # Errors
    /// Those of [`run_on_device`](Self::run_on_device).
    pub fn record(
        &self,
        recorder: &mut Recorder,
        matrix: &DeviceVec<u32>,
        result: &mut DeviceVec<u32>,
    ) -> Result<()> {
        let PreparedEngine::Gpu { matrix: prepared, .. } = &self.engine else {
            return Err(no_device_vectors());
        };
        self.check_lengths(matrix.len(), result.len())?;
        prepared.record(recorder, matrix, result)
    }

    /// A kernel does not check where it reads and writes.
    fn check_lengths(&self, before: usize, after: usize) -> Result<()> {
        let columns = &self.plan.columns;
        let wanted = [columns.len_before(), columns.len_after()];
        if [before, after] == wanted {
            return Ok(());
        }
        Err(Error::Input(format!(
            "matrices of {before} and {after} words where the plan has {} and {}",
            wanted[0], wanted[1]
        )))
    }
}

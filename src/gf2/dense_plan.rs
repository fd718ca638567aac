//! Plans of dense linear algebra.

use std::fmt;
use std::time::Duration;

use super::dense_across::{self, Across};
use super::dense_run::PreparedDense;
use super::{Dense, Operation, cost, dense_group, gpu};
use crate::task::{Cost, Engine, OneEngine, Plan, Problem, Profile, Shares, Traffic, write_unshared};
use crate::{Device, Error, One, Result, Shortage, Side};

impl Problem for Dense {
    type Plan = DensePlan;

    fn plan_for(&self, profile: &Profile) -> Result<DensePlan> {
        if let (Engine::Group(members), Operation::Multiply) = (&profile.engine, self.operation) {
            let (shares, cost) = dense_group::plan(self, profile, members)?;
            let rows_at_a_time = shares.largest().map_or(self.rows, DensePlan::rows_at_a_time);
            let traffic = shares.traffic();
            let (problem, shares) = (*self, Some(shares));
            let devices = members.len();
            let across = None;
            return Ok(DensePlan {
                problem,
                on_gpu: true,
                devices,
                rows_at_a_time,
                shares,
                across,
                traffic,
                cost,
            });
        }
        if let (Engine::Group(members), true) = (&profile.engine, self.eliminates())
            && let Some(across) = dense_across::plan(self, profile, members)
        {
            let one = self.plan_for(&profile.of_one());
            // Both times are estimates, and sharing has waits that they leave out.
            let pays = |one: &DensePlan| one.parts() > 1 || one.cost.time > across.cost.time.mul_f64(1.1);
            if self.always_shares || one.as_ref().map_or(true, pays) {
                let (traffic, cost) = (across.traffic, across.cost);
                return Ok(DensePlan {
                    problem: *self,
                    on_gpu: true,
                    devices: members.len(),
                    rows_at_a_time: self.rows,
                    shares: None,
                    across: Some(across),
                    traffic,
                    cost,
                });
            }
        }
        let (devices, profile) = (profile.device_count(), &*profile.of_one());
        let (rows, columns) = (self.rows, self.columns);
        let eliminated = self.eliminated_columns();
        let (time, host, device, part) = match (profile.one_engine(), self.operation) {
            (_, Operation::Transpose) => {
                let time = cost::transposition_time(rows, columns);
                let startup = profile.gpu().map_or(Duration::ZERO, |gpu| gpu.startup);
                (time + startup, cost::transposition_bytes(rows, columns), 0, rows)
            }
            (OneEngine::Cpu(threads), Operation::Multiply) => (
                cost::cpu::product_time(rows, columns, self.others, threads),
                cost::cpu::product_bytes(rows, columns, self.others),
                0,
                rows,
            ),
            (OneEngine::Cpu(threads), operation) => {
                let bytes = match operation {
                    Operation::Rank if !self.carries => cost::cpu::pivots_bytes(rows, columns),
                    _ => self.host_bytes(cost::cpu::echelon_bytes(rows, eliminated)),
                };
                (cost::cpu::echelon_time(rows, eliminated, self.is_reduced(), threads), bytes, 0, rows)
            }
            (OneEngine::Gpu(gpu), Operation::Multiply) => {
                let all = rows.max(columns);
                let binding = gpu.binding_bytes;
                expect_columns(self.others, binding)?;
                let shape = |part: usize| (part.min(rows), part.min(columns), self.others);
                let bytes = |part: usize, memory: u64| gpu::product_bytes(shape(part), binding, memory);
                // Recursion takes memory only if all rows fit, or as many as without it.
                let least = |part: usize| bytes(part, 0);
                let part = cost::gpu::rows_at_a_time(profile, all, gpu::most_rows(binding), least);
                let gain = gpu::product_gain(shape(part), binding, profile.device_memory);
                let compiler = gain.map_or(0, |_| cost::gpu::RECURSION_COMPILER);
                let host = cost::gpu::product_bytes(rows, columns, self.others, part);
                (
                    cost::gpu::product_time(gpu, (rows, columns, self.others), gain.unwrap_or(1.0)),
                    host.saturating_add(compiler),
                    bytes(part, profile.device_memory),
                    part,
                )
            }
            (OneEngine::Gpu(gpu), _) => {
                let binding = gpu.binding_bytes;
                expect_columns(eliminated, binding)?;
                let bytes = |part: usize| {
                    let own = gpu::dense_bytes(part.min(rows), eliminated, self.limit, binding);
                    match part >= rows {
                        true => own,
                        false => {
                            own.max(gpu::product_bytes((part, part.min(self.limit), eliminated), binding, 0))
                        }
                    }
                };
                let part = cost::gpu::rows_at_a_time(profile, rows, gpu::most_rows(binding), bytes);
                (
                    cost::gpu::echelon_time(gpu, &dense_across::form_of(self)),
                    self.host_bytes(cost::gpu::echelon_bytes(rows, eliminated, part)),
                    bytes(part),
                    part,
                )
            }
        };
        let cost = Cost { time, host_bytes: host, device_bytes: device };
        cost.check(profile, "this matrix")?;
        let traffic = match (profile.one_engine(), self.operation) {
            (OneEngine::Gpu(gpu), Operation::Multiply) => {
                gpu::product_traffic((rows, columns, self.others), part, gpu.binding_bytes, device)
            }
            _ => Traffic::default(),
        };
        let (problem, on_gpu) = (*self, profile.gpu().is_some());
        let (shares, across) = (None, None);
        Ok(DensePlan { problem, on_gpu, devices, rows_at_a_time: part, shares, across, traffic, cost })
    }
}

/// Returns an error for more columns than a device with this binding limit can hold the pivots of.
fn expect_columns(columns: usize, binding_bytes: u64) -> Result<()> {
    let most = gpu::most_columns(binding_bytes);
    match columns as u64 <= most {
        true => Ok(()),
        false => Err(Error::OutOfMemory(Shortage {
            side: Some(Side::Device),
            ..format!("{columns} columns: bindings of this device hold the pivots of {most}").into()
        })),
    }
}

/// A plan to compute a [`Dense`] problem on one device.
#[derive(Clone, Debug)]
pub struct DensePlan {
    problem: Dense,
    on_gpu: bool,
    /// The devices of a group, of which one works unless there are shares.
    devices: usize,
    rows_at_a_time: usize,
    /// The shares of a product on a group.
    shares: Option<Shares<DensePlan>>,
    /// The shares of an elimination on a group.
    across: Option<Across>,
    traffic: Traffic,
    cost: Cost,
}

impl DensePlan {
    /// The problem.
    pub fn problem(&self) -> &Dense {
        &self.problem
    }

    /// The rows on the device at a time: all, or one part, as many as its memory holds.
    pub fn rows_at_a_time(&self) -> usize {
        self.rows_at_a_time
    }

    /// Prepares the plan to run on `device`: compiles the kernels, which the device keeps.
    ///
    /// # Errors
    /// [`Error::Usage`] if the plan was made for another kind of device; those of the device.
    pub fn prepare(&self, device: &Device) -> Result<PreparedDense> {
        if self.on_gpu != matches!(device.one(), One::Gpu(_)) {
            return Err(Error::Usage("a plan runs on the kind of device that it was made for".into()));
        }
        if let (Some(shares), Device::Group(group)) = (&self.shares, device) {
            dense_group::prepare(shares, group)?;
        } else if let (Some(across), Device::Group(group)) = (&self.across, device) {
            across.prepare(group, &self.problem)?;
        } else if let One::Gpu(gpu) = device.one() {
            let problem = &self.problem;
            match problem.operation {
                Operation::Transpose => {}
                Operation::Multiply => {
                    let shape = (problem.rows, problem.columns, problem.others);
                    gpu::prepare_product(gpu, shape, self.rows_at_a_time, self.cost.device_bytes)?;
                }
                _ => {
                    let columns = problem.eliminated_columns();
                    gpu::prepare_echelon(gpu, problem.rows, columns, self.rows_at_a_time)?;
                }
            }
        }
        Ok(PreparedDense::new(device.clone(), self.clone()))
    }

    pub(super) fn shares(&self) -> Option<&Shares<DensePlan>> {
        self.shares.as_ref()
    }

    pub(super) fn across(&self) -> Option<&Across> {
        self.across.as_ref()
    }

    /// True if the devices of a group share the work.
    pub(super) fn is_shared(&self) -> bool {
        self.shares.is_some() || self.across.is_some()
    }

    /// The number of parts into which the rows are divided.
    pub fn parts(&self) -> usize {
        let rows = match self.problem.operation {
            Operation::Multiply => self.problem.rows.max(self.problem.columns),
            _ => self.problem.rows,
        };
        rows.div_ceil(self.rows_at_a_time.max(1)).max(1)
    }
}

impl Plan for DensePlan {
    fn cost(&self) -> Cost {
        self.cost
    }

    /// Of a product, and of an elimination that a group shares; zeros otherwise.
    fn traffic(&self) -> Traffic {
        self.traffic
    }
}

impl fmt::Display for DensePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Dense { operation, rows, columns, others, .. } = self.problem;
        if let Some(shares) = &self.shares {
            let part = |rows, profile: &Profile| Dense { rows, ..self.problem }.plan_for(profile);
            shares.write(f, "rows", part)?;
            return self.cost.fmt(f);
        }
        match &self.across {
            Some(across) => across.write(f, &self.problem)?,
            None => write_unshared(f, self.devices)?,
        }
        let method = match (operation, self.on_gpu) {
            (Operation::Transpose, _) => "blocks of 64 x 64 bits, on the host",
            (Operation::Multiply, false) => "tables of sums, tiles of 512 columns",
            (Operation::Multiply, true) => "tables of sums, tiles of 128 columns",
            (_, false) => "blocked, 512 columns at a time",
            (_, true) => "blocked, 256 columns at a time",
        };
        writeln!(f, "operation      {}", format!("{operation:?}").to_lowercase())?;
        writeln!(f, "matrix         {rows} x {columns}")?;
        if others > 0 {
            writeln!(f, "second matrix  {others} columns")?;
        }
        writeln!(f, "method         {method}")?;
        if self.on_gpu {
            writeln!(f, "parts          {}, {} rows at a time", self.parts(), self.rows_at_a_time)?;
        }
        self.cost.fmt(f)
    }
}

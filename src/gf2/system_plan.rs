//! Plans of the special elimination, and the prepared elimination.

use std::fmt;
use std::time::Duration;

use super::system_across::{self, Across};
use super::{Elimination, Grid, Method, RowSchedule, System, SystemShape, cost, cpu, gpu};
use crate::gpu::block_on;
use crate::task::{
    Cost, Engine, GpuProfile, OneEngine, Plan, Problem, Profile, Traffic, within_memory, write_unshared,
};
use crate::{Device, Error, One, Result};

/// A plan to eliminate a [`System`] on one device, or on the devices of a group.
#[derive(Clone, Debug)]
pub struct SystemPlan {
    shape: SystemShape,
    method: Method,
    schedule: RowSchedule,
    grid: Option<Grid>,
    on_gpu: bool,
    /// The devices of a group, of which one works.
    devices: usize,
    rows_at_a_time: usize,
    /// The shares of an elimination on a group.
    across: Option<Across>,
    cost: Cost,
}

impl Problem for System {
    type Plan = SystemPlan;

    /// Plans the fastest method that fits the memory, or the method that [`System::with_method`] names.
    /// Several GPUs share a method in file order if that is expected to be faster, or one has too little memory.
    fn plan_for(&self, profile: &Profile) -> Result<SystemPlan> {
        if let (Engine::Group(members), true) = (&profile.engine, check_options(self, profile).is_ok()) {
            let methods = candidates(self.method()).iter();
            let plans = methods.filter_map(|&method| system_across::plan(self, profile, members, method));
            if let Some(across) = plans.min_by_key(|across| across.cost.time) {
                let one = self.plan_for(&profile.of_one());
                // Both times are estimates, and sharing has waits that they leave out.
                let pays =
                    |one: &SystemPlan| one.parts() > 1 || one.cost.time > across.cost.time.mul_f64(1.1);
                if self.always_shares() || one.as_ref().map_or(true, pays) {
                    let (shape, cost) = (SystemShape::of(self), across.cost);
                    let cost = (cost.time, cost.host_bytes, cost.device_bytes);
                    let plan = SystemPlan::new(shape, across.method, profile, shape.rows, cost);
                    let across = Some(across.counted(self, members)?);
                    let plan = SystemPlan { across, ..plan };
                    return Ok(plan.with_options_of(self, members.len()));
                }
            }
        }
        let (devices, profile) = (profile.device_count(), &*profile.of_one());
        let shape = SystemShape::of(self);
        check_options(self, profile)?;
        let lists = self.eliminators().len();
        let plans = candidates(self.method()).iter().map(|&method| match profile.one_engine() {
            OneEngine::Cpu(threads) => {
                let time = cost::cpu::system_time(&shape, method, threads);
                let bytes = cost::cpu::system_bytes(&shape, lists, method, threads);
                Ok(SystemPlan::new(shape, method, profile, shape.rows, (time, bytes, 0)))
            }
            OneEngine::Gpu(gpu) => on_gpu(gpu, profile, &shape, lists, method),
        });
        let mut plans = plans.collect::<Result<Vec<_>>>()?;
        plans.sort_by_key(|plan| plan.cost.time);
        let fits = |plan: &SystemPlan| plan.cost.check(profile, "this elimination").is_ok();
        if let Some(fastest) = plans.iter().position(fits) {
            return Ok(plans.swap_remove(fastest).with_options_of(self, devices));
        }
        // If no method fits, the error states the bytes of the method that takes the fewest.
        plans.sort_by_key(|plan| plan.cost.host_bytes.saturating_add(plan.cost.device_bytes));
        let plan = plans.swap_remove(0);
        plan.cost.check(profile, "this elimination")?;
        Ok(plan.with_options_of(self, devices))
    }
}

/// The methods among which the plan chooses.
pub(super) fn candidates(method: Method) -> &'static [Method] {
    match method {
        Method::Auto => &[Method::Blocked, Method::TwoStage],
        Method::Bands => &[Method::Bands],
        Method::Rounds => &[Method::Rounds],
        Method::XorThreads => &[Method::XorThreads],
        Method::Blocked => &[Method::Blocked],
        Method::TwoStage => &[Method::TwoStage],
    }
}

/// Returns an error for options that the system's method does not have on this engine.
fn check_options(system: &System, profile: &Profile) -> Result<()> {
    let (is_rounds, schedule) = (system.method() == Method::Rounds, system.schedule());
    if schedule != RowSchedule::default() && !(is_rounds && profile.gpu().is_none()) {
        let message = format!("a {schedule} schedule of rows is for method rounds on the CPU engine");
        return Err(Error::Usage(message));
    }
    match (system.grid(), profile.gpu()) {
        (None, _) => Ok(()),
        (Some(grid), Some(gpu)) if is_rounds => grid.check(gpu.workgroup_invocations),
        (Some(grid), _) => Err(Error::Usage(format!("a grid of {grid} is for method rounds on a GPU"))),
    }
}

/// Makes a plan for one method on a GPU.
fn on_gpu(
    gpu: &GpuProfile,
    profile: &Profile,
    shape: &SystemShape,
    lists: usize,
    method: Method,
) -> Result<SystemPlan> {
    let binding = gpu.binding_bytes;
    let time = cost::gpu::system_time(gpu, shape, method);
    if matches!(method, Method::Bands | Method::XorThreads) {
        return Err(Error::Usage(format!("method {method} runs on the CPU engine only")));
    }
    if method == Method::Rounds {
        let most = gpu::SOFTWARE_COLUMNS;
        if gpu.is_software && shape.columns > most {
            let message = format!("{} columns: a software driver reduces {most} in rounds", shape.columns);
            return Err(Error::Usage(message));
        }
        // This baseline keeps all rows and pivots on the device at once.
        let bytes = cost::matrix_bytes(lists + 3 * shape.rows, shape.columns);
        let host = cost::gpu::system_bytes(shape, lists, method, shape.rows);
        return Ok(SystemPlan::new(*shape, method, profile, shape.rows, (time, host, bytes)));
    }
    let bytes = |part: usize| gpu::system_bytes(&part_of(shape, part), method, binding);
    let part = cost::gpu::rows_at_a_time(profile, shape.rows, gpu::most_rows(binding), bytes);
    let host = cost::gpu::system_bytes(shape, lists, method, part);
    Ok(SystemPlan::new(*shape, method, profile, part, (time, host, bytes(part))))
}

/// An upper bound on the shape of the system that consists of a part of `part` rows and all rows
/// promoted before it.
fn part_of(shape: &SystemShape, part: usize) -> SystemShape {
    if part >= shape.rows {
        return *shape;
    }
    let promoted_ones = shape.most_promoted().saturating_mul(shape.columns);
    SystemShape {
        rows: part,
        row_ones: shape.row_ones.min(part.saturating_mul(shape.columns)),
        eliminator_ones: shape.eliminator_ones.saturating_add(promoted_ones),
        ..*shape
    }
}

impl SystemPlan {
    fn new(
        shape: SystemShape,
        method: Method,
        profile: &Profile,
        rows_at_a_time: usize,
        (time, host_bytes, device_bytes): (Duration, u64, u64),
    ) -> Self {
        let cost = Cost { time, host_bytes, device_bytes };
        let (schedule, on_gpu) = (RowSchedule::default(), profile.gpu().is_some());
        let (grid, across) = (None, None);
        SystemPlan { shape, method, schedule, grid, on_gpu, devices: 1, rows_at_a_time, across, cost }
    }

    /// Takes over the schedule of rows and the grid of a system, and the number of devices.
    fn with_options_of(self, system: &System, devices: usize) -> Self {
        SystemPlan { schedule: system.schedule(), grid: system.grid(), devices, ..self }
    }

    /// The chosen method, never [`Method::Auto`].
    pub fn method(&self) -> Method {
        self.method
    }

    /// The rows on the device at a time: all, or one part, as many as its memory holds.
    pub fn rows_at_a_time(&self) -> usize {
        self.rows_at_a_time
    }

    /// The number of parts into which the rows are divided.
    pub fn parts(&self) -> usize {
        self.shape.rows.div_ceil(self.rows_at_a_time.max(1)).max(1)
    }

    /// True if the devices of a group share the work.
    fn is_shared(&self) -> bool {
        self.across.is_some()
    }

    /// Prepares the plan to run on `device`: compiles the kernels, which the device keeps.
    ///
    /// # Errors
    /// [`Error::Usage`] if the plan was made for another kind of device; those of the device.
    pub fn prepare(&self, device: &Device) -> Result<PreparedSystem> {
        if self.on_gpu != matches!(device.one(), One::Gpu(_)) {
            return Err(Error::Usage("a plan runs on the kind of device that it was made for".into()));
        }
        if let (Some(across), Device::Group(group)) = (&self.across, device) {
            across.prepare(group)?;
        } else if let One::Gpu(gpu) = device.one() {
            gpu::prepare_system(gpu, &self.shape, (self.method, self.grid), self.rows_at_a_time)?;
        }
        Ok(PreparedSystem { device: device.clone(), plan: self.clone() })
    }
}

impl Plan for SystemPlan {
    fn cost(&self) -> Cost {
        self.cost
    }

    /// Of an elimination that a group shares; zeros otherwise. Counted for rows like random ones: the first rows are
    /// promoted, as many as can be, and the first columns without an eliminator are their leads.
    fn traffic(&self) -> Traffic {
        self.across.as_ref().map_or(Traffic::default(), |across| across.traffic)
    }
}

impl fmt::Display for SystemPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = &self.shape;
        match &self.across {
            Some(across) => across.write(f)?,
            None => write_unshared(f, self.devices)?,
        }
        writeln!(f, "rows           {}, {} ones", shape.rows, shape.row_ones)?;
        writeln!(f, "eliminators    {}, {} ones", shape.eliminators, shape.eliminator_ones)?;
        writeln!(f, "columns        {}, {} without an eliminator", shape.columns, shape.missing())?;
        writeln!(f, "method         {}", self.method)?;
        if self.schedule != RowSchedule::default() {
            writeln!(f, "schedule       {}", self.schedule)?;
        }
        if let Some(Grid { threads, blocks }) = self.grid {
            writeln!(f, "grid           {threads} threads x {blocks} blocks")?;
        }
        if self.on_gpu {
            writeln!(f, "parts          {}, {} rows at a time", self.parts(), self.rows_at_a_time)?;
        }
        self.cost.fmt(f)
    }
}

/// A [`SystemPlan`] that is ready to run on a device, any number of times.
///
/// Data of a system come from the host and return to it: the lists of a system are indexed there, and the
/// host reads which rows were promoted before it asks for them. So there is no run over device vectors, and
/// no recording of the work into another submission.
#[derive(Clone, Debug)]
pub struct PreparedSystem {
    device: Device,
    plan: SystemPlan,
}

impl PreparedSystem {
    /// The plan.
    pub fn plan(&self) -> &SystemPlan {
        &self.plan
    }

    /// Eliminates a system of the planned shape.
    ///
    /// # Errors
    /// [`Error::Input`] for another shape; [`Error::OutOfMemory`]; those of the device.
    pub fn run(&self, system: &System) -> Result<Elimination> {
        block_on(self.run_async(system))
    }

    /// The asynchronous form of [`run`](Self::run), for browsers.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub async fn run_async(&self, system: &System) -> Result<Elimination> {
        let plan = &self.plan;
        if SystemShape::of(system) != plan.shape {
            return Err(Error::Input("the plan is for a system of another shape".into()));
        }
        if let (Some(across), Device::Group(group)) = (&plan.across, &self.device) {
            return across.eliminate(group, system);
        }
        match self.device.one() {
            One::Cpu(cpu) => cpu::eliminate(cpu, system, plan.method, plan.schedule),
            One::Gpu(gpu) => gpu::eliminate(gpu, system, (plan.method, plan.grid), plan.rows_at_a_time).await,
        }
    }
}

/// Eliminates a system: by the rule that [`System`] states, or by [`Method::Rounds`] with another choice
/// of promoted rows of the same leads.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{self, IndexLists, System}};
///
/// // One eliminator, x7 + x3, and two rows: x7 + x1, which it reduces to x3 + x1, and x3 + x1.
/// let eliminators = IndexLists::new(vec![0, 2], vec![7, 3])?;
/// let rows = IndexLists::new(vec![0, 2, 4], vec![7, 1, 3, 1])?;
/// let system = System::new(eliminators, rows, None)?;
/// let result = gf2::eliminate(&Device::Cpu(Cpu::default()), &system)?;
/// assert_eq!(result.promoted(), [0]);
/// assert_eq!(result.row(0).collect::<Vec<_>>(), [3, 1]);
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] for a method that the device does not have; [`Error::OutOfMemory`]; those of the
/// device.
pub fn eliminate(device: &Device, system: &System) -> Result<Elimination> {
    block_on(eliminate_async(device, system))
}

/// The asynchronous form of [`eliminate`], for browsers.
///
/// # Errors
/// Those of [`eliminate`].
pub async fn eliminate_async(device: &Device, system: &System) -> Result<Elimination> {
    let eliminate = async |device: &Device| {
        within_memory(device.profile(), async |profile| {
            system.plan_for(profile)?.prepare(device)?.run_async(system).await
        })
        .await
    };
    match device {
        // A group shares an elimination if the plan says so.
        Device::Group(_) if system.plan_for(&device.profile()).is_ok_and(|plan| plan.is_shared()) => {
            eliminate(device).await
        }
        _ => device.on_one(eliminate).await,
    }
}

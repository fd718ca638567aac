//! The special elimination on several processes.

use std::fmt;

use super::lists::{receive_lists, send_lists};
use super::{Work, rounds, write_shares};
use crate::gf2::cpu::across;
use crate::gf2::gpu::BLOCK;
use crate::gf2::{Elimination, Method, System, SystemPlan, SystemShape, system_across};
use crate::processes::{Kind, Reader, Shared, Transport, Writer};
use crate::task::{Cost, Engine, Plan, Problem, Profile};
use crate::timeline::Phase;
use crate::{Device, Error, One, Result};

/// A plan to eliminate a [`System`] on several processes; see [`Shared`].
#[derive(Clone, Debug)]
pub struct SharedSystemPlan {
    shape: SystemShape,
    method: Method,
    kind: Kind,
    processes: usize,
    cost: Cost,
}

impl Problem for Shared<'_, System> {
    type Plan = SharedSystemPlan;

    /// Plans the method that [`System::with_method`] names, or the faster of those in file order, `blocked` and
    /// `two-stage`.
    ///
    /// The profile is that of process 0's device, which the others' equal. Times of messages are not counted.
    fn plan_for(&self, profile: &Profile) -> Result<SharedSystemPlan> {
        // Each process has one device.
        let profile = &*profile.of_one();
        let (kind, all) = whole(profile, self.processes);
        if let method @ (Method::Bands | Method::XorThreads) = self.problem.method() {
            return Err(Error::Usage(format!("method {method} runs on one process only")));
        }
        let system = self.problem;
        let shared = match (kind, system.method()) {
            (Kind::Gpu, method) if method != Method::Rounds => {
                system_across::among(system, profile, self.processes)
            }
            _ => None,
        };
        let (method, cost) = match shared {
            Some(shared) => shared,
            None => {
                let plan: SystemPlan = system.plan_for(&all)?;
                if plan.parts() > 1 {
                    let more = Profile { device_memory: u64::MAX, ..all.clone() };
                    let all_rows: SystemPlan = system.plan_for(&more)?;
                    all_rows.cost().check(profile, "this elimination on GPUs of several processes")?;
                }
                (plan.method(), plan.cost())
            }
        };
        let ones = system.eliminators().ones() + system.rows().ones();
        let lists = system.eliminators().len() + system.row_count();
        // The lists in messages, and the words of rows that are received before they are put together.
        let messages = (4 * ones as u64 + 8 * lists as u64).saturating_mul(2);
        let tables = if method == Method::TwoStage { across::TABLES as u64 } else { 0 };
        let messages = messages.saturating_add(tables);
        let host_bytes = cost.host_bytes.saturating_mul(2).saturating_add(messages);
        let cost = Cost { host_bytes, ..cost };
        cost.check(profile, "this elimination on several processes")?;
        let shape = SystemShape::of(system);
        Ok(SharedSystemPlan { shape, method, kind, processes: self.processes, cost })
    }
}

/// The kind of a profile's device, and a profile of all processes' cores together.
pub(super) fn whole(profile: &Profile, processes: usize) -> (Kind, Profile) {
    match &profile.engine {
        Engine::Cpu { threads } => {
            (Kind::Cpu, Profile { engine: Engine::Cpu { threads: threads * processes }, ..profile.clone() })
        }
        Engine::Gpu(_) | Engine::Group(_) | Engine::Processes { .. } => {
            (Kind::Gpu, profile.of_one().into_owned())
        }
    }
}

impl SharedSystemPlan {
    /// The chosen method, never [`Method::Auto`].
    pub fn method(&self) -> Method {
        self.method
    }

    /// Prepares the plan to run. Process 0 calls it; the others [`serve`](crate::serve()).
    ///
    /// # Errors
    /// [`Error::Usage`] if the plan was made for another kind of device or another number of processes.
    pub fn prepare<'c>(
        &self,
        device: &Device,
        processes: &'c dyn Transport,
    ) -> Result<PreparedSharedSystem<'c>> {
        match (Kind::of(device), processes.size()) == (self.kind, self.processes) {
            true => Ok(PreparedSharedSystem { device: device.clone(), processes, plan: self.clone() }),
            false => {
                Err(Error::Usage("a plan runs on the devices and processes that it was made for".into()))
            }
        }
    }

    /// The share of process `rank` in words.
    fn share(&self, rank: usize) -> String {
        let SystemShape { columns, rows, .. } = self.shape;
        let every_from = |units: usize, first: usize| units.saturating_sub(first).div_ceil(self.processes);
        let every = |units: usize| every_from(units, rank);
        match self.method {
            Method::Rounds => {
                let also = if rank == 0 { "; promotes" } else { "" };
                format!("reduces {} rows{also}", every(rows))
            }
            method if self.kind == Kind::Gpu => {
                let (wide, narrow) = (columns.div_ceil(BLOCK), self.shape.missing().div_ceil(BLOCK));
                let also = match method {
                    Method::TwoStage => format!(", {} of {narrow} without eliminators", every(narrow)),
                    _ => String::new(),
                };
                format!("{} of {wide} blocks of {BLOCK} columns{also}", every(wide))
            }
            Method::TwoStage => {
                let also = if rank == 0 { "; combines" } else { "" };
                let groups = self.shape.most_promoted().div_ceil(512);
                // Process 0 widens the last groups.
                let own = every_from(groups, self.processes - 1 - rank);
                format!(
                    "narrows and chooses {} rows, widens at most {own} of {groups} groups of 512{also}",
                    every(rows)
                )
            }
            _ => {
                let tiles = columns.div_ceil(512);
                format!("{} of {tiles} tiles of 512 columns", every(tiles))
            }
        }
    }
}

impl Plan for SharedSystemPlan {
    fn cost(&self) -> Cost {
        self.cost
    }
}

impl fmt::Display for SharedSystemPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = &self.shape;
        writeln!(f, "rows           {}, {} ones", shape.rows, shape.row_ones)?;
        writeln!(f, "eliminators    {}, {} ones", shape.eliminators, shape.eliminator_ones)?;
        writeln!(f, "columns        {}, {} without an eliminator", shape.columns, shape.missing())?;
        writeln!(f, "method         {}", self.method)?;
        writeln!(f, "devices        {}", self.kind.place())?;
        write_shares(f, self.processes, |rank| self.share(rank))?;
        self.cost.fmt(f)
    }
}

/// A [`SharedSystemPlan`] that is ready to run, any number of times.
pub struct PreparedSharedSystem<'c> {
    device: Device,
    processes: &'c dyn Transport,
    plan: SharedSystemPlan,
}

impl PreparedSharedSystem<'_> {
    /// Eliminates a system of the planned shape.
    ///
    /// # Errors
    /// [`Error::Input`] for another shape; [`Error::OutOfMemory`]; [`Error::DeviceLost`] for a process that has
    /// ended; those of the device.
    pub fn run(&self, system: &System) -> Result<Elimination> {
        if SystemShape::of(system) != self.plan.shape {
            return Err(Error::Input("the plan is for a system of another shape".into()));
        }
        let work = match self.plan.method {
            Method::Rounds => return rounds::eliminate(self.processes, &self.device, system),
            Method::Blocked => Work::Blocked,
            _ => Work::TwoStage,
        };
        if system.row_count() == 0 || system.width() == 0 {
            return crate::gf2::eliminate(&self.device, system);
        }
        work.announce(self.processes, &self.device, &[])?;
        let result = match self.device.one() {
            One::Cpu(cpu) => {
                cpu.timeline.time(Phase::Host, &format!("eliminate {}", self.plan.method), || match work {
                    Work::Blocked => {
                        self.send_whole(system)?;
                        across::blocked(self.processes, cpu, system).map(Some)
                    }
                    _ => across::two_stage(self.processes, cpu, system).map(Some),
                })?
            }
            One::Gpu(gpu) => {
                self.send_whole(system)?;
                system_across::eliminate_among(self.processes, gpu, (system, self.plan.method))?
            }
        };
        result.ok_or_else(|| Error::Device("process 0 has no result".into()))
    }

    fn send_whole(&self, system: &System) -> Result<()> {
        let mut message = Writer::default();
        message.put(&[system.width() as u64]);
        send_lists(&mut message, system.eliminators());
        send_lists(&mut message, system.rows());
        self.processes.broadcast(&message.finish())
    }
}

/// The part of the other processes.
pub(super) fn share(processes: &dyn Transport, device: &Device, work: Work) -> Result<()> {
    if let (One::Cpu(cpu), Work::TwoStage) = (device.one(), work) {
        return across::two_stage_share(processes, cpu);
    }
    let message = processes.receive_broadcast(0)?;
    let mut reader = Reader::new(&message);
    let [width] = reader.take_array::<u64, 1>()?;
    let system = System::share(receive_lists(&mut reader)?, receive_lists(&mut reader)?, width as usize)?;
    drop(message);
    match (device.one(), work) {
        (One::Cpu(cpu), _) => across::blocked_share(processes, cpu, &system),
        (One::Gpu(gpu), work) => {
            let method = if work == Work::Blocked { Method::Blocked } else { Method::TwoStage };
            system_across::eliminate_among(processes, gpu, (&system, method)).map(drop)
        }
    }
}

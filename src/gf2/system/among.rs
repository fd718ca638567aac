//! The special elimination on several processes, by one method.

use std::fmt;

use super::across::{Across, eliminate_among};
use super::on_cpu::OnCpu;
use super::on_gpu::OnGpu;
use super::rounds;
use crate::gf2::cpu::across;
use crate::gf2::gpu::BLOCK;
use crate::gf2::processes::lists::{receive_lists, send_lists};
use crate::gf2::processes::{Work, write_shares};
use crate::gf2::{Elimination, Method, System, SystemShape};
use crate::processes::{Kind, Reader, Transport, Writer, no_result};
use crate::task::{Cost, Done, Engine, Profile, Ready, Way, expect_processes, other_device};
use crate::timeline::Phase;
use crate::{Device, One, Processes, Result};

/// The way. The profile is that of process 0's device, which the others' equal. Times of messages are not counted.
#[derive(Debug)]
pub(super) struct Among {
    pub method: Method,
    shape: SystemShape,
    kind: Kind,
    processes: usize,
    cost: Cost,
}

impl Among {
    /// The name of the way of a method.
    pub fn name(method: Method) -> &'static str {
        match method {
            Method::Rounds => "rounds, on several processes",
            Method::Blocked => "blocked, on several processes",
            _ => "two-stage, on several processes",
        }
    }

    pub fn new(
        system: &System,
        method: Method,
        profile: &Profile,
        (processes, each): (usize, &Engine),
    ) -> Result<Self> {
        if let Method::Bands | Method::XorThreads = method {
            return Err(method.only_for("one process"));
        }
        let profile = &*profile.of_one();
        let (kind, cost) = match each {
            Engine::Cpu { threads } => {
                (Kind::Cpu, OnCpu::new(system, method, threads.saturating_mul(processes)).cost())
            }
            Engine::Gpu(gpu) => {
                let shared = Across::among(system, profile, processes, method);
                let alone = || {
                    let cost = OnGpu::new(system, method, gpu)?.cost();
                    cost.check(profile, "this elimination on GPUs of several processes")?;
                    Ok(cost)
                };
                (Kind::Gpu, shared.map_or_else(alone, Ok)?)
            }
            Engine::Group(_) | Engine::Processes { .. } => return Err(other_device()),
        };
        let ones = system.eliminators().ones() + system.rows().ones();
        let lists = system.eliminators().len() + system.row_count();
        // The lists in messages, and the words of rows that are received before they are put together.
        let messages = (4 * ones as u64 + 8 * lists as u64).saturating_mul(2);
        let tables = if method == Method::TwoStage { across::TABLES as u64 } else { 0 };
        let messages = messages.saturating_add(tables);
        let host_bytes = cost.host_bytes.saturating_mul(2).saturating_add(messages);
        let (shape, cost) = (SystemShape::of(system), Cost { host_bytes, ..cost });
        Ok(Among { method, shape, kind, processes, cost })
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

impl Way<System> for Among {
    type Device = Processes;
    type Ready<'p> = (Processes, Method);

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &System, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         {}", self.method)?;
        writeln!(f, "devices        {}", self.kind.place())?;
        write_shares(f, self.processes, |rank| self.share(rank))
    }

    fn prepare<'p>(&self, _: &System, processes: &Processes, (): ()) -> Result<Self::Ready<'p>> {
        Ok((expect_processes(processes, self.kind, self.processes)?, self.method))
    }
}

/// The processes. This is process 0; the others [`serve`](crate::serve()).
impl Ready<System> for (Processes, Method) {
    async fn run<'i: 'i>(&self, problem: &System, system: &'i System, _: &Done) -> Result<Elimination> {
        self.0.job(|transport, device| match self.1 {
            Method::Rounds => rounds::eliminate(transport, device, &system.clone().with_options_of(problem)),
            _ if system.row_count() == 0 || system.width() == 0 => crate::gf2::eliminate(device, system),
            method => eliminate(transport, device, system, method),
        })
    }
}

/// The part of process 0, not in rounds.
fn eliminate(
    processes: &dyn Transport,
    device: &Device,
    system: &System,
    method: Method,
) -> Result<Elimination> {
    let work = if method == Method::Blocked { Work::Blocked } else { Work::TwoStage };
    work.announce(processes, device, &[])?;
    let result = match device.one() {
        One::Cpu(cpu) => cpu.timeline.time(Phase::Host, &format!("eliminate {method}"), || match work {
            Work::Blocked => {
                send_whole(processes, system)?;
                across::blocked(processes, cpu, system)
            }
            _ => across::two_stage(processes, cpu, system).map(Some),
        })?,
        One::Gpu(gpu) => {
            send_whole(processes, system)?;
            eliminate_among(processes, gpu, (system, method))?
        }
    };
    result.ok_or_else(no_result)
}

fn send_whole(processes: &dyn Transport, system: &System) -> Result<()> {
    let mut message = Writer::default();
    message.put(&[system.width() as u64]);
    send_lists(&mut message, system.eliminators());
    send_lists(&mut message, system.rows());
    processes.broadcast(&message.finish())
}

/// The part of the other processes.
pub fn share(processes: &dyn Transport, device: &Device, work: Work) -> Result<()> {
    if let (One::Cpu(cpu), Work::TwoStage) = (device.one(), work) {
        return across::two_stage_share(processes, cpu);
    }
    let message = processes.receive_broadcast(0)?;
    let mut reader = Reader::new(&message);
    let [width] = reader.take_array::<u64, 1>()?;
    let system = System::share(receive_lists(&mut reader)?, receive_lists(&mut reader)?, width as usize)?;
    drop(message);
    match (device.one(), work) {
        (One::Cpu(cpu), _) => across::blocked(processes, cpu, &system).map(drop),
        (One::Gpu(gpu), work) => {
            let method = if work == Work::Blocked { Method::Blocked } else { Method::TwoStage };
            eliminate_among(processes, gpu, (&system, method)).map(drop)
        }
    }
}

//! The special elimination on several processes, by one method.

use std::fmt;

use super::across::Across;
use super::on_cpu::OnCpu;
use super::on_gpu::OnGpu;
use super::rounds;
use super::together::eliminate_among;
use crate::gf2::cpu::across;
use crate::gf2::gpu::BLOCK;
use crate::gf2::processes::lists::{receive_lists, send_lists};
use crate::gf2::processes::{JobKind, write_shares};
use crate::gf2::{Elimination, F4Matrix, F4Method, F4Shape};
use crate::processes::{Kind, Reader, Transport, Writer, no_result};
use crate::task::{Cost, Done, Engine, Profile, Ready, Way, expect_processes, other_device};
use crate::timeline::Phase;
use crate::{Device, One, Processes, Result};

/// The way. The profile is that of process 0's device, which the others' equal. Times of messages are not counted.
#[derive(Debug)]
pub(super) struct Among {
    pub method: F4Method,
    shape: F4Shape,
    kind: Kind,
    processes: usize,
    cost: Cost,
}

impl Among {
    /// The name of the way of a method.
    pub fn name(method: F4Method) -> &'static str {
        match method {
            F4Method::Rounds => "rounds, on several processes",
            F4Method::Blocked => "blocked, on several processes",
            _ => "two-stage, on several processes",
        }
    }

    pub fn new(
        f4: &F4Matrix,
        method: F4Method,
        profile: &Profile,
        (processes, each): (usize, &Engine),
    ) -> Result<Self> {
        if let F4Method::Bands | F4Method::XorThreads = method {
            return Err(method.only_for("one process"));
        }
        let profile = &*profile.of_one();
        let (kind, cost) = match each {
            Engine::Cpu(cpu) => (Kind::Cpu, OnCpu::new(f4, method, cpu.times(processes)).cost()),
            Engine::Gpu(gpu) => {
                let shared = Across::among(f4, profile, processes, method);
                let alone = || {
                    let cost = OnGpu::new(f4, method, gpu)?.cost();
                    cost.check(profile, "this elimination on GPUs of several processes")?;
                    Ok(cost)
                };
                (Kind::Gpu, shared.map_or_else(alone, Ok)?)
            }
            Engine::Group(_) | Engine::Processes { .. } => return Err(other_device()),
        };
        let ones = f4.reducers().ones() + f4.rows().ones();
        let lists = f4.reducers().len() + f4.row_count();
        // The lists in messages, and the words of rows that are received before they are put together.
        let messages = (4 * ones as u64 + 8 * lists as u64).saturating_mul(2);
        let tables = if method == F4Method::TwoStage { across::TABLES as u64 } else { 0 };
        let messages = messages.saturating_add(tables);
        let host_bytes = cost.host_bytes.saturating_mul(2).saturating_add(messages);
        let (shape, cost) = (F4Shape::of(f4), Cost { host_bytes, ..cost });
        Ok(Among { method, shape, kind, processes, cost })
    }

    /// The share of process `rank` in words.
    fn share(&self, rank: usize) -> String {
        let F4Shape { columns, rows, .. } = self.shape;
        let every_from = |units: usize, first: usize| units.saturating_sub(first).div_ceil(self.processes);
        let every = |units: usize| every_from(units, rank);
        match self.method {
            F4Method::Rounds => {
                let also = if rank == 0 { "; promotes" } else { "" };
                format!("reduces {} rows{also}", every(rows))
            }
            method if self.kind == Kind::Gpu => {
                let (wide, narrow) = (columns.div_ceil(BLOCK), self.shape.missing().div_ceil(BLOCK));
                let also = match method {
                    F4Method::TwoStage => format!(", {} of {narrow} without eliminators", every(narrow)),
                    _ => String::new(),
                };
                format!("{} of {wide} blocks of {BLOCK} columns{also}", every(wide))
            }
            F4Method::TwoStage => {
                let also = if rank == 0 { "; combines" } else { "" };
                let groups = self.shape.most_new_pivots().div_ceil(512);
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

impl Way<F4Matrix> for Among {
    type Device = Processes;
    type Ready<'p> = (Processes, F4Method);

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &F4Matrix, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         {}", self.method)?;
        writeln!(f, "devices        {}", self.kind.place())?;
        write_shares(f, self.processes, |rank| self.share(rank))
    }

    fn prepare<'p>(&self, _: &F4Matrix, processes: &Processes, (): ()) -> Result<Self::Ready<'p>> {
        Ok((expect_processes(processes, self.kind, self.processes)?, self.method))
    }
}

/// The processes. This is process 0; the others [`serve`](crate::serve()).
impl Ready<F4Matrix> for (Processes, F4Method) {
    async fn run<'i: 'i>(&self, problem: &F4Matrix, f4: &'i F4Matrix, _: &Done) -> Result<Elimination> {
        self.0.job(|transport, device| match self.1 {
            F4Method::Rounds => rounds::eliminate(transport, device, &f4.clone().with_options_of(problem)),
            _ if f4.row_count() == 0 || f4.width() == 0 => crate::gf2::eliminate(device, f4),
            method => eliminate(transport, device, f4, method),
        })
    }
}

/// The part of process 0, not in rounds.
fn eliminate(
    processes: &dyn Transport,
    device: &Device,
    f4: &F4Matrix,
    method: F4Method,
) -> Result<Elimination> {
    let kind = if method == F4Method::Blocked { JobKind::Blocked } else { JobKind::TwoStage };
    kind.announce(processes, device, &[])?;
    let result = match device.one() {
        One::Cpu(cpu) => cpu.timeline.time(Phase::Host, &format!("eliminate {method}"), || match kind {
            JobKind::Blocked => {
                send_whole(processes, f4)?;
                across::blocked(processes, cpu, f4)
            }
            _ => across::two_stage(processes, cpu, f4).map(Some),
        })?,
        One::Gpu(gpu) => {
            send_whole(processes, f4)?;
            eliminate_among(processes, gpu, (f4, method))?
        }
    };
    result.ok_or_else(no_result)
}

fn send_whole(processes: &dyn Transport, f4: &F4Matrix) -> Result<()> {
    let mut message = Writer::default();
    message.put(&[f4.width() as u64]);
    send_lists(&mut message, f4.reducers());
    send_lists(&mut message, f4.rows());
    processes.broadcast(&message.finish())
}

/// The part of the other processes.
pub fn share(processes: &dyn Transport, device: &Device, kind: JobKind) -> Result<()> {
    if let (One::Cpu(cpu), JobKind::TwoStage) = (device.one(), kind) {
        return across::two_stage_share(processes, cpu);
    }
    let message = processes.receive_broadcast(0)?;
    let mut reader = Reader::new(&message);
    let [width] = reader.take_array::<u64, 1>()?;
    let f4 = F4Matrix::share(receive_lists(&mut reader)?, receive_lists(&mut reader)?, width as usize)?;
    drop(message);
    match (device.one(), kind) {
        (One::Cpu(cpu), _) => across::blocked(processes, cpu, &f4).map(drop),
        (One::Gpu(gpu), kind) => {
            let method = if kind == JobKind::Blocked { F4Method::Blocked } else { F4Method::TwoStage };
            eliminate_among(processes, gpu, (&f4, method)).map(drop)
        }
    }
}

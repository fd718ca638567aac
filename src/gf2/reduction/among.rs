//! An elimination on several processes: each has some tiles of the columns.

use std::fmt;
use std::ops::Range;

use super::RowReduction;
use super::across::{Across, combine};
use super::on_cpu::OnCpu;
use super::on_gpu::OnGpu;
use crate::gf2::block_cyclic::Deal;
use crate::gf2::cpu::across;
use crate::gf2::gpu::{self, Part};
use crate::gf2::processes::{JobKind, write_shares};
use crate::gf2::{BitMatrix, Echelon, Wanted};
use crate::gpu::Gpu;
use crate::processes::{Kind, Reader, Transport, Writer, malformed, no_result};
use crate::task::{Cost, Done, Engine, Profile, Ready, Way, expect_processes, other_device};
use crate::timeline::Phase;
use crate::{Device, One, Processes, Result};

/// Bytes of the rows of a matrix whose parts are sent together: little enough that a copy stays in the caches.
const BAND: usize = 8 << 20;

/// The way: tiles of 512 columns, on GPUs blocks of 256. The profile is that of process 0's device, which the others'
/// equal. Times of messages are not counted.
#[derive(Debug)]
pub(super) struct Among {
    kind: Kind,
    processes: usize,
    cost: Cost,
}

impl Among {
    /// The name of the way.
    pub const NAME: &'static str = "on several processes";

    pub fn new(
        reduction: &RowReduction,
        profile: &Profile,
        (processes, each): (usize, &Engine),
    ) -> Result<Self> {
        let one = &*profile.of_one();
        let (kind, cost) = match each {
            Engine::Cpu(cpu) => (Kind::Cpu, OnCpu::new(reduction, cpu.times(processes)).cost()),
            Engine::Gpu(gpu) => {
                let fits = |across: &Across| across.cost().check(one, "this matrix").is_ok();
                let shared = Across::equal(reduction, one, processes).filter(fits);
                let alone = || {
                    let cost = OnGpu::whole(reduction, gpu)?.cost();
                    cost.check(one, "this matrix on GPUs of several processes")?;
                    Ok(cost)
                };
                (Kind::Gpu, shared.map_or_else(alone, |across| Ok(across.cost()))?)
            }
            Engine::Group(_) | Engine::Processes { .. } => return Err(other_device()),
        };
        // The matrix in messages, on its way to the other processes.
        let messages = BitMatrix::bytes_of(reduction.rows as u64, reduction.columns as u64);
        let host_bytes = cost.host_bytes.saturating_add(messages);
        Ok(Among { kind, processes, cost: Cost { host_bytes, ..cost } })
    }
}

impl Way<RowReduction> for Among {
    type Device = Processes;
    type Ready<'p> = Processes;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, reduction: &RowReduction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = if self.kind == Kind::Gpu { gpu::BLOCK } else { 512 };
        writeln!(f, "devices        {}", self.kind.place())?;
        writeln!(f, "method         blocked, {width} columns at a time, dealt out in a cycle")?;
        let tiles = reduction.columns.div_ceil(width);
        write_shares(f, self.processes, |rank| {
            let own = tiles.saturating_sub(rank).div_ceil(self.processes);
            format!("{own} of {tiles} tiles of {width} columns")
        })
    }

    fn prepare<'p>(&self, _: &RowReduction, processes: &Processes, (): ()) -> Result<Self::Ready<'p>> {
        expect_processes(processes, self.kind, self.processes)
    }
}

/// Process 0 runs; the others [`serve`](crate::serve()).
impl Ready<RowReduction> for Processes {
    async fn run<'i: 'i>(
        &self,
        reduction: &RowReduction,
        matrix: &'i BitMatrix,
        _: &Done,
    ) -> Result<Echelon> {
        if matrix.rows() == 0 || matrix.columns() == 0 {
            return reduction.excerpt(Echelon { matrix: matrix.clone(), pivots: Vec::new() });
        }
        let reduction = &reduction.of(matrix);
        let eliminate =
            |transport: &dyn Transport, device: &Device| eliminate(transport, device, matrix, reduction);
        reduction.excerpt(self.job(eliminate)?)
    }
}

/// The part of process 0.
fn eliminate(
    processes: &dyn Transport,
    device: &Device,
    matrix: &BitMatrix,
    reduction: &RowReduction,
) -> Result<Echelon> {
    JobKind::Echelon.announce(processes, device, &reduction.to_words())?;
    let echelon = match device.one() {
        One::Cpu(cpu) => {
            let work = || across::echelon(processes, cpu, Some(matrix), reduction);
            cpu.timeline.time(Phase::Host, "echelon", work)?
        }
        One::Gpu(gpu) => echelon_on_gpus(processes, gpu, Some(matrix), reduction)?,
    };
    echelon.ok_or_else(no_result)
}

/// The processes make forms with all rows.
const WANTED: [Wanted; 3] = [Wanted::Pivots, Wanted::Echelon { from: 0 }, Wanted::Reduced];

impl RowReduction {
    fn to_words(self) -> [u64; 4] {
        let wanted = match self.wanted {
            Wanted::Pivots => 0,
            Wanted::Echelon { .. } => 1,
            Wanted::Reduced => 2,
        };
        [self.rows as u64, self.columns as u64, self.limit as u64, wanted]
    }

    fn from_words(words: &[u64]) -> Result<Self> {
        let &[rows, columns, limit, wanted] = words else { return Err(malformed()) };
        let [rows, columns, limit, wanted] = [rows, columns, limit, wanted].map(|word| word as usize);
        match WANTED.get(wanted) {
            Some(&wanted) if rows > 0 && limit <= columns => {
                Ok(RowReduction { limit, wanted, ..RowReduction::whole(rows, columns) })
            }
            _ => Err(malformed()),
        }
    }
}

/// The part of the other processes.
pub(in crate::gf2) fn share(processes: &dyn Transport, device: &Device, words: &[u64]) -> Result<()> {
    let reduction = RowReduction::from_words(words)?;
    match device.one() {
        One::Cpu(cpu) => across::echelon(processes, cpu, None, &reduction).map(drop),
        One::Gpu(gpu) => echelon_on_gpus(processes, gpu, None, &reduction).map(drop),
    }
}

/// The rows that process 0 sends in one message: while it copies the next ones, the others copy these.
fn bands(reduction: &RowReduction) -> impl Iterator<Item = Range<usize>> {
    let (rows, bytes) = (reduction.rows, reduction.columns.div_ceil(8).max(1));
    let band = (BAND / bytes).max(1);
    (0..rows).step_by(band).map(move |first| first..rows.min(first + band))
}

/// Every process's part on GPUs. Process 0 passes the matrix and deals out its blocks; all eliminate; the others send
/// their parts to process 0, which returns the form.
fn echelon_on_gpus(
    processes: &dyn Transport,
    gpu: &Gpu,
    matrix: Option<&BitMatrix>,
    reduction: &RowReduction,
) -> Result<Option<Echelon>> {
    let (rank, size) = (processes.rank(), processes.size());
    let deal = Deal::new(reduction.columns, &vec![1.0; size]);
    let others = || (1..size).filter(|&other| deal.columns_of(other) > 0);
    let own = match matrix {
        Some(matrix) => {
            for rows in bands(reduction) {
                for to in others() {
                    let mut message = Writer::default();
                    message.put(deal.part_of_rows(matrix, rows.clone(), to)?.words64());
                    processes.send(to, message.finish())?;
                }
            }
            deal.part(matrix, rank)?
        }
        None => {
            let mut own = BitMatrix::zeros(reduction.rows, deal.columns_of(rank))?;
            let stride = own.stride64();
            if own.columns() > 0 {
                for rows in bands(reduction) {
                    let band = &mut own.words64_mut()[rows.start * stride..rows.end * stride];
                    Reader::new(&processes.receive(0)?).take_into(band)?;
                }
            }
            own
        }
    };
    let part = gpu::eliminate_across(processes, gpu, own, &deal, reduction)?;
    if rank > 0 {
        if deal.columns_of(rank) > 0 {
            let mut message = Writer::default();
            message.put(&part.pivots);
            message.put(part.matrix.words64());
            processes.send(0, message.finish())?;
        }
        return Ok(None);
    }
    let mut parts = vec![part];
    for from in 1..size {
        let (rows, columns) = match reduction.has_no_form() {
            true => (0, 0),
            false => (reduction.rows, deal.columns_of(from)),
        };
        let mut part = Part { matrix: BitMatrix::zeros(rows, columns)?, pivots: Vec::new() };
        if deal.columns_of(from) > 0 {
            let message = processes.receive(from)?;
            let mut message = Reader::new(&message);
            part.pivots = message.take()?;
            message.take_into(part.matrix.words64_mut())?;
        }
        parts.push(part);
    }
    combine(&parts, &deal, reduction).map(Some)
}

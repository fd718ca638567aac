//! Elimination in rounds on several processes: algorithm 2 of the course, over messages.
//!
//! ```text
//! process 0 broadcasts the reducers and deals out the rows in a cycle
//! repeat until no row becomes a pivot:
//!     every process    reduces its active rows by the known pivots, each until its lead has no pivot;
//!                      sends process 0, for each new lead, its first row with that lead
//!     process 0        makes pivots, in the order of the file, of the first row of each lead;
//!                      broadcasts the new pivots
//! ```
//!
//! Only the first row of a lead can become a pivot, so process 0 needs no other row of that lead. The result is that of
//! [`F4Method::Rounds`](crate::gf2::F4Method::Rounds) on one process.

use std::collections::HashSet;

use crate::gf2::processes::JobKind;
use crate::gf2::processes::lists::{receive_lists, send_lists, send_rows};
use crate::gf2::rounds::{Pivots, Progress, dense_rows, lead};
use crate::gf2::{BitMatrix, Elimination, F4Matrix, Grid, IndexLists, RowSchedule, cpu, gpu};
use crate::gpu::block_on;
use crate::processes::{Message, Reader, Transport, Writer, malformed};
use crate::{Device, One, Result};

/// Process 0's part.
pub fn eliminate(processes: &dyn Transport, device: &Device, f4: &F4Matrix) -> Result<Elimination> {
    let size = processes.size();
    let (schedule, grid) = (f4.schedule(), f4.grid());
    let [threads, blocks] = grid.map_or([0; 2], |grid| [grid.threads, grid.blocks].map(u64::from));
    JobKind::Rounds.announce(processes, device, &[schedule as u64, threads, blocks])?;
    let mut message = Writer::default();
    message.put(&[f4.width() as u64, f4.row_count() as u64]);
    send_lists(&mut message, f4.reducers());
    processes.broadcast(&message.finish())?;
    for to in 1..size {
        let mut message = Writer::default();
        send_rows(&mut message, f4.rows().iter().skip(to).step_by(size));
        processes.send(to, message.finish())?;
    }
    let own = F4Matrix::share(IndexLists::default(), every_nth(f4.rows(), 0, size), f4.width())?;
    let rows = dense_rows(&own)?;
    let mut share = Share {
        pivots: Pivots::new(f4)?,
        active: (0..own.row_count() as u32).collect(),
        schedule,
        grid,
        progress: Progress::begin(device.timeline(), &rows),
        rows,
    };
    drop(own);
    loop {
        let first = share.reduce(device, processes)?;
        let gathered = processes.gather(first)?;
        let new_pivots = choose(&gathered, share.rows.stride64())?;
        processes.broadcast(&new_pivots)?;
        if !share.add_new_pivots(&new_pivots, processes)? {
            return share.pivots.into_elimination(f4);
        }
    }
}

/// The part of the others.
pub fn share(processes: &dyn Transport, device: &Device, words: &[u64]) -> Result<()> {
    let &[schedule, threads, blocks] = words else { return Err(malformed()) };
    let known = RowSchedule::ALL.into_iter().find(|&known| known as u64 == schedule);
    let schedule = known.ok_or_else(malformed)?;
    let grid = (threads > 0).then_some(Grid { threads: threads as u32, blocks: blocks as u32 });
    let message = processes.receive_broadcast(0)?;
    let mut message = Reader::new(&message);
    let [width, all_rows] = message.take_array::<u64, 2>()?.map(|count| count as usize);
    let reducers = receive_lists(&mut message)?;
    let own = processes.receive(0)?;
    let f4 = F4Matrix::share(reducers, receive_lists(&mut Reader::new(&own))?, width)?;
    let rows = dense_rows(&f4)?;
    let mut share = Share {
        pivots: Pivots::with_room(&f4, all_rows)?,
        active: (0..f4.row_count() as u32).collect(),
        schedule,
        grid,
        progress: Progress::begin(device.timeline(), &rows),
        rows,
    };
    drop(f4);
    loop {
        let first = share.reduce(device, processes)?;
        processes.gather(first)?;
        let new_pivots = processes.receive_broadcast(0)?;
        if !share.add_new_pivots(&new_pivots, processes)? {
            return Ok(());
        }
    }
}

/// Lists `rank`, `rank + size`, and so on.
fn every_nth(lists: &IndexLists, rank: usize, size: usize) -> IndexLists {
    let (mut offsets, mut indices) = (vec![0], Vec::new());
    for row in lists.iter().skip(rank).step_by(size) {
        indices.extend_from_slice(row);
        offsets.push(indices.len());
    }
    IndexLists::from_checked(offsets, indices)
}

/// The rows of one process, and the pivots, which all processes know.
struct Share {
    /// Row k of process p is row p + k size of the F4 matrix.
    rows: BitMatrix,
    /// The rows that are neither zero nor a pivot, ascending.
    active: Vec<u32>,
    pivots: Pivots,
    schedule: RowSchedule,
    grid: Option<Grid>,
    /// The progress of these rows; the rows of the others come as far at about the same time.
    progress: Progress,
}

impl Share {
    /// Reduces the active rows. Returns, for each lead, the first row with it: rows' numbers in the F4 matrix, leads and
    /// words, in three lists.
    fn reduce(&mut self, device: &Device, processes: &dyn Transport) -> Result<Message> {
        let Share { rows, active, pivots, schedule, grid, progress } = self;
        let meter = &progress.meter;
        let leads = match device.one() {
            One::Cpu(cpu) => cpu::reduce(cpu, rows, active, pivots, *schedule, meter)?,
            One::Gpu(gpu) => block_on(gpu::reduce_rows(gpu, *grid, rows, active, pivots, meter))?,
        };
        let mut seen = HashSet::new();
        let (mut first, mut words, mut left) = (Vec::new(), Vec::new(), Vec::new());
        for (&row, lead) in active.iter().zip(leads) {
            let Some(lead) = lead else { continue };
            left.push(row);
            if seen.insert(lead) {
                first.push([(row as usize * processes.size() + processes.rank()) as u32, lead]);
                words.extend_from_slice(rows.row64(row as usize));
            }
        }
        *active = left;
        Ok(write_rows(&first, &words))
    }

    /// Adds the new pivots to the pivots. Returns false if there are none.
    fn add_new_pivots(&mut self, new_pivots: &Message, processes: &dyn Transport) -> Result<bool> {
        let (numbers, words) = read_rows(new_pivots, self.rows.stride64())?;
        let (rank, size) = (processes.rank(), processes.size());
        let stride = self.rows.stride64();
        for (k, &[row, lead]) in numbers.iter().enumerate() {
            let has_room = self.pivots.count < self.pivots.matrix.rows();
            if !has_room || self.pivots.of.get(lead as usize) != Some(&crate::gf2::rounds::NONE) {
                return Err(malformed());
            }
            self.pivots.add(row as usize, &words[k * stride..(k + 1) * stride], lead as usize);
            if row as usize % size == rank
                && let Ok(at) = self.active.binary_search(&((row as usize / size) as u32))
            {
                self.active.remove(at);
            }
        }
        let lead = |&row: &u32| lead(self.rows.row64(row as usize), stride).map(|lead| lead as u32);
        self.progress.round(self.active.iter().filter_map(lead));
        Ok(!numbers.is_empty())
    }
}

/// Of the first rows of all processes, those that become pivots: the first of each lead in the order of the F4 matrix.
fn choose(gathered: &[Message], stride: usize) -> Result<Message> {
    let mut all = Vec::new();
    for message in gathered {
        let (numbers, words) = read_rows(message, stride)?;
        all.extend(numbers.into_iter().enumerate().map(|(k, of)| {
            let words = words[k * stride..(k + 1) * stride].to_vec();
            (of, words)
        }));
    }
    all.sort_unstable_by_key(|([row, _], _)| *row);
    let mut seen = HashSet::new();
    all.retain(|([_, lead], _)| seen.insert(*lead));
    let numbers: Vec<[u32; 2]> = all.iter().map(|(of, _)| *of).collect();
    let words: Vec<u64> = all.iter().flat_map(|(_, words)| words).copied().collect();
    Ok(write_rows(&numbers, &words))
}

fn write_rows(numbers: &[[u32; 2]], words: &[u64]) -> Message {
    let mut message = Writer::default();
    message.put(numbers);
    message.put(words);
    message.finish()
}

fn read_rows(message: &Message, stride: usize) -> Result<(Vec<[u32; 2]>, Vec<u64>)> {
    let mut message = Reader::new(message);
    let (numbers, words): (Vec<[u32; 2]>, Vec<u64>) = (message.take()?, message.take()?);
    match numbers.len().checked_mul(stride) == Some(words.len()) {
        true => Ok((numbers, words)),
        false => Err(malformed()),
    }
}

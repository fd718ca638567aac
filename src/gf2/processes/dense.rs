//! Dense linear algebra on several processes.

use std::fmt;
use std::ops::Range;

use super::system::whole;
use super::{Work, write_shares};
use crate::gf2::cpu::across;
use crate::gf2::deal::{Deal, Form};
use crate::gf2::dense_answer::{DenseAnswer, Eliminate, Evidence, by_carrying_elimination, by_elimination};
use crate::gf2::gpu::{self, Part};
use crate::gf2::{self, BitMatrix, Dense, Echelon, Operation, dense_across};
use crate::gpu::{Gpu, block_on};
use crate::processes::{Kind, Reader, Shared, Transport, Writer, malformed, share};
use crate::task::{Cost, Plan, Problem, Profile};
use crate::timeline::Phase;
use crate::{Device, Error, One, Result};

/// Bytes of the rows of a matrix whose parts are sent together: little enough that a copy stays in the caches.
const BAND: usize = 8 << 20;

/// A plan to compute a [`Dense`] problem on several processes; see [`Shared`].
#[derive(Clone, Debug)]
pub struct SharedDensePlan {
    problem: Dense,
    kind: Kind,
    processes: usize,
    cost: Cost,
}

impl Problem for Shared<'_, Dense> {
    type Plan = SharedDensePlan;

    /// Plans a product by shares of the rows of A, or an elimination by tiles of 512 columns, on GPUs by blocks of 256.
    ///
    /// The profile is that of process 0's device, which the others' equal. Times of messages are not counted.
    fn plan_for(&self, profile: &Profile) -> Result<SharedDensePlan> {
        // Each process has one device.
        let profile = &*profile.of_one();
        let (problem, processes) = (*self.problem, self.processes);
        let (kind, all) = whole(profile, processes);
        let (rows, columns) = problem.shape();
        let cost = match (problem.operation(), kind) {
            (Operation::Transpose, _) => {
                return Err(Error::Usage("a transpose is computed on one process".into()));
            }
            (Operation::Multiply, Kind::Gpu) => {
                let others = problem.other_columns();
                let largest = Dense::multiply(rows.div_ceil(processes), columns, others)?;
                let cost = largest.plan_for(profile)?.cost();
                let whole = BitMatrix::bytes_of(rows as u64, others as u64);
                Cost { host_bytes: cost.host_bytes.saturating_add(whole), ..cost }
            }
            (_, Kind::Gpu) => dense_across::cost(&problem, profile, processes)?,
            _ => problem.plan_for(&all)?.cost(),
        };
        // The matrices in messages, on their way to the other processes.
        let inner = if problem.operation() == Operation::Multiply { problem.other_columns() } else { 0 };
        let messages = [(rows, problem.eliminated_columns()), (columns, inner), (rows, inner)]
            .into_iter()
            .map(|(rows, columns)| BitMatrix::bytes_of(rows as u64, columns as u64));
        let host_bytes = messages.fold(cost.host_bytes, u64::saturating_add);
        let cost = Cost { host_bytes, ..cost };
        cost.check(profile, "this matrix on several processes")?;
        Ok(SharedDensePlan { problem, kind, processes, cost })
    }
}

impl SharedDensePlan {
    /// The problem.
    pub fn problem(&self) -> &Dense {
        &self.problem
    }

    /// Prepares the plan to run. Process 0 calls it; the others [`serve`](crate::serve()).
    ///
    /// # Errors
    /// [`Error::Usage`] if the plan was made for another kind of device or another number of processes.
    pub fn prepare<'c>(
        &self,
        device: &Device,
        processes: &'c dyn Transport,
    ) -> Result<PreparedSharedDense<'c>> {
        match (Kind::of(device), processes.size()) == (self.kind, self.processes) {
            true => Ok(PreparedSharedDense { device: device.clone(), processes, plan: self.clone() }),
            false => {
                Err(Error::Usage("a plan runs on the devices and processes that it was made for".into()))
            }
        }
    }
}

impl Plan for SharedDensePlan {
    fn cost(&self) -> Cost {
        self.cost
    }
}

impl fmt::Display for SharedDensePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, columns) = self.problem.shape();
        let (operation, others) = (self.problem.operation(), self.problem.other_columns());
        writeln!(f, "operation      {}", format!("{operation:?}").to_lowercase())?;
        writeln!(f, "matrix         {rows} x {columns}")?;
        if others > 0 {
            writeln!(f, "second matrix  {others} columns")?;
        }
        writeln!(f, "devices        {}", self.kind.place())?;
        if operation == Operation::Multiply {
            writeln!(f, "method         shares of rows, tables of sums")?;
            write_shares(f, self.processes, |rank| {
                format!("{} rows of the product", share(rows, rank, self.processes).len())
            })?;
        } else {
            let width = if self.kind == Kind::Gpu { gpu::BLOCK } else { 512 };
            writeln!(f, "method         blocked, {width} columns at a time, dealt out in a cycle")?;
            let tiles = self.problem.eliminated_columns().div_ceil(width);
            write_shares(f, self.processes, |rank| {
                let own = tiles.saturating_sub(rank).div_ceil(self.processes);
                format!("{own} of {tiles} tiles of {width} columns")
            })?;
        }
        self.cost.fmt(f)
    }
}

/// A [`SharedDensePlan`] that is ready to run, any number of times. Matrices of other shapes than planned are
/// [`Error::Input`].
///
/// Errors of every method: [`Error::OutOfMemory`], [`Error::DeviceLost`] for a process that has ended, and those of
/// the device.
pub struct PreparedSharedDense<'c> {
    device: Device,
    processes: &'c dyn Transport,
    plan: SharedDensePlan,
}

impl PreparedSharedDense<'_> {
    /// As [`PreparedDense::run`](gf2::PreparedDense::run) on one process.
    ///
    /// # Errors
    /// See [`PreparedSharedDense`].
    pub fn run(&self, a: &BitMatrix, b: Option<&BitMatrix>) -> Result<DenseAnswer> {
        let problem = &self.plan.problem;
        problem.expect_input(a, b)?;
        match (problem.operation(), b) {
            (Operation::Multiply, Some(b)) => self.multiply(a, b).map(DenseAnswer::Matrix),
            (Operation::Rank, _) => {
                Ok(DenseAnswer::Pivots(self.eliminate(a, a.columns(), false, true)?.pivots))
            }
            _ => block_on(by_elimination(problem, a, b, self.eliminating())),
        }
    }

    /// As [`PreparedDense::run_carrying`](gf2::PreparedDense::run_carrying) on one process.
    ///
    /// # Errors
    /// See [`PreparedSharedDense`], and that method.
    pub fn run_carrying(&self, a: &BitMatrix, b: Option<&BitMatrix>) -> Result<(DenseAnswer, Evidence)> {
        let problem = &self.plan.problem;
        if !problem.eliminates() {
            return Ok((self.run(a, b)?, Evidence { carried: None, form: None }));
        }
        problem.expect_input(a, b)?;
        problem.expect_carried()?;
        block_on(by_carrying_elimination(problem, a, b, self.eliminating()))
    }

    fn eliminating(&self) -> impl Eliminate + '_ {
        async |a: &BitMatrix, limit: usize, full: bool| self.eliminate(a, limit, full, false)
    }

    fn multiply(&self, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
        let (processes, size) = (self.processes, self.processes.size());
        Work::Multiply.announce(processes, &self.device, &[])?;
        let mut message = Writer::default();
        write_rows(&mut message, b, 0..b.rows());
        processes.broadcast(&message.finish())?;
        for to in 1..size {
            let mut message = Writer::default();
            write_rows(&mut message, a, share(a.rows(), to, size));
            processes.send(to, message.finish())?;
        }
        let mut product = BitMatrix::zeros(a.rows(), b.columns())?;
        let own = copy_rows(a, share(a.rows(), 0, size))?;
        let part = gf2::multiply(&self.device, &own, b)?;
        let stride = product.stride64();
        product.words64_mut()[..part.rows() * stride].copy_from_slice(part.words64());
        drop((own, part));
        for from in 1..size {
            let rows = share(a.rows(), from, size);
            let words = &mut product.words64_mut()[rows.start * stride..rows.end * stride];
            Reader::new(&processes.receive(from)?).take_into(words)?;
        }
        Ok(product)
    }

    fn eliminate(&self, a: &BitMatrix, limit: usize, full: bool, pivots_only: bool) -> Result<Echelon> {
        if a.rows() == 0 || a.columns() == 0 {
            return Ok(Echelon { matrix: a.clone(), pivots: Vec::new() });
        }
        let form = Form { rows: a.rows(), columns: a.columns(), limit, full, pivots_only };
        Work::Echelon.announce(self.processes, &self.device, &form.to_words())?;
        let echelon = match self.device.one() {
            One::Cpu(cpu) => {
                let work = || across::echelon(self.processes, cpu, Some(a), &form);
                cpu.timeline.time(Phase::Host, "echelon", work)?
            }
            One::Gpu(gpu) => echelon_on_gpus(self.processes, gpu, Some(a), &form)?,
        };
        echelon.ok_or_else(|| Error::Device("process 0 has no echelon form".into()))
    }
}

impl Form {
    fn to_words(self) -> [u64; 5] {
        let Form { rows, columns, limit, full, pivots_only } = self;
        [rows as u64, columns as u64, limit as u64, full.into(), pivots_only.into()]
    }

    fn from_words(words: &[u64]) -> Result<Self> {
        let &[rows, columns, limit, full, pivots_only] = words else { return Err(malformed()) };
        let [rows, columns, limit] = [rows, columns, limit].map(|count| count as usize);
        match rows > 0 && limit <= columns {
            true => Ok(Form { rows, columns, limit, full: full != 0, pivots_only: pivots_only != 0 }),
            false => Err(malformed()),
        }
    }
}

/// The part of the other processes in an elimination.
pub(super) fn echelon_share(processes: &dyn Transport, device: &Device, words: &[u64]) -> Result<()> {
    let form = Form::from_words(words)?;
    match device.one() {
        One::Cpu(cpu) => across::echelon(processes, cpu, None, &form).map(drop),
        One::Gpu(gpu) => echelon_on_gpus(processes, gpu, None, &form).map(drop),
    }
}

/// The rows that process 0 sends in one message: while it copies the next ones, the others copy these.
fn bands(form: &Form) -> impl Iterator<Item = Range<usize>> {
    let (rows, bytes) = (form.rows, form.columns.div_ceil(8).max(1));
    let band = (BAND / bytes).max(1);
    (0..rows).step_by(band).map(move |first| first..rows.min(first + band))
}

/// Every process's part on GPUs. Process 0 passes the matrix and deals out its blocks; all eliminate; the others send
/// their parts to process 0, which returns the form.
fn echelon_on_gpus(
    processes: &dyn Transport,
    gpu: &Gpu,
    matrix: Option<&BitMatrix>,
    form: &Form,
) -> Result<Option<Echelon>> {
    let (rank, size) = (processes.rank(), processes.size());
    let deal = Deal::new(form.columns, &vec![1.0; size]);
    let others = || (1..size).filter(|&other| deal.columns_of(other) > 0);
    let own = match matrix {
        Some(matrix) => {
            for rows in bands(form) {
                for to in others() {
                    let mut message = Writer::default();
                    message.put(deal.part_of_rows(matrix, rows.clone(), to)?.words64());
                    processes.send(to, message.finish())?;
                }
            }
            deal.part(matrix, rank)?
        }
        None => {
            let mut own = BitMatrix::zeros(form.rows, deal.columns_of(rank))?;
            let stride = own.stride64();
            if own.columns() > 0 {
                for rows in bands(form) {
                    let band = &mut own.words64_mut()[rows.start * stride..rows.end * stride];
                    Reader::new(&processes.receive(0)?).take_into(band)?;
                }
            }
            own
        }
    };
    let part = gpu::eliminate_across(processes, gpu, own, &deal, form)?;
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
        let (rows, columns) = match form.pivots_only {
            true => (0, 0),
            false => (form.rows, deal.columns_of(from)),
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
    dense_across::combine(&parts, &deal, form).map(Some)
}

/// The part of the other processes in a product.
pub(super) fn multiply_share(processes: &dyn Transport, device: &Device) -> Result<()> {
    let b = read_matrix(&mut Reader::new(&processes.receive_broadcast(0)?))?;
    let a = read_matrix(&mut Reader::new(&processes.receive(0)?))?;
    let product = gf2::multiply(device, &a, &b)?;
    let mut message = Writer::default();
    message.put(product.words64());
    processes.send(0, message.finish())
}

fn write_rows(message: &mut Writer, matrix: &BitMatrix, rows: std::ops::Range<usize>) {
    let stride = matrix.stride64();
    message.put(&[rows.len() as u64, matrix.columns() as u64]);
    message.put(&matrix.words64()[rows.start * stride..rows.end * stride]);
}

fn read_matrix(message: &mut Reader<'_>) -> Result<BitMatrix> {
    let [rows, columns] = message.take_array::<u64, 2>()?.map(|count| count as usize);
    let mut matrix = BitMatrix::zeros(rows, columns)?;
    message.take_into(matrix.words64_mut())?;
    Ok(matrix)
}

fn copy_rows(matrix: &BitMatrix, rows: std::ops::Range<usize>) -> Result<BitMatrix> {
    let mut copy = BitMatrix::zeros(rows.len(), matrix.columns())?;
    let stride = matrix.stride64();
    copy.words64_mut().copy_from_slice(&matrix.words64()[rows.start * stride..rows.end * stride]);
    Ok(copy)
}

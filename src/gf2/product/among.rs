//! Products on several processes: each multiplies a share of the rows of A by all of B.

use std::fmt;
use std::ops::Range;

use super::on_cpu::OnCpu;
use super::{Factors, Product};
use crate::gf2::BitMatrix;
use crate::gf2::processes::{JobKind, write_shares};
use crate::processes::{Kind, Reader, Transport, Writer, share as share_of};
use crate::task::{Cost, Done, Engine, Problem, Profile, Ready, Way, expect_processes, other_device};
use crate::{Device, Processes, Result};

/// The way. The profile is that of process 0's device, which the others' equal. Times of messages are not counted.
#[derive(Debug)]
pub(super) struct Among {
    kind: Kind,
    processes: usize,
    cost: Cost,
}

impl Among {
    /// The name of the way.
    pub const NAME: &'static str = "on several processes";

    pub fn new(product: &Product, profile: &Profile, (processes, each): (usize, &Engine)) -> Result<Self> {
        let &Product { rows, inner, columns, .. } = product;
        let whole = BitMatrix::bytes_of(rows as u64, columns as u64);
        let (kind, cost) = match each {
            Engine::Cpu(cpu) => (Kind::Cpu, OnCpu::new(product, cpu.times(processes)).cost()),
            Engine::Gpu(_) => {
                let largest = Product { rows: rows.div_ceil(processes), ..*product };
                let cost = largest.plan_for(&profile.of_one())?.cost();
                (Kind::Gpu, Cost { host_bytes: cost.host_bytes.saturating_add(whole), ..cost })
            }
            Engine::Group(_) | Engine::Processes { .. } => return Err(other_device()),
        };
        // The matrices in messages, on their way to the other processes.
        let messages = [(rows, inner), (inner, columns)].into_iter();
        let messages = messages.map(|(rows, columns)| BitMatrix::bytes_of(rows as u64, columns as u64));
        let host_bytes = messages.fold(cost.host_bytes.saturating_add(whole), u64::saturating_add);
        Ok(Among { kind, processes, cost: Cost { host_bytes, ..cost } })
    }
}

impl Way<Product> for Among {
    type Device = Processes;
    type Ready<'p> = Processes;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, product: &Product, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "devices        {}", self.kind.place())?;
        writeln!(f, "method         shares of rows, tables of sums")?;
        write_shares(f, self.processes, |rank| {
            format!("{} rows of the product", share_of(product.rows, rank, self.processes).len())
        })
    }

    fn prepare<'p>(&self, _: &Product, processes: &Processes, (): ()) -> Result<Self::Ready<'p>> {
        expect_processes(processes, self.kind, self.processes)
    }
}

/// Process 0 runs; the others [`serve`](crate::serve()).
impl Ready<Product> for Processes {
    async fn run<'i: 'i>(&self, _: &Product, factors: Factors<'i>, _: &Done) -> Result<BitMatrix> {
        self.job(|transport, own| multiply(transport, own, &factors))
    }
}

/// The part of process 0.
fn multiply(processes: &dyn Transport, device: &Device, factors: &Factors<'_>) -> Result<BitMatrix> {
    let (a, b, size) = (&*factors.left()?, factors.b, processes.size());
    JobKind::Multiply.announce(processes, device, &[])?;
    let mut message = Writer::default();
    write_rows(&mut message, b, 0..b.rows());
    processes.broadcast(&message.finish())?;
    for to in 1..size {
        let mut message = Writer::default();
        write_rows(&mut message, a, share_of(a.rows(), to, size));
        processes.send(to, message.finish())?;
    }
    let mut product = BitMatrix::zeros(a.rows(), b.columns())?;
    let own = a.copy_of_rows(share_of(a.rows(), 0, size))?;
    let part = super::multiply(device, &own, b)?;
    let stride = product.stride64();
    product.words64_mut()[..part.rows() * stride].copy_from_slice(part.words64());
    drop((own, part));
    for from in 1..size {
        let rows = share_of(a.rows(), from, size);
        let words = &mut product.words64_mut()[rows.start * stride..rows.end * stride];
        Reader::new(&processes.receive(from)?).take_into(words)?;
    }
    Ok(product)
}

/// The part of the other processes.
pub(in crate::gf2) fn share(processes: &dyn Transport, device: &Device) -> Result<()> {
    let b = read_matrix(&mut Reader::new(&processes.receive_broadcast(0)?))?;
    let a = read_matrix(&mut Reader::new(&processes.receive(0)?))?;
    let product = super::multiply(device, &a, &b)?;
    let mut message = Writer::default();
    message.put(product.words64());
    processes.send(0, message.finish())
}

fn write_rows(message: &mut Writer, matrix: &BitMatrix, rows: Range<usize>) {
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

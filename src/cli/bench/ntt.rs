//! `wgalois bench ntt`.

use super::plot::{self, Line};
use super::sizes::Sizes;
use crate::cli::engine::Task;
use crate::cli::prime::PrimeArgument;
use crate::cli::{Context, Run};
use clap::ValueEnum;
use comfy_table::{CellAlignment, Table, presets};
use std::path::PathBuf;
use wgalois::bench::ntt::{Row, Work, measure};
use wgalois::field::Prime;
use wgalois::gpu::{Clock, Gpu};
use wgalois::{Device, Error, Result};

/// Time transforms and products that stay on the GPU, by its own clock
///
/// A sample is thrown away where the GPU's clock had moved. `copies` is the time as a
/// multiple of that of one copy of the data.
#[derive(clap::Args)]
pub struct Ntt {
    /// Lengths, as 2^10..2^20 or 2^12,2^16
    #[arg(long, default_value = "2^12..2^20")]
    sizes: Sizes,
    /// The modulus
    #[arg(long, value_name = "P", default_value = "babybear")]
    prime: PrimeArgument,
    /// Vectors at once, for transforms
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// What is timed
    #[arg(long, value_enum, value_delimiter = ',', default_value = "bit-reversed,natural,product")]
    work: Vec<WorkName>,
    /// Samples
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    samples: u32,
    /// Draw the times into an SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WorkName {
    /// A transform from natural to bit-reversed order
    BitReversed,
    /// A transform from natural to natural order
    Natural,
    /// A cyclic product
    Product,
}

impl WorkName {
    fn work(self) -> Work {
        match self {
            WorkName::BitReversed => Work::ToBitReversed,
            WorkName::Natural => Work::ToNatural,
            WorkName::Product => Work::Product,
        }
    }
}

impl Run for Ntt {
    fn run(&self, context: &Context) -> Result<()> {
        let prime = self.prime.parse()?;
        let Device::Gpu(gpu) = context.device(Task::Gpu)? else {
            return Err(Error::Usage("only a GPU has a clock of its own; --device gpu".to_owned()));
        };
        let rows = self.measure(context, &gpu, prime)?;
        if let Some(path) = &self.plot {
            plot::draw(path, &format!("modulo {prime} on {}", gpu.adapter().name), &lines(&rows))?;
        }
        context.report("rows", serde_json::json!(rows));
        if context.has_output() {
            context.write(|out| writeln!(out, "{}", table(&rows)))?;
        }
        Ok(())
    }
}

impl Ntt {
    fn measure(&self, context: &Context, gpu: &Gpu, prime: Prime) -> Result<Vec<Row>> {
        let mut clock = Clock::new(gpu)?;
        let progress = context.bar("measure", (self.sizes.0.len() * self.work.len()) as u64);
        let mut rows = Vec::new();
        for &log_n in &self.sizes.0 {
            for work in &self.work {
                let batch = if *work == WorkName::Product { 1 } else { self.batch as usize };
                let task = (work.work(), prime, log_n, batch);
                rows.push(measure(gpu, &mut clock, self.samples as usize, task)?);
                progress.advance(1);
            }
        }
        Ok(rows)
    }
}

fn work_name(work: Work) -> &'static str {
    match work {
        Work::ToBitReversed => "transform to bit-reversed order",
        Work::ToNatural => "transform to natural order",
        Work::Product => "cyclic product",
    }
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header(["work", "n", "batch", "us", "spread", "copies", "passes", "thrown away"]);
    for row in rows {
        table.add_row([
            work_name(row.work).to_owned(),
            format!("2^{}", row.log_n),
            row.batch.to_string(),
            format!("{:.2}", row.microseconds),
            format!("{:.1}%", 100.0 * row.spread),
            format!("{:.2}", row.microseconds / row.copy_microseconds),
            row.passes.to_string(),
            row.rejected.to_string(),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// One line a kind of work, and one for the copy of as much data.
fn lines(rows: &[Row]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for row in rows {
        let copy = if row.batch == 1 { "copy".to_owned() } else { format!("copy of {} vectors", row.batch) };
        for (name, microseconds) in
            [(work_name(row.work).to_owned(), row.microseconds), (copy, row.copy_microseconds)]
        {
            let at = lines.iter().position(|line| line.name == name).unwrap_or_else(|| {
                lines.push(Line { name, points: Vec::new() });
                lines.len() - 1
            });
            // Work of one length shares its copy.
            if lines[at].points.last().is_none_or(|last| last.0 != row.log_n) {
                lines[at].points.push((row.log_n, microseconds));
            }
        }
    }
    lines
}

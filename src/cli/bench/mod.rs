//! `wgalois bench`: measurements on the selected device. Each task has a file or folder.

mod gf2;
mod msm;
mod ntt;
mod plot;
mod sizes;

use super::outputs::Outputs;
use super::{Context, Run};
use comfy_table::{CellAlignment, Table, presets};
use wgalois::Result;
use wgalois::internal::bench::published::Outcome;

/// Measure on the selected device; every result is checked before it is timed
#[derive(clap::Args)]
pub struct Bench {
    #[command(subcommand)]
    task: Task,
}

#[derive(clap::Subcommand)]
enum Task {
    Ntt(ntt::Ntt),
    Gf2(gf2::Gf2),
    Msm(msm::Msm),
}

impl Run for Bench {
    fn run(&self, context: &Context) -> Result<()> {
        match &self.task {
            Task::Ntt(ntt) => ntt.run(context),
            Task::Gf2(gf2) => gf2.run(context),
            Task::Msm(msm) => msm.run(context),
        }
    }

    fn outputs(&self) -> Outputs {
        match &self.task {
            Task::Ntt(ntt) => ntt.outputs(),
            Task::Gf2(gf2) => gf2.outputs(),
            Task::Msm(msm) => msm.outputs(),
        }
    }
}

/// Prints a table, unless the report goes to stdout.
fn print(context: &Context, header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<()> {
    if !context.has_output() {
        return Ok(());
    }
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_header(header);
    table.add_rows(rows);
    for (column, _) in header.iter().enumerate() {
        let numbers = |cell: &comfy_table::Cell| cell.content().starts_with(|c: char| c.is_ascii_digit());
        let right = table.row_iter().filter_map(|row| row.cell_iter().nth(column)).any(numbers);
        if let (true, Some(column)) = (right, table.column_mut(column)) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    context.write(|out| writeln!(out, "{table}"))
}

/// Formats microseconds with as many digits as are meaningful.
fn time(microseconds: f64) -> String {
    match microseconds {
        t if t < 100.0 => format!("{t:.2}"),
        t if t < 1000.0 => format!("{t:.1}"),
        t => format!("{t:.0}"),
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// Describes the outcome of a row in words.
fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Right => "right".to_owned(),
        Outcome::Wrong(why) => format!("WRONG: {why}"),
        Outcome::Failed(why) => format!("FAILED: {why}"),
        Outcome::LeftOut(why) => format!("left out: {why}"),
    }
}

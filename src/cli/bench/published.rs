//! `wgalois bench published`.

use super::table;
use crate::cli::outputs::Outputs;
use crate::cli::{Context, Run};
use clap::ValueEnum;
use serde_json::json;
use std::path::PathBuf;
use wgalois::gpu::Options;
use wgalois::internal::Clock;
use wgalois::internal::bench::judge;
use wgalois::internal::bench::published::{Lab, Scale, TABLES, Table};
use wgalois::{Error, Result};

/// Run the systems of the published tables on this machine, next to the published figures
///
/// Every row has its published figures as printed, the time of the same system here, the time of this program's
/// fast method in the same case, the factor by which each is faster than the published time, and the result of
/// its check. A row that cannot run here says why. Exit code 1 if a row is wrong or failed.
#[derive(clap::Args)]
pub struct Published {
    /// Tables to run [default: all]
    #[arg(value_enum, value_name = "TABLE")]
    tables: Vec<TableName>,
    /// Shrink the cases, for a trial on a slow device
    #[arg(long)]
    quick: bool,
    /// Number of samples of each time [default: 9; with --quick 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    samples: Option<u32>,
    /// Draw the published figures and the times here into SVG files of this folder
    #[arg(long, value_name = "FOLDER")]
    plot: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TableName {
    /// Products of polynomials
    Ntt,
    /// Four-step transforms on transforms of 256 points
    FourStep,
    /// Transforms of 64 points, and transpositions alone
    SmallNtt,
    /// The special elimination of Boolean Groebner bases
    Gf2,
    /// Multi-scalar multiplication
    Msm,
    /// What profilers said
    Profiles,
}

impl TableName {
    fn tables(self) -> impl Iterator<Item = &'static Table> {
        let value = self.to_possible_value();
        let name = value.map_or_else(String::new, |value| value.get_name().to_owned());
        TABLES.iter().copied().filter(move |table| table.name == name)
    }
}

impl Run for Published {
    fn outputs(&self) -> Outputs {
        Outputs::default()
    }

    fn run(&self, context: &Context) -> Result<()> {
        let gpu = context.gpu(Options::default())?;
        let clock = gpu.has_timestamps().then(|| Clock::new(&gpu)).transpose()?;
        let mut lab = Lab {
            gpu,
            clock,
            samples: self.samples.map_or(if self.quick { 1 } else { 9 }, |samples| samples as usize),
            scale: if self.quick { Scale::Quick } else { Scale::Whole },
            done: &|row| log::info!("{}: {:?}", row.system, row.outcome),
        };
        let (mut reports, mut faults, mut text) = (Vec::new(), Vec::new(), String::new());
        for table in self.tables() {
            let rows = context.watch(table.title, || table.rows(&mut lab))?;
            text += &format!("{}\n{}", table.title, table::table(&rows));
            table.notes.iter().for_each(|note| text += &format!("{note}\n"));
            text += "\n";
            // A file is written once; stdout gets each table as it is done.
            if !context.json() && context.output_path().is_none() {
                context.write(|out| out.write_all(std::mem::take(&mut text).as_bytes()))?;
            }
            faults.extend(judge(&rows, rows.len()).err().map(|fault| fault.to_string()));
            reports.push(json!({
                "table": table.name,
                "title": table.title,
                "notes": table.notes,
                "rows": rows,
            }));
        }
        context.report("tables", reports);
        if context.output_path().is_some() {
            context.write(|out| out.write_all(text.as_bytes()))?;
        }
        if faults.is_empty() { Ok(()) } else { Err(Error::Check(faults.join("; "))) }
    }
}

impl Published {
    /// Returns the tables to run, each once.
    fn tables(&self) -> Vec<&'static Table> {
        let all = TableName::value_variants();
        let wanted = all.iter().filter(|name| self.tables.is_empty() || self.tables.contains(name));
        wanted.flat_map(|name| name.tables()).collect()
    }
}

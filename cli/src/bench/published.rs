//! `wgalois bench published`.

use super::charts;
use super::gf2::CASE;
use super::stream::{Stream, legend, wrapped};
use crate::bench::prelude::*;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde_json::json;
use std::cell::{Cell, RefCell};
use wgalois::gpu::Options;
use wgalois_benches::published::{TABLES, Table};

/// Run the systems of the published tables on this machine, next to the published figures
///
/// Every row has its published figures as printed, the time of the same system here, the time of this program's
/// fast method in the same case, the factor by which each is faster than the published time, and the result of
/// its check. A row is printed when it is done. A row that cannot run here says why; without a GPU, or with
/// `--device cpu`, those are all systems of GPUs, and the fast method is that of the CPU engine. Exit code 1 if a row is wrong or
/// failed.
#[derive(clap::Args)]
pub struct Published {
    /// Tables to run [default: all]
    #[arg(value_enum, value_name = "TABLE")]
    tables: Vec<TableName>,
    /// Shrink the cases, for a trial on a slow device
    #[arg(long)]
    quick: bool,
    /// Cases of the course to eliminate, from 1 to 11; only for the tables gf2 and profiles [default: those with
    /// published figures]. Their matrices are read from the folder that WGALOIS_DATA names; without it, systems of
    /// the same dimensions are generated
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=11))]
    course_case: Vec<u32>,
    /// Published lengths to run, as 2^19..2^21 or 2^22; only for the table msm [default: all]
    #[arg(long)]
    sizes: Option<Sizes>,
    /// Leave out programs in the table gf2 that would take more seconds than this in a case, by a measured estimate;
    /// `inf` leaves out none. The fast method always runs
    #[arg(long, value_name = "SECONDS", default_value_t = LIMIT)]
    limit: f64,
    /// Number of threads of the programs with several in the table gf2 [default: the published 7]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Number of samples of each time [default: 9; with --quick 1]
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..=1000))]
    samples: Option<u32>,
    /// Draw the published figures and the times here into SVG files of this folder
    #[arg(long, value_name = "FOLDER")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    csv: Csv,
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
    /// Measurements by profilers
    Profiles,
}

/// Seconds of a program in a case, at most, if `--limit` says nothing.
const LIMIT: f64 = 20.0;

impl Run for Published {
    fn member(&self) -> Result<Option<Member>> {
        // One row of the table gf2 is of several processes; the other rows run in process 0.
        Ok(Some(Member::default()))
    }

    fn inputs(&self) -> Vec<PathBuf> {
        let systems = data().and_then(|data| std::fs::read_dir(data.join("groebner")).ok());
        let folders = systems.into_iter().flatten().flatten().map(|folder| folder.path());
        folders.flat_map(|folder| CASE.map(|name| folder.join(name))).collect()
    }

    fn outputs(&self) -> Outputs {
        let folders = self.plot.iter().map(|folder| ("--plot", folder.clone(), charts::FILES));
        Outputs { folders: folders.collect(), files: self.csv.outputs(), ..Outputs::default() }
    }

    fn run(&self, context: &Context) -> Result<()> {
        let tables = self.tables();
        self.refuse_options_of_other_tables()?;
        if self.limit.is_nan() || self.limit < 0.0 {
            return Err(Error::unexpected(&self.limit.to_string(), "seconds").of("--limit"));
        }
        let gpu = context.gpu_if_any(Options::default())?;
        let samples = self.samples.map_or(if self.quick { 1 } else { 9 }, |samples| samples as usize);
        let scale = if self.quick { Scale::Quick } else { Scale::Whole };
        let printer = Printer {
            context,
            stream: RefCell::new(None),
            whole: RefCell::default(),
            fault: Cell::new(Ok(())),
        };
        let done = |row: &Row| printer.row(row);
        let mut lab = Lab::new(gpu, samples, scale, &done)?;
        lab.data = data();
        lab.memory = context.memory();
        lab.threads = self.threads.map(usize::from);
        lab.processes = context.processes();
        lab.cases = self.course_case.clone();
        lab.sizes = self.sizes.as_ref().map_or_else(Vec::new, |sizes| sizes.0.clone());
        lab.limit = self.limit;
        let (mut reports, mut faults, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for table in tables {
            let stream = Stream::new(table, scale);
            printer.print(&format!(
                "{}\n{}\n{}",
                table.title,
                device_line(context, lab.device_name()),
                stream.head()
            ))?;
            printer.stream.replace(Some(stream));
            // A spinner would appear among the rows.
            let rows = match printer.is_live() {
                true => table.rows(&mut lab),
                false => context.watch(table.title, || table.rows(&mut lab)),
            };
            printer.fault.replace(Ok(()))?;
            let rows = rows?;
            let mut notes: Vec<_> = table.notes.iter().map(|&note| note.to_owned()).collect();
            if self.quick {
                notes.push("--quick: the cases are smaller than the published ones".to_owned());
            }
            let mut foot = printer.stream.take().map_or_else(String::new, |stream| stream.foot());
            let legend = legend(table, scale);
            for note in legend.iter().copied().chain(notes.iter().map(String::as_str)) {
                foot += &wrapped(&format!("- {note}"));
            }
            printer.print(&(foot + "\n"))?;
            if let Some(folder) = &self.plot {
                charts::draw(context, folder, (table.name, scale), &rows, lab.device_name())?;
            }
            faults.extend(judge(&rows, rows.len()).err().map(|fault| fault.to_string()));
            reports.push(json!({
                "table": table.name,
                "title": table.title,
                "notes": notes,
                "rows": rows.iter().map(|row| report(row, scale)).collect::<Vec<_>>(),
            }));
            let named = |row: Row| {
                let fields = Fields::default().with("of_table", table.name).and(row.fields);
                Row { fields, ..row }
            };
            all.extend(rows.into_iter().map(named));
        }
        context.report("tables", reports);
        self.csv.write(context, &all)?;
        if context.output_path().is_some() {
            context.write(|out| out.write_all(printer.whole.take().as_bytes()))?;
        }
        if faults.is_empty() { Ok(()) } else { Err(Error::Check(faults.join("; ").into())) }
    }
}

/// Returns the line that names the device: with its mark if it is a software driver.
fn device_line(context: &Context, name: &str) -> String {
    context.software_driver().unwrap_or_else(|| name.to_owned())
}

/// Prints rows as they are done.
struct Printer<'a> {
    context: &'a Context,
    /// The table at hand.
    stream: RefCell<Option<Stream>>,
    /// The text for a file, which is written once.
    whole: RefCell<String>,
    /// The first fault of writing.
    fault: Cell<Result<()>>,
}

impl Printer<'_> {
    /// True if the text goes to stdout.
    fn is_live(&self) -> bool {
        !self.context.json() && self.context.output_path().is_none()
    }

    fn row(&self, row: &Row) {
        log::info!("{}: {:?}", row.system, row.outcome);
        let text = self.stream.borrow_mut().as_mut().map(|stream| stream.row(row)).unwrap_or_default();
        let before = self.fault.replace(Ok(()));
        self.fault.set(before.and_then(|()| self.print(&text)));
    }

    fn print(&self, text: &str) -> Result<()> {
        if self.is_live() {
            return self.context.write(|out| out.write_all(text.as_bytes()));
        }
        self.whole.borrow_mut().push_str(text);
        Ok(())
    }
}

impl Published {
    /// Refuses options without effect on the tables that were named.
    fn refuse_options_of_other_tables(&self) -> Result<()> {
        use TableName::{Gf2, Msm, Ntt, Profiles};
        let all = |allowed: &[TableName]| {
            !self.tables.is_empty() && self.tables.iter().all(|name| allowed.contains(name))
        };
        let some = |allowed: &[TableName]| {
            self.tables.is_empty() || self.tables.iter().any(|name| allowed.contains(name))
        };
        let limits = self.limit != LIMIT || self.threads.is_some();
        let courses = !self.course_case.is_empty();
        let rules = [
            (courses && !all(&[Gf2, Profiles]), "--course-case", "the tables gf2 and profiles"),
            (self.sizes.is_some() && !all(&[Msm]), "--sizes", "the table msm"),
            (limits && !some(&[Gf2]), "--limit and --threads", "the table gf2"),
            (self.plot.is_some() && !some(&[Ntt, Gf2, Msm]), "--plot", "the tables ntt, gf2 and msm"),
        ];
        match rules.into_iter().find(|(is_broken, ..)| *is_broken) {
            Some((_, option, scope)) => Err(Error::only_for(option, scope)),
            None => Ok(()),
        }
    }

    /// Returns the tables to run, each once.
    fn tables(&self) -> Vec<&'static Table> {
        let all = TableName::value_variants();
        let wanted = all.iter().filter(|name| self.tables.is_empty() || self.tables.contains(name));
        let names = wanted.filter_map(TableName::to_possible_value);
        let of =
            |name: PossibleValue| TABLES.iter().copied().filter(move |table| name.matches(table.name, false));
        names.flat_map(of).collect()
    }
}

/// Returns the folder of the course's systems.
fn data() -> Option<PathBuf> {
    std::env::var_os("WGALOIS_DATA").map(PathBuf::from)
}

/// Returns a row for the report, with its factors over the published times.
fn report(row: &Row, scale: Scale) -> serde_json::Value {
    let mut value = json!(row);
    if let (Scale::Whole, Some(object)) = (scale, value.as_object_mut()) {
        let over = row.over_published();
        let [own, fast] = [0, 1].map(|place| over.iter().map(|pair| pair[place]).collect::<Vec<_>>());
        object.insert("over_published".to_owned(), json!(own));
        object.insert("fast_over_published".to_owned(), json!(fast));
    }
    value
}

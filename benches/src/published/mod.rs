//! The tables of the published works, run on a device beside the published figures.
//!
//! # How to add a table
//!
//! Write a module with a [`Table`] and add it to [`TABLES`]. `figures` returns the published figures of a line of
//! the table's [`csv::File`]; `run` returns the rows in the published order. A row is made by [`Lab::row`] from its
//! case ([`Fields`]), the system's name and a closure that **checks a result, then times it**; an error of the
//! closure becomes the row's outcome. `run` then gives the row its published figures ([`Row::with_published`]),
//! the time of the fast method in the same case (`row.fast`) and the speed-up over the case's baseline, which
//! are therefore measured first, and shows it ([`Lab::show`]): a row is printed as soon as it is complete. A
//! case shrinks under [`Scale::Quick`], which tests use, but every row stays. A row that cannot run here is
//! [`Row::cannot_run`]; one that leaves out work is [`Row::unchecked`]. Its [`Layout`] says how the rows
//! are printed. [`Table::rows`] fails if a published figure has no row. `ntt.rs` is an example.

pub mod csv;
mod forms;
pub mod four_step;
pub mod gf2;
pub mod msm;
pub mod ntt;
pub mod profiles;
mod small_ntt;
mod transpositions;

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Deserializer};

use super::course::{self, CourseMatrix};
use super::{Fields, Figure, Row, Timing};
use wgalois::gpu::{Clock, Gpu, Recorder};
use wgalois::processes::Transport;
use wgalois::{Cpu, Device, Error, Result};

/// The sizes of the cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// As published.
    Whole,
    /// Small enough for a software driver.
    Quick,
}

/// A published table and the systems that run it.
#[derive(Debug)]
pub struct Table {
    /// How it is printed.
    layout: LazyLock<Layout>,
    /// The file of its published figures, which its rows must show.
    file: &'static csv::File,
    /// Returns the published figures of a line.
    figures: fn(&csv::Record) -> Result<Vec<Figure>>,
    /// Runs all systems.
    run: fn(&mut Lab) -> Result<Vec<Row>>,
}

/// A column of a table: the name of a field, or of one of the quantities of every row; its head; its width in
/// characters. The quantities are `system`, `step`, `seconds` (calls, or the device's time), `device`, `copies`,
/// `speedup`, `published`, `over` and `fast_over` (the factors over the published time), `fast` and `outcome`.
pub type Column = (&'static str, &'static str, usize);

/// How a table is printed, as a file of `data/layouts` has it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Layout {
    /// The name by which users ask for it; several tables may share one.
    pub name: &'static str,
    /// The work and the machines of the published figures.
    pub title: &'static str,
    /// Remarks to print below it.
    #[serde(deserialize_with = "list")]
    pub notes: &'static [&'static str],
    /// The fields that stand above the rows that share them, each with the text before it.
    #[serde(deserialize_with = "list")]
    pub groups: &'static [(&'static str, &'static str)],
    /// The columns of its rows.
    #[serde(deserialize_with = "list")]
    pub columns: &'static [Column],
}

/// Reads a list of the program's lifetime.
fn list<'de, D: Deserializer<'de>, T: Deserialize<'de> + 'static>(file: D) -> Result<&'static [T], D::Error> {
    Vec::deserialize(file).map(|list| &*list.leak())
}

/// A file of `data/layouts`.
macro_rules! layout {
    ($name:literal) => {
        // A test reads every file.
        std::sync::LazyLock::new(|| {
            let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/layouts/", $name));
            serde_json::from_str(text).unwrap_or_default()
        })
    };
}
use layout;

impl Deref for Table {
    type Target = Layout;

    fn deref(&self) -> &Layout {
        &self.layout
    }
}

/// All tables, in the order in which they are printed.
pub static TABLES: &[&Table] = &[
    &ntt::TABLE,
    &four_step::TABLE,
    &small_ntt::TABLE,
    &transpositions::TABLE,
    &gf2::TABLE,
    &msm::TABLE,
    &profiles::TABLE,
];

/// The devices on which the tables run, and how they are measured.
pub struct Lab<'a> {
    /// The GPU, if there is one; the CPU engine's systems run without.
    gpu: Option<Gpu>,
    /// Its clock; `None` where it has no timestamps.
    pub clock: Option<Clock>,
    /// Samples of each time.
    pub samples: usize,
    /// The sizes of the cases.
    pub scale: Scale,
    /// The folder of the course's matrices, if there is one.
    pub data: Option<PathBuf>,
    /// Bytes of host memory that matrices may take.
    pub memory: u64,
    /// Threads of the programs with several; `None` for the published number.
    pub threads: Option<usize>,
    /// The processes that share work with this one, if `mpirun` has started several.
    pub processes: Option<&'a Arc<dyn Transport>>,
    /// The cases of the course that run; none for the published ones.
    pub cases: Vec<u32>,
    /// The published lengths of multiplications that run, as powers of two; none for all.
    pub sizes: Vec<u32>,
    /// Programs that would take more seconds than this in a case of the course are left out.
    pub limit: f64,
    /// Called with every row that is complete.
    pub done: &'a dyn Fn(&Row),
}

impl<'a> Lab<'a> {
    /// Measures on `gpu` and on the CPU engine, or on that alone, with so many samples of each time.
    pub fn new(
        gpu: impl Into<Option<Gpu>>,
        samples: usize,
        scale: Scale,
        done: &'a dyn Fn(&Row),
    ) -> Result<Self> {
        let gpu = gpu.into();
        let clock = gpu.as_ref().filter(|gpu| gpu.has_timestamps()).map(Clock::new).transpose()?;
        Ok(Lab {
            gpu,
            clock,
            samples,
            scale,
            data: None,
            memory: u64::MAX,
            threads: None,
            processes: None,
            cases: Vec::new(),
            sizes: Vec::new(),
            limit: f64::INFINITY,
            done,
        })
    }

    /// Returns the GPU. Without one it returns [`Error::Usage`]: the row then cannot run.
    pub fn gpu(&self) -> Result<Gpu> {
        self.gpu.clone().ok_or_else(|| Error::needs("it", "a GPU"))
    }

    /// True if there is a GPU.
    pub fn has_gpu(&self) -> bool {
        self.gpu.is_some()
    }

    /// Returns the GPU as a device, or else the CPU engine.
    pub fn device(&self) -> Device {
        self.gpu.clone().map_or_else(|| Device::Cpu(Cpu::default()), Device::Gpu)
    }

    /// The name of the GPU, or of the CPU engine.
    pub fn device_name(&self) -> &str {
        self.gpu.as_ref().map_or("CPU engine", |gpu| &gpu.adapter().name)
    }

    /// Shows a complete row, and returns it.
    pub fn show(&self, row: Row) -> Row {
        (self.done)(&row);
        row
    }

    /// Runs one system and returns its row. `measure` checks a result, then times it; its error becomes the
    /// outcome.
    pub fn row(
        &mut self,
        fields: Fields,
        system: impl Into<String>,
        measure: impl FnOnce(&mut Self) -> Result<Timing>,
    ) -> Result<Row> {
        Row::new(fields, system, measure(self))
    }

    /// Adds the time of work on the device, by its own clock, where it has timestamps.
    pub fn device_time(
        &mut self,
        timing: Timing,
        record: impl FnMut(&mut Recorder) -> Result<()>,
    ) -> Result<Timing> {
        let (Some(gpu), Some(clock)) = (&self.gpu, &mut self.clock) else { return Ok(timing) };
        Ok(timing.with_device(&super::time(gpu, clock, self.samples, record)?))
    }

    /// Times one copy of `words` words on the device, in seconds; `None` where it has no timestamps or no room.
    pub fn copy_seconds(&mut self, words: usize) -> Result<Option<f64>> {
        let (Some(gpu), Some(clock)) = (&self.gpu, &mut self.clock) else { return Ok(None) };
        reference(super::time_copy(gpu, clock, self.samples, words).map(|copy| copy.median().as_secs_f64()))
    }

    /// Returns the F4 matrix of a case of the course and which matrices it has: the real ones where the lab's folder holds them,
    /// else those of a stand-in of the same dimensions, or of smaller ones in a quick run.
    fn course(&self, number: u32) -> Result<(CourseMatrix, &'static str)> {
        let case = course::numbered(number)?;
        if self.scale == Scale::Quick {
            let f4 = case.stand_in(QUICK_COURSE)?;
            return Ok((CourseMatrix { f4, expected: None, is_real: false }, "small stand-in"));
        }
        let loaded = course::load(&case, self.data.as_deref(), self.memory)?;
        let matrices = if loaded.is_real { "real" } else { "stand-in" };
        Ok((loaded, matrices))
    }

    /// Returns `whole`, or `quick` for a quick run.
    pub fn size<T>(&self, whole: T, quick: T) -> T {
        match self.scale {
            Scale::Whole => whole,
            Scale::Quick => quick,
        }
    }
}

/// The divisor of the dimensions of the course's cases in a quick run.
const QUICK_COURSE: usize = 100;

/// Returns what rows are compared with. Without it the rows have nothing to be compared with, which is no fault of
/// theirs. Only [`Error::DeviceLost`], after which no row can run, stays an error.
fn reference<T>(measured: Result<T>) -> Result<Option<T>> {
    match measured {
        Ok(measured) => Ok(Some(measured)),
        Err(Error::DeviceLost(why)) => Err(Error::DeviceLost(why)),
        Err(_) => Ok(None),
    }
}

impl Table {
    /// Runs the systems of all cases that the lab wants, and returns a row for each.
    pub fn rows(&self, lab: &mut Lab) -> Result<Vec<Row>> {
        let rows = (self.run)(lab)?;
        if !lab.cases.is_empty() || !lab.sizes.is_empty() {
            return Ok(rows);
        }
        match missing(&rows, self.figures()?) {
            Some(figure) => {
                Err(Error::Check(format!("{}: no row has the published {figure}", self.name).into()))
            }
            None => Ok(rows),
        }
    }

    /// Returns all published figures of the table.
    pub fn figures(&self) -> Result<Vec<Figure>> {
        Ok(self.file.records()?.iter().map(self.figures).collect::<Result<Vec<_>>>()?.concat())
    }

    /// Returns the published figures of the line that has these cells; none if there is no such line.
    fn published(&self, cells: &[(&str, &str)]) -> Result<Vec<Figure>> {
        self.file.find(cells)?.map_or(Ok(Vec::new()), |record| (self.figures)(&record))
    }
}

/// Returns a figure that no row has; a figure that was published twice must stand in two rows.
fn missing(rows: &[Row], figures: Vec<Figure>) -> Option<Figure> {
    let mut shown: Vec<_> = rows.iter().flat_map(|row| &row.published).collect();
    figures.into_iter().find(|figure| match shown.iter().position(|shown| *shown == figure) {
        Some(place) => {
            shown.swap_remove(place);
            false
        }
        None => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::test_devices::open;
    use crate::{Outcome, judge};
    use wgalois::gpu::Options;

    #[test]
    fn every_table_reads_its_figures() {
        let counts: Vec<_> = TABLES.iter().map(|table| table.figures().unwrap().len()).collect();
        assert_eq!(counts, [72, 22, 25, 17, 63, 54, 19]);
    }

    #[test]
    fn every_table_reads_its_layout() {
        let columns: Vec<_> = TABLES.iter().map(|table| (table.name, table.columns.len())).collect();
        let expected = [("ntt", 11), ("four-step", 11), ("small-ntt", 8), ("small-ntt", 8)];
        assert_eq!(columns[..4], expected);
        assert_eq!(columns[4..], [("gf2", 12), ("msm", 8), ("profiles", 6)]);
        assert!(TABLES.iter().all(|table| !table.notes.is_empty() && !table.groups.is_empty()));
    }

    #[test]
    fn every_figure_needs_a_row() {
        let figure = |printed| Figure::read("", printed, "ms").unwrap().into_iter().collect::<Vec<_>>();
        let row = |printed| Row::default().with_published(figure(printed));
        let all = || ["1.5", "1.50", "1.5"].map(figure).concat();
        assert_eq!(missing(&[row("1.5"), row("1.50"), row("1.5")], all()), None);
        // Another number of digits, and a row for each of two equal figures.
        assert_eq!(missing(&[row("1.5"), row("1.5")], all()), figure("1.50").pop());
        assert_eq!(missing(&[row("1.5"), row("1.50")], all()), figure("1.5").pop());
        assert_eq!(missing(&[], Vec::new()), None);
    }

    /// Without a GPU the CPU engine's systems run, and all others say what they need.
    #[test]
    fn tables_run_without_a_gpu() {
        for table in TABLES {
            let mut lab = Lab::new(None, 1, Scale::Quick, &|_| {}).unwrap();
            let rows = table.rows(&mut lab).unwrap();
            for row in &rows {
                assert!(matches!(row.outcome, Outcome::Right | Outcome::CannotRun(_)), "{row:?}");
            }
            let needs_gpu =
                |row: &Row| matches!(&row.outcome, Outcome::CannotRun(why) if why.contains("it needs a GPU"));
            assert!(rows.iter().any(needs_gpu), "{}", table.name);
            let runs = ["ntt", "gf2", "msm", "profiles"].contains(&table.name);
            assert_eq!(rows.iter().any(|row| row.outcome == Outcome::Right), runs, "{}", table.name);
        }
    }

    /// All tables but `msm`, whose forms compile for long: the tests of multiplication run those. Tests of the program run
    /// all of them on a device with all features.
    #[test]
    fn every_row_is_right_within_webgpus_limits() {
        let gpu = open(Options::portable());
        for table in TABLES.iter().filter(|table| table.name != "msm") {
            let shown = std::cell::Cell::new(0);
            let done = |_: &Row| shown.set(shown.get() + 1);
            let mut lab = Lab::new(gpu.clone(), 1, Scale::Quick, &done).unwrap();
            let rows = table.rows(&mut lab).unwrap();
            judge(&rows, shown.get()).unwrap();
            for row in &rows {
                // Instructions, workgroups and counters that the machine lacks, and other vendors' programs.
                let is_expected = match &row.outcome {
                    Outcome::Right | Outcome::Unchecked(_) => true,
                    Outcome::CannotRun(why) => {
                        ["instructions", "workgroup", "occupancy", "not counted", "timestamps"]
                            .iter()
                            .any(|word| why.contains(word))
                    }
                    _ => false,
                };
                assert!(is_expected, "{row:?}");
            }
        }
    }
}

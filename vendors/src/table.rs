//! The tables of the repository: a file a family and version of Mesa, a row a text of a kernel.

use std::fmt;
use std::path::Path;

use wgalois::{Error, Result};

use crate::statistics::{COLUMNS, Statistics};
use crate::texts::Name;

/// What a compiler made of one text.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The text.
    pub name: Name,
    /// Why there is no kernel, such as a limit of time.
    pub failure: Option<String>,
    /// The statistics.
    pub statistics: Statistics,
    /// The compile time as a multiple of that of the reference kernel.
    pub time: f64,
}

/// The version of Mesa in what a driver says of itself.
pub fn version(driver: &[String; 3]) -> &str {
    let version = driver[2].trim_start_matches("Mesa ");
    version.split(['-', '+', ' ']).next().unwrap_or_default()
}

/// What follows the reference kernel's time in the first line of a table.
const UNIT: &str = " ms the reference kernel";

/// The rows of one driver.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The GPU's name, the driver's name, its version.
    pub driver: [String; 3],
    /// Milliseconds of the reference kernel.
    pub unit: f64,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Table {
    /// The version of Mesa, without that of Debian's package: `22.3.6`.
    pub fn version(&self) -> &str {
        version(&self.driver)
    }

    /// Reads a table.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::file(path, error))?;
        Self::parse(&text)
            .ok_or_else(|| Error::unexpected(&text, "a table of this program").of(path.display().to_string()))
    }

    /// Whether a text took clearly less time here.
    pub fn has_faster(&self, row: &Row) -> bool {
        self.rows.iter().any(|known| known.is_of(&row.name) && is_slower(known.time, row.time))
    }

    /// Returns what is kept of a new table: numbers of two digits, and the known times and version where the new ones differ less
    /// than measurements do, so that a change of the kernels changes few lines.
    #[must_use]
    pub fn kept_beside(mut self, known: Option<&Table>) -> Table {
        let near = |was: f64, is: f64| was.max(is) <= NEAR * was.min(is);
        let known = known.cloned().unwrap_or_default();
        if near(known.unit, self.unit) {
            self.unit = known.unit;
        }
        for row in &mut self.rows {
            row.statistics.instructions = row.statistics.instructions.map(two_digits);
            let before = known.rows.iter().filter(|known| known.is_of(&row.name)).map(|known| known.time);
            row.time = before.into_iter().find(|was| near(*was, row.time)).unwrap_or(two_digits(row.time));
        }
        self
    }

    /// Parses what [`Display`](fmt::Display) writes.
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let (driver, unit) = lines.next()?.strip_prefix("# ")?.rsplit_once(" | ")?;
        let unit = unit.strip_suffix(UNIT)?.parse().ok()?;
        let driver: Vec<String> = driver.split(" | ").map(str::to_owned).collect();
        let rows = lines.filter(|line| !line.starts_with('#')).skip(1).map(Row::parse);
        Some(Table { driver: driver.try_into().ok()?, unit, rows: rows.collect::<Option<_>>()? })
    }
}

impl Row {
    fn parse(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [kernel, variant, kinds, numbers @ .., time] = &fields[..] else { return None };
        let name = Name { kernel: (*kernel).into(), variant: (*variant).into(), kinds: (*kinds).into() };
        if let [failure] = numbers {
            let failure = Some((*failure).to_owned());
            return Some(Row { name, failure, statistics: Statistics::default(), time: time.parse().ok()? });
        }
        let number = |text: &&str| match *text {
            "-" => Some(None),
            number => number.parse().ok().map(Some),
        };
        let numbers: Vec<Option<f64>> = numbers.iter().map(number).collect::<Option<_>>()?;
        let statistics = Statistics::of_columns(numbers.try_into().ok()?);
        Some(Row { name, failure: None, statistics, time: time.parse().ok()? })
    }

    /// The kernels of both rows are one, and the variant too, for some kind of device.
    fn is_of(&self, other: &Name) -> bool {
        let own = self.name.kinds();
        (&self.name.kernel, &self.name.variant) == (&other.kernel, &other.variant)
            && other.kinds().iter().any(|kind| own.contains(kind))
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Name { kernel, variant, kinds } = &self.name;
        write!(f, "{kernel}\t{variant}\t{kinds}")?;
        match &self.failure {
            Some(failure) => write!(f, "\t{failure}")?,
            None => {
                for column in self.statistics.columns() {
                    match column {
                        Some(number) => write!(f, "\t{number}")?,
                        None => write!(f, "\t-")?,
                    }
                }
            }
        }
        write!(f, "\t{}", (100.0 * self.time).round() / 100.0)
    }
}

/// The line of the columns' names.
pub fn heading() -> String {
    format!("kernel\tvariant\tdevices\t{}\ttime", COLUMNS.join("\t"))
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# {} | {:.1}{UNIT}", self.driver.join(" | "), self.unit)?;
        writeln!(f, "{}", heading())?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))
    }
}

/// Compile times below this multiple of the reference kernel's (RADV: 15 ms) are not compared: nobody waits for them, and on machines that
/// share a processor's caches with others a kernel of 30 ms took twice that five times in a row.
const NOISE: f64 = 5.0;
/// Times that differ by less than this factor are one time, measured twice.
const NEAR: f64 = 1.5;

fn is_slower(was: f64, is: f64) -> bool {
    is > NOISE && is > 2.0 * was
}

fn two_digits(number: f64) -> f64 {
    if number == 0.0 {
        return 0.0;
    }
    let scale = 10f64.powf(number.abs().log10().floor() - 1.0);
    // From the decimal text, so that no digits of a binary fraction follow.
    let rounded = (number / scale).round() * scale;
    format!("{rounded:.6}").parse().unwrap_or(rounded)
}

/// Returns the faults of new rows beside known ones: each a sentence, followed by the rows.
pub fn faults(known: &Table, new: &Table) -> Vec<String> {
    let mut faults = Vec::new();
    for row in &new.rows {
        let mut before = known.rows.iter().filter(|known| known.is_of(&row.name)).peekable();
        if before.peek().is_none() {
            let alike = known.rows.iter().filter(|known| known.name.kernel == row.name.kernel);
            let alike: String = alike.map(|known| format!("\n      {known}")).collect();
            let beside = if alike.is_empty() { "" } else { "; rows of this kernel:" };
            faults.push(format!("a kernel without a row{beside}{alike}\n  new {row}"));
        }
        for before in before {
            for fault in worse(before, row) {
                faults.push(format!("{fault}\n  was {before}\n  new {row}"));
            }
        }
    }
    for row in &known.rows {
        if !new.rows.iter().any(|new| new.is_of(&row.name)) {
            faults.push(format!("a row without a kernel\n  was {row}"));
        }
    }
    faults
}

/// What is worse of a kernel than it was.
fn worse(before: &Row, after: &Row) -> Vec<&'static str> {
    let (was, is) = (&before.statistics, &after.statistics);
    let grew = |was: Option<f64>, is: Option<f64>| was.unwrap_or(0.0) == 0.0 && is.unwrap_or(0.0) > 0.0;
    let halved = was.occupancy.zip(is.occupancy).is_some_and(|(was, is)| 2.0 * is <= was);
    let failed = before.failure.is_none() && after.failure.is_some();
    let all = [
        (failed, "a kernel does not compile"),
        (!failed && grew(was.spills, is.spills), "a kernel spills registers"),
        (!failed && grew(was.scratch, is.scratch), "a kernel has private data in memory"),
        (!failed && halved, "half as many subgroups of a kernel fit"),
        (!failed && is_slower(before.time, after.time), "a kernel compiles twice as long"),
    ];
    all.into_iter().filter(|(is, _)| *is).map(|(_, text)| text).collect()
}

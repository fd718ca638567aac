//! Multi-scalar multiplication on BLS12-381.

use super::csv::{self, Record};
use super::{Lab, Table};
use crate::Result;
use crate::bench::{Fields, Figure, Row, Unit};

/// The table.
pub static TABLE: Table = Table {
    name: "msm",
    title: "Multi-scalar multiplication on BLS12-381: cuZK and the load-balanced method",
    notes: &[],
    figures: || {
        let figures = |record: &Record| Ok([cuzk(record)?, balanced(record)?, ratios(record)?].concat());
        csv::MSM.records()?.iter().map(figures).collect::<Result<Vec<_>>>().map(|all| all.concat())
    },
    run,
};

/// Returns the published times of cuZK.
fn cuzk(record: &Record) -> Result<Vec<Figure>> {
    machines(record, ["v100_cuzk", "rtx3090_cuzk", "rtx4090_cuzk"], Unit::Milliseconds)
}

/// Returns the published times of the load-balanced method.
fn balanced(record: &Record) -> Result<Vec<Figure>> {
    machines(record, ["v100_balanced", "rtx3090_balanced", "rtx4090_balanced"], Unit::Milliseconds)
}

/// Returns the published times of the load-balanced method with `n` points.
///
/// # Errors
/// Those of [`csv::File::records`].
pub fn balanced_at(n: usize) -> Result<Vec<Figure>> {
    for record in csv::MSM.records()? {
        if record.value::<u32>("log_n")?.and_then(|log_n| 1usize.checked_shl(log_n)) == Some(n) {
            return balanced(&record);
        }
    }
    Ok(Vec::new())
}

/// Returns the published ratios of the two.
fn ratios(record: &Record) -> Result<Vec<Figure>> {
    machines(record, ["v100_ratio", "rtx3090_ratio", "rtx4090_ratio"], Unit::Factor)
}

fn machines(record: &Record, columns: [&str; 3], unit: Unit) -> Result<Vec<Figure>> {
    let figures = ["V100", "RTX 3090", "RTX 4090"].into_iter().zip(columns);
    figures.filter_map(|(machine, column)| record.figure(column, machine, unit).transpose()).collect()
}

fn run(_: &mut Lab) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for record in csv::MSM.records()? {
        let fields =
            || -> Result<Fields> { Ok(Fields::default().with("log_n", record.value::<u32>("log_n")?)) };
        for (system, published) in
            [("cuZK", cuzk(&record)?), ("load-balanced", [balanced(&record)?, ratios(&record)?].concat())]
        {
            let row = Row::cannot_run(fields()?, system, "there is no such system yet");
            rows.push(row.with_published(published));
        }
    }
    Ok(rows)
}

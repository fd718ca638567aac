//! Transforms of 64 points.

use super::csv::{self, Record};
use super::{Lab, Table};
use crate::Result;
use crate::bench::{Fields, Figure, Row, Unit};

/// The table.
pub static TABLE: Table = Table {
    name: "small-ntt",
    title: "Transforms of 64 points",
    notes: &[],
    figures: || {
        csv::POINTS_64.records()?.iter().map(published).collect::<Result<Vec<_>>>().map(|all| all.concat())
    },
    run,
};

/// Returns the published figures of one line.
fn published(record: &Record) -> Result<Vec<Figure>> {
    let time = record.figure("us", "", Unit::Microseconds)?;
    let occupancy = record.figure("occupancy_percent", "occupancy", Unit::Percent)?;
    Ok(time.into_iter().chain(occupancy).collect())
}

fn run(_: &mut Lab) -> Result<Vec<Row>> {
    let row = |record: &Record| {
        let fields = Fields::default()
            .with("batch", record.text("batch")?)
            .with("bank_conflicts", record.text("bank_conflicts")?)
            .with("left_out", record.text("ablation")?);
        let row = Row::cannot_run(fields, record.text("form")?, "there is no such system yet");
        Ok(row.with_published(published(record)?))
    };
    csv::POINTS_64.records()?.iter().map(row).collect()
}

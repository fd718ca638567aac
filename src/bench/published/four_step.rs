//! Four-step transforms on transforms of 256 points.

use super::csv::{self, Record};
use super::{Lab, Table};
use crate::Result;
use crate::bench::{Fields, Figure, Row, Unit};

/// The table.
pub static TABLE: Table = Table {
    name: "four-step",
    title: "Four-step transforms on transforms of 256 points",
    notes: &[],
    figures: || {
        csv::POINTS_256.records()?.iter().map(published).collect::<Result<Vec<_>>>().map(|all| all.concat())
    },
    run,
};

/// Returns the published figures of one line.
fn published(record: &Record) -> Result<Vec<Figure>> {
    Ok(record.figure("total_us", "total", Unit::Microseconds)?.into_iter().collect())
}

fn run(_: &mut Lab) -> Result<Vec<Row>> {
    let row = |record: &Record| {
        let fields = Fields::default();
        let row = Row::cannot_run(fields, record.text("form")?, "there is no such system yet");
        Ok(row.with_published(published(record)?))
    };
    csv::POINTS_256.records()?.iter().map(row).collect()
}

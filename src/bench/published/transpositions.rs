//! Transpositions alone.

use super::csv::{self, Record};
use super::{Lab, Table};
use crate::Result;
use crate::bench::{Fields, Figure, Row, Unit};

/// The table.
pub static TABLE: Table = Table {
    name: "small-ntt",
    title: "Transpositions alone",
    notes: &[],
    figures: || {
        csv::TRANSPOSITIONS
            .records()?
            .iter()
            .map(published)
            .collect::<Result<Vec<_>>>()
            .map(|all| all.concat())
    },
    run,
};

/// Returns the published figures of one line.
fn published(record: &Record) -> Result<Vec<Figure>> {
    let before = record.figure("before_us", "before padding", Unit::Microseconds)?;
    let after = record.figure("after_us", "after padding", Unit::Microseconds)?;
    Ok(before.into_iter().chain(after).collect())
}

fn run(_: &mut Lab) -> Result<Vec<Row>> {
    let row = |record: &Record| {
        let fields = Fields::default().with("log_n", record.value::<u32>("log_n")?);
        let row = Row::cannot_run(fields, record.text("kernel")?, "there is no such system yet");
        Ok(row.with_published(published(record)?))
    };
    csv::TRANSPOSITIONS.records()?.iter().map(row).collect()
}

//! Special elimination of Boolean Groebner bases.

use super::csv::{self, Record};
use super::{Lab, Table};
use crate::Result;
use crate::bench::{Fields, Figure, Row, Unit};

/// The table.
pub static TABLE: Table = Table {
    name: "gf2",
    title: "Special elimination of Boolean Groebner bases",
    notes: &[],
    figures: || {
        csv::ELIMINATION.records()?.iter().map(published).collect::<Result<Vec<_>>>().map(|all| all.concat())
    },
    run,
};

/// Returns the published figures of one line.
fn published(record: &Record) -> Result<Vec<Figure>> {
    let case = |label, column| record.figure(column, label, Unit::Milliseconds);
    let cases = [
        case("case 7", "case7")?,
        case("case 8", "case8")?,
        case("case 9", "case9")?,
        case("case 10", "case10")?,
    ];
    Ok(cases.into_iter().flatten().collect())
}

fn run(_: &mut Lab) -> Result<Vec<Row>> {
    let row = |record: &Record| {
        let fields = Fields::default().with("machine", record.text("machine")?);
        let row = Row::cannot_run(fields, record.text("system")?, "there is no such system yet");
        Ok(row.with_published(published(record)?))
    };
    csv::ELIMINATION.records()?.iter().map(row).collect()
}

//! Rows as a table: the same columns for every benchmark, without those that no row fills.

use super::units::{factor, time};
use crate::Context;
use comfy_table::{CellAlignment, Table, presets};
use serde_json::Value;
use wgalois::Result;
use wgalois_benches::{Figure, Outcome, Row, Timing};

/// A column: its header and the cell of a row.
type Column = (String, Box<dyn Fn(&Row) -> String>);

/// Prints rows as a table, and the times of steps below it, unless the report goes to stdout.
pub fn print_rows(context: &Context, rows: &[Row]) -> Result<()> {
    print_rows_and(context, rows, "")
}

/// [`print_rows`] with lines below the table.
pub fn print_rows_and(context: &Context, rows: &[Row], lines: &str) -> Result<()> {
    if !context.has_output() {
        return Ok(());
    }
    let (table, steps) = (table(rows), steps(rows));
    let software = context.software_driver().map(|name| format!("computed by {name}\n")).unwrap_or_default();
    context.write(|out| write!(out, "{table}{steps}{lines}{software}"))
}

/// Returns rows as a table.
fn table(rows: &[Row]) -> String {
    render(rows, columns(rows))
}

fn render(rows: &[Row], mut columns: Vec<Column>) -> String {
    columns.retain(|(_, cell)| rows.iter().any(|row| !cell(row).is_empty()));
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header(columns.iter().map(|(name, _)| name.as_str()));
    table.add_rows(rows.iter().map(|row| columns.iter().map(|(_, cell)| cell(row)).collect::<Vec<_>>()));
    for (place, (name, _)) in columns.iter().enumerate() {
        let numbers = |cell: &comfy_table::Cell| cell.content().starts_with(|c: char| c.is_ascii_digit());
        let right =
            name != "published" && table.row_iter().filter_map(|row| row.cell_iter().nth(place)).any(numbers);
        if let (true, Some(column)) = (right, table.column_mut(place)) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{table}\n")
}

/// Returns the names of the fields that rows have, each once.
pub fn field_names(rows: &[Row]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for (name, _) in rows.iter().flat_map(|row| row.fields.iter()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn columns(rows: &[Row]) -> Vec<Column> {
    let column = |name: &str, cell: fn(&Row) -> String| -> Column { (name.to_owned(), Box::new(cell)) };
    let field = |name: &'static str| -> Column {
        (
            header(name),
            Box::new(move |row| row.fields.get(name).map_or_else(String::new, |value| text(name, value))),
        )
    };
    let mut columns: Vec<_> = field_names(rows).into_iter().map(field).collect();
    columns.push(column("system", |row| row.system.clone()));
    columns.extend([
        column("call", |row| timed(row, |timing| timing.call)),
        column("device", |row| timed(row, |timing| timing.device)),
        column("spread", |row| timing(row, |timing| timing.spread.map(percent))),
        column("thrown away", |row| timing(row, |timing| timing.rejected.map(|n| n.to_string()))),
        column("copy", |row| timed(row, |timing| timing.copy)),
        column("copies", |row| timing(row, |timing| timing.copies().map(factor))),
        column("prepared", |row| timed(row, |timing| timing.prepare)),
        column("speed-up", |row| row.speedup.map_or_else(String::new, factor)),
        column("published", |row| join(row.published.iter().map(Figure::to_string))),
        column("over published", |row| {
            join(row.over_published().iter().filter_map(|over| over[0].map(factor)))
        }),
        column("fast method", |row| row.fast.map_or_else(String::new, time)),
        column("fast over published", |row| {
            join(row.over_published().iter().filter_map(|over| over[1].map(factor)))
        }),
        column("result", |row| outcome(&row.outcome)),
    ]);
    columns
}

fn timing(row: &Row, cell: impl Fn(&Timing) -> Option<String>) -> String {
    row.timing.as_ref().and_then(cell).unwrap_or_default()
}

fn timed(row: &Row, seconds: fn(&Timing) -> Option<f64>) -> String {
    timing(row, |timing| seconds(timing).map(time))
}

fn join(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(", ")
}

/// Returns the header of a field's column.
fn header(name: &str) -> String {
    match name {
        "log_n" => "n".to_owned(),
        "log_base" => "base".to_owned(),
        "int64" => "kernels".to_owned(),
        "precompute" => "stored".to_owned(),
        "pair_rounds" => "pairs".to_owned(),
        "width" => "c".to_owned(),
        name => name.replace('_', " "),
    }
}

/// Returns the value of a field as text.
pub fn text(name: &str, value: &Value) -> String {
    match (name, value) {
        ("log_n", Value::Number(log)) => format!("2^{log}"),
        ("log_base", Value::Number(log)) => {
            log.as_u64().map_or_else(String::new, |log| 1u64.checked_shl(log as u32).unwrap_or(0).to_string())
        }
        ("n", Value::Number(n)) => match n.as_u64() {
            Some(n) if n.is_power_of_two() => format!("2^{}", n.ilog2()),
            _ => n.to_string(),
        },
        ("int64", Value::Bool(int64)) => if *int64 { "int64" } else { "portable" }.to_owned(),
        ("expected" | "planned" | "planned_cold" | "measured_cold", Value::Number(seconds)) => {
            seconds.as_f64().map_or_else(String::new, time)
        }
        ("ratio" | "over_best", Value::Number(ratio)) => ratio.as_f64().map_or_else(String::new, factor),
        (_, Value::Bool(yes)) => if *yes { "yes" } else { "no" }.to_owned(),
        (_, Value::String(text)) => text.clone(),
        (_, Value::Null) => String::new(),
        (_, value) => value.to_string(),
    }
}

/// Returns a line for each row whose steps were timed: the steps by falling time, each with its share of
/// all, and the host's part of a call.
pub fn steps(rows: &[Row]) -> String {
    let mut lines = String::new();
    for row in rows {
        let Some(timing) = row.timing.as_ref().filter(|timing| !timing.steps.is_empty()) else { continue };
        let case =
            join(row.fields.iter().map(|(name, value)| format!("{} {}", header(name), text(name, value))));
        let total: f64 = timing.steps.values().sum();
        let mut steps: Vec<_> = timing.steps.iter().collect();
        steps.sort_by(|a, b| b.1.total_cmp(a.1));
        let steps = steps
            .into_iter()
            .map(|(name, step)| format!("{name} {} ({:.0}%)", time(*step), 100.0 * step / total));
        let host = timing.host.iter().map(|(name, part)| format!("{name} {}", time(*part)));
        lines += &format!("{case}: {}", join(steps));
        if !timing.host.is_empty() {
            lines += &format!("; call: {}", join(host));
        }
        lines.push('\n');
    }
    lines
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// Describes the outcome of a row in words.
pub fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Right => "right".to_owned(),
        Outcome::Wrong(why) => format!("WRONG: {why}"),
        Outcome::Failed(why) => format!("FAILED: {why}"),
        Outcome::CannotRun(why) => format!("cannot run here: {why}"),
        Outcome::Unchecked(why) => format!("timed only: {why}"),
        Outcome::NotRun(why) => format!("not run: {why}"),
    }
}

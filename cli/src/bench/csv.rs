//! The option `--csv`: rows as comma-separated values.

use super::plot::plot_output;
use super::table::{field_names, outcome};
use crate::bench::prelude::*;
use serde_json::Value;
use wgalois_benches::Figure;

/// The option, for every benchmark.
#[derive(clap::Args)]
pub struct Csv {
    /// Also write the rows as comma-separated values (RFC 4180): a column for each field, each time in seconds and the
    /// device
    #[arg(long = "csv", value_name = "FILE")]
    path: Option<PathBuf>,
}

impl Csv {
    /// Returns the files of `--csv` and `--plot` as outputs.
    pub fn outputs_with(&self, plot: &Option<PathBuf>) -> Vec<(&'static str, PathBuf)> {
        let mut files = plot_output(plot);
        files.extend(self.outputs());
        files
    }

    /// Returns the file as an output.
    pub fn outputs(&self) -> Vec<(&'static str, PathBuf)> {
        self.path.iter().map(|path| ("--csv", path.clone())).collect()
    }

    /// Puts rows into the object of `--json`, and into the file if there is one.
    pub fn report(&self, context: &Context, rows: &[Row]) -> Result<()> {
        context.report("rows", serde_json::json!(rows));
        self.write(context, rows)
    }

    /// Writes rows into the file if there is one.
    pub fn write(&self, context: &Context, rows: &[Row]) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let text = text(rows, &context.device_name());
        context.write_to(path, |out| out.write_all(text.as_bytes()))
    }
}

/// A column: its head and the cell of a row.
type Column = (String, Box<dyn Fn(&Row) -> String>);

/// Returns rows as comma-separated values. Every row has every column that one of them has.
fn text(rows: &[Row], device: &str) -> String {
    let columns = columns(rows, device);
    let mut text = line(columns.iter().map(|(head, _)| head.clone()));
    for row in rows {
        text += &line(columns.iter().map(|(_, cell)| cell(row)));
    }
    text
}

fn columns(rows: &[Row], device: &str) -> Vec<Column> {
    let mut steps = Vec::new();
    for step in rows.iter().flat_map(|row| &row.timing).flat_map(|timing| timing.steps.keys()) {
        if !steps.contains(step) {
            steps.push(step.clone());
        }
    }
    let timed = |head: &str, seconds: fn(&Timing) -> Option<f64>| -> Column {
        let cell = move |row: &Row| row.timing.as_ref().and_then(seconds).map_or_else(String::new, number);
        (head.to_owned(), Box::new(cell))
    };
    let column = |head: &str, cell: fn(&Row) -> String| -> Column { (head.to_owned(), Box::new(cell)) };
    let mut columns: Vec<Column> = Vec::new();
    for name in field_names(rows) {
        let cell = move |row: &Row| row.fields.get(name).map_or_else(String::new, value);
        columns.push((name.to_owned(), Box::new(cell)));
    }
    columns.push(column("system", |row| row.system.clone()));
    columns.extend([
        timed("call", |timing| timing.call),
        timed("calls", |timing| timing.calls.map(|calls| calls as f64)),
        timed("device", |timing| timing.device),
        timed("spread", |timing| timing.spread),
        timed("rejected", |timing| timing.rejected.map(f64::from)),
        timed("copy", |timing| timing.copy),
        timed("prepare", |timing| timing.prepare),
    ]);
    for step in steps {
        let head = format!("step {step}");
        let seconds = move |row: &Row| row.timing.as_ref()?.steps.get(&step).copied();
        columns.push((head, Box::new(move |row| seconds(row).map_or_else(String::new, number))));
    }
    let published = |row: &Row| row.published.iter().map(Figure::to_string).collect::<Vec<_>>().join("; ");
    columns.extend([
        column("speedup", |row| row.speedup.map_or_else(String::new, number)),
        column("published", published),
        column("fast", |row| row.fast.map_or_else(String::new, number)),
        column("outcome", |row| outcome(&row.outcome)),
    ]);
    let device = device.to_owned();
    columns.push(("computed_by".to_owned(), Box::new(move |_| device.clone())));
    columns
}

/// Returns a number with all digits that tell it from others.
fn number(number: f64) -> String {
    number.to_string()
}

fn value(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns cells as a line; those that need it stand in quotes.
fn line(cells: impl Iterator<Item = String>) -> String {
    let quoted = |cell: String| match cell.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    };
    format!("{}\r\n", cells.map(quoted).collect::<Vec<_>>().join(","))
}

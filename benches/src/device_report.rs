//! What a device is and does, to be shared: its driver and limits, its record, and problems of all tasks with planned and measured
//! times. It has no path, no name of a host and nothing of a user.

use std::fmt::Write;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::plans::{Bounds, Comparison, Engine, name_of, sample};
use super::{Outcome, Row, judge};
use wgalois::gpu::{AdapterDescription, DeviceRecord, Gpu, Origin, Products, block_on};
use wgalois::{Cpu, Result};

/// The report of a device.
#[derive(Clone, Debug, Serialize)]
pub struct DeviceReport {
    /// The version of the library.
    pub version: &'static str,
    /// Where it ran: the operating system, or the browser.
    pub system: String,
    /// The threads of the CPU engine.
    pub threads: usize,
    /// The vector instructions of the CPU engine.
    pub simd: String,
    /// The device with its limits.
    pub adapter: AdapterDescription,
    /// Its rates, by which plans estimate times.
    pub record: DeviceRecord,
    /// The problems, each on every engine.
    pub rows: Vec<Row>,
}

impl DeviceReport {
    /// The problems that a report measures.
    pub fn problems() -> Vec<String> {
        sample().iter().map(|case| case.name()).collect()
    }

    /// The report of a device on which no problem was measured yet. `system` says where it runs.
    pub fn of(gpu: &Gpu, system: String) -> Self {
        let cpu = Cpu::default();
        DeviceReport {
            version: env!("CARGO_PKG_VERSION"),
            system,
            threads: cpu.thread_count(),
            simd: cpu.simd.to_string(),
            adapter: gpu.adapter().clone(),
            record: gpu.device_record().clone(),
            rows: Vec::new(),
        }
    }

    /// Measures the problems on the device's engines and on those to compare with, and tells the number of each problem as it begins.
    /// What is planned to take longer than `each` on an engine is left out there.
    pub fn measure(&mut self, engines: Vec<Engine>, each: Duration, tell: impl FnMut(usize)) -> Result<()> {
        block_on(self.measure_async(engines, each, tell))
    }

    /// The asynchronous form of [`measure`](Self::measure), for browsers.
    pub async fn measure_async(
        &mut self,
        engines: Vec<Engine>,
        each: Duration,
        mut tell: impl FnMut(usize),
    ) -> Result<()> {
        let mut comparison = Comparison::new(engines, Bounds { each, total: each * 20 }, false, None);
        for (number, case) in sample().iter().enumerate() {
            tell(number);
            comparison.measure_async(case).await?;
        }
        self.rows = comparison.finish().0;
        Ok(())
    }

    /// Checks that no answer is wrong, and that no run failed.
    pub fn judge(&self) -> Result<()> {
        judge(&self.rows, self.rows.len())
    }

    /// The report as Markdown.
    pub fn to_markdown(&self) -> String {
        let DeviceReport { version, system, threads, simd, adapter, record, rows } = self;
        let properties = [
            ("driver", adapter.driver.clone()),
            ("graphics API", adapter.backend.clone()),
            ("kind", adapter.kind.to_owned()),
            ("64-bit integers", adapter.int64.to_string()),
            ("subgroups", format!("{} to {}", adapter.subgroup_sizes[0], adapter.subgroup_sizes[1])),
            ("timestamps", adapter.timestamps.to_string()),
            ("largest binding", format!("{} bytes", adapter.max_binding_bytes)),
            ("workgroup memory", format!("{} bytes", adapter.max_workgroup_bytes)),
            ("CPU engine", format!("{threads} threads, {simd}")),
            ("system", system.clone()),
        ];
        let source = match record.origin {
            Origin::Measured => "measured on this device",
            Origin::Shipped => "measured on a device like this one",
            Origin::Estimate => "estimated from published specifications",
        };
        let rates = rates(record).into_iter().filter(|(name, _)| *name != "device");
        let rates = std::iter::once(("source", source.to_owned())).chain(rates);
        let mut text = format!("# wgalois {version} on {}\n\n", name_of(adapter));
        write_table(&mut text, "device", properties);
        write_table(&mut text, "rate", rates);
        write_rows(&mut text, rows);
        text
    }
}

/// Writes a table of two columns. A bar in a driver's name would end a cell.
fn write_table(text: &mut String, title: &str, lines: impl IntoIterator<Item = (&'static str, String)>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "| {title} | |\n|---|---|");
    for (name, value) in lines {
        let _ = writeln!(text, "| {name} | {} |", value.replace('|', "\\|"));
    }
    text.push('\n');
}

/// Writes the problems with their times. Only a device that stays open has a first run apart.
fn write_rows(text: &mut String, rows: &[Row]) {
    let has_first = rows.iter().any(|row| row.fields.get("first").is_some());
    let first = |cell: &str| if has_first { format!(" {cell} |") } else { String::new() };
    let _ = writeln!(
        text,
        "| problem | engine | planned, ms |{} measured, ms | answer |",
        first("first run, ms")
    );
    let _ = writeln!(text, "|---|---|---|{}---|---|", if has_first { "---|" } else { "" });
    let milliseconds = |seconds: Option<f64>| seconds.map_or(String::new(), |s| format!("{:.3}", s * 1e3));
    for row in rows {
        let field = |name| row.fields.get(name);
        let of_field = |name| milliseconds(field(name).and_then(Value::as_f64));
        let measured = milliseconds(row.timing.as_ref().and_then(|timing| timing.call));
        let problem = field("problem").and_then(Value::as_str).unwrap_or_default();
        let answer = match &row.outcome {
            Outcome::Right => "right".to_owned(),
            Outcome::Wrong(why) => format!("WRONG: {why}"),
            Outcome::Failed(why) => format!("failed: {why}"),
            Outcome::CannotRun(why) | Outcome::Unchecked(why) | Outcome::NotRun(why) => why.clone(),
        };
        let (planned, first) = (of_field("planned"), first(&of_field("first")));
        let _ = writeln!(text, "| {problem} | {} | {planned} |{first} {measured} | {answer} |", row.system);
    }
}

/// What a record says, in lines.
pub fn rates(record: &DeviceRecord) -> Vec<(&'static str, String)> {
    let rate = |rate: f64, unit: &str| format!("{:.4} 10^9 {unit} a second", rate / 1e9);
    let time = |seconds: f64| format!("{:.2} us", seconds * 1e6);
    let products = |products: Products| {
        let int64 = products.int64.map_or("no 64-bit integers".to_owned(), |int64| {
            format!("{:.4} with 64-bit integers", int64 / 1e9)
        });
        let portable = products.portable / 1e9;
        format!("{int64}, {portable:.4} without (10^9 a second); one alone {:.1} ns", products.latency * 1e9)
    };
    let mut lines = vec![
        ("device", record.device.clone()),
        ("copies", rate(record.copied_bytes, "bytes")),
        ("random reads", rate(record.gathered_words, "words")),
        ("look-ups", rate(record.lookups, "vectors of 128 bits")),
        ("multiply-adds", rate(record.multiply_adds, "of 32 bits")),
        ("logic", rate(record.logic, "operations of 32 bits")),
        ("exchange in a workgroup", time(record.exchange)),
        ("dispatch", time(record.dispatch)),
        ("call", time(record.call)),
        ("upload", rate(record.upload, "bytes")),
        ("download", rate(record.download, "bytes")),
        ("staging buffers", rate(1.0 / record.staging, "bytes")),
        ("compiling a kernel", time(record.compile)),
        ("finding and opening", time(record.opening)),
        ("products of words", products(record.words)),
    ];
    let fields = [("of 255 bits", record.bits255), ("of 381 bits", record.bits381)];
    lines.extend(fields.into_iter().filter_map(|(name, of)| Some((name, products(of?)))));
    lines
}

//! `wgalois report`: what a device is and does, to be shared.

use crate::bench::plans::engines;
use crate::prelude::*;
use serde_json::json;
use wgalois::gpu::{AdapterDescription, DeviceRecord, Family, Options};
use wgalois::{Cpu, One};
use wgalois_benches::plans::{Bounds, Comparison, Engine, sample};
use wgalois_benches::{CPU_ENGINE, Outcome, Row, judge};

/// Report a GPU: its driver and limits, its record, and problems of all tasks with planned and measured times
///
/// The report is Markdown, to be pasted into an issue of the project; --json writes the same as an object. It has no path, no
/// name of a host and nothing of a user. Every answer is verified. It takes about a minute.
#[derive(clap::Args)]
pub struct DeviceReport {
    /// Leave out problems that are planned to take longer on an engine
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = count::<u32>(1..=3600))]
    each: u32,
}

impl Run for DeviceReport {
    fn run(&self, context: &Context) -> Result<()> {
        let gpu = context.gpu(Options::default())?;
        let tuned = gpu.tuned(&[Family::Bits255, Family::Bits381], false)?;
        let gpu = tuned.unwrap_or(gpu);
        let (adapter, record) = (gpu.adapter().clone(), gpu.device_record().clone());
        drop(gpu);
        let (mut all, _) = engines(context)?;
        if all.iter().all(|engine| engine.name != CPU_ENGINE) {
            all.insert(0, Engine::cpu(Cpu::default()));
        }
        let each = Duration::from_secs(self.each.into());
        let bounds = Bounds { each, total: each * 20 };
        let mut comparison = Comparison::new(all, bounds, false, None);
        let cases = sample();
        let progress = context.bar("measure", cases.len() as u64);
        for case in cases {
            comparison.measure(&case)?;
            progress.advance(1);
        }
        drop(progress);
        let (rows, _) = comparison.finish();
        context.report("adapter", json!(adapter));
        context.report("record", json!(record));
        context.report("rows", json!(rows));
        if context.has_output() {
            context.write(|out| write!(out, "{}", markdown(&adapter, &record, &rows)))?;
        }
        judge(&rows, rows.len())
    }
}

/// The report.
fn markdown(adapter: &AdapterDescription, record: &DeviceRecord, rows: &[Row]) -> String {
    let cpu = Device::Cpu(Cpu::default());
    let (threads, simd) = match cpu.one() {
        One::Cpu(cpu) => (cpu.thread_count(), cpu.simd.to_string()),
        One::Gpu(_) => (0, String::new()),
    };
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
        ("system", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
    ];
    let mut text = format!("# wgalois {} on {}\n\n", env!("CARGO_PKG_VERSION"), adapter.name);
    let mut table = |title: &str, lines: &mut dyn Iterator<Item = (String, String)>| {
        text += &format!("| {title} | |\n|---|---|\n");
        lines.for_each(|(name, value)| text += &format!("| {name} | {value} |\n"));
        text.push('\n');
    };
    table("device", &mut properties.into_iter().map(|(name, value)| (name.to_owned(), value)));
    table(
        "rate",
        &mut crate::tune::lines(record).into_iter().skip(1).map(|(name, rate)| (name.to_owned(), rate)),
    );
    text += "| problem | engine | planned, ms | measured, ms | answer |\n|---|---|---|---|---|\n";
    for row in rows {
        let milliseconds =
            |seconds: Option<f64>| seconds.map_or(String::new(), |s| format!("{:.3}", s * 1e3));
        let field = |name| row.fields.get(name);
        let planned = milliseconds(field("planned").and_then(|planned| planned.as_f64()));
        let measured = milliseconds(row.timing.as_ref().and_then(|timing| timing.call));
        let problem = field("problem").and_then(|problem| problem.as_str()).unwrap_or_default();
        let answer = match &row.outcome {
            Outcome::Right => "right".to_owned(),
            Outcome::Wrong(why) => format!("WRONG: {why}"),
            Outcome::Failed(why) => format!("failed: {why}"),
            Outcome::CannotRun(why) | Outcome::Unchecked(why) | Outcome::NotRun(why) => why.clone(),
        };
        text += &format!("| {problem} | {} | {planned} | {measured} | {answer} |\n", row.system);
    }
    text
}

//! `wgalois report`: what a device is and does, to be shared.

use crate::bench::plans::engines;
use crate::prelude::*;
use serde_json::{Value, json};
use std::env::consts::{ARCH, OS};
use wgalois::Cpu;
use wgalois::gpu::{Family, Options};
use wgalois_benches::plans::Engine;
use wgalois_benches::{CPU_ENGINE, device_report};

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
        let mut report = device_report::DeviceReport::of(&gpu, format!("{OS} {ARCH}"));
        drop(gpu);
        let (mut all, _) = engines(context)?;
        if all.iter().all(|engine| engine.name != CPU_ENGINE) {
            all.insert(0, Engine::cpu(Cpu::default()));
        }
        let each = Duration::from_secs(self.each.into());
        let progress = context.bar("measure", device_report::DeviceReport::problems().len() as u64);
        let tell = |begun: usize| {
            if begun > 0 {
                progress.advance(1)
            }
        };
        report.measure(all, each, tell)?;
        drop(progress);
        if let Value::Object(fields) = json!(report) {
            fields.into_iter().for_each(|(name, value)| context.report(&name, value));
        }
        if context.has_output() {
            context.write(|out| write!(out, "{}", report.to_markdown()))?;
        }
        report.judge()
    }
}

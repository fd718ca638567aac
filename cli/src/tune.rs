//! `wgalois tune`: the rates of GPUs, by which plans estimate times.

use crate::prelude::*;
use wgalois::gpu::{Family, Options};
use wgalois_benches::device_report::rates;

/// Measure the rates of a GPU, by which plans estimate times and kernels choose their arithmetic
///
/// Every GPU is measured when it is first used, as far as the work needs it; this measures all of it again. The record is kept
/// in the user's cache folder. Measure a GPU that does nothing else.
#[derive(clap::Args)]
pub struct Tune {}

impl Run for Tune {
    fn run(&self, context: &Context) -> Result<()> {
        let gpu = context.gpu(Options::default())?;
        let families = [Family::Bits255, Family::Bits381];
        let tuned = context.watch("measuring", || gpu.tuned(&families, true))?;
        let record = tuned.as_ref().unwrap_or(&gpu).device_record();
        context.report("record", serde_json::json!(record));
        if context.has_output() {
            context.write(|out| {
                rates(record).iter().try_for_each(|(name, rate)| writeln!(out, "{name:24}{rate}"))
            })?;
        }
        Ok(())
    }
}

//! `wgalois tune`: the rates of GPUs, by which plans estimate times.

use crate::prelude::*;
use wgalois::gpu::{DeviceRecord, Family, Options, Products};

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
                lines(record).iter().try_for_each(|(name, rate)| writeln!(out, "{name:24}{rate}"))
            })?;
        }
        Ok(())
    }
}

/// What a record says, in lines.
pub fn lines(record: &DeviceRecord) -> Vec<(&'static str, String)> {
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

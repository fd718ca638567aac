//! `wgalois bench transfers`.

use crate::bench::prelude::*;
use wgalois_benches::transfers::measure;

/// Time uploads to the GPU and downloads from it, by the host's clock
///
/// The host's vectors are ordinary memory; a download goes to a new vector, so that its time includes the
/// page faults.
#[derive(clap::Args)]
pub struct Transfers {
    /// Bytes, as 2^20..2^30
    #[arg(long, default_value = "2^16,2^20,2^24,2^26")]
    sizes: Sizes,
    /// Number of samples of each time
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = count::<u32>(1..=10_000))]
    samples: u32,
    #[command(flatten)]
    csv: Csv,
}

impl Run for Transfers {
    fn run(&self, context: &Context) -> Result<()> {
        let gpu = context.gpu(wgalois::gpu::Options::default())?;
        let mut rows = Vec::new();
        let progress = context.bar("measure", self.sizes.0.iter().map(|&log_bytes| 1u64 << log_bytes).sum());
        for &log_bytes in &self.sizes.0 {
            rows.extend(measure(&gpu, self.samples as usize, 1 << log_bytes)?);
            progress.advance(1 << log_bytes);
        }
        drop(progress);
        self.csv.report(context, &rows)?;
        print_rows(context, &rows)
    }

    fn outputs(&self) -> Outputs {
        Outputs { files: self.csv.outputs(), ..Outputs::default() }
    }
}

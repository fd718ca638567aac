//! `wgalois bench calls`.

use crate::bench::prelude::*;
use clap::ValueEnum;
use wgalois::Cpu;
use wgalois::msm::Precompute;
use wgalois_benches::calls::CallKind;

/// Time whole calls of the library on prepared problems, on the GPU and on the CPU engine
///
/// Data of the host go in, and the result is in host memory: the times of programs with many small problems.
/// `expected` is the plan's time of one run with its preparation, and `auto` the engine that --device auto takes for
/// one run, for which a GPU must be opened first. With --device cpu only the CPU engine is timed.
#[derive(clap::Args)]
pub struct Calls {
    /// The calls [default: all]
    #[arg(long, value_enum, value_delimiter = ',')]
    work: Vec<CallKind>,
    /// Sizes, as 2^8..2^16 [default: a range for each kind of call]
    #[arg(long)]
    sizes: Option<Sizes>,
    /// The multiples of every point to store: none; one, which divides scalars into halves, where that is expected to be
    /// faster; its doublings up to 2^T; or those for all windows
    #[arg(long, value_name = "none|halves|doublings:T|windows", default_value_t)]
    precompute: Precompute,
    /// Number of samples of each time
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = count::<u32>(1..=10_000))]
    samples: u32,
    /// Draw the times of one kind of call into an SVG or PNG file, by its ending
    #[arg(long, value_name = "FILE", requires = "work")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    csv: Csv,
}

/// Returns the name of a call and the unit of its size.
fn title(kind: CallKind) -> (&'static str, &'static str) {
    match kind {
        CallKind::Transform => ("a transform", "words"),
        CallKind::Resident => ("a transform of words on the GPU", "words"),
        CallKind::Product => ("a product of polynomials", "terms of a factor"),
        CallKind::Multiplication => ("a multiplication of prepared points", "points"),
        CallKind::Sparse => ("a multiplication by sparse scalars", "points"),
        CallKind::Small => ("a multiplication by small scalars", "points"),
        CallKind::Many => ("one of many multiplications", "points"),
        CallKind::Rank => ("a rank", "rows and columns"),
    }
}

impl Run for Calls {
    fn outputs(&self) -> Outputs {
        Outputs { files: self.csv.outputs_with(&self.plot), ..Outputs::default() }
    }

    fn run(&self, context: &Context) -> Result<()> {
        let kinds = if self.work.is_empty() { CallKind::value_variants() } else { &self.work };
        if self.plot.is_some() && kinds.len() > 1 {
            return Err(Error::only_for("--plot", "one kind of call, and --work names several"));
        }
        let cases: Vec<(CallKind, u32)> = kinds
            .iter()
            .flat_map(|&kind| {
                let sizes = self.sizes.as_ref().map_or(kind.default_sizes(), |sizes| sizes.0.clone());
                sizes.into_iter().map(move |log_n| (kind, log_n))
            })
            .collect();
        let longest = cases.iter().map(|(kind, log_n)| kind.host_bytes(*log_n)).max().unwrap_or(0);
        context.need(longest, "this measurement")?;
        let gpu = context.gpu_if_any(wgalois::gpu::Options::default())?;
        let devices = gpu.map(Device::Gpu).into_iter().chain([Device::Cpu(Cpu::default())]);
        let devices: Vec<Device> = devices.collect();
        let progress = context.bar("measure", (cases.len() * devices.len()) as u64);
        let mut rows: Vec<Row> = Vec::new();
        let mut plot = Plot::new(Axis::PowersOfTwo(title(kinds[0]).1), "seconds of a call");
        for (kind, log_n) in cases {
            let case: Vec<Row> = devices
                .iter()
                .map(|device| {
                    let row = kind.measure(device, self.samples as usize, log_n, self.precompute)?;
                    progress.advance(1);
                    Ok(row)
                })
                .collect::<Result<_>>()?;
            let on_cpu = case.last().and_then(Row::seconds);
            for row in case {
                let line = if row.system == GPU { GPU } else { CPU };
                plot.extend(line, log_n, row.seconds());
                rows.push(row.over(on_cpu));
            }
        }
        drop(progress);
        if let Some(path) = &self.plot {
            let title = format!("{} on {} and on the CPU engine", title(kinds[0]).0, context.device_name());
            plot.draw(context, path, &title)?;
        }
        self.csv.report(context, &rows)?;
        print_rows(context, &rows)?;
        judge(&rows, rows.len())
    }
}

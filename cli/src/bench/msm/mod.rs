//! `wgalois bench msm`.

mod method_grid;
mod table;

use crate::bench::prelude::*;
use crate::generate::DISTRIBUTIONS;
use crate::progress::Progress;
use ark_ff::Field;
use method_grid::MethodGrid;
use wgalois::gpu::Options;
use wgalois::msm::Settings;
use wgalois_benches::msm::{Data, Distribution, HostMethod, host_timing, measure, measure_engine, stages};
use wgalois_benches::published::msm::TABLE;
use wgalois_benches::{set_speedups, time_copy};

/// Time multiplications of points and scalars that are on the GPU, by the GPU's own clock
///
/// Every combination of the options that are lists is timed. `device` is the GPU's time, `call` the
/// time of a whole call including the host's last step. A sample is discarded if the GPU's clock
/// rate changed. With `--device cpu` whole calls of the CPU engine on all cores are timed, up to three for each
/// case; with `--distribution bits` also arkworks' special case of scalars that are 0 or 1.
#[derive(clap::Args)]
pub struct Msm {
    /// Curves
    #[arg(long, value_parser = crate::names::curves(), value_delimiter = ',', default_value = "bls12-381")]
    curve: Vec<CurveName>,
    /// Numbers of points, as 2^10..2^20 or 2^16,2^18 [default: 2^16,2^18,2^20; with --table
    /// 2^19..2^24]
    #[arg(long)]
    sizes: Option<Sizes>,
    #[command(flatten)]
    grid: MethodGrid,
    /// Distribution of the scalars
    #[arg(long, value_parser = named(DISTRIBUTIONS), value_delimiter = ',', default_value = "uniform")]
    distribution: Vec<Distribution>,
    /// Use no 64-bit integers
    #[arg(long)]
    portable: bool,
    /// Also time every step
    #[arg(long)]
    steps: bool,
    /// Time every method at every size of the published tables, on host and GPU, with speed-ups over
    /// the CPU engine; exit code 1 if a row is wrong or missing
    #[arg(long, conflicts_with_all = ["precompute", "window", "pairs", "coordinates", "balance", "accumulators", "addends", "reduction", "threads"])]
    table: bool,
    /// Number of samples of each time
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = count::<u32>(1..=10_000))]
    samples: u32,
    /// Draw the times of whole calls, of the CPU engine, and of a copy of points and scalars into an
    /// SVG or PNG file, by its ending
    #[arg(long, value_name = "FILE", conflicts_with_all = ["table", "threads"])]
    plot: Option<PathBuf>,
    #[command(flatten)]
    csv: Csv,
}

/// Samples of the CPU engine in a plot: it takes many seconds for many points.
const HOST_SAMPLES: usize = 3;

/// The devices that measure.
struct Devices {
    gpu: Gpu,
    clock: Clock,
    /// A device that times every dispatch, if steps are asked for.
    profiled: Option<Gpu>,
}

/// The lists that the measurements fill.
struct Measured<'m> {
    rows: &'m mut Vec<Row>,
    plot: &'m mut Plot,
    progress: &'m Progress,
}

/// About the time of a multiplication by 2^`log_n` points: that of few points is that of the buckets.
fn effort(log_n: u32) -> u64 {
    (1 << 12) + (1 << log_n)
}

impl Run for Msm {
    fn outputs(&self) -> Outputs {
        Outputs { files: self.csv.outputs_with(&self.plot), ..Outputs::default() }
    }

    fn run(&self, context: &Context) -> Result<()> {
        let options = Options::default();
        let options = Options { int64: options.int64 && !self.portable, ..options };
        let gpu = match self.table {
            true => Some(context.gpu(options.clone())?),
            false => context.gpu_if_any(options.clone())?,
        };
        let mut devices = match gpu {
            Some(gpu) => {
                let profiled =
                    self.steps.then(|| context.gpu(Options { profile: true, ..options })).transpose()?;
                Some(Devices { clock: Clock::new(&gpu)?, gpu, profiled })
            }
            None => {
                self.refuse_options_of_gpus()?;
                None
            }
        };
        let mut rows = Vec::new();
        let mut plot = Plot::new(Axis::PowersOfTwo("points"), "seconds");
        let progress = context.bar("measure", self.effort(devices.is_some()));
        for curve in &self.curve {
            let measured = Measured { rows: &mut rows, plot: &mut plot, progress: &progress };
            with_curve!(*curve, C => self.measure::<C>(context, devices.as_mut(), measured))?;
        }
        drop(progress);
        if let Some(path) = &self.plot {
            let title = format!("multi-scalar multiplication on {}", context.device_name());
            plot.draw(context, path, &title)?;
        }
        self.csv.report(context, &rows)?;
        if self.table {
            print(context, &TABLE, &rows)?;
            judge(&rows, self.curve.len() * self.cases() * table::systems_per_case())
        } else {
            print_rows(context, &rows)
        }
    }
}

impl Msm {
    /// Returns the number of combinations of sizes and distributions of one curve.
    fn cases(&self) -> usize {
        self.sizes().len() * self.distribution.len()
    }

    /// About the time of all measurements: points, by the multiplications that each size takes.
    fn effort(&self, on_gpu: bool) -> u64 {
        let points: u64 = self.sizes().iter().map(|&log_n| effort(log_n)).sum();
        points * (self.curve.len() * self.distribution.len() * self.steps_of_case(on_gpu)) as u64
    }

    /// The steps of a case that advance the progress, of about the same length each.
    fn steps_of_case(&self, on_gpu: bool) -> usize {
        match (on_gpu, self.table) {
            (true, true) => table::systems_per_case(),
            (true, false) => self.grid.settings().len() + usize::from(self.plot.is_some()),
            (false, _) => 1,
        }
    }

    fn measure<C: Curve>(
        &self,
        context: &Context,
        mut devices: Option<&mut Devices>,
        measured: Measured,
    ) -> Result<()> {
        let Measured { rows, plot, progress } = measured;
        for log_n in self.sizes() {
            for distribution in &self.distribution {
                let n = 1 << log_n;
                let room = context.need(n as u64 * 512 * C::BaseField::extension_degree(), "so many points");
                if let (true, Err(error)) = (self.table, &room) {
                    rows.extend(table::cannot_run(C::NAME, n, &error.to_string()));
                    progress.advance(effort(log_n) * table::systems_per_case() as u64);
                    continue;
                }
                room?;
                let data = Data::<C>::new(n, *distribution);
                let Some(devices) = devices.as_deref_mut() else {
                    self.on_host(&data, rows, plot)?;
                    progress.advance(effort(log_n));
                    continue;
                };
                if self.table {
                    rows.extend(table::measure(self, devices, &data, progress)?);
                    continue;
                }
                for settings in self.grid.settings() {
                    let (fields, timing) = self.on_gpu(devices, &settings, &data)?;
                    let row = Row::new(fields, "GPU", Ok(timing))?;
                    if self.plot.is_some() {
                        plot.extend(&self.name(&row), log_n, row.seconds());
                    }
                    rows.push(row);
                    progress.advance(effort(log_n));
                }
                if self.plot.is_some() {
                    self.add_others(devices, &data, plot)?;
                    progress.advance(effort(log_n));
                }
            }
        }
        Ok(())
    }

    /// Measures the CPU engine alone; for scalars of 0 and 1 also arkworks' special case.
    fn on_host<C: Curve>(&self, data: &Data<C>, rows: &mut Vec<Row>, plot: &mut Plot) -> Result<()> {
        let (log_n, samples) = (data.scalars.len().ilog2(), HOST_SAMPLES.min(self.samples as usize));
        let mut measured = vec![measure_engine(samples, data)?];
        if data.distribution == Distribution::Bits {
            let name = "arkworks, scalars of 0 and 1";
            let timing = host_timing(HostMethod::ArkworksBits, samples, data);
            measured.push(Row::new(measured[0].fields.clone(), name, timing)?);
            let engine = measured[0].seconds();
            set_speedups(&mut measured, engine);
        }
        for row in &measured {
            plot.extend(&self.name_beside(&row.system, data), log_n, row.seconds());
        }
        rows.extend(measured);
        Ok(())
    }

    /// Refuses options that the CPU engine would ignore.
    fn refuse_options_of_gpus(&self) -> Result<()> {
        let own = [("--portable", self.portable), ("--steps", self.steps)];
        match own.into_iter().chain(self.grid.given()).find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(Error::only_for(option, "the GPU's method: --device gpu")),
            None => Ok(()),
        }
    }

    fn on_gpu<C: Curve>(
        &self,
        devices: &mut Devices,
        settings: &Settings,
        data: &Data<C>,
    ) -> Result<(Fields, Timing)> {
        let (fields, timing) =
            measure(&devices.gpu, Some(&mut devices.clock), self.samples as usize, settings, data)?;
        let steps = devices.profiled.as_ref().map(|gpu| stages(gpu, settings, data)).transpose()?;
        Ok((fields, Timing { steps: steps.unwrap_or_default(), ..timing }))
    }

    /// Returns the name of a row's line in the plot: the options in which the rows differ.
    fn name(&self, row: &Row) -> String {
        let text = |name: &str| match row.fields.get(name) {
            Some(serde_json::Value::String(text)) => text.clone(),
            value => value.map_or_else(String::new, ToString::to_string),
        };
        let beside = [(self.curve.len(), text("curve")), (self.distribution.len(), text("distribution"))];
        let parts = beside.into_iter().chain(self.grid.parts(text));
        let telling = parts.filter(|(count, _)| *count > 1).map(|(_, part)| part);
        std::iter::once(GPU.to_owned()).chain(telling).collect::<Vec<_>>().join(", ")
    }

    /// Adds the times of the CPU engine and of a copy to the plot.
    fn add_others<C: Curve>(&self, devices: &mut Devices, data: &Data<C>, plot: &mut Plot) -> Result<()> {
        let log_n = data.scalars.len().ilog2();
        let engine = measure_engine(HOST_SAMPLES, data)?;
        let copy = time_copy(&devices.gpu, &mut devices.clock, self.samples as usize, data.words())?;
        plot.extend(&self.name_beside(CPU, data), log_n, engine.seconds());
        plot.add(&self.name_beside(COPY, data), log_n, copy.median().as_secs_f64());
        Ok(())
    }

    /// Returns the name of a line that the settings of GPUs do not change.
    fn name_beside<C: Curve>(&self, what: &str, data: &Data<C>) -> String {
        match [self.curve.len(), self.distribution.len()].into_iter().any(|count| count > 1) {
            true => format!("{what}, {}, {}", C::NAME, distribution(data.distribution)),
            false => what.to_owned(),
        }
    }

    fn sizes(&self) -> Vec<u32> {
        match &self.sizes {
            Some(Sizes(sizes)) => sizes.clone(),
            None if self.table => (19..=24).collect(),
            None => vec![16, 18, 20],
        }
    }
}

fn distribution(distribution: Distribution) -> String {
    format!("{distribution:?}").to_lowercase()
}

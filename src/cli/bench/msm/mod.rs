//! `wgalois bench msm`.

mod table;

use super::csv::Csv;
use super::plot::{Axis, COPY, CPU, GPU, Plot};
use super::sizes::Sizes;
use super::stream::print;
use super::table::print_rows;
use crate::cli::counts::count;
use crate::cli::generate::DistributionName;
use crate::cli::outputs::Outputs;
use crate::cli::{Context, Run};
use ark_ff::Field;
use clap::ValueEnum;
use std::path::PathBuf;
use wgalois::curve::coordinates::{Coordinates, HOMOGENEOUS, JACOBIAN, XYZZ};
use wgalois::curve::{Curve, CurveName};
use wgalois::gpu::{Gpu, Options};
use wgalois::internal::Clock;
use wgalois::internal::bench::msm::{
    Data, Distribution, HostMethod, host_timing, measure, measure_engine, stages,
};
use wgalois::internal::bench::published::msm::TABLE;
use wgalois::internal::bench::{Fields, Row, Timing, judge, set_speedups, time_copy};
use wgalois::msm::{
    Accumulators, Addends, Balance, MAX_PAIR_ROUNDS, MAX_WIDTH, MIN_WIDTH, Precompute, Reduction, Settings,
};
use wgalois::{Error, Result, with_curve};

/// Time multiplications of points and scalars that are on the GPU, by the GPU's own clock
///
/// Every combination of the options that are lists is timed. `device` is the GPU's time, `call` the
/// time of a whole call including the host's last step. A sample is discarded if the GPU's clock
/// rate changed. With `--device cpu` whole calls of the CPU engine on all cores are timed, up to three for each
/// case; with `--distribution bits` also arkworks' special case of scalars that are 0 or 1.
#[derive(clap::Args)]
pub struct Msm {
    /// Curves
    #[arg(long, value_enum, value_delimiter = ',', default_value = "bls12-381")]
    curve: Vec<CurveName>,
    /// Numbers of points, as 2^10..2^20 or 2^16,2^18 [default: 2^16,2^18,2^20; with --table
    /// 2^19..2^24]
    #[arg(long)]
    sizes: Option<Sizes>,
    /// The multiples of every point to store: none, its doublings up to 2^T, or those for all windows
    #[arg(long, value_delimiter = ',', value_name = "none|doublings:T|windows", default_value = "none")]
    precompute: Vec<Precompute>,
    /// Bits of a scalar per window [default: the width expected to be fastest]
    #[arg(long, value_delimiter = ',', value_name = "C", value_parser = clap::value_parser!(u32).range(i64::from(MIN_WIDTH)..=i64::from(MAX_WIDTH)))]
    window: Vec<u32>,
    /// Number of rounds in which the points of a bucket are first added in pairs, as affine points;
    /// 0 adds one point at a time [default: the number expected to be fastest]
    #[arg(long, value_delimiter = ',', value_name = "ROUNDS", value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_PAIR_ROUNDS)))]
    pairs: Vec<u32>,
    /// Coordinates of the sums
    #[arg(long, value_enum, value_delimiter = ',', default_value = "xyzz")]
    coordinates: Vec<CoordinatesName>,
    /// Distribution of the sorted digits among the threads
    #[arg(long, value_enum, value_delimiter = ',', default_value = "slices")]
    balance: Vec<BalanceName>,
    /// Place of the sums that threads accumulate
    #[arg(long, value_enum, value_delimiter = ',', default_value = "registers")]
    accumulators: Vec<AccumulatorsName>,
    /// Number of affine points that an addition to such a sum takes, 1 or 2
    #[arg(long, value_delimiter = ',', value_name = "POINTS", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=2))]
    addends: Vec<u32>,
    /// How the sums of buckets are added up: layers by digits in base 2, 4 or 8, or sums of suffixes
    #[arg(long, value_delimiter = ',', value_name = "layers:SCALE|prefix-sums", default_value = "layers:2")]
    reduction: Vec<Reduction>,
    /// Distribution of the scalars
    #[arg(long, value_enum, value_delimiter = ',', default_value = "uniform")]
    distribution: Vec<DistributionName>,
    /// Number of threads that share the accumulation, as a power of two
    #[arg(long, value_delimiter = ',', value_name = "LOG2", value_parser = clap::value_parser!(u32).range(6..=24))]
    threads: Vec<u32>,
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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CoordinatesName {
    Xyzz,
    Jacobian,
    Homogeneous,
}

impl CoordinatesName {
    fn coordinates(self) -> &'static Coordinates {
        match self {
            CoordinatesName::Xyzz => &XYZZ,
            CoordinatesName::Jacobian => &JACOBIAN,
            CoordinatesName::Homogeneous => &HOMOGENEOUS,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BalanceName {
    /// Equal slices
    Slices,
    /// Whole buckets, those that begin in a slice
    Buckets,
    /// One thread a bucket
    Each,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AccumulatorsName {
    Registers,
    /// Workgroup memory
    Workgroup,
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
        for curve in &self.curve {
            with_curve!(*curve, C => self.measure::<C>(context, devices.as_mut(), &mut rows, &mut plot))?;
        }
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

    fn measure<C: Curve>(
        &self,
        context: &Context,
        mut devices: Option<&mut Devices>,
        rows: &mut Vec<Row>,
        plot: &mut Plot,
    ) -> Result<()> {
        for log_n in self.sizes() {
            for distribution in &self.distribution {
                let n = 1 << log_n;
                let room = context.need(n as u64 * 512 * C::BaseField::extension_degree(), "so many points");
                if let (true, Err(error)) = (self.table, &room) {
                    rows.extend(table::cannot_run(C::NAME, n, &error.to_string()));
                    continue;
                }
                room?;
                let data = context.watch("generate", || Data::<C>::new(n, (*distribution).into()));
                let Some(devices) = devices.as_deref_mut() else {
                    self.on_host(context, &data, rows, plot)?;
                    continue;
                };
                if self.table {
                    rows.extend(table::measure(self, context, devices, &data)?);
                    continue;
                }
                for settings in self.settings() {
                    let name = format!("2^{log_n} on {}", C::NAME);
                    let (fields, timing) = context.watch(&name, || self.on_gpu(devices, &settings, &data))?;
                    let row = Row::new(fields, "GPU", Ok(timing))?;
                    if self.plot.is_some() {
                        plot.extend(&self.name(&row), log_n, row.seconds());
                    }
                    rows.push(row);
                }
                if self.plot.is_some() {
                    context.watch(CPU, || self.add_others(devices, &data, plot))?;
                }
            }
        }
        Ok(())
    }

    /// Measures the CPU engine alone; for scalars of 0 and 1 also arkworks' special case.
    fn on_host<C: Curve>(
        &self,
        context: &Context,
        data: &Data<C>,
        rows: &mut Vec<Row>,
        plot: &mut Plot,
    ) -> Result<()> {
        let (log_n, samples) = (data.scalars.len().ilog2(), HOST_SAMPLES.min(self.samples as usize));
        let mut measured = vec![context.watch(CPU, || measure_engine(samples, data))?];
        if data.distribution == Distribution::Bits {
            let name = "arkworks, scalars of 0 and 1";
            let timing = context.watch(name, || host_timing(HostMethod::ArkworksBits, samples, data));
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
        let given = [
            ("--portable", self.portable),
            ("--steps", self.steps),
            ("--window", !self.window.is_empty()),
            ("--pairs", !self.pairs.is_empty()),
            ("--threads", !self.threads.is_empty()),
            ("--precompute", self.precompute != [Precompute::default()]),
            ("--coordinates", self.coordinates != [CoordinatesName::Xyzz]),
            ("--balance", self.balance != [BalanceName::Slices]),
            ("--accumulators", self.accumulators != [AccumulatorsName::Registers]),
            ("--addends", self.addends != [1]),
            ("--reduction", self.reduction != [Reduction::default()]),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(Error::Usage(format!("{option} is of the GPU's method: --device gpu"))),
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
        let text = |name| match row.fields.get(name) {
            Some(serde_json::Value::String(text)) => text.clone(),
            value => value.map_or_else(String::new, ToString::to_string),
        };
        let parts = [
            (self.curve.len(), text("curve")),
            (self.distribution.len(), text("distribution")),
            (self.precompute.len(), format!("stored {}", text("precompute"))),
            (self.window.len(), format!("c {}", text("width"))),
            (self.pairs.len(), format!("pairs {}", text("pair_rounds"))),
            (self.coordinates.len(), text("coordinates")),
            (self.balance.len(), text("balance")),
            (self.accumulators.len(), text("accumulators")),
            (self.addends.len(), format!("{} at a time", text("addends"))),
            (self.reduction.len(), text("reduction")),
        ];
        let telling = parts.into_iter().filter(|(count, _)| *count > 1).map(|(_, part)| part);
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

    /// Returns all combinations of the options.
    fn settings(&self) -> Vec<Settings> {
        let all = vec![Settings::default()];
        let all = each(all, &self.precompute, |settings, stored| settings.with_precompute(*stored));
        let all = each(all, &optional(&self.window), |settings, width| settings.with_width(*width));
        let all = each(all, &optional(&self.pairs), |settings, rounds| settings.with_pair_rounds(*rounds));
        let all =
            each(all, &self.coordinates, |settings, name| settings.with_coordinates(name.coordinates()));
        let all = each(all, &self.balance, |settings, name| match name {
            BalanceName::Slices => settings.with_balance(Balance::Slices),
            BalanceName::Buckets => settings.with_balance(Balance::Buckets),
            BalanceName::Each => settings.with_balance(Balance::BucketEach),
        });
        let all = each(all, &self.accumulators, |settings, name| match name {
            AccumulatorsName::Registers => settings.with_accumulators(Accumulators::Registers),
            AccumulatorsName::Workgroup => settings.with_accumulators(Accumulators::Workgroup),
        });
        let all = each(all, &self.addends, |settings, addends| match addends {
            2 => settings.with_addends(Addends::Two),
            _ => settings.with_addends(Addends::One),
        });
        let all = each(all, &self.reduction, |settings, reduction| settings.with_reduction(*reduction));
        each(all, &optional(&self.threads), |settings, log| match log {
            Some(log) => settings.with_threads(1 << log),
            None => settings,
        })
    }
}

fn distribution(distribution: Distribution) -> String {
    format!("{distribution:?}").to_lowercase()
}

/// Returns all combinations of an element of `all` with one of `choices`.
fn each<T>(all: Vec<Settings>, choices: &[T], set: impl Fn(Settings, &T) -> Settings) -> Vec<Settings> {
    all.iter().flat_map(|settings| choices.iter().map(|choice| set(*settings, choice))).collect()
}

/// Returns the given values, or a single `None` if there are none.
fn optional(values: &[u32]) -> Vec<Option<u32>> {
    if values.is_empty() { vec![None] } else { values.iter().copied().map(Some).collect() }
}

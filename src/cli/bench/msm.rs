//! `wgalois bench msm`.

use super::sizes::Sizes;
use crate::cli::generate::DistributionName;
use crate::cli::msm::PrecomputeArgument;
use crate::cli::{Context, Run};
use clap::ValueEnum;
use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Value, json};
use wgalois::bench::msm::{Data, HostMethod, Row, measure, measure_host, stages};
use wgalois::curve::coordinates::{self, Coordinates, HOMOGENEOUS, JACOBIAN, XYZZ};
use wgalois::curve::{Curve, CurveName};
use wgalois::gpu::{Clock, Gpu, Options};
use wgalois::msm::{Balance, MAX_WIDTH, MIN_WIDTH, Precompute, Settings};
use wgalois::{Result, with_curve};

/// Time multiplications of points and scalars that are on the GPU, by its own clock
///
/// Every combination of the options that are lists is timed. `device` is the GPU's time,
/// `call` that of a whole call with the host's last step. A sample is thrown away where the
/// GPU's clock had moved.
#[derive(clap::Args)]
pub struct Msm {
    /// Curves
    #[arg(long, value_enum, value_delimiter = ',', default_value = "bls12-381")]
    curve: Vec<CurveName>,
    /// Points, as 2^10..2^20 or 2^16,2^18
    #[arg(long, default_value = "2^16,2^18,2^20")]
    sizes: Sizes,
    /// What is stored of every point
    #[arg(long, value_delimiter = ',', value_name = "none|doublings:T|windows", default_value = "none")]
    precompute: Vec<PrecomputeArgument>,
    /// Bits of a window [default: what promises to be fastest]
    #[arg(long, value_delimiter = ',', value_name = "C", value_parser = clap::value_parser!(u32).range(i64::from(MIN_WIDTH)..=i64::from(MAX_WIDTH)))]
    window: Vec<u32>,
    /// Coordinates of the sums
    #[arg(long, value_enum, value_delimiter = ',', default_value = "xyzz")]
    coordinates: Vec<CoordinatesName>,
    /// How the sorted digits are shared out among threads
    #[arg(long, value_enum, value_delimiter = ',', default_value = "slices")]
    balance: Vec<BalanceName>,
    /// The scalars
    #[arg(long, value_enum, value_delimiter = ',', default_value = "uniform")]
    distribution: Vec<DistributionName>,
    /// Threads that share the accumulation, as a power of two
    #[arg(long, value_delimiter = ',', value_name = "LOG2", value_parser = clap::value_parser!(u32).range(6..=24))]
    threads: Vec<u32>,
    /// Use no 64-bit integers
    #[arg(long)]
    portable: bool,
    /// Time every step too
    #[arg(long)]
    steps: bool,
    /// The sizes and every method of the published tables: 2^19 to 2^24, as far as --sizes
    /// does not say otherwise, with the host's methods and the speed-ups over the CPU engine
    #[arg(long)]
    table: bool,
    /// Samples
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    samples: u32,
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
    /// Whole buckets
    Buckets,
}

/// What is timed on the host or on the GPU, for one line of the result.
enum Line {
    Gpu(Box<Row>, Option<Value>),
    Host { curve: CurveName, n: usize, method: HostMethod, milliseconds: f64 },
}

/// Both devices that measuring needs.
struct Devices {
    gpu: Gpu,
    clock: Clock,
    /// One that times every dispatch, if steps are asked for.
    profiled: Option<Gpu>,
}

impl Run for Msm {
    fn run(&self, context: &Context) -> Result<()> {
        let options = Options { int64: !self.portable, ..Options::default() };
        let gpu = context.gpu(options.clone())?;
        let profiled = self.steps.then(|| context.gpu(Options { profile: true, ..options })).transpose()?;
        let mut devices = Devices { clock: Clock::new(&gpu)?, gpu, profiled };
        let mut lines = Vec::new();
        for curve in &self.curve {
            with_curve!(*curve, C => self.measure::<C>(context, &mut devices, &mut lines))?;
        }
        context.report("rows", lines.iter().map(Line::report).collect::<Vec<_>>());
        if context.has_output() {
            context.write(|out| writeln!(out, "{}", table(&lines)))?;
        }
        Ok(())
    }
}

impl Msm {
    fn measure<C: Curve>(
        &self,
        context: &Context,
        devices: &mut Devices,
        lines: &mut Vec<Line>,
    ) -> Result<()> {
        for log_n in self.sizes() {
            for distribution in &self.distribution {
                let n = 1 << log_n;
                context.need(n as u64 * 512, "so many points")?;
                let data = context.watch("generate", || Data::<C>::new(n, (*distribution).into()));
                for settings in self.settings() {
                    let name = format!("2^{log_n} on {}", C::NAME);
                    lines.push(context.watch(&name, || self.on_gpu(devices, &settings, &data))?);
                }
                for method in HostMethod::ALL.into_iter().filter(|_| self.table) {
                    let milliseconds = context.watch("on the host", || measure_host(method, &data))?;
                    lines.push(Line::Host { curve: C::NAME, n, method, milliseconds });
                }
            }
        }
        Ok(())
    }

    fn on_gpu<C: Curve>(&self, devices: &mut Devices, settings: &Settings, data: &Data<C>) -> Result<Line> {
        let row = measure(&devices.gpu, &mut devices.clock, self.samples as usize, settings, data)?;
        let steps = devices.profiled.as_ref().map(|gpu| stages(gpu, settings, data)).transpose()?;
        Ok(Line::Gpu(Box::new(row), steps.map(|steps| json!(steps))))
    }

    fn sizes(&self) -> Vec<u32> {
        let Sizes(sizes) = &self.sizes;
        if self.table && *self.sizes.0 == [16, 18, 20] { (19..=24).collect() } else { sizes.clone() }
    }

    /// Every combination of the options.
    fn settings(&self) -> Vec<Settings> {
        let mut all = Vec::new();
        if self.table {
            for system in coordinates::ALL {
                all.push(Settings::default().coordinates(system));
            }
            all.push(Settings::default().balance(Balance::Buckets));
            for precompute in [Precompute::Doublings(6), Precompute::Doublings(15), Precompute::Windows] {
                all.push(Settings::default().precompute(precompute));
            }
            return all;
        }
        let widths =
            if self.window.is_empty() { vec![None] } else { self.window.iter().copied().map(Some).collect() };
        let threads: Vec<Option<u32>> = if self.threads.is_empty() {
            vec![None]
        } else {
            self.threads.iter().copied().map(Some).collect()
        };
        for precompute in &self.precompute {
            for width in &widths {
                for system in &self.coordinates {
                    for balance in &self.balance {
                        for threads in &threads {
                            let settings = Settings::default()
                                .precompute(precompute.0)
                                .width(*width)
                                .coordinates(system.coordinates())
                                .balance(match balance {
                                    BalanceName::Slices => Balance::Slices,
                                    BalanceName::Buckets => Balance::Buckets,
                                });
                            all.push(match threads {
                                Some(log) => settings.threads(1 << log),
                                None => settings,
                            });
                        }
                    }
                }
            }
        }
        all
    }
}

impl Line {
    fn report(&self) -> Value {
        match self {
            Line::Gpu(row, steps) => {
                let mut value = json!(row);
                if let (Some(object), Some(steps)) = (value.as_object_mut(), steps) {
                    object.insert("steps_ms".to_owned(), steps.clone());
                }
                value
            }
            Line::Host { curve, n, method, milliseconds } => {
                json!({ "curve": curve, "n": n, "method": method, "wall_ms": milliseconds })
            }
        }
    }

    fn of(&self) -> (CurveName, usize) {
        match self {
            Line::Gpu(row, _) => (row.curve, row.n),
            Line::Host { curve, n, .. } => (*curve, *n),
        }
    }

    fn wall(&self) -> f64 {
        match self {
            Line::Gpu(row, _) => row.wall_ms,
            Line::Host { milliseconds, .. } => *milliseconds,
        }
    }

    fn cells(&self) -> Vec<String> {
        let (curve, n) = self.of();
        let size = if n.is_power_of_two() { format!("2^{}", n.ilog2()) } else { n.to_string() };
        let mut cells = vec![curve.to_string(), size];
        match self {
            Line::Gpu(row, _) => cells.extend([
                format!("GPU, {}, {}, {:?}", row.balance, row.coordinates, row.distribution)
                    .to_lowercase()
                    .replacen("gpu", "GPU", 1),
                row.precompute.clone(),
                row.width.to_string(),
                format!("{:.2}", row.device_ms),
                format!("{:.2}", row.wall_ms),
                format!("{:.1}%", 100.0 * row.spread),
                row.rejected.to_string(),
                format!("{:.2}", row.prepare_seconds),
            ]),
            Line::Host { method, milliseconds, .. } => {
                let name = match method {
                    HostMethod::Engine => "CPU engine",
                    HostMethod::Pippenger => "CPU, plain Pippenger",
                    HostMethod::DoubleAndAdd => "CPU, double-and-add",
                };
                let none = String::new;
                cells.extend([name.to_owned(), none(), none(), none(), format!("{milliseconds:.2}")]);
                cells.extend([none(), none(), none()]);
            }
        }
        cells
    }
}

fn table(lines: &[Line]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    let mut header = vec![
        "curve",
        "n",
        "method",
        "stored",
        "c",
        "device ms",
        "call ms",
        "spread",
        "thrown away",
        "prepared s",
    ];
    let engine = |line: &Line| {
        lines.iter().find(|other| {
            other.of() == line.of() && matches!(other, Line::Host { method: HostMethod::Engine, .. })
        })
    };
    let compared = lines.iter().any(|line| engine(line).is_some());
    if compared {
        header.push("over the CPU engine");
    }
    table.set_header(header);
    for line in lines {
        let mut cells = line.cells();
        if compared {
            cells.push(engine(line).map_or(String::new(), |cpu| format!("{:.1}x", cpu.wall() / line.wall())));
        }
        table.add_row(cells);
        if let Line::Gpu(_, Some(steps)) = line {
            let steps = steps.as_object().into_iter().flatten();
            let steps = steps.map(|(name, ms)| format!("{name} {:.3}", ms.as_f64().unwrap_or(0.0)));
            table.add_row(["", "", &format!("  {}", steps.collect::<Vec<_>>().join(", "))]);
        }
    }
    for column in table.column_iter_mut().skip(4) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

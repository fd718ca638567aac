//! Planned times beside measured ones, for problems of every verb, from small to large, on every engine; and what is chosen
//! if the user names no device, beside what is fastest.
//!
//! What a user waits for is measured: preparing and running once, from host data to host data. A GPU is opened anew for each
//! run, so that its pipelines come from the disk, or are compiled if the cache is not used. Opening is measured apart;
//! it counts where engines are compared. A page's GPU stays open: its first run, which compiles, is measured apart.

mod case;
mod engine;
mod grid;
mod summary;

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use serde::Serialize;
use web_time::Instant;

use super::{Fields, Outcome, Row, Timing, sorted};
use case::Work;
use wgalois::gpu::block_on;
#[cfg(not(target_arch = "wasm32"))]
use wgalois::task::Setup;
use wgalois::{Error, Result};

pub use case::Case;
pub use engine::{Engine, name_of};
pub use grid::{grid, sample};
pub use summary::{OfAuto, OfEngine, Summary};

/// The verb whose problems are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// Transforms modulo a prime.
    Ntt,
    /// Products of polynomials modulo a prime.
    Polymul,
    /// Products of integers.
    Intmul,
    /// Transforms over the scalar fields of curves.
    ScalarNtt,
    /// Transforms of the columns of a matrix.
    Columns,
    /// Dense matrices over GF(2).
    Gf2,
    /// F4 matrices.
    Eliminate,
    /// Boolean equations.
    Solve,
    /// Multi-scalar multiplications.
    Msm,
    /// Commitments to blobs.
    Kzg,
    /// Proofs.
    Groth16,
}

impl Verb {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Verb::Ntt => "ntt",
            Verb::Polymul => "polymul",
            Verb::Intmul => "intmul",
            Verb::ScalarNtt => "ntt",
            Verb::Columns => "columns",
            Verb::Gf2 => "gf2",
            Verb::Eliminate => "eliminate",
            Verb::Solve => "solve",
            Verb::Msm => "msm",
            Verb::Kzg => "kzg",
            Verb::Groth16 => "groth16",
        }
    }
}

/// A page has one engine of each kind, and the library chooses none for it.
#[cfg(target_arch = "wasm32")]
#[derive(Clone)]
pub enum Setup {}

/// The bounds of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// A problem that is planned to take longer on an engine is left out there, and so are the larger ones of its series.
    pub each: Duration,
    /// No run begins that is expected to end later than this after the first.
    pub total: Duration,
}

/// A run is ended after this many times the bound of a problem, where its engine looks at limits.
const PATIENCE: u32 = 4;
/// A time is the median of this many runs, unless they take longer together than [`ENOUGH`].
const SAMPLES: usize = 5;
const ENOUGH: f64 = 1.0;

/// Measures problems on engines.
pub struct Comparison {
    engines: Vec<Engine>,
    bounds: Bounds,
    /// True if runs without compiled pipelines are measured, too.
    cold: bool,
    /// What the engine that is chosen for a user is opened with; `None` if the choice is not asked for.
    #[cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "nothing is chosen for a page"))]
    auto: Option<Setup>,
    begin: Instant,
    /// For each engine, the series of which no more problems are measured.
    ended: Vec<HashSet<String>>,
    rows: Vec<Row>,
    choices: Vec<summary::Choice>,
}

/// The times of a problem on an engine, in seconds.
struct Times {
    planned: f64,
    measured: Vec<f64>,
    /// The phases of the last run.
    phases: BTreeMap<String, f64>,
    /// The first run of a GPU that stays open, which compiled the kernels that no earlier problem had.
    first: Option<f64>,
    /// The same without compiled pipelines.
    cold: Option<[f64; 2]>,
}

impl Comparison {
    /// Measures on these engines. With `auto`, what is chosen for a user is compared with the fastest.
    pub fn new(engines: Vec<Engine>, bounds: Bounds, cold: bool, auto: Option<Setup>) -> Self {
        let ended = engines.iter().map(|_| HashSet::new()).collect();
        let (rows, choices) = Default::default();
        Comparison { engines, bounds, cold, auto, begin: Instant::now(), ended, rows, choices }
    }

    /// Measures a problem on all engines.
    pub fn measure(&mut self, case: &Case) -> Result<()> {
        block_on(self.measure_async(case))
    }

    /// The asynchronous form of [`measure`](Self::measure), for browsers.
    pub async fn measure_async(&mut self, case: &Case) -> Result<()> {
        let series = format!("{} {}", case.verb.name(), case.series);
        if self.ended.iter().all(|ended| ended.contains(&series)) {
            return Ok(());
        }
        let work = case.make()?;
        // The total time on each engine, with its opening, and the place of its row.
        let mut totals = Vec::new();
        for place in 0..self.engines.len() {
            if self.ended[place].contains(&series) {
                totals.push(None);
                continue;
            }
            let times = self.times(place, &*work).await;
            let engine = &self.engines[place];
            let fields = Fields::default().with("problem", case.name());
            let row = match times {
                Ok(times) => {
                    let measured = sorted(times.measured);
                    let timing = Timing { host: times.phases, ..Timing::of_sorted_calls(&measured) };
                    let seconds = timing.seconds().unwrap_or(f64::MAX);
                    totals.push(Some((engine.opening().as_secs_f64() + seconds, self.rows.len())));
                    if seconds > self.bounds.each.as_secs_f64() {
                        self.ended[place].insert(series.clone());
                    }
                    let fields = fields.with("planned", times.planned).with("ratio", seconds / times.planned);
                    let fields = match times.first {
                        Some(first) => fields.with("first", first),
                        None => fields,
                    };
                    let fields = match times.cold {
                        Some([planned, measured]) => {
                            fields.with("planned_cold", planned).with("measured_cold", measured)
                        }
                        None => fields,
                    };
                    Row::new(fields, &engine.name, Ok(timing))?
                }
                Err(error) => {
                    totals.push(None);
                    self.ended[place].insert(series.clone());
                    let outcome = match error {
                        Error::Stopped(why) => Outcome::NotRun(why),
                        // The next run opens the device anew.
                        lost @ Error::DeviceLost(_) => Outcome::Failed(lost.to_string()),
                        other => Outcome::of(other)?,
                    };
                    Row { fields, system: engine.name.clone(), outcome, ..Row::default() }
                }
            };
            self.rows.push(row);
        }
        #[cfg(not(target_arch = "wasm32"))]
        self.compare(case, &*work, &totals)?;
        Ok(())
    }

    /// The rows and the summary.
    pub fn finish(self) -> (Vec<Row>, Summary) {
        let summary = Summary::new(&self.engines, &self.rows, &self.choices);
        (self.rows, summary)
    }

    /// Measures a problem on an engine.
    async fn times(&mut self, place: usize, work: &dyn Work) -> Result<Times> {
        let engine = &mut self.engines[place];
        let (bounds, begin) = (self.bounds, self.begin);
        let families = work.families();
        let mut device = engine.open(true, &families).await?;
        let expected = work.planned(&device)?;
        if expected > bounds.each {
            let why = format!(
                "planned to take {:.1} s, and the bound is {:?}",
                expected.as_secs_f64(),
                bounds.each
            );
            return Err(Error::Stopped(why));
        }
        if begin.elapsed() + expected > bounds.total {
            return Err(Error::Stopped(format!("the bound of all is {:?}", bounds.total)));
        }
        work.fill()?;
        let limited = async |device: &wgalois::Device| -> Result<(f64, f64)> {
            let _limit = device.timeline().limited(Some(Instant::now() + PATIENCE * bounds.each));
            Ok((work.planned(device)?.as_secs_f64(), work.run(device).await?.as_secs_f64()))
        };
        let cold = match engine.is_opened_anew() {
            true if self.cold => {
                drop(device);
                let (planned, measured) = limited(&engine.open(false, &families).await?).await?;
                device = engine.open(true, &families).await?;
                Some([planned, measured])
            }
            _ => None,
        };
        if engine.is_opened_anew() {
            // What is not on the disk is compiled.
            limited(&device).await?;
            drop(device);
            device = engine.open(true, &families).await?;
        }
        let first = if engine.stays_open() { Some(limited(&device).await?.1) } else { None };
        let (planned, time) = limited(&device).await?;
        let mut measured = vec![time];
        while measured.len() < SAMPLES && measured.iter().sum::<f64>() < ENOUGH {
            if !engine.stays_open() {
                drop(device);
                device = engine.open(true, &families).await?;
            }
            measured.push(limited(&device).await?.1);
        }
        let totals = device.timeline().totals();
        let phases = totals.into_iter().map(|(phase, time)| (phase.name().to_owned(), time.as_secs_f64()));
        Ok(Times { planned, measured, first, phases: phases.collect(), cold })
    }

    /// Compares what is chosen for a user with the fastest engine, the time of opening included.
    #[cfg(not(target_arch = "wasm32"))]
    fn compare(&mut self, case: &Case, work: &dyn Work, totals: &[Option<(f64, usize)>]) -> Result<()> {
        let Some(setup) = &self.auto else { return Ok(()) };
        let measured = || (0..totals.len()).filter_map(|place| Some((place, totals[place]?.0)));
        if measured().count() < 2 {
            return Ok(());
        }
        let chosen = work.chosen(setup.clone())?;
        let Some(chosen) = self.engines.iter().position(|engine| engine.is(&chosen)) else { return Ok(()) };
        let Some((best, least)) = measured().min_by(|a, b| a.1.total_cmp(&b.1)) else { return Ok(()) };
        let over = totals[chosen].map(|(total, _)| total / least);
        if let Some((_, row)) = totals[chosen] {
            let fields = std::mem::take(&mut self.rows[row].fields);
            self.rows[row].fields = fields.with("auto", "chosen").with("over_best", over);
        }
        let [chosen, best] = [chosen, best].map(|place| self.engines[place].name.clone());
        self.choices.push(summary::Choice { problem: case.name(), chosen, best, over });
        Ok(())
    }
}

/// The median of some numbers.
fn median(numbers: Vec<f64>) -> Option<f64> {
    let numbers = sorted(numbers);
    numbers.get(numbers.len() / 2).copied()
}

//! The row of every benchmark: its case, its system, its times, its outcome. All times are seconds.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::Figure;
use wgalois::gpu::Samples;
use wgalois::{Error, Result};

/// The measurement of one system in one case.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// The case and the settings of the run.
    #[serde(flatten)]
    pub fields: Fields,
    /// The system that ran.
    pub system: String,
    /// The times, if the system ran.
    pub timing: Option<Timing>,
    /// The factor by which the system is faster than the baseline of its case.
    pub speedup: Option<f64>,
    /// The figures published for this system in this case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<Figure>,
    /// The time of this crate's fast method in the same case, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast: Option<f64>,
    /// The outcome of the run and of its check.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Named values in the order in which tables show them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields(Vec<(&'static str, Value)>);

/// The times of a run, in seconds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Timing {
    /// The median of whole calls, from host memory to host memory, without preparation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<f64>,
    /// The number of whole calls that were timed, if it depends on their length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<usize>,
    /// The median of the device's own time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<f64>,
    /// The difference between the largest and the smallest sample of the device's time, or of the calls if only
    /// these were timed, relative to the median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// Samples thrown away because the device's clock had changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<u32>,
    /// The time of one copy of the case's data on the device; of the CPU engine's rows, by one thread of the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<f64>,
    /// The time to upload and to precompute once, pipelines included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepare: Option<f64>,
    /// The device's time by step. Each dispatch has a pass of its own here, so the sum exceeds `device`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub steps: BTreeMap<String, f64>,
    /// The host's part of a call by kind of work.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub host: BTreeMap<String, f64>,
}

/// The outcome of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "outcome", content = "why")]
pub enum Outcome {
    /// The result was verified.
    #[default]
    Right,
    /// The result was verified and is wrong.
    Wrong(String),
    /// The system returned an error.
    Failed(String),
    /// The system cannot run here.
    CannotRun(String),
    /// The system was timed only: it leaves out work, and its result means nothing.
    Unchecked(String),
    /// The system can run here, and was left out.
    NotRun(String),
}

impl Row {
    /// Returns the row of a run from its result. [`Error::DeviceLost`], after which no other row can run,
    /// stays an error. Other errors become the outcome of the row.
    pub fn new(fields: Fields, system: impl Into<String>, result: Result<Timing>) -> Result<Self> {
        let (timing, outcome) = match result {
            Ok(timing) => (Some(timing), Outcome::Right),
            Err(error) => (None, Outcome::of(error)?),
        };
        Ok(Row { fields, system: system.into(), timing, outcome, ..Row::default() })
    }

    /// Returns the row of a system that cannot run, with the reason.
    pub fn cannot_run(fields: Fields, system: impl Into<String>, why: impl Into<String>) -> Self {
        Row { fields, system: system.into(), outcome: Outcome::CannotRun(why.into()), ..Row::default() }
    }

    /// Returns the row of a system that was left out, with the reason.
    pub fn not_run(fields: Fields, system: impl Into<String>, why: impl Into<String>) -> Self {
        Row { fields, system: system.into(), outcome: Outcome::NotRun(why.into()), ..Row::default() }
    }

    /// Marks a row that ran as one whose result means nothing, with the reason.
    #[must_use]
    pub fn unchecked(self, why: impl Into<String>) -> Self {
        match self.outcome {
            Outcome::Right => Row { outcome: Outcome::Unchecked(why.into()), ..self },
            _ => self,
        }
    }

    /// Adds the figures published for this row.
    #[must_use]
    pub fn with_published(self, published: Vec<Figure>) -> Self {
        Row { published, ..self }
    }

    /// Adds the time of the fast method in the same case, in seconds.
    #[must_use]
    pub fn with_fast(self, fast: Option<f64>) -> Self {
        Row { fast, ..self }
    }

    /// Sets the speed-up over `baseline`, in seconds.
    #[must_use]
    pub fn over(self, baseline: Option<f64>) -> Self {
        let speedup = baseline.zip(self.seconds()).map(|(baseline, own)| baseline / own);
        Row { speedup, ..self }
    }

    /// Returns the time of the system, in seconds: of a whole call, or of the device where only that was
    /// measured.
    pub fn seconds(&self) -> Option<f64> {
        self.timing.as_ref().and_then(Timing::seconds)
    }

    /// Returns, for each published time, the factor by which the same system is faster here, and that by
    /// which the fast method is. The time of a step is compared with that of the step of the same name.
    pub fn over_published(&self) -> Vec<[Option<f64>; 2]> {
        self.published.iter().filter_map(|figure| self.over_figure(figure)).collect()
    }

    /// Returns the factors by which the same system and the fast method are faster than a published time;
    /// `None` if the figure is no time.
    pub fn over_figure(&self, figure: &Figure) -> Option<[Option<f64>; 2]> {
        let published = figure.seconds()?;
        let step = || self.timing.as_ref()?.steps.get(figure.label).copied();
        let own = if figure.step { [step(), None] } else { [self.seconds(), self.fast] };
        Some(own.map(|own| own.map(|own| published / own)))
    }
}

impl Fields {
    /// Adds a value under `name`.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Serialize) -> Self {
        // A value that JSON lacks, such as infinity, becomes null.
        self.0.push((name, serde_json::to_value(value).unwrap_or_default()));
        self
    }

    /// Adds all values of `others` after these.
    #[must_use]
    pub fn and(mut self, others: Fields) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Returns the value under `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.iter().find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// Returns all names with their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let map: Map<_, _> = self.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
        map.serialize(serializer)
    }
}

impl Timing {
    /// The time of whole calls, in seconds.
    pub fn of_calls(seconds: f64) -> Self {
        Timing { call: Some(seconds), ..Timing::default() }
    }

    /// The times of several whole calls, in seconds and in ascending order; at least one.
    pub fn of_sorted_calls(seconds: &[f64]) -> Self {
        let median = seconds[seconds.len() / 2];
        let range = seconds[seconds.len() - 1] - seconds[0];
        let spread = (median > 0.0).then(|| range / median);
        Timing { call: Some(median), calls: Some(seconds.len()), spread, ..Timing::default() }
    }

    /// The times of the device.
    pub fn of_device(samples: &Samples) -> Self {
        Timing::default().with_device(samples)
    }

    /// The same with the times of the device.
    #[must_use]
    pub fn with_device(self, samples: &Samples) -> Self {
        Timing {
            device: Some(samples.median().as_secs_f64()),
            spread: Some(samples.spread()),
            rejected: Some(samples.rejected),
            ..self
        }
    }

    /// Returns the time of a whole call, or that of the device where only that was measured.
    pub fn seconds(&self) -> Option<f64> {
        self.call.or(self.device)
    }

    /// Returns the device's time, or that of whole calls of the CPU engine, as a multiple of the copy's.
    pub fn copies(&self) -> Option<f64> {
        Some(self.device.or(self.call)? / self.copy?)
    }
}

impl Outcome {
    /// Returns the outcome of a run that ended with `error`. If the device was lost, returns `error` itself.
    pub fn of(error: Error) -> Result<Self> {
        match error {
            Error::DeviceLost(_) => Err(error),
            Error::Check(why) => Ok(Outcome::Wrong(why.to_string())),
            Error::NoDevice(why) => Ok(Outcome::CannotRun(why)),
            error if error.exit_code() == 2 => Ok(Outcome::CannotRun(error.to_string())),
            Error::OutOfMemory(shortage) => Ok(Outcome::CannotRun(shortage.to_string())),
            error => Ok(Outcome::Failed(error.to_string())),
        }
    }
}

/// Sets every row's speed-up over `baseline`, in seconds.
pub fn set_speedups(rows: &mut [Row], baseline: Option<f64>) {
    for row in rows {
        *row = std::mem::take(row).over(baseline);
    }
}

/// Checks that there are `expected` rows and that none is wrong or failed.
pub fn judge(rows: &[Row], expected: usize) -> Result<()> {
    let faults = rows.iter().filter_map(|row| match &row.outcome {
        Outcome::Wrong(why) => Some(format!("{} is wrong: {why}", row.system)),
        Outcome::Failed(why) => Some(format!("{} failed: {why}", row.system)),
        _ => None,
    });
    let missing = match expected.checked_sub(rows.len()) {
        Some(0) => None,
        Some(missing) => Some(format!("of {expected} rows {missing} are missing")),
        None => Some(format!("there are {} rows, and {expected} were expected", rows.len())),
    };
    match faults.chain(missing).collect::<Vec<_>>() {
        faults if faults.is_empty() => Ok(()),
        faults => Err(Error::Check(faults.join("; ").into())),
    }
}

/// Returns device times by step in seconds, without those that took no time.
pub(super) fn steps(times: BTreeMap<String, Duration>) -> BTreeMap<String, f64> {
    let seconds = times.into_iter().map(|(name, time)| (name, time.as_secs_f64()));
    seconds.filter(|(_, time)| *time > 0.0).collect()
}

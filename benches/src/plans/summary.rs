//! What a comparison shows: how far plans are off, and what the choice of the engine costs.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::{Engine, Row, median};

/// The choice of a device for a problem.
#[cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "nothing is chosen for a page"))]
pub(super) struct Choice {
    pub problem: String,
    pub chosen: String,
    pub best: String,
    /// The time on the chosen engine over that on the best; `None` if the chosen one was not measured.
    pub over: Option<f64>,
}

/// The factors between planned and measured times on an engine: the larger over the smaller.
#[derive(Clone, Debug, Serialize)]
pub struct OfEngine {
    /// The engine.
    pub engine: String,
    /// The number of problems.
    pub problems: usize,
    /// The median factor.
    pub median: f64,
    /// The largest factor.
    pub worst: f64,
    /// The problem with the largest factor.
    pub worst_problem: String,
    /// Problems whose answer was wrong, or whose run failed.
    pub failed: usize,
    /// The seconds of opening it; 0 for the CPU engine.
    pub opening: f64,
}

/// The choice that a program makes for its user.
#[derive(Clone, Debug, Serialize)]
pub struct OfAuto {
    /// The number of problems that two engines did.
    pub problems: usize,
    /// The largest factor between the time on the chosen engine and that on the fastest.
    pub worst: f64,
    /// The problem with the largest factor.
    pub worst_problem: String,
    /// The engine that was chosen for it.
    pub chosen: String,
    /// The fastest engine for it.
    pub best: String,
}

/// Times below this many seconds count as so long: nobody waits for less.
const LEAST: f64 = 1e-3;

/// The longer of two times over the shorter.
fn factor(planned: f64, measured: f64) -> f64 {
    let ratio = measured.max(LEAST) / planned.max(LEAST);
    ratio.max(1.0 / ratio)
}

/// The factors of all engines, and the choice among them.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The engines.
    pub engines: Vec<OfEngine>,
    /// The choice, if it was compared.
    pub auto: Option<OfAuto>,
}

impl Summary {
    pub(super) fn new(engines: &[Engine], rows: &[Row], choices: &[Choice]) -> Self {
        let of = |engine: &Engine| {
            let own = || rows.iter().filter(|row| row.system == engine.name);
            let of_row = |row: &Row| {
                let number = |name| row.fields.get(name).and_then(Value::as_f64);
                let (planned, ratio) = (number("planned")?, number("ratio")?);
                let problem = row.fields.get("problem").and_then(Value::as_str)?.to_owned();
                Some((factor(planned, planned * ratio), problem))
            };
            let factors: Vec<(f64, String)> = own().filter_map(of_row).collect();
            let worst = factors.iter().max_by(|a, b| a.0.total_cmp(&b.0)).cloned().unwrap_or_default();
            let failed =
                |row: &&Row| matches!(row.outcome, super::Outcome::Wrong(_) | super::Outcome::Failed(_));
            OfEngine {
                engine: engine.name.clone(),
                problems: factors.len(),
                median: median(factors.iter().map(|(factor, _)| *factor).collect()).unwrap_or(0.0),
                worst: worst.0,
                worst_problem: worst.1,
                failed: own().filter(failed).count(),
                opening: engine.opening().as_secs_f64(),
            }
        };
        let measured = || choices.iter().filter_map(|choice| choice.over.map(|over| (over, choice)));
        let auto = measured().max_by(|a, b| a.0.total_cmp(&b.0)).map(|(worst, choice)| OfAuto {
            problems: measured().count(),
            worst,
            worst_problem: choice.problem.clone(),
            chosen: choice.chosen.clone(),
            best: choice.best.clone(),
        });
        Summary { engines: engines.iter().map(of).collect(), auto }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for OfEngine { engine, problems, median, worst, worst_problem, failed, opening } in &self.engines {
            write!(
                f,
                "{engine}: {problems} problems, planned and measured differ by a factor of {median:.2} "
            )?;
            write!(f, "in the median and at most {worst:.2} ({worst_problem})")?;
            if *opening > 0.0 {
                write!(f, "; opening takes {opening:.3} s")?;
            }
            if *failed > 0 {
                write!(f, "; {failed} FAILED")?;
            }
            writeln!(f)?;
        }
        if let Some(OfAuto { problems, worst, worst_problem, chosen, best }) = &self.auto {
            write!(
                f,
                "auto: {problems} problems, at most {worst:.2} times the fastest engine's time, with its "
            )?;
            writeln!(f, "opening ({worst_problem}: {chosen} chosen, {best} fastest)")?;
        }
        Ok(())
    }
}

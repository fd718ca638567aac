//! The measurements as a table and as a report.

use crate::cli::bench::outcome;
use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Value, json};
use wgalois::curve::CurveName;
use wgalois::internal::bench::msm::Row;
use wgalois::internal::bench::published::Outcome;

/// The measurement of one method on one input.
pub(super) struct Line {
    pub curve: CurveName,
    pub n: usize,
    pub system: String,
    pub measured: Option<Measured>,
    pub outcome: Outcome,
}

/// The measured times: on a GPU, with the times of each step if asked for, or on the host in
/// milliseconds.
pub(super) enum Measured {
    Gpu(Box<Row>, Option<Value>),
    Host(f64),
}

impl Line {
    /// A right result, named after the GPU's method.
    pub fn measured(curve: CurveName, n: usize, measured: Measured) -> Self {
        let system = match &measured {
            Measured::Gpu(row, _) => {
                let distribution = super::distribution(row.distribution);
                format!("GPU, {}, {}, {distribution}", row.balance, row.coordinates)
            }
            Measured::Host(_) => "CPU".to_owned(),
        };
        Line { curve, n, system, measured: Some(measured), outcome: Outcome::Right }
    }

    pub fn report(&self) -> Value {
        let mut value = match &self.measured {
            Some(Measured::Gpu(row, _)) => json!(row),
            Some(Measured::Host(milliseconds)) => json!({ "wall_ms": milliseconds }),
            None => json!({}),
        };
        let steps = match &self.measured {
            Some(Measured::Gpu(_, Some(steps))) => Some(("steps_ms", steps.clone())),
            _ => None,
        };
        let outcome = json!(self.outcome);
        let fields = [("curve", json!(self.curve)), ("n", json!(self.n)), ("method", json!(self.system))];
        if let Some(object) = value.as_object_mut() {
            object.extend(fields.into_iter().chain(steps).map(|(name, field)| (name.to_owned(), field)));
            object.extend(outcome.as_object().cloned().into_iter().flatten());
        }
        value
    }

    fn wall(&self) -> Option<f64> {
        match self.measured.as_ref()? {
            Measured::Gpu(row, _) => Some(row.wall_ms),
            Measured::Host(milliseconds) => Some(*milliseconds),
        }
    }

    fn cells(&self) -> Vec<String> {
        let size =
            if self.n.is_power_of_two() { format!("2^{}", self.n.ilog2()) } else { self.n.to_string() };
        let mut cells = vec![self.curve.to_string(), size, self.system.clone()];
        match &self.measured {
            Some(Measured::Gpu(row, _)) => cells.extend([
                row.precompute.clone(),
                row.pair_rounds.to_string(),
                row.width.to_string(),
                format!("{:.2}", row.device_ms),
                format!("{:.2}", row.wall_ms),
                format!("{:.1}%", 100.0 * row.spread),
                row.rejected.to_string(),
                format!("{:.2}", row.prepare_seconds),
            ]),
            other => {
                cells.resize(7, String::new());
                cells.push(match other {
                    Some(Measured::Host(milliseconds)) => format!("{milliseconds:.2}"),
                    _ => String::new(),
                });
                cells.resize(11, String::new());
            }
        }
        cells
    }
}

const ENGINE: &str = "CPU engine";

/// The published times of a whole multiplication on BLS12-381, 2^19 to 2^24 points, in milliseconds,
/// on a V100, an RTX 3090 and an RTX 4090 (Chen, Peng, Dai, Luo, He, TCHES 2024, 2).
const PUBLISHED: [[f64; 3]; 6] = [
    [44.97, 29.89, 17.95],
    [84.28, 56.91, 32.86],
    [161.08, 110.82, 62.92],
    [315.51, 214.94, 124.21],
    [620.74, 425.78, 250.68],
    [1233.87, 843.18, 500.07],
];

fn published(line: &Line) -> String {
    let log = line.n.ilog2() as usize;
    match log.checked_sub(19).and_then(|row| PUBLISHED.get(row)) {
        Some(times) if line.curve == CurveName::Bls12_381 => times.map(|time| time.to_string()).join(", "),
        _ => String::new(),
    }
}

/// Returns the lines as a table. If the CPU engine is among them, the table also has the speed-ups
/// over it, the published times, and the outcomes.
pub(super) fn table(lines: &[Line]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    let mut header = vec![
        "curve",
        "n",
        "method",
        "stored",
        "pairs",
        "c",
        "device ms",
        "call ms",
        "spread",
        "thrown away",
        "prepared s",
    ];
    let engine = |line: &Line| {
        let same = |other: &&Line| (other.curve, other.n) == (line.curve, line.n) && other.system == ENGINE;
        lines.iter().find(same).and_then(Line::wall)
    };
    let compared = lines.iter().any(|line| line.system == ENGINE);
    if compared {
        header.extend(["over the CPU engine", "published ms: V100, 3090, 4090", "result"]);
    }
    table.set_header(header);
    for line in lines {
        let mut cells = line.cells();
        if compared {
            let faster = engine(line).zip(line.wall()).map(|(cpu, own)| format!("{:.1}x", cpu / own));
            cells.extend([faster.unwrap_or_default(), published(line), outcome(&line.outcome)]);
        }
        table.add_row(cells);
    }
    for column in table.column_iter_mut().skip(4).take(8) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Returns the times of the steps, with a line for each row that has them.
pub(super) fn steps(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        let Some(Measured::Gpu(row, Some(steps))) = &line.measured else { continue };
        let mut steps: Vec<_> = steps.as_object().into_iter().flatten().collect();
        let ms = |step: &Value| step.as_f64().unwrap_or(0.0);
        steps.sort_by(|a, b| ms(b.1).total_cmp(&ms(a.1)));
        let steps: Vec<_> = steps.iter().map(|(name, step)| format!("{name} {:.3}", ms(step))).collect();
        let (stored, pairs, width) = (&row.precompute, row.pair_rounds, row.width);
        let call: Vec<_> = row.call_ms.iter().map(|(name, ms)| format!("{name} {ms:.3}")).collect();
        text += &format!(
            "{} 2^{}, {stored}, pairs {pairs}, c {width}: {}; call: {}\n",
            line.curve,
            line.n.ilog2(),
            steps.join(", "),
            call.join(", ")
        );
    }
    text
}

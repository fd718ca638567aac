//! A published figure, as it was printed.

use serde::Serialize;

use wgalois::{Error, Result};

/// A published figure with every digit that was printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// The quantity, or the machine where several were compared; empty for the only time of a row.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub label: &'static str,
    /// The number as printed.
    pub printed: String,
    /// Its unit: `us`, `ms` or `s` of a time, `times` of a factor, `percent` of a share, or another.
    pub unit: &'static str,
    /// True if it is the time of one step of the row, of which `label` is the name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub step: bool,
}

impl Figure {
    /// Reads a figure from a cell of a file; an empty cell has none. Any other cell must hold a positive number.
    pub fn read(label: &'static str, printed: &str, unit: &'static str) -> Result<Option<Self>> {
        match number(printed) {
            _ if printed.is_empty() => Ok(None),
            Some(number) if number > 0.0 => {
                Ok(Some(Figure { label, printed: printed.to_owned(), unit, step: false }))
            }
            _ => Err(Error::value(format!("{printed:?}"), "not a published figure".into())),
        }
    }

    /// The same as the time of the row's step `label`.
    #[must_use]
    pub fn of_step(self) -> Self {
        Figure { step: true, ..self }
    }

    /// Returns the number in its unit; of a range, the middle.
    pub fn number(&self) -> f64 {
        number(&self.printed).unwrap_or(f64::NAN)
    }

    /// Returns the time in seconds if the figure is one.
    pub fn seconds(&self) -> Option<f64> {
        let unit = match self.unit {
            "us" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            _ => return None,
        };
        Some(self.number() * unit)
    }
}

/// Returns a printed number; the middle of a range such as `56 to 57`.
fn number(printed: &str) -> Option<f64> {
    match printed.split_once(" to ") {
        Some((from, to)) => Some((from.parse::<f64>().ok()? + to.parse::<f64>().ok()?) / 2.0),
        None => printed.parse().ok(),
    }
}

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Figure { label, printed, unit, .. } = self;
        let gap = if label.is_empty() { "" } else { " " };
        write!(f, "{label}{gap}{printed}")?;
        match *unit {
            "times" => write!(f, "x"),
            "percent" => write!(f, "%"),
            unit => write!(f, " {unit}"),
        }
    }
}

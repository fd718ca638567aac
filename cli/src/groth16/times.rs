//! The times of the parts of proofs, for `--json`.

use crate::prelude::*;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use wgalois::timeline::Timeline;

/// The times of the parts of proofs.
pub struct Times {
    timeline: Timeline,
    /// The phase in which the device's work is recorded.
    phase: Phase,
    wall: Duration,
    parts: BTreeMap<&'static str, Duration>,
}

/// The parts of a proof, by the names of the bases in timelines.
const MULTIPLICATIONS: [&str; 5] = ["A", "B", "B in G2", "L", "H"];

impl Times {
    pub fn of(device: &Device) -> Self {
        let phase = if matches!(device, Device::Cpu(_)) { Phase::Host } else { Phase::Device };
        let (wall, parts) = (Duration::ZERO, BTreeMap::new());
        Times { timeline: device.timeline().clone(), phase, wall, parts }
    }

    /// The part that a stage on the device belongs to.
    fn part(stage: &str) -> &'static str {
        let multiplication = stage.split_once(": ").map(|(name, _)| name);
        let known = MULTIPLICATIONS.into_iter().find(|name| multiplication == Some(*name));
        match stage {
            "matrix products" => "matrix products",
            _ => known.unwrap_or("transforms"),
        }
    }

    /// Adds the times of `prove`, which makes some proofs.
    pub fn around<T>(&mut self, prove: impl FnOnce() -> T) -> T {
        let before = self.timeline.by_name(self.phase);
        let begin = Instant::now();
        let result = prove();
        self.wall += begin.elapsed();
        for (stage, time) in self.timeline.by_name(self.phase) {
            let earlier = before.get(&stage).copied().unwrap_or_default();
            *self.parts.entry(Self::part(&stage)).or_default() += time.saturating_sub(earlier);
        }
        result
    }

    /// The seconds of each part of all proofs on the device, and of the host without it: the time of the proofs in which
    /// the device had nothing to do.
    pub fn report(&self) -> Value {
        let device: Duration = self.parts.values().sum();
        let mut report: Map<String, Value> =
            self.parts.iter().map(|(part, time)| ((*part).to_owned(), time.as_secs_f64().into())).collect();
        report.insert("host".to_owned(), self.wall.saturating_sub(device).as_secs_f64().into());
        report.insert("total".to_owned(), self.wall.as_secs_f64().into());
        report.into()
    }
}

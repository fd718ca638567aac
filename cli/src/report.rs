//! The object of `--json`.

use super::context::gpu_name;
use crate::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use wgalois::timeline::{Calls, Timeline, Worker};
use wgalois::{Group, One};

/// Every phase is reported, including those that took no time, so that scripts can rely on the keys. Mapping
/// is recorded for profiles only, and is part of other phases.
fn phases() -> impl Iterator<Item = Phase> {
    Phase::ALL.into_iter().filter(|phase| *phase != Phase::Mapping)
}

/// The seconds of every phase.
fn seconds_of(totals: &BTreeMap<Phase, Duration>) -> Map<String, Value> {
    let seconds = |phase: Phase| totals.get(&phase).copied().unwrap_or_default().as_secs_f64();
    phases().map(|phase| (phase.name().to_owned(), seconds(phase).into())).collect()
}

/// The dispatches and the device's time by kernel, of those that were timed.
fn kernels(timeline: &Timeline) -> Value {
    let calls = timeline.summary(Worker::Device).calls.into_iter();
    let kernel = |calls: Calls| {
        let seconds = (calls.timed > 0).then_some(calls.total.as_secs_f64());
        (calls.name, json!({ "dispatches": calls.count, "timed": calls.timed, "seconds": seconds }))
    };
    calls.filter(|calls| calls.phase == Phase::Device).map(kernel).collect::<Map<_, _>>().into()
}

/// When an input passed a long check.
pub fn checked(in_this_run: bool, in_an_earlier_run: bool) -> &'static str {
    match (in_this_run, in_an_earlier_run) {
        (_, true) => "in an earlier run",
        (true, _) => "in this run",
        _ => "no",
    }
}

/// The report of a run, for scripts.
pub struct Report {
    fields: Map<String, Value>,
    /// The place where the run's main work is done, once it has a device.
    worker: Option<Worker>,
    /// The group, if several devices share the work.
    group: Option<Group>,
    start: std::time::Instant,
}

impl Report {
    pub fn new(verb: String) -> Self {
        let mut fields = Map::new();
        fields.insert("version".to_owned(), env!("CARGO_PKG_VERSION").into());
        fields.insert("verb".to_owned(), verb.into());
        fields.insert("engine".to_owned(), Value::Null);
        fields.insert("device".to_owned(), Value::Null);
        Report { fields, worker: None, group: None, start: std::time::Instant::now() }
    }

    pub fn set(&mut self, key: &str, value: Value) {
        self.fields.insert(key.to_owned(), value);
    }

    pub fn set_device(&mut self, device: &Device, name: String) {
        let (engine, worker) = match device.one() {
            One::Cpu(_) => ("cpu", Worker::Threads),
            One::Gpu(_) => ("gpu", Worker::Device),
        };
        if let Device::Group(group) = device {
            self.group = Some(group.clone());
        }
        self.worker = Some(worker);
        self.set("engine", engine.into());
        self.set("device", name.into());
    }

    /// Returns the name of the device; `None` if the run has used none.
    pub fn device(&self) -> Option<&str> {
        self.fields.get("device")?.as_str()
    }

    /// Returns the place where the run's main work is done, or `None` if the run has used no device.
    pub fn worker(&self) -> Option<Worker> {
        self.worker
    }

    /// Returns the object: the fields, the number of dispatches per stage, the seconds per phase,
    /// the error if there was one, and the exit code.
    pub fn finish(&self, timeline: &Timeline, error: Option<&Error>, code: u8) -> Value {
        let mut fields = self.fields.clone();
        let mut seconds = seconds_of(&timeline.totals());
        seconds.insert("total".to_owned(), self.start.elapsed().as_secs_f64().into());
        fields.insert("seconds".to_owned(), seconds.into());
        fields.insert("dispatches".to_owned(), json!(timeline.dispatches()));
        if self.worker == Some(Worker::Device) {
            fields.insert("kernels".to_owned(), kernels(timeline));
        }
        if let Some(group) = &self.group {
            let speeds = group.speeds();
            let device = |(number, gpu)| {
                json!({
                    "device": gpu_name(gpu),
                    "speed": speeds[number],
                    "seconds": seconds_of(&timeline.totals_of(number)),
                    "dispatches": timeline.dispatches_of(number),
                })
            };
            let devices: Vec<_> = group.members().iter().enumerate().map(device).collect();
            fields.insert("devices".to_owned(), devices.into());
        }
        if let Some(error) = error {
            fields.insert("error".to_owned(), error.to_string().into());
            fields.insert("fault".to_owned(), json!(error));
        }
        fields.insert("exit_code".to_owned(), code.into());
        fields.into()
    }
}

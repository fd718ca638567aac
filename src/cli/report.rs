//! The object of `--json`.

use serde_json::{Map, Value, json};
use wgalois::timeline::{Phase, Timeline, Worker};
use wgalois::{Device, Error};

/// Every phase is reported, including those that took no time, so that scripts can rely on the keys. Mapping
/// is recorded for profiles only, and is part of other phases.
fn phases() -> impl Iterator<Item = Phase> {
    Phase::ALL.into_iter().filter(|phase| *phase != Phase::Mapping)
}

/// The report of a run, for scripts.
pub struct Report {
    fields: Map<String, Value>,
    /// The place where the run's main work is done, once it has a device.
    worker: Option<Worker>,
    start: std::time::Instant,
}

impl Report {
    pub fn new(verb: String) -> Self {
        let mut fields = Map::new();
        fields.insert("version".to_owned(), env!("CARGO_PKG_VERSION").into());
        fields.insert("verb".to_owned(), verb.into());
        fields.insert("engine".to_owned(), Value::Null);
        fields.insert("device".to_owned(), Value::Null);
        Report { fields, worker: None, start: std::time::Instant::now() }
    }

    pub fn set(&mut self, key: &str, value: Value) {
        self.fields.insert(key.to_owned(), value);
    }

    pub fn set_device(&mut self, device: &Device, name: String) {
        let (engine, worker) = match device {
            Device::Cpu(_) => ("cpu", Worker::Threads),
            Device::Gpu(_) => ("gpu", Worker::Device),
        };
        self.worker = Some(worker);
        self.set("engine", engine.into());
        self.set("device", name.into());
    }

    /// Returns the place where the run's main work is done, or `None` if the run has used no device.
    pub fn worker(&self) -> Option<Worker> {
        self.worker
    }

    /// Returns the object: the fields, the number of dispatches per stage, the seconds per phase,
    /// and the error if there was one.
    pub fn finish(&self, timeline: &Timeline, error: Option<&Error>) -> Value {
        let mut fields = self.fields.clone();
        let totals = timeline.totals();
        let mut seconds: Map<_, _> = phases()
            .map(|phase| {
                let spent = totals.get(&phase).copied().unwrap_or_default();
                (phase.name().to_owned(), spent.as_secs_f64().into())
            })
            .collect();
        seconds.insert("total".to_owned(), self.start.elapsed().as_secs_f64().into());
        fields.insert("seconds".to_owned(), seconds.into());
        fields.insert("dispatches".to_owned(), json!(timeline.dispatches()));
        if let Some(error) = error {
            fields.insert("error".to_owned(), error.to_string().into());
        }
        fields.insert("exit_code".to_owned(), error.map_or(0, Error::exit_code).into());
        fields.into()
    }
}

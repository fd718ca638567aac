//! The object of `--json`.

use serde_json::{Map, Value, json};
use wgalois::timeline::{Phase, Timeline};
use wgalois::{Device, Error};

/// Every phase is reported, including those that took no time, so that scripts can rely on the keys.
const PHASES: [(Phase, &str); 9] = [
    (Phase::Reading, "reading"),
    (Phase::Preparing, "preparing"),
    (Phase::Upload, "upload"),
    (Phase::Device, "device"),
    (Phase::Host, "host"),
    (Phase::Waiting, "waiting"),
    (Phase::Download, "download"),
    (Phase::Checking, "checking"),
    (Phase::Writing, "writing"),
];

/// The report of a run, for scripts.
pub struct Report {
    fields: Map<String, Value>,
    start: std::time::Instant,
}

impl Report {
    pub fn new(verb: String) -> Self {
        let mut fields = Map::new();
        fields.insert("version".to_owned(), env!("CARGO_PKG_VERSION").into());
        fields.insert("verb".to_owned(), verb.into());
        fields.insert("engine".to_owned(), Value::Null);
        fields.insert("device".to_owned(), Value::Null);
        Report { fields, start: std::time::Instant::now() }
    }

    pub fn set(&mut self, key: &str, value: Value) {
        self.fields.insert(key.to_owned(), value);
    }

    pub fn set_device(&mut self, device: &Device, name: String) {
        let engine = match device {
            Device::Cpu(_) => "cpu",
            Device::Gpu(_) => "gpu",
        };
        self.set("engine", engine.into());
        self.set("device", name.into());
    }

    /// Returns the object: the fields, the number of dispatches per stage, the seconds per phase,
    /// and the error if there was one.
    pub fn finish(&self, timeline: &Timeline, error: Option<&Error>) -> Value {
        let mut fields = self.fields.clone();
        let totals = timeline.totals();
        let mut seconds: Map<_, _> = PHASES
            .iter()
            .map(|(phase, name)| {
                let spent = totals.get(phase).copied().unwrap_or_default();
                ((*name).to_owned(), spent.as_secs_f64().into())
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

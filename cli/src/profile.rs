//! The profile of a run, for `--profile`.

use crate::prelude::*;
use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Value, json};
use wgalois::timeline::{Basis, Summary, Worker};
use wgalois_benches::counters::Counts;
use wgalois_io::text::one_line;

/// Maximum number of characters of a name.
const NAME: usize = 60;

/// A summary of a run's timeline, with the processor's counters.
pub struct Profile {
    /// `None` if the run used no device.
    pub worker: Option<Worker>,
    pub summary: Summary,
    /// The counts, or why there are none.
    pub counts: Result<Counts, String>,
}

impl Profile {
    pub fn to_json(&self) -> Value {
        let mut json = self.summary.to_json();
        json["counters"] = match &self.counts {
            Ok(counts) => json!({
                "ticks": counts.ticks,
                "instructions": counts.instructions,
                "ticks_an_instruction": counts.ticks_an_instruction(),
            }),
            Err(reason) => json!({ "missing": reason }),
        };
        if self.worker.is_none() {
            json["busy"] = Value::Null;
            json["idle"] = Value::Null;
        }
        json
    }

    /// Returns the profile as lines of text.
    pub fn to_text(&self) -> String {
        let mut lines = vec![format!("profile of {}", time(self.summary.wall)), self.calls()];
        if let Some(worker) = self.worker {
            lines.push(self.busy(worker));
            lines.extend(self.idle());
        }
        lines.extend(self.threads());
        lines.push(match &self.counts {
            Ok(counts) => {
                let ratio =
                    counts.ticks_an_instruction().map_or("-".to_owned(), |ratio| format!("{ratio:.3}"));
                let Counts { ticks, instructions } = counts;
                format!("{ticks} clock ticks, {instructions} instructions, {ratio} ticks an instruction")
            }
            Err(reason) => format!("clock ticks and instructions are not counted: {reason}"),
        });
        lines.push(String::new());
        lines.join("\n")
    }

    /// Returns the table of calls.
    fn calls(&self) -> String {
        let mut table = Table::new();
        let header = ["call", "count", "bytes", "total", "mean", "least", "largest"];
        table.load_style(presets::UTF8_BORDERS_ONLY).set_header(header);
        for calls in &self.summary.calls {
            let name = format!("{} {}", calls.kind(), one_line(&calls.name, NAME));
            let bytes = if calls.bytes > 0 { calls.bytes.to_string() } else { "-".to_owned() };
            let times = [calls.total, calls.mean(), calls.least, calls.largest];
            let times =
                times.map(|length| if calls.timed > 0 { time(length) } else { "not timed".to_owned() });
            let count = match calls.timed {
                timed if timed == 0 || timed == calls.count => calls.count.to_string(),
                timed => format!("{} ({timed} timed)", calls.count),
            };
            table.add_row([name.trim().to_owned(), count, bytes].into_iter().chain(times));
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.to_string()
    }

    fn busy(&self, worker: Worker) -> String {
        let busy = &self.summary.busy;
        let who = if worker == Worker::Device { "the device" } else { "the CPU engine" };
        let (Some(spent), Some(share)) = (busy.time, busy.share) else {
            return format!(
                "{who}'s busy time is unknown: it has no timestamps, and the host did not wait for it"
            );
        };
        let basis = match busy.basis {
            Basis::Clock => ", by the device's clock",
            Basis::Waits => ", estimated from the host's waits, since not every dispatch was timed",
            Basis::Steps | Basis::Unknown => "",
        };
        format!("{who} was busy {:.1}% of the time ({}){basis}", 100.0 * share, time(spent))
    }

    fn idle(&self) -> Vec<String> {
        let lines = self.summary.idle.iter().map(|idle| {
            let of = |(phase, name, spent): &(Phase, String, _)| {
                // Other names begin with a verb; this one may be a kernel's.
                let verb = if *phase == Phase::Preparing { "prepare " } else { "" };
                format!("{verb}{} {}", one_line(name, NAME), time(*spent))
            };
            let mut host: Vec<String> = idle.host.iter().take(4).map(of).collect();
            let rest = idle.host.iter().skip(4).map(|(_, _, spent)| *spent).sum::<Duration>();
            if !rest.is_zero() {
                host.push(format!("other steps {}", time(rest)));
            }
            if !idle.unrecorded().is_zero() {
                host.push(format!("not recorded {}", time(idle.unrecorded())));
            }
            format!("  idle {} from {} on: {}", time(idle.length), time(idle.start), host.join(", "))
        });
        lines.collect()
    }

    fn threads(&self) -> Option<String> {
        let threads = &self.summary.threads;
        if threads.is_empty() {
            let computes = self.worker == Some(Worker::Threads);
            return computes.then(|| "busy time by thread: this system does not tell it".to_owned());
        }
        let busy: Vec<String> = threads.iter().map(|thread| time(thread.busy)).collect();
        Some(format!("busy time by thread: {}", busy.join(", ")))
    }
}

/// Returns a time with four digits or more, in the unit that suits it.
fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s >= 1.0 => format!("{s:.3} s"),
        s if s >= 1e-3 => format!("{:.3} ms", s * 1e3),
        s => format!("{:.3} us", s * 1e6),
    }
}

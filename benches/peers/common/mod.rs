//! Times of several programs on the same work, by criterion, and how they compare.

use criterion::Criterion;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Programs that are compared, with the median seconds of a run of each, by work and by who does it.
pub struct Peers {
    criterion: Criterion,
    times: BTreeMap<String, Vec<(String, f64)>>,
}

impl Peers {
    /// Takes so many samples in so many milliseconds, after a warm-up of some others.
    pub fn new(samples: usize, warm_up: u64, measured: u64) -> Self {
        let criterion = Criterion::default()
            .sample_size(samples)
            .warm_up_time(Duration::from_millis(warm_up))
            .measurement_time(Duration::from_millis(measured));
        Peers { criterion: criterion.configure_from_args(), times: BTreeMap::new() }
    }

    /// Times `run` on a copy of `input` that is not part of the time.
    pub fn time<T: Clone, R>(&mut self, names: (&str, &str), input: &T, mut run: impl FnMut(T) -> R) {
        self.time_runs(names, |runs| {
            let mut total = Duration::ZERO;
            for _ in 0..runs {
                let input = input.clone();
                let start = Instant::now();
                let result = run(input);
                total += start.elapsed();
                drop(result);
            }
            total
        });
    }

    /// Times `run`, which tells how long so many runs took.
    pub fn time_runs(&mut self, (work, who): (&str, &str), mut run: impl FnMut(u64) -> Duration) {
        let mut samples = Vec::new();
        self.criterion.bench_function(&format!("{work}/{who}"), |bencher| {
            bencher.iter_custom(|runs| {
                let total = run(runs);
                samples.push(total.as_secs_f64() / runs as f64);
                total
            });
        });
        samples.sort_by(f64::total_cmp);
        if let Some(&median) = samples.get(samples.len() / 2) {
            self.times.entry(work.into()).or_default().push((who.into(), median));
        }
    }

    /// A line for each work and each who; the last number is the time over our best.
    pub fn print(self) {
        self.criterion.final_summary();
        println!();
        for (work, rows) in &self.times {
            let ours = rows.iter().filter(|(who, _)| who.starts_with("ours")).map(|(_, time)| *time);
            let best = ours.fold(f64::INFINITY, f64::min);
            for (who, time) in rows {
                println!("{work:44} {who:16} {:>10.4} ms {:>8.2} x", time * 1e3, time / best);
            }
        }
    }
}

//! Times of several programs on the same work, by criterion, and how they compare.

use criterion::Criterion;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Median seconds a run, by work and by who does it.
pub type Times = BTreeMap<String, Vec<(String, f64)>>;

/// Times `run` on a copy of `input` that is not part of the time.
// Not every bench has both ways.
#[allow(dead_code)]
pub fn time<T: Clone, R>(
    criterion: &mut Criterion,
    times: &mut Times,
    names: (&str, &str),
    input: &T,
    mut run: impl FnMut(T) -> R,
) {
    time_runs(criterion, times, names, |runs| {
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
pub fn time_runs(
    criterion: &mut Criterion,
    times: &mut Times,
    (work, who): (&str, &str),
    mut run: impl FnMut(u64) -> Duration,
) {
    let mut samples = Vec::new();
    criterion.bench_function(&format!("{work}/{who}"), |bencher| {
        bencher.iter_custom(|runs| {
            let total = run(runs);
            samples.push(total.as_secs_f64() / runs as f64);
            total
        });
    });
    samples.sort_by(f64::total_cmp);
    if let Some(&median) = samples.get(samples.len() / 2) {
        times.entry(work.into()).or_default().push((who.into(), median));
    }
}

/// A line for each work and each who; the last number is the time over our best.
pub fn print(times: &Times) {
    println!();
    for (work, rows) in times {
        let ours = rows.iter().filter(|(who, _)| who.starts_with("ours")).map(|(_, time)| *time);
        let best = ours.fold(f64::INFINITY, f64::min);
        for (who, time) in rows {
            println!("{work:44} {who:16} {:>10.4} ms {:>8.2} x", time * 1e3, time / best);
        }
    }
}

//! Estimates of the time that a program takes in a case, measured on a part of the case's work.

use web_time::Instant;

use wgalois::gf2::gpu::first_rounds;
use wgalois::gf2::{self, F4Matrix};
use wgalois::gpu::Gpu;
use wgalois::task::Problem as _;
use wgalois::{Device, Result};

/// A measured estimate.
pub struct Estimate {
    /// Seconds of a whole call.
    pub seconds: f64,
    /// True if it is only known that it takes longer than `seconds`.
    pub is_bound: bool,
    /// The part of the work that was measured.
    pub measured: String,
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Estimate { seconds, is_bound, measured } = self;
        let about = if *is_bound { "more than" } else { "about" };
        let decimals = if *seconds < 10.0 { 2 } else { 0 };
        write!(f, "would take {about} {seconds:.decimals$} s (measured on {measured})")
    }
}

/// The share of the limit that a sample has to add to the time of a quarter of it.
const CLEAR: f64 = 1.0 / 16.0;

/// The share of the limit after which no further sample runs.
const SAMPLES_TIME: f64 = 1.0 / 2.0;

/// Estimates a program whose time grows with the rows, if it would take longer than `limit` seconds for all
/// `rows`. `time` runs it on a sample of so many rows. The rows after the first sample tell the time of a row, since a
/// run has costs that do not depend on the rows. Samples grow until this time is clear, or until they take long.
///
/// ```text
/// r = first
/// loop:
///     if time(r) rows / r <= limit: it may run
///     a_row = (time(4 r) - time(r)) / 3 r
///     if the difference is clear: whole = time(4 r) + a_row (rows - 4 r)
///     r = 4 r
/// ```
///
/// `None` if it may run; if there are too few rows to tell; or if a run fails, which the program itself then tells.
pub fn by_rows(
    rows: usize,
    first: usize,
    limit: f64,
    mut time: impl FnMut(usize) -> Option<f64>,
) -> Option<Estimate> {
    if !limit.is_finite() || 4 * first > rows {
        return None;
    }
    let estimate = |count: usize, seconds: f64, a_row: f64| {
        let seconds = seconds + a_row.max(0.0) * (rows - count) as f64;
        let measured = format!("{count} of its rows");
        (seconds > limit).then_some(Estimate { seconds, is_bound: false, measured })
    };
    // The first run also starts threads and touches memory.
    let cold = time(first)?;
    if cold > limit {
        let fewer = first / 4;
        return estimate(first, cold, (cold - time(fewer)?) / (first - fewer) as f64);
    }
    let (mut count, mut once) = (first, cold.min(time(first)?));
    let mut spent = cold + once;
    loop {
        if once * rows as f64 / count as f64 <= limit {
            return None;
        }
        let more = time(4 * count)?;
        spent += more;
        if spent > SAMPLES_TIME * limit || more - once >= CLEAR * limit || 16 * count > rows {
            return estimate(4 * count, more, (more - once) / (3 * count) as f64);
        }
        (count, once) = (4 * count, more);
    }
}

/// The rounds that are measured, or more in this share of the limit. The first three do much more work than the others.
const ROUNDS: usize = 8;
const ROUNDS_TIME: f64 = 1.0 / 8.0;

/// The rounds that tell something, if the limit passes before.
const LEAST_ROUNDS: usize = 5;

/// Estimates rounds on the GPU, if they would take longer than `limit` seconds, where `new_pivots` rows become pivots in
/// all. The first rounds are run; the second half of these tells the time for each new pivot.
pub fn by_rounds(gpu: &Gpu, f4: &F4Matrix, new_pivots: usize, limit: f64) -> Result<Option<Estimate>> {
    // A fault of the plan is told by the run itself.
    if !limit.is_finite() || f4.plan(&Device::Gpu(gpu.clone())).is_err() {
        return Ok(None);
    }
    let begin = Instant::now();
    let mut rounds = Vec::new();
    first_rounds(gpu, f4, |so_far| {
        let elapsed = begin.elapsed().as_secs_f64();
        rounds.push((elapsed, so_far));
        elapsed <= limit && (rounds.len() < ROUNDS || elapsed < ROUNDS_TIME * limit)
    })?;
    Ok(all_rounds(&rounds, new_pivots).filter(|estimate| estimate.seconds > limit))
}

/// Estimates all rounds by the first ones: the seconds until the end of each, and the new pivots until then.
fn all_rounds(rounds: &[(f64, usize)], new_pivots: usize) -> Option<Estimate> {
    let &(last, after) = rounds.last()?;
    let measured = format!("its first {} rounds", rounds.len());
    if rounds.len() < LEAST_ROUNDS {
        return Some(Estimate { seconds: last, is_bound: true, measured });
    }
    let (half, before) = rounds[rounds.len() / 2];
    let each = (last - half) / after.saturating_sub(before).max(1) as f64;
    let seconds = last + each * new_pivots.saturating_sub(after) as f64;
    Some(Estimate { seconds, is_bound: false, measured })
}

/// Returns the seconds of an elimination; `None` if it fails.
pub fn seconds(device: &Device, f4: &F4Matrix) -> Option<f64> {
    let begin = Instant::now();
    gf2::eliminate(device, f4).ok()?;
    Some(begin.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program of 0.5 s and 1 ms a row.
    fn program(rows: usize) -> Option<f64> {
        Some(0.5 + 1e-3 * rows as f64)
    }

    #[test]
    fn rows_tell_the_time_of_a_row_apart_from_that_of_a_run() {
        let estimate = by_rows(10_000, 64, 2.0, program).unwrap();
        assert!((estimate.seconds - 10.5).abs() < 1e-6, "{}", estimate.seconds);
        // 64 rows differ from 256 by less than a sixteenth of the limit.
        let mut samples = Vec::new();
        let estimate = by_rows(10_000, 64, 4.0, |rows| {
            samples.push(rows);
            program(rows)
        });
        assert_eq!(
            (samples, estimate.unwrap().measured.as_str()),
            (vec![64, 64, 256, 1024], "1024 of its rows")
        );
        assert!(by_rows(10_000, 64, 10.6, program).is_none());
        assert!(by_rows(10_000, 64, f64::INFINITY, program).is_none());
        assert!(by_rows(255, 64, 0.0, program).is_none());
        assert!(by_rows(256, 64, 0.0, program).is_some());
        assert!(by_rows(10_000, 64, 2.0, |_| None).is_none());
        // A run without rows already passes the limit.
        assert!(by_rows(10_000, 64, 0.4, program).unwrap().seconds > 10.0);
    }

    #[test]
    fn rounds_tell_the_time_of_a_new_pivot() {
        // Two long rounds, then 0.1 s for ten rows each.
        let rounds: Vec<_> = (0..9).map(|k| (5.0 + 0.1 * f64::from(k), 100 + 10 * k as usize)).collect();
        let estimate = all_rounds(&rounds, 1180).unwrap();
        assert!((estimate.seconds - 15.8).abs() < 1e-6 && !estimate.is_bound);
        assert_eq!(estimate.to_string(), "would take about 16 s (measured on its first 9 rounds)");
        // All rows become pivots; too few rounds to tell; none.
        assert!((all_rounds(&rounds, 180).unwrap().seconds - 5.8).abs() < 1e-6);
        let bound = all_rounds(&rounds[..2], 1180).unwrap();
        assert_eq!(bound.to_string(), "would take more than 5.10 s (measured on its first 2 rounds)");
        assert!(all_rounds(&[], 1180).is_none());
    }
}

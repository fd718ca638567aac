//! The times of this machine: how they are measured, and those that this process knows.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use web_time::{Duration, Instant};

use super::Rate;
use crate::lock::lock;
use crate::parallel::*;

/// A measurement repeats its work for about this long, since other work disturbs single ones. The rates of a problem are a few, so
/// that all of them take some 50 ms.
const ENOUGH: Duration = Duration::from_millis(8);
/// A measurement never repeats its work more often.
const MOST: usize = 50;

/// The median time of `work`, which is repeated, over its units. The first run touches memory and tables, and does not count.
pub fn typical(units: f64, mut work: impl FnMut()) -> f64 {
    typical_of(&mut work) / units
}

/// The median time of `work`.
fn typical_of(work: &mut dyn FnMut()) -> f64 {
    work();
    let begin = Instant::now();
    let mut times = Vec::new();
    while times.len() < 2 || times.len() < MOST && begin.elapsed() < ENOUGH {
        let start = Instant::now();
        work();
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The mean of a measurement by all threads at the same time: two may share a core, and all of them the processor's clock, as when they
/// share work. Alone a thread is up to twice as fast, and by how much differs from one moment to the next.
fn crowded(measure: fn() -> f64) -> f64 {
    let threads = threads().max(1);
    let times: Vec<f64> = (0..threads).into_par_iter().with_max_len(1).map(|_| measure()).collect();
    times.iter().sum::<f64>() / threads as f64
}

/// The times that this process knows, by name.
#[derive(Default)]
struct Known {
    seconds: BTreeMap<String, f64>,
    /// Those that no file has.
    new: BTreeMap<String, f64>,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

/// The known times; those of the file, the first time.
fn known<'g>(guard: &'g mut MutexGuard<'_, Option<Known>>) -> &'g mut Known {
    guard.get_or_insert_with(|| {
        #[cfg(not(target_arch = "wasm32"))]
        let seconds = super::store::read();
        #[cfg(target_arch = "wasm32")]
        let seconds = BTreeMap::new();
        Known { seconds, new: BTreeMap::new() }
    })
}

/// A time that a machine may have: between a hundredth and a thousand times the shipped one, which allows for code
/// without vector instructions and without optimisation.
fn is_sound(rate: &Rate, seconds: f64) -> bool {
    (rate.shipped / 100.0..=rate.shipped * 1000.0).contains(&seconds)
}

/// The time of a rate. One that cannot be is replaced by the shipped one.
pub fn seconds(rate: &Rate) -> f64 {
    if let Some(&seconds) = known(&mut lock(&KNOWN)).seconds.get(rate.name)
        && is_sound(rate, seconds)
    {
        return seconds;
    }
    // Two threads may measure at the same time; the lock is not held, since a measurement may ask for another rate.
    let measured = match rate.is_shared {
        true => (rate.measure)(),
        false => crowded(rate.measure),
    };
    let is_sound = is_sound(rate, measured);
    let seconds = if is_sound { measured } else { rate.shipped };
    log::debug!("{}: {seconds:.3e} s{}", rate.name, if is_sound { "" } else { ", not as measured" });
    let mut guard = lock(&KNOWN);
    let known = known(&mut guard);
    known.seconds.insert(rate.name.to_owned(), seconds);
    if is_sound {
        known.new.insert(rate.name.to_owned(), seconds);
    }
    seconds
}

/// Writes what is new to the file, once.
#[cfg(not(target_arch = "wasm32"))]
pub fn keep() {
    let new = match &mut *lock(&KNOWN) {
        Some(known) => std::mem::take(&mut known.new),
        None => return,
    };
    if !new.is_empty() {
        super::store::add(new);
    }
}

//! The elimination algorithms of the course reports, row by row on packed rows: baselines for the
//! fast methods.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::kernels::add_words;
use super::run_context::RunContext;
use super::team::with_team;
use crate::Result;
use crate::gf2::rounds::{self, Pivots, dense_rows, lead, work_left};
use crate::gf2::{BitMatrix, Elimination, F4Matrix, RowSchedule};
use crate::gpu::block_on;
use crate::parallel::*;
use crate::timeline::Meter;

/// Algorithm 1 in bands: 64 columns at a time, from the highest down, all rows are reduced in the
/// band; its pivots stay in the cache.
pub fn bands(f4: &F4Matrix, context: RunContext<'_>) -> Result<Elimination> {
    let _task = context.task("bands");
    let mut pivots = Pivots::new(f4)?;
    let mut rows = dense_rows(f4)?;
    let mut active: Vec<u32> = (0..f4.row_count() as u32).collect();
    // A band's pivots have as many words as there are bands up to it.
    let bands = f4.width().div_ceil(64);
    let done = |left: usize| (bands * (bands + 1) - left * (left + 1)) as u64 / 2;
    let meter = context.meter(done(0));
    for band in (0..bands).rev() {
        context.timeline().check_stop()?;
        active.retain(|&row| {
            let words = &mut rows.row64_mut(row as usize)[..=band];
            while words[band] != 0 {
                let lead = 64 * band + 63 - words[band].leading_zeros() as usize;
                match pivots.get(lead) {
                    Some(pivot) => add_words(context.simd, words, &pivot[..=band]),
                    None => {
                        pivots.add(row as usize, rows.row64(row as usize), lead);
                        return false;
                    }
                }
            }
            true
        });
        meter.reach(done(band));
    }
    pivots.into_elimination(f4)
}

/// Algorithm 2: the rows of each round in parallel.
pub fn rounds(f4: &F4Matrix, schedule: RowSchedule, context: RunContext<'_>) -> Result<Elimination> {
    // The closure never waits.
    let reduce = async |rows: &mut BitMatrix, active: &[u32], pivots: &Pivots, meter: &Meter| {
        Ok(reduce(rows, active, pivots, schedule, context, meter))
    };
    block_on(rounds::eliminate(f4, context.timeline(), reduce, |_| true))
}

/// Rows that a thread takes at a time under [`RowSchedule::Dynamic`].
const DYNAMIC_ROWS: usize = 16;

/// The words of a row, and its lead once it is reduced.
struct Active<'a> {
    words: &'a mut [u64],
    lead: Option<u32>,
}

/// Reduces the `active` rows by the pivots found so far, in parallel; returns their leads. The work that this saves is
/// added to the meter.
pub fn reduce(
    rows: &mut BitMatrix,
    active: &[u32],
    pivots: &Pivots,
    schedule: RowSchedule,
    context: RunContext<'_>,
    meter: &Meter,
) -> Vec<Option<u32>> {
    let stride = rows.stride64().max(1);
    let all = (0u32..).zip(rows.words64_mut().chunks_mut(stride));
    let mut rows: Vec<Active> = all
        .filter(|(row, _)| active.binary_search(row).is_ok())
        .map(|(_, words)| Active { words, lead: None })
        .collect();
    let reduce = |row: &mut Active| row.lead = reduce_row(row.words, pivots, context, meter);
    match schedule {
        RowSchedule::Stealing => {
            rows.par_iter_mut().for_each_init(|| context.task("rows"), |_, row| reduce(row))
        }
        RowSchedule::Static => {
            let share = rows.len().div_ceil(threads()).max(1);
            let shares: Vec<_> = rows.chunks_mut(share).map(Mutex::new).collect();
            rayon::broadcast(|thread| {
                let _task = context.task("rows");
                if let Some(share) = shares.get(thread.index()) {
                    lock(share).iter_mut().for_each(reduce);
                }
            });
        }
        RowSchedule::Dynamic => {
            let shares: Vec<_> = rows.chunks_mut(DYNAMIC_ROWS).map(Mutex::new).collect();
            let next = AtomicUsize::new(0);
            rayon::broadcast(|_| {
                while let Some(share) = shares.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let _task = context.task("rows");
                    lock(share).iter_mut().for_each(reduce);
                }
            });
        }
    }
    rows.into_iter().map(|row| row.lead).collect()
}

/// Locks a share of rows, which only one thread takes.
fn lock<T>(share: &Mutex<T>) -> MutexGuard<'_, T> {
    share.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds pivots to a row until it is zero or no pivot has its lead; returns the lead.
fn reduce_row(words: &mut [u64], pivots: &Pivots, context: RunContext<'_>, meter: &Meter) -> Option<u32> {
    let first = lead(words, words.len());
    let mut reduced = first;
    while let Some(lead_now) = reduced
        && let Some(pivot) = pivots.get(lead_now)
    {
        let below = lead_now / 64 + 1;
        add_words(context.simd, &mut words[..below], &pivot[..below]);
        reduced = lead(words, below);
    }
    let [before, after] = [first, reduced].map(|lead| lead.map(|lead| lead as u32));
    if before != after {
        meter.add(work_left(before) - work_left(after));
    }
    after
}

/// Algorithm 1 row after row; each addition's words are divided among the threads of a team. An addition takes
/// so little time that a record of each thread's share would take longer: the leader's rows are recorded, and
/// of the others one task from start to end, in which they also wait.
pub fn xor_threads(f4: &F4Matrix, context: RunContext<'_>) -> Result<Elimination> {
    let mut pivots = Pivots::new(f4)?;
    let mut rows = dense_rows(f4)?;
    let meter = context.meter(f4.row_count() as u64);
    with_team(threads(), context, |leader| {
        for row in 0..f4.row_count() {
            context.timeline().check_stop()?;
            let _task = context.task_on(0, "row");
            let words = rows.row64_mut(row);
            let mut below = words.len();
            while let Some(lead) = lead(words, below) {
                let Some(pivot) = pivots.get(lead) else {
                    pivots.add(row, words, lead);
                    break;
                };
                below = lead / 64 + 1;
                leader.add(&mut words[..below], &pivot[..below]);
            }
            meter.add(1);
        }
        Ok(())
    })?;
    pivots.into_elimination(f4)
}

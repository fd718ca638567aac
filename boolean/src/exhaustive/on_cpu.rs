//! Exhaustive search on the CPU engine: its threads take windows.

use web_time::Instant;

use super::table::{Layout, Windows};
use super::{Search, cpu};
use crate::checks::{MOST_SEEN, missed, nonsense, random_below};
use crate::collect::Found;
use crate::way::Job;
use wgalois::parallel::*;
use wgalois::{Cpu, Result};

/// Searches all values.
pub(super) async fn search(cpu: &Cpu, job: Job<'_>) -> Result<Found> {
    let Job { equations, query, watch, checks, .. } = job;
    let search = Search::new(equations, query)?;
    let (begin, deadline) = (Instant::now(), watch.deadline());
    let low = cpu::low(search.packed.degree);
    let fixed = low + cpu::LANES;
    let up = search.variables.saturating_sub(fixed).min(12);
    let layout = Layout { low, up, width: fixed + up };
    let windows = Windows::new(&search.packed, layout);
    let work = async |first: u64, count: u64| {
        (first..first + count).into_par_iter().for_each(|prefix| {
            if search.collector.must_end() {
                return;
            }
            let mut found = |candidate| search.try_candidate(candidate | prefix << layout.width);
            cpu::search(cpu.simd, &windows, &search.packed, prefix, &mut found);
        });
        Ok(())
    };
    let threads = cpu.thread_count() as u64;
    let found = search.run(layout, (4 * threads, u64::MAX), work, watch).await?;
    // A window in ten at most.
    let count = threads.min(search.windows(layout) / 10).max(1);
    let one = |_| plant(&search, cpu, &windows);
    let plant = async || (0..count).into_par_iter().map(one).sum::<Result<u32>>();
    checks.plant(&found, begin, deadline, plant).await?;
    Ok(found)
}

/// Plants a solution, and searches the window that it is in.
fn plant(search: &Search, cpu: &Cpu, windows: &Windows) -> Result<u32> {
    let width = windows.layout.width;
    let planted = random_below(search.variables);
    let prefix = planted >> width;
    let packed = search.packed.planted(planted);
    let (mut times, mut seen, mut is_wrong) = (0, 0, false);
    let mut found = |candidate: u64| {
        let candidate = candidate | prefix << width;
        times += usize::from(candidate == planted);
        seen += 1;
        // The lanes compare 16 equations.
        is_wrong |= seen <= MOST_SEEN && packed.value(candidate) as u16 != 0;
        false
    };
    cpu::search(cpu.simd, windows, &packed, prefix, &mut found);
    match (times, is_wrong) {
        (1, false) => Ok(1),
        (0, _) => Err(missed()),
        _ => Err(nonsense("candidates that solve no equation, or one twice")),
    }
}

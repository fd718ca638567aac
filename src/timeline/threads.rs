//! Processor times of this process's threads, while the CPU engine works.

use std::collections::BTreeMap;
use std::time::Duration;

/// The processor time of one thread.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ThreadTime {
    /// The system's number of the thread.
    pub id: u64,
    /// The processor time, including the time in which a worker searches for work.
    pub busy: Duration,
}

/// A watch of processor times. It runs while at least one step of the CPU engine does.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// Steps that have begun and not ended.
    running: u32,
    /// The processor time of every thread when the watch began to run.
    before: BTreeMap<u64, Duration>,
    /// The processor time of every thread so far.
    busy: BTreeMap<u64, Duration>,
}

impl Watch {
    pub fn begin(&mut self) {
        if self.running == 0 {
            self.before = now();
        }
        self.running += 1;
    }

    pub fn end(&mut self) {
        self.running -= 1;
        if self.running == 0 {
            for (id, time) in now() {
                // A thread that did not exist before began at 0.
                let spent = time.saturating_sub(self.before.get(&id).copied().unwrap_or_default());
                *self.busy.entry(id).or_default() += spent;
            }
        }
    }

    /// Returns the threads that were busy, by number. Threads that did nothing are left out.
    pub fn times(&self) -> Vec<ThreadTime> {
        let busy = self.busy.iter().filter(|(_, busy)| !busy.is_zero());
        busy.map(|(&id, &busy)| ThreadTime { id, busy }).collect()
    }
}

/// Returns the processor time of each thread of this process; empty where the system does not tell.
#[cfg(target_os = "linux")]
fn now() -> BTreeMap<u64, Duration> {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return BTreeMap::new() };
    let ids = tasks.filter_map(|task| task.ok()?.file_name().to_str()?.parse().ok());
    ids.filter_map(|id: u64| Some((id, of_thread(id)?))).collect()
}

#[cfg(not(target_os = "linux"))]
fn now() -> BTreeMap<u64, Duration> {
    BTreeMap::new()
}

/// Returns the processor time of a thread of this process, or `None` if it has ended.
#[cfg(target_os = "linux")]
fn of_thread(id: u64) -> Option<Duration> {
    // Linux numbers the clock of a thread's processor time by the complement of the thread's number; the
    // low bits mean: of one thread (4), as the scheduler counts it (2).
    let clock = (!libc::clockid_t::try_from(id).ok()?) << 3 | 4 | 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for the call, which writes one timespec or fails.
    let result = unsafe { libc::clock_gettime(clock, &raw mut time) };
    if result != 0 {
        return None;
    }
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

//! The time of the processor that this process has taken, which other processes of a busy machine change little.

/// Seconds of all threads of this process.
pub fn processor_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for the call to write. Linux has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Lets the system end this process, by SIGXCPU, when it has taken so many seconds of processors.
pub fn end_after(seconds: u64) {
    let limit = libc::rlimit { rlim_cur: seconds, rlim_max: seconds.saturating_add(1) };
    // SAFETY: `limit` is valid for the call to read. Where it fails there is no limit.
    unsafe { libc::setrlimit(libc::RLIMIT_CPU, &limit) };
}

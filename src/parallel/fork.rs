//! Loops of a process that was forked. The threads of rayon's global pool stay in the process that started them, so that a
//! loop which is handed to them in a forked one would wait forever.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use super::alone::is_alone;
use super::schedule::lock;

/// The process whose loops run on rayon's global threads: the first that has used them; 0 before.
static FIRST: AtomicU32 = AtomicU32::new(0);

/// The threads of a forked process, with its number.
static OWN: Mutex<Option<(u32, &rayon::ThreadPool)>> = Mutex::new(None);

/// The number of this process; 1 where there are no forks.
fn process() -> u32 {
    if cfg!(unix) { std::process::id() } else { 1 }
}

/// Notes that this process may start rayon's global threads, unless one before it has.
pub(super) fn note() {
    if FIRST.load(Ordering::Relaxed) == 0 {
        // Of two threads one is the first; both write the same number.
        FIRST.compare_exchange(0, process(), Ordering::Relaxed, Ordering::Relaxed).ok();
    }
}

/// True in a process that was forked from one where a loop could use several threads. Loops of such a process have threads of
/// their own. GPUs that were open before the fork do not work in it.
pub fn is_forked() -> bool {
    note();
    FIRST.load(Ordering::Relaxed) != process()
}

/// The threads of this forked process; None if the system refuses them. They are never ended.
fn own() -> Option<&'static rayon::ThreadPool> {
    let (mut own, process) = (lock(&OWN), process());
    match *own {
        Some((other, pool)) if other == process => Some(pool),
        _ => {
            let pool: &_ = Box::leak(Box::new(rayon::ThreadPoolBuilder::new().build().ok()?));
            *own = Some((process, pool));
            Some(pool)
        }
    }
}

/// Calls `work`, which uses rayon's threads, so that it uses those of this process. False, without a call, if the work is to stay
/// on this thread, or if this is a forked process to which the system gives no threads.
pub(super) fn on_threads(work: &mut (dyn FnMut() + Send)) -> bool {
    if is_alone() {
        return false;
    }
    if rayon::current_thread_index().is_some() || !is_forked() {
        work();
        return true;
    }
    let pool = own();
    if let Some(pool) = pool {
        pool.install(work);
    }
    pool.is_some()
}

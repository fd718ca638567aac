//! The threads of the CPU engine.

use rayon::{ThreadBuilder, ThreadPoolBuilder};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use wgalois::{Error, Result};

/// Starts a thread a core, or as many as RAYON_NUM_THREADS says, for everything that does not ask for
/// threads of its own. Where the system gives fewer, as under a limit of processes, there are fewer;
/// where it gives none, this thread does the work.
///
/// # Errors
/// [`Error::OutOfMemory`] where not even that can be set up.
pub fn start() -> Result<()> {
    // The pool can be set up only once, so that the threads are started before, and then join it.
    let (send, receive) = channel();
    let receive = Arc::new(Mutex::new(receive));
    let wanted = wanted();
    let start = |_| {
        let receive = Arc::clone(&receive);
        thread::Builder::new().spawn(move || join(&receive)).ok()
    };
    let started = (0..wanted).map_while(start).count();
    if started < wanted {
        log::warn!("the system gives {started} of {wanted} threads");
    }
    let pool = match started {
        0 => ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global(),
        _ => ThreadPoolBuilder::new()
            .num_threads(started)
            .spawn_handler(|thread| send.send(thread).map_err(|_| std::io::ErrorKind::BrokenPipe.into()))
            .build_global(),
    };
    pool.map_err(|error| Error::OutOfMemory(format!("threads cannot be started: {error}").into()))
}

/// What a thread does: it becomes one of the pool.
fn join(receive: &Mutex<Receiver<ThreadBuilder>>) {
    // The lock is given back before the thread works.
    let received = receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
    if let Ok(thread) = received {
        thread.run();
    }
}

/// As rayon counts when it starts threads itself.
fn wanted() -> usize {
    let named = std::env::var("RAYON_NUM_THREADS").ok().and_then(|count| count.parse().ok());
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    named.filter(|&count| count > 0).unwrap_or_else(cores).min(rayon::max_num_threads())
}

//! The threads of the CPU engine.

use rayon::{ThreadBuilder, ThreadPoolBuilder};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use wgalois::{Error, Result};

/// Starts `most` threads, by default one per core, or the number in RAYON_NUM_THREADS, for all work that does not
/// ask for its own threads. If the system grants fewer, as under a limit on processes, the pool is
/// smaller; if it grants none, this thread does the work. It is an error if even that cannot be set up.
pub fn start(most: Option<usize>) -> Result<()> {
    // The pool can be set up only once, so the threads are started first and join it afterwards.
    let (send, receive) = channel();
    let receive = Arc::new(Mutex::new(receive));
    let wanted = wanted(most);
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

/// The body of a thread: it joins the pool.
fn join(receive: &Mutex<Receiver<ThreadBuilder>>) {
    // The lock is released before the thread starts to work.
    let received = receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
    if let Ok(thread) = received {
        thread.run();
    }
}

/// The most threads that RAYON_NUM_THREADS gets, unless there are more cores. Many more than cores wait for each other:
/// on two cores, what 64 compute in 1.5 s takes 1024 of them 40 s; and Rust's own start of a thread panics where tens of
/// thousands exceed what the system maps for their stacks.
const MOST: usize = 64;

/// Returns the number of threads that rayon itself would start on `most` cores, within [`MOST`].
fn wanted(most: Option<usize>) -> usize {
    let named = std::env::var("RAYON_NUM_THREADS").ok().and_then(|count| count.parse::<usize>().ok());
    let cores = || most.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let Some(named) = named.filter(|&count| count > 0) else { return cores() };
    let count = named.min(MOST.max(cores()));
    if count < named {
        log::warn!("RAYON_NUM_THREADS is {named}: {count} threads are started");
    }
    count
}

//! Processes that are threads of one process: for tests, and to try what several processes do.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::{Identity, Message, Transport, lost, no_result};
use crate::{Error, Result};

/// One of several threads that exchange messages by channels.
pub struct Threads {
    identity: Identity,
    /// By rank: the channels to and from the other threads. None after an abort.
    ends: Mutex<Option<Ends>>,
}

/// Dropped in this order: once another process sees that this one sends nothing, it cannot send to it either.
struct Ends {
    from: Vec<Receiver<Message>>,
    to: Vec<Sender<Message>>,
}

impl Threads {
    /// Runs `work` on `size` threads, each as one process, and returns their results by rank. A thread that fails
    /// or panics ends every wait of another for its messages. The error is that of the thread that failed first.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use wgalois::processes::{Transport, Threads};
    ///
    /// let gathered = Threads::run(3, |processes| {
    ///     let mine = Arc::new(vec![processes.rank() as u8]);
    ///     processes.gather(mine)
    /// })?;
    /// let ranks: Vec<u8> = gathered[0].iter().flat_map(|message| message.to_vec()).collect();
    /// assert_eq!(ranks, [0, 1, 2]);
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    ///
    /// # Panics
    /// If `work` panics.
    pub fn run<T: Send>(
        size: usize,
        work: impl Fn(&Arc<dyn Transport>) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let first_error = Mutex::new(None);
        let fail = |error: Error| {
            first_error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        };
        let results = thread::scope(|scope| {
            let started: Vec<_> = connect(size)
                .into_iter()
                .map(|process| {
                    let (work, fail) = (&work, &fail);
                    thread::Builder::new().spawn_scoped(scope, move || {
                        // The channels close when `process` is dropped, after the error is noted.
                        let process: Arc<dyn Transport> = Arc::new(process);
                        work(&process).map_err(fail).ok()
                    })
                })
                .collect();
            let join = |thread: std::io::Result<thread::ScopedJoinHandle<'_, Option<T>>>| match thread {
                Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(error) => {
                    fail(Error::OutOfMemory(format!("threads cannot be started: {error}").into()));
                    None
                }
            };
            started.into_iter().map(join).collect::<Option<Vec<T>>>()
        });
        match first_error.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => results.ok_or_else(no_result),
        }
    }

    fn ends(&self) -> MutexGuard<'_, Option<Ends>> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes `size` processes with a channel from each to each.
fn connect(size: usize) -> Vec<Threads> {
    let mut ends: Vec<_> = (0..size).map(|_| Ends { to: Vec::new(), from: Vec::new() }).collect();
    for rank in 0..size {
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
        ends[rank].to = senders;
        ends.iter_mut().zip(receivers).for_each(|(end, receiver)| end.from.push(receiver));
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let process = |(rank, ends)| {
        let cores = (cores / size).max(1);
        let identity = Identity { rank, size, local_rank: rank, local_size: size, cores };
        Threads { identity, ends: Mutex::new(Some(ends)) }
    };
    ends.into_iter().enumerate().map(process).collect()
}

impl Transport for Threads {
    fn identity(&self) -> Identity {
        self.identity
    }

    fn send(&self, to: usize, message: Message) -> Result<()> {
        let ends = self.ends();
        let sent = ends.as_ref().map(|ends| ends.to[to].send(message));
        sent.and_then(std::result::Result::ok).ok_or_else(|| lost(to))
    }

    fn receive(&self, from: usize) -> Result<Message> {
        let ends = self.ends();
        ends.as_ref().and_then(|ends| ends.from[from].recv().ok()).ok_or_else(|| lost(from))
    }

    fn abort(&self, _code: u8) {
        *self.ends() = None;
    }
}

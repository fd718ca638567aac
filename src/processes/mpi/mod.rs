//! Processes that `mpirun` has started.
//!
//! A thread of its own makes all calls to the MPI library, which moves long messages only during such calls: a process
//! that computed between them would keep the others waiting for a message that it sent long before.
//!
//! ```text
//! this process's work          its thread of messages             the other processes
//!   send(to, message)  ----->    starts the transfer  ----------->
//!   computes                     continues all transfers  <------>
//!   receive(from)      <-----    keeps those that have arrived
//! ```

mod exchange;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use exchange::{Command, Exchange};

use super::{Identity, Message, Transport, lost};
use crate::{Error, Result};

/// The exit code of a program that panicked.
const PANICKED: u8 = 101;

/// This process as one of those that `mpirun` has started. A program has one.
///
/// If the thread that drops it panics, all processes end with exit code 101.
pub struct Mpi {
    identity: Identity,
    commands: Sender<Command>,
    /// By rank: the messages that have arrived.
    arrived: Vec<Mutex<Receiver<Message>>>,
    /// True while this process does nothing but wait for a message.
    waiting: Arc<AtomicBool>,
    /// Ends after the last message is sent, and closes the library.
    thread: Option<JoinHandle<()>>,
}

impl Mpi {
    /// True if the environment says that `mpirun`, or another starter of MPI programs, has started this process.
    pub fn is_started() -> bool {
        ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"]
            .iter()
            .any(|name| std::env::var_os(name).is_some())
    }

    /// Joins the other processes.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the program has done so before, or the library allows no other threads;
    /// [`Error::OutOfMemory`] if the thread of messages cannot be started.
    pub fn start() -> Result<Self> {
        let (commands, given) = channel();
        let (started, start) = channel();
        let waiting = Arc::new(AtomicBool::new(false));
        let shared = waiting.clone();
        let run = move || match Exchange::start() {
            Ok((exchange, identity)) => {
                let (to, arrived): (Vec<_>, Vec<_>) = (0..identity.size).map(|_| channel()).unzip();
                if started.send(Ok((identity, arrived))).is_ok() {
                    exchange.run(&given, &to, &shared);
                }
            }
            Err(error) => drop(started.send(Err(error))),
        };
        let thread = thread::Builder::new().name("messages".into()).spawn(run).map_err(|error| {
            Error::OutOfMemory(format!("the thread of messages cannot be started: {error}").into())
        })?;
        let ended = || Error::Device("the thread of messages has ended".into());
        let (identity, arrived) = start.recv().map_err(|_| ended())??;
        let arrived = arrived.into_iter().map(Mutex::new).collect();
        Ok(Mpi { identity, commands, arrived, waiting, thread: Some(thread) })
    }

    /// Gives the thread of messages something to do. False if it has ended.
    fn command(&self, command: Command) -> bool {
        let is_sent = self.commands.send(command).is_ok();
        self.wake();
        is_sent
    }

    /// Ends the sleep of the thread of messages.
    fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Transport for Mpi {
    fn identity(&self) -> Identity {
        self.identity
    }

    fn send(&self, to: usize, message: Message) -> Result<()> {
        if self.command(Command::Send(to, message)) { Ok(()) } else { Err(lost(to)) }
    }

    fn receive(&self, from: usize) -> Result<Message> {
        let arrived = self.arrived[from].lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(message) = arrived.try_recv() {
            return Ok(message);
        }
        self.waiting.store(true, Ordering::Relaxed);
        self.wake();
        let message = arrived.recv();
        self.waiting.store(false, Ordering::Relaxed);
        message.map_err(|_| lost(from))
    }

    fn abort(&self, code: u8) {
        self.command(Command::Abort(code));
        // The library ends this process.
        while self.thread.as_ref().is_some_and(|thread| !thread.is_finished()) {
            thread::park_timeout(exchange::SLEEP);
        }
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        if thread::panicking() {
            self.abort(PANICKED);
        }
        self.command(Command::End);
        if let Some(thread) = self.thread.take() {
            // A panic of that thread has been printed.
            let _ = thread.join();
        }
    }
}

//! Several processes that compute one result: the messages between them, and the shares of the work.
//!
//! Process 0 reads, plans, checks and writes; the others [`serve`](crate::serve()). For each job,
//! process 0 deals out shares of the work, every process computes its share with the same code, and process 0
//! puts the results together. The result is the same, bit for bit, for any number of processes.
//!
//! ```text
//! process 0                                processes 1, 2, ...
//!   Processes::new(transport, device)        serve(transport, open a device)
//!   plan, prepare, run  ------ job ------>     receive a share
//!     computes its own share                   compute
//!     puts the results together <---------     send the result
//!   end(processes)      ------ end ------>     return
//! ```
//!
//! [`Transport`] is all that the algorithms know of the transport. [`Threads`] runs the processes as threads of one
//! process; `wgalois_mpi::Mpi` runs them as processes that `mpirun` started.

mod message;
mod threads;

pub(crate) use message::{Reader, Writer, malformed};
pub use threads::Threads;

use std::ops::Range;
use std::sync::Arc;

use crate::{Error, Result};

/// The bytes of a message; sending them to several processes does not copy them.
pub type Message = Arc<Vec<u8>>;

/// Which of the processes one is, and what it has of its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The number of this process, from 0.
    pub rank: usize,
    /// The number of processes, at least 1.
    pub size: usize,
    /// The number of this process among those of its host, from 0.
    pub local_rank: usize,
    /// The number of processes on this host, at least 1.
    pub local_size: usize,
    /// The number of processor cores that are this process's share of its host's, at least 1.
    pub cores: usize,
}

/// One of several processes, and the messages between it and the others.
///
/// Messages from one process to another arrive in the order in which they were sent.
///
/// # Errors
/// [`Error::DeviceLost`]: the other process has ended, and there is no message from it to receive.
pub trait Transport: Send + Sync {
    /// Which of the processes this is.
    fn identity(&self) -> Identity;

    /// The number of this process, from 0.
    fn rank(&self) -> usize {
        self.identity().rank
    }

    /// The number of processes, at least 1.
    fn size(&self) -> usize {
        self.identity().size
    }

    /// Sends a message to another process. Does not wait until it is received.
    fn send(&self, to: usize, message: Message) -> Result<()>;

    /// Waits for the next message from another process.
    fn receive(&self, from: usize) -> Result<Message>;

    /// Ends all processes, this one with the exit code `code`. With [`Threads`] it returns, and every
    /// wait of another process for a message from this one ends with an error.
    fn abort(&self, code: u8);

    /// Sends a message to all other processes. They call
    /// [`receive_broadcast`](Self::receive_broadcast).
    ///
    /// The processes form a binomial tree, so that `size` copies are sent in log2 `size` steps:
    ///
    /// ```text
    /// 0 -> 4      0 -> 2, 4 -> 6      0 -> 1, 2 -> 3, 4 -> 5, 6 -> 7
    /// ```
    fn broadcast(&self, message: &Message) -> Result<()> {
        self.forward(self.rank(), message)
    }

    /// Receives a message that process `root` broadcasts.
    fn receive_broadcast(&self, root: usize) -> Result<Message> {
        let place = (self.rank() + self.size() - root) % self.size();
        // The parent's place lacks the lowest bit.
        let parent = (place & (place - 1)) + root;
        let message = self.receive(parent % self.size())?;
        self.forward(root, &message)?;
        Ok(message)
    }

    /// Sends a broadcast message on, to the places that have one more bit below this place's lowest.
    #[doc(hidden)]
    fn forward(&self, root: usize, message: &Message) -> Result<()> {
        let size = self.size();
        let place = (self.rank() + size - root) % size;
        let lowest = if place == 0 { size.next_power_of_two() } else { place & place.wrapping_neg() };
        let mut bit = lowest / 2;
        while bit > 0 {
            if place + bit < size {
                self.send((place + bit + root) % size, message.clone())?;
            }
            bit /= 2;
        }
        Ok(())
    }

    /// Gathers one message from every process at process 0, in order of rank; the others get an empty list.
    fn gather(&self, message: Message) -> Result<Vec<Message>> {
        if self.rank() > 0 {
            self.send(0, message)?;
            return Ok(Vec::new());
        }
        let others = (1..self.size()).map(|from| self.receive(from));
        std::iter::once(Ok(message)).chain(others).collect()
    }
}

/// The contiguous share of process `rank` of `count` things: shares differ by at most one, and the first
/// are the larger ones.
pub(crate) fn share(count: usize, rank: usize, size: usize) -> Range<usize> {
    let begin = |rank: usize| rank * (count / size) + rank.min(count % size);
    begin(rank)..begin(rank + 1)
}

/// The kind of device that a job runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The CPU engine.
    Cpu,
    /// A GPU.
    Gpu,
}

impl Kind {
    /// The place where each process computes its share, for plans.
    pub(crate) fn place(self) -> &'static str {
        match self {
            Kind::Cpu => "each process computes on its cores",
            Kind::Gpu => "each process computes on a GPU of its host, in turn",
        }
    }
}

/// The task of a job, by the first word of its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    End,
    Gf2,
    Msm,
}

/// The header of a job: the task, the kind of device, and words that the task defines.
pub(crate) struct Job {
    pub task: Task,
    pub kind: Kind,
    pub words: Vec<u64>,
}

impl Job {
    /// Process 0 tells the others what comes next.
    pub fn announce(&self, processes: &dyn Transport) -> Result<()> {
        let mut message = Writer::default();
        message.put(&[self.task as u64, self.kind as u64]);
        message.put(&self.words);
        processes.broadcast(&message.finish())
    }

    /// The other processes receive it.
    pub fn receive(processes: &dyn Transport) -> Result<Self> {
        let message = processes.receive_broadcast(0)?;
        let mut message = Reader::new(&message);
        let [task, kind] = message.take_array::<u64, 2>()?;
        let task = [Task::End, Task::Gf2, Task::Msm].into_iter().find(|&known| known as u64 == task);
        let kind = [Kind::Cpu, Kind::Gpu].into_iter().find(|&known| known as u64 == kind);
        match (task, kind) {
            (Some(task), Some(kind)) => Ok(Job { task, kind, words: message.take()? }),
            _ => Err(malformed()),
        }
    }
}

/// The error of a process that ended without the result that it should have.
pub fn no_result() -> Error {
    Error::Device("a process ended without a result".into())
}

/// Tells the other processes that no job follows: their [`serve`](crate::serve()) returns. Process 0 calls it.
pub fn end(processes: &dyn Transport) -> Result<()> {
    Job { task: Task::End, kind: Kind::Cpu, words: Vec::new() }.announce(processes)
}

/// What a [`Transport`] returns if process `rank` has ended.
pub fn lost(rank: usize) -> Error {
    Error::DeviceLost(format!("process {rank} has ended"))
}

#[cfg(test)]
pub(crate) mod failing;
#[cfg(test)]
mod tests;

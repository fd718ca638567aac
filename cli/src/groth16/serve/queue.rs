//! The queue between the threads of requests and the thread with the device.

use super::key::Data;
use crate::prelude::*;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// A witness and the outcome of its proof.
pub type Made = (Data, Result<Data>);

/// A witness that waits for its proof.
pub struct Job {
    /// The key, by its number.
    pub key: usize,
    pub witness: Data,
    reply: Sender<Made>,
    since: Instant,
}

impl Job {
    /// A job, and where its outcome arrives. The job is left out if nobody waits there any more.
    pub fn new(key: usize, witness: Data) -> (Self, Receiver<Made>) {
        let (reply, receiver) = channel();
        (Job { key, witness, reply, since: Instant::now() }, receiver)
    }

    /// The time since the job came.
    pub fn waited(&self) -> Duration {
        self.since.elapsed()
    }

    /// Hands the outcome to the request, if that still waits.
    pub fn reply(self, outcome: Result<Data>) {
        let _ = self.reply.send((self.witness, outcome));
    }
}

/// The jobs, in the order in which they came. Their number is bounded where requests are admitted.
#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    is_closed: bool,
}

impl Queue {
    /// Adds a job. A closed queue drops it.
    pub fn push(&self, job: Job) {
        let mut state = self.lock();
        if !state.is_closed {
            state.jobs.push_back(job);
            self.changed.notify_one();
        }
    }

    /// The next job, with up to `most - 1` others of the same key; waits for one. `None` if the queue is closed and empty.
    pub fn take(&self, most: usize) -> Option<Vec<Job>> {
        let mut state = self.lock();
        loop {
            state.jobs.retain(|job| !job.reply.is_closed());
            if let Some(first) = state.jobs.pop_front() {
                return Some(with_others(first, &mut state.jobs, most));
            }
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The number of jobs that wait.
    pub fn len(&self) -> usize {
        self.lock().jobs.len()
    }

    /// Lets no further job come.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the jobs of the same key out of the others, which keep their order.
fn with_others(first: Job, jobs: &mut VecDeque<Job>, most: usize) -> Vec<Job> {
    let key = first.key;
    let mut batch = vec![first];
    let mut left = VecDeque::with_capacity(jobs.len());
    for job in jobs.drain(..) {
        match job.key == key && batch.len() < most {
            true => batch.push(job),
            false => left.push_back(job),
        }
    }
    *jobs = left;
    batch
}

//! The thread with the device: it takes witnesses from the queue until the server ends.

use super::key::{Data, Key, Proves};
use super::keys;
use super::queue::Job;
use super::shared::Shared;
use crate::prelude::*;
use std::sync::atomic::Ordering;

/// The keys and, unless the device is lost, their provers.
pub struct Proving<'a> {
    pub context: &'a Context,
    pub keys: &'a [Box<dyn Key>],
    pub provers: Option<Vec<Box<dyn Proves>>>,
    pub shared: &'a Shared,
}

impl Proving<'_> {
    /// Proves until the queue is closed and empty.
    pub fn run(&mut self) {
        while let Some(jobs) = self.shared.queue.take(self.shared.limits.batch) {
            jobs.iter().for_each(|job| self.shared.metrics.waiting.add(job.waited()));
            self.prove(jobs);
        }
    }

    /// Proves some witnesses of one key. If that fails, each is proved alone: a fault is that of one request.
    fn prove(&mut self, mut jobs: Vec<Job>) {
        let begin = Instant::now();
        let key = jobs.first().map_or(0, |job| job.key);
        let witnesses: Vec<&Data> = jobs.iter().map(|job| &job.witness).collect();
        let outcome = self.attempt(key, &witnesses);
        let each = begin.elapsed() / u32::try_from(jobs.len()).unwrap_or(u32::MAX).max(1);
        match outcome {
            Ok(proofs) => {
                for (job, proof) in jobs.into_iter().zip(proofs) {
                    self.shared.metrics.proving.add(each);
                    job.reply(Ok(proof));
                }
            }
            Err(error) => {
                let message = error.to_string();
                let is_lost = is_of_device(&error) && self.provers.is_some();
                if is_lost {
                    // Whoever gets the error finds the state that goes with it.
                    self.shared.set_ready(false);
                }
                if jobs.len() == 1 {
                    jobs.remove(0).reply(Err(error));
                }
                if is_lost {
                    self.recover(&message);
                }
                jobs.into_iter().for_each(|job| self.prove(vec![job]));
            }
        }
    }

    fn attempt(&mut self, key: usize, witnesses: &[&Data]) -> Result<Vec<Data>> {
        if self.provers.is_none() {
            let Some(shares) = keys::plan(self.context, self.keys)? else { return Ok(Vec::new()) };
            self.provers = Some(keys::prepare(self.context, self.keys, &shares)?);
            self.shared.set_ready(true);
            self.shared.metrics.reopened.fetch_add(1, Ordering::Relaxed);
        }
        let prover = self.provers.as_ref().and_then(|provers| provers.get(key));
        prover.ok_or(Error::OtherPlan { what: "key" })?.prove(witnesses)
    }

    /// After a fault of the device, gives up its provers, and makes them again on the device that can then be opened.
    fn recover(&mut self, fault: &str) {
        self.context.note(&format!("{fault}; the device is opened again"));
        // The memory is given back before it is taken again.
        self.provers = None;
        if let Err(error) = self.attempt(0, &[]) {
            self.provers = None;
            self.shared.set_ready(false);
            self.context.note(&format!("the device cannot be opened: {error}; the next request tries again"));
        }
    }
}

/// True if the device may be unable to go on.
fn is_of_device(error: &Error) -> bool {
    matches!(error, Error::DeviceLost(_) | Error::Device(_) | Error::Shader(_) | Error::Nonsense(_))
}

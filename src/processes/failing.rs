//! Tests in which one process fails at one of its messages, whichever it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Identity, Message, Threads, Transport, end};
use crate::{Cpu, Device, Error, Result, serve};

const FAILURE: &str = "this process fails here";

/// A process that fails at its next message once it has sent and received `left` of them.
struct Failing {
    processes: Arc<dyn Transport>,
    left: AtomicUsize,
}

impl Failing {
    fn count(&self) -> Result<()> {
        let counted =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        counted.map(drop).map_err(|_| Error::Input(FAILURE.to_owned()))
    }
}

impl Transport for Failing {
    fn identity(&self) -> Identity {
        self.processes.identity()
    }

    fn send(&self, to: usize, message: Message) -> Result<()> {
        self.count()?;
        self.processes.send(to, message)
    }

    fn receive(&self, from: usize) -> Result<Message> {
        self.count()?;
        self.processes.receive(from)
    }

    fn abort(&self, code: u8) {
        self.processes.abort(code);
    }
}

/// Runs `work` on process 0 of `size`, which the others serve. Each process in turn fails at each of its messages,
/// and every time all processes end, with its error.
///
/// # Panics
/// If the error is another one, or a process fails although it has fewer messages.
pub(crate) fn at_every_message(size: usize, work: impl Fn(&Arc<dyn Transport>) -> Result<()> + Sync) {
    let whole = |processes: &Arc<dyn Transport>| {
        if processes.rank() > 0 {
            return serve(&**processes, |_| Ok(Device::Cpu(Cpu::default())));
        }
        work(processes)?;
        end(&**processes)
    };
    for failing in 0..size {
        let fails_after = |count: usize| {
            let outcome = Threads::run(size, |processes| match processes.rank() == failing {
                true => {
                    let left = AtomicUsize::new(count);
                    whole(&(Arc::new(Failing { processes: processes.clone(), left }) as Arc<dyn Transport>))
                }
                false => whole(processes),
            });
            match outcome {
                Ok(_) => false,
                Err(Error::Input(message)) if message == FAILURE => true,
                Err(error) => panic!("process {failing} after {count} messages: {error}"),
            }
        };
        let messages = (0..).take_while(|&count| fails_after(count)).count();
        // At least the job, its data and the end.
        assert!(messages >= 3, "process {failing} of {size} has only {messages} messages");
    }
}

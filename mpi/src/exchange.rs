//! The thread that makes all calls to the MPI library.

use std::collections::VecDeque;
use std::mem::zeroed;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::thread;
use std::time::Duration;

use ::mpi::environment::Universe;
use ::mpi::ffi;
use ::mpi::raw::AsRaw;
use ::mpi::topology::{Communicator, SimpleCommunicator};
use ::mpi::traits::{CommunicatorCollectives, Equivalence};
use ::mpi::{Rank, Threading};

use wgalois::processes::{Identity, Message};
use wgalois::{Error, Result};

/// The maximum number of bytes that go to the library at once: it counts them with 31 bits.
const PART: usize = 1 << 30;
/// How often the thread calls the library without sleeping between calls, after this process begins to wait for a
/// message, or one arrives while it waits.
const LOOKS: usize = 2000;
/// The sleep between calls, which leaves the core to others.
pub(super) const SLEEP: Duration = Duration::from_micros(50);
/// The sleep while nothing is on its way to or from this process, and it does not wait: each time it ends, the work on
/// the same core is interrupted.
const IDLE: Duration = Duration::from_micros(400);

/// Orders for the thread.
pub(super) enum Command {
    /// Send a message to a process.
    Send(usize, Message),
    /// End all processes, this one with this exit code.
    Abort(u8),
    /// End after all messages are sent.
    End,
}

/// The transfers of a process. Belongs to the thread that opened the library.
pub(super) struct Exchange {
    /// By order of sending: messages that the library still reads, with its handle for each part.
    sending: Vec<Sending>,
    /// By rank: the parts that have begun to arrive, in the order of sending.
    receiving: Vec<VecDeque<Receiving>>,
    /// By rank: the parts that have arrived, of a message that is not complete.
    incomplete: Vec<Vec<u8>>,
    world: SimpleCommunicator,
    /// Dropped last: it closes the library.
    _universe: Universe,
}

struct Sending {
    request: ffi::MPI_Request,
    /// Not moved while the library reads it.
    _message: Message,
}

struct Receiving {
    request: ffi::MPI_Request,
    /// Not moved, and not read, until the request completes. Every byte is written before.
    part: Vec<u8>,
    is_complete: bool,
}

impl Exchange {
    /// Opens the library.
    pub fn start() -> Result<(Self, Identity)> {
        let Some((universe, threading)) = ::mpi::initialize_with_threading(Threading::Funneled) else {
            return Err(Error::Unsupported { device: "MPI", what: "be started twice".into() });
        };
        if threading == Threading::Single {
            return Err(Error::Unsupported { device: "this MPI library", what: "work with threads".into() });
        }
        let world = universe.world();
        let local = world.split_shared(world.rank());
        let mine = allowed_cores();
        let mut all = vec![0u64; mine.len() * local.size() as usize];
        local.all_gather_into(&mine[..], &mut all[..]);
        let sharing = all.chunks(mine.len()).filter(|other| *other == mine).count();
        let identity = Identity {
            rank: world.rank() as usize,
            size: world.size() as usize,
            local_rank: local.rank() as usize,
            local_size: local.size() as usize,
            cores: (mine.iter().map(|word| word.count_ones() as usize).sum::<usize>() / sharing).max(1),
        };
        let exchange = Exchange {
            sending: Vec::new(),
            receiving: (0..identity.size).map(|_| VecDeque::new()).collect(),
            incomplete: vec![Vec::new(); identity.size],
            world,
            _universe: universe,
        };
        Ok((exchange, identity))
    }

    /// Obeys `commands`, and gives messages that arrive to the channel of their sender, until the end.
    pub fn run(mut self, commands: &Receiver<Command>, arrived: &[Sender<Message>], waiting: &AtomicBool) {
        let (mut is_ending, mut waited, mut looks) = (false, false, 0);
        loop {
            loop {
                match commands.try_recv() {
                    Ok(Command::Send(to, message)) => self.send(to, &message),
                    Ok(Command::Abort(code)) => self.world.abort(code.into()),
                    Ok(Command::End) | Err(TryRecvError::Disconnected) => {
                        is_ending = true;
                        break;
                    }
                    Err(TryRecvError::Empty) => break,
                }
            }
            self.sending.retain_mut(|sending| !is_complete(&mut sending.request));
            let waits = waiting.load(Ordering::Relaxed);
            if self.receive(arrived) || waits && !waited {
                looks = LOOKS;
            }
            waited = waits;
            if is_ending && self.sending.is_empty() {
                return;
            }
            // Beside a thread that computes on the same core, one that yields gets no time for milliseconds; one that
            // sleeps gets it when it wakes.
            match waits && looks > 0 {
                true => thread::yield_now(),
                // Nothing comes where there is no other process.
                false if arrived.len() == 1 => thread::park(),
                false if waits || self.is_busy() => thread::park_timeout(SLEEP),
                false => thread::park_timeout(IDLE),
            }
            looks -= usize::from(looks > 0);
        }
    }

    /// True while messages are on their way to or from this process.
    fn is_busy(&self) -> bool {
        !self.sending.is_empty() || self.receiving.iter().any(|parts| !parts.is_empty())
    }

    /// Starts to send a message. One whose length is a multiple of a part ends with an empty part.
    fn send(&mut self, to: usize, message: &Message) {
        for part in 0..=message.len() / PART {
            let bytes = &message[part * PART..message.len().min((part + 1) * PART)];
            // SAFETY: `bytes` stays in place until the request completes, for `sending` holds the
            // message, which nobody writes to. The other process's rank and the communicator are valid.
            let request = unsafe {
                let mut request = zeroed();
                ffi::MPI_Isend(
                    bytes.as_ptr().cast(),
                    bytes.len() as i32,
                    u8::equivalent_datatype().as_raw(),
                    to as Rank,
                    0,
                    self.world.as_raw(),
                    &mut request,
                );
                request
            };
            self.sending.push(Sending { request, _message: message.clone() });
        }
    }

    /// Begins to receive what other processes send, and passes on what has arrived. False if nothing did.
    fn receive(&mut self, arrived: &[Sender<Message>]) -> bool {
        let mut has_moved = false;
        for (from, to) in arrived.iter().enumerate() {
            while let Some(receiving) = self.next_part(from) {
                self.receiving[from].push_back(receiving);
                has_moved = true;
            }
            let parts = &mut self.receiving[from];
            parts.iter_mut().for_each(|part| part.is_complete |= is_complete(&mut part.request));
            while parts.front().is_some_and(|part| part.is_complete) {
                let Some(Receiving { part, .. }) = parts.pop_front() else { break };
                has_moved = true;
                let (is_last, whole) = (part.len() < PART, &mut self.incomplete[from]);
                match whole.is_empty() {
                    true => *whole = part,
                    false => whole.extend_from_slice(&part),
                }
                if is_last {
                    // Nobody receives any more if this process is about to end.
                    let _ = to.send(Message::new(std::mem::take(whole)));
                }
            }
        }
        has_moved
    }

    /// Begins to receive the next part from a process, if it has sent one.
    fn next_part(&self, from: usize) -> Option<Receiving> {
        // SAFETY: zeros are values of these types, which the library overwrites. The communicator and the rank are
        // valid, and the message is taken once, by the request, with a buffer of its length that stays in place.
        unsafe {
            let (mut found, mut message, mut status) = (0, zeroed(), zeroed());
            ffi::MPI_Improbe(from as Rank, 0, self.world.as_raw(), &mut found, &mut message, &mut status);
            if found == 0 {
                return None;
            }
            let (mut count, mut request) = (0, zeroed());
            let bytes = u8::equivalent_datatype().as_raw();
            ffi::MPI_Get_count(&status, bytes, &mut count);
            let mut part = vec![0; count as usize];
            ffi::MPI_Imrecv(part.as_mut_ptr().cast(), count, bytes, &mut message, &mut request);
            Some(Receiving { request, part, is_complete: false })
        }
    }
}

/// True if the library has completed a request, or had before.
fn is_complete(request: &mut ffi::MPI_Request) -> bool {
    let mut done = 0;
    // SAFETY: the request is one that the library returned, or the null request that a completed one becomes, which
    // counts as complete. The library is open while requests exist.
    unsafe { ffi::MPI_Test(request, &mut done, ffi::RSMPI_STATUS_IGNORE) };
    done != 0
}

/// The cores that this process may run on, as a set of bits. `mpirun` binds processes to cores; those that
/// may run on the same cores share them.
fn allowed_cores() -> [u64; 16] {
    let mut words = [0; 16];
    #[cfg(target_os = "linux")]
    {
        // SAFETY: the set is as long as the call is told, and any bytes are a valid value of it.
        unsafe { libc::sched_getaffinity(0, size_of_val(&words), words.as_mut_ptr().cast()) };
    }
    if words == [0; 16] {
        let cores = thread::available_parallelism().map_or(1, usize::from).min(64 * words.len());
        (0..cores).for_each(|core| words[core / 64] |= 1 << (core % 64));
    }
    words
}

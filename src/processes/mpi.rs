//! Processes that `mpirun` has started: the only file that knows the MPI library.

use std::cell::RefCell;
use std::time::Duration;
use std::{hint, thread};

use ::mpi::environment::Universe;
use ::mpi::ffi;
use ::mpi::point_to_point::MatchedReceiveVec;
use ::mpi::raw::AsRaw;
use ::mpi::topology::{Communicator, SimpleCommunicator};
use ::mpi::traits::{CommunicatorCollectives, Equivalence, Source};
use ::mpi::{Rank, Threading};

use super::{Message, Processes};
use crate::{Error, Result};

/// The most bytes that go to the library at once: it counts them with 31 bits.
const PART: usize = 1 << 30;
/// How often a wait looks for a message before it sleeps between looks, which leaves the core to others.
const LOOKS: usize = 2000;
const SLEEP: Duration = Duration::from_micros(50);
/// The exit code of a program that panicked.
const PANICKED: u8 = 101;

/// This process as one of those that `mpirun` has started. A program has one; it belongs to the main thread.
///
/// If the thread panics, dropping it ends all processes with exit code 101.
pub struct Mpi {
    /// By order of sending: messages that the library still reads, with its handle for each part.
    sending: RefCell<Vec<Sending>>,
    world: SimpleCommunicator,
    local_rank: usize,
    local_size: usize,
    cores: usize,
    /// Dropped last: it closes the library.
    _universe: Universe,
}

struct Sending {
    request: ffi::MPI_Request,
    /// Not moved while the library reads it.
    _message: Message,
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
    /// [`Error::Usage`] if the program has done so before, or the library allows no other threads.
    pub fn start() -> Result<Self> {
        let Some((universe, threading)) = ::mpi::initialize_with_threading(Threading::Funneled) else {
            return Err(Error::Usage("MPI can be started only once".into()));
        };
        if threading == Threading::Single {
            return Err(Error::Usage("this MPI library allows no threads".into()));
        }
        let world = universe.world();
        let local = world.split_shared(world.rank());
        let mine = allowed_cores();
        let mut all = vec![0u64; mine.len() * local.size() as usize];
        local.all_gather_into(&mine[..], &mut all[..]);
        let sharing = all.chunks(mine.len()).filter(|other| *other == mine).count();
        Ok(Mpi {
            sending: RefCell::default(),
            local_rank: local.rank() as usize,
            local_size: local.size() as usize,
            cores: (mine.iter().map(|word| word.count_ones() as usize).sum::<usize>() / sharing).max(1),
            world,
            _universe: universe,
        })
    }

    /// Forgets the messages that the library has sent; waits for all of them if `all`.
    fn complete(&self, all: bool) {
        let mut wait = Wait::default();
        loop {
            self.sending.borrow_mut().retain_mut(|sending| {
                let mut done = 0;
                // SAFETY: the request is one that MPI_Isend returned and that has not completed yet; a
                // completed one leaves the list. The library is open, for `self` holds it.
                unsafe { ffi::MPI_Test(&mut sending.request, &mut done, ffi::RSMPI_STATUS_IGNORE) };
                done == 0
            });
            if !all || self.sending.borrow().is_empty() {
                return;
            }
            wait.look_again();
        }
    }
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

/// A wait that leaves the core to others after a while.
#[derive(Default)]
struct Wait(usize);

impl Wait {
    fn look_again(&mut self) {
        self.0 += 1;
        if self.0 < LOOKS { hint::spin_loop() } else { thread::sleep(SLEEP) }
    }
}

impl Processes for Mpi {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.size() as usize
    }

    fn send(&self, to: usize, message: Message) -> Result<()> {
        // A message whose length is a multiple of a part ends with an empty part.
        for part in 0..=message.len() / PART {
            let bytes = &message[part * PART..message.len().min((part + 1) * PART)];
            // SAFETY: `bytes` stays in place until the request completes, for `sending` holds the
            // message, which nobody writes to. The other process's rank and the communicator are valid.
            let request = unsafe {
                let mut request = std::mem::zeroed();
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
            self.sending.borrow_mut().push(Sending { request, _message: message.clone() });
        }
        self.complete(false);
        Ok(())
    }

    fn receive(&self, from: usize) -> Result<Message> {
        let process = self.world.process_at_rank(from as Rank);
        let mut whole: Vec<u8> = Vec::new();
        loop {
            let mut wait = Wait::default();
            let arrived = loop {
                match process.immediate_matched_probe() {
                    Some(arrived) => break arrived,
                    None => wait.look_again(),
                }
            };
            let (part, _) = arrived.matched_receive_vec::<u8>();
            let is_last = part.len() < PART;
            match whole.is_empty() {
                true => whole = part,
                false => whole.extend_from_slice(&part),
            }
            if is_last {
                return Ok(Message::new(whole));
            }
        }
    }

    fn abort(&self, code: u8) {
        self.world.abort(code.into());
    }

    fn local_rank(&self) -> usize {
        self.local_rank
    }

    fn local_size(&self) -> usize {
        self.local_size
    }

    fn cores(&self) -> usize {
        self.cores
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        match thread::panicking() {
            true => self.abort(PANICKED),
            false => self.complete(true),
        }
    }
}

//! Progress, the time limit and the checkpoint of a search.

use crate::prelude::*;
use crate::progress::Progress;
use std::fs;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use wgalois_boolean::{Checkpoint, TimeLimit, Watch};

/// The time between two writings of a checkpoint.
const BETWEEN: Duration = Duration::from_secs(30);

pub struct Watcher<'c> {
    context: &'c Context,
    limit: Option<TimeLimit>,
    path: Option<PathBuf>,
    begin: Option<Checkpoint>,
    /// The state after the last round.
    last: Option<Checkpoint>,
    written: Instant,
    bar: Option<Progress>,
    done: u64,
}

impl<'c> Watcher<'c> {
    /// Reads the checkpoint, if there is one.
    pub fn new(context: &'c Context, limit: Option<TimeLimit>, path: Option<&Path>) -> Result<Self> {
        let begin = match path {
            Some(path) if path.exists() => Some(context.read_output(path, read)?),
            _ => None,
        };
        if let Some(state) = &begin {
            context.note(&format!("the checkpoint has {} of {} done", state.done, state.of));
        }
        *last() = path.map(|path| (path.to_owned(), begin.clone()));
        Ok(Watcher {
            context,
            limit,
            path: path.map(Path::to_owned),
            begin,
            last: None,
            written: Instant::now(),
            bar: None,
            done: 0,
        })
    }

    /// True if the search goes on from a checkpoint.
    pub fn is_resumed(&self) -> bool {
        self.begin.is_some()
    }

    /// Writes the last state, for a search to go on from.
    pub fn write(&self) -> Result<()> {
        let (Some(path), Some(state)) = (&self.path, &self.last) else { return Ok(()) };
        write(path, state)
    }
}

/// What is said where a search ends that leaves no checkpoint.
pub const NOTHING: &str = "no checkpoint: the first round of the search was not complete";

/// The checkpoint's file, and the last state if there is one.
type Last = Option<(PathBuf, Option<Checkpoint>)>;

/// The last state of this run's search, for a signal that ends the process.
static LAST: Mutex<Last> = Mutex::new(None);

fn last() -> MutexGuard<'static, Last> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes that a run which ends early is to leave a checkpoint. One of an earlier run stays as it is.
pub fn expect(path: Option<&Path>) {
    *last() = path.filter(|path| !path.exists()).map(|path| (path.to_owned(), None));
}

/// True if this run is to leave a checkpoint and has no state.
pub fn has_nothing() -> bool {
    matches!(&*last(), Some((_, None)))
}

/// True if there is a state of a search of this run, whose file is its checkpoint.
pub fn has_state() -> bool {
    matches!(&*last(), Some((_, Some(_))))
}

/// Writes the last state of a search that a signal ends, or says that there is none.
pub fn leave_checkpoint() {
    match &*last() {
        Some((path, Some(state))) => {
            if let Err(error) = write(path, state) {
                log::error!("{error}");
            }
        }
        Some((_, None)) => log::warn!("{NOTHING}"),
        None => (),
    }
}

/// Removes the checkpoint of a search whose answer is written.
pub fn remove(path: &Path) -> Result<()> {
    *last() = None;
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::file(path, error)),
        _ => Ok(()),
    }
}

fn write(path: &Path, state: &Checkpoint) -> Result<()> {
    write_whole(path, |out| serde_json::to_writer(out, state).map_err(io::Error::from))
}

fn read(source: &Source) -> Result<Checkpoint> {
    serde_json::from_slice(source.bytes()).map_err(|error| source.error(format!("no checkpoint: {error}")))
}

impl Watch for Watcher<'_> {
    fn round(&mut self, state: &Checkpoint) -> Result<bool> {
        let bar = self.bar.get_or_insert_with(|| self.context.bar("search", state.of));
        bar.advance(state.done - self.done.min(state.done));
        self.done = state.done;
        if let Some(path) = &self.path {
            self.last = Some(state.clone());
            *last() = Some((path.clone(), Some(state.clone())));
            if self.written.elapsed() >= BETWEEN {
                self.write()?;
                self.written = Instant::now();
            }
        }
        Ok(self.deadline().is_none_or(|deadline| Instant::now() < deadline))
    }

    fn resume(&mut self) -> Option<Checkpoint> {
        let state = self.begin.take();
        self.done = state.as_ref().map_or(0, |state| state.done);
        state
    }

    fn deadline(&self) -> Option<Instant> {
        self.limit.and_then(|limit| limit.deadline())
    }
}

//! Progress, the time limit and the checkpoint of a search.

use crate::cli::Context;
use crate::cli::progress::Progress;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wgalois::boolean::{Checkpoint, TimeLimit, Watch};
use wgalois::io::{Source, write_whole};
use wgalois::{Error, Result};

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
    ///
    /// # Errors
    /// [`Error::File`] and [`Error::Format`] for a file that is no checkpoint.
    pub fn new(context: &'c Context, limit: Option<TimeLimit>, path: Option<&Path>) -> Result<Self> {
        let begin = match path {
            Some(path) if path.exists() => Some(context.read_output(path, read)?),
            _ => None,
        };
        if let Some(state) = &begin {
            context.note(&format!("goes on from the checkpoint: {} of {} done", state.done, state.of));
        }
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

    /// Removes the checkpoint of a search that is complete, and writes the last state of one that is not.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn finish(self, is_complete: bool) -> Result<()> {
        match &self.path {
            Some(path) if is_complete => match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::file(path, error)),
                _ => Ok(()),
            },
            _ => self.write(),
        }
    }

    fn write(&self) -> Result<()> {
        let (Some(path), Some(state)) = (&self.path, &self.last) else { return Ok(()) };
        write_whole(path, |out| serde_json::to_writer(out, state).map_err(io::Error::from))
    }
}

fn read(source: &Source) -> Result<Checkpoint> {
    serde_json::from_slice(source.bytes()).map_err(|error| source.error(format!("no checkpoint: {error}")))
}

impl Watch for Watcher<'_> {
    fn round(&mut self, state: &Checkpoint) -> Result<bool> {
        let bar = self.bar.get_or_insert_with(|| self.context.bar("search", state.of));
        bar.advance(state.done - self.done.min(state.done));
        self.done = state.done;
        if self.path.is_some() {
            self.last = Some(state.clone());
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

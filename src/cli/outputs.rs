//! Every output of a run: known, and checked together, before any work is done.

use super::options::Options;
use super::streams;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use wgalois::io::{check_writable, destination, text};
use wgalois::{Error, Result};

/// What a verb writes.
#[derive(Default)]
pub struct Outputs {
    /// Where the data of the verb go.
    pub data: Data,
    /// Files besides, each with the option that names it.
    pub files: Vec<(&'static str, PathBuf)>,
    /// A folder besides, the option that names it, and a file that is made in it.
    pub folder: Option<(&'static str, PathBuf, &'static str)>,
}

/// Where the data of a verb go.
#[derive(Default)]
pub enum Data {
    /// To the file of `-o`, else to stdout.
    #[default]
    Stream,
    /// To these files in the folder of `-o`.
    Folder(Vec<String>),
    /// There are none.
    None,
}

/// The name that stands for standard output.
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Refuses outputs that cannot be written, that overwrite each other, or that mix on stdout.
///
/// # Errors
/// [`Error::Usage`] for outputs that contradict each other, [`Error::File`] for one that cannot be
/// written.
pub fn check(options: &Options, outputs: &Outputs) -> Result<()> {
    let mut streams = Streams::default();
    let mut files = Files::default();
    let result = options.output.as_deref();
    match &outputs.data {
        Data::Stream if result.is_none_or(is_stdout) && !options.json && !options.plan => {
            streams.add("the result", "-o FILE")?;
        }
        Data::Folder(names) => {
            if let Some(folder) = result {
                check_folder(folder)?;
                names.iter().try_for_each(|name| files.add_within("-o", folder, name))?;
            }
        }
        _ => match result {
            Some(path) if !is_stdout(path) => files.add("-o", path)?,
            _ => (),
        },
    }
    if options.json {
        streams.add("the report of --json", "no --json")?;
    } else if options.plan {
        streams.add("the plan of --plan", "no --plan")?;
    }
    if let Some((option, folder, name)) = &outputs.folder {
        check_folder(folder)?;
        files.add_within(option, folder, name)?;
    }
    let trace = options.trace.iter().map(|path| ("--trace", path));
    for (option, path) in trace.chain(outputs.files.iter().map(|(option, path)| (*option, path))) {
        match is_stdout(path) {
            true => streams.add(option, "the name of a file")?,
            false => files.add(option, path)?,
        }
    }
    match streams.user {
        Some(_) if streams::stdout_is_closed() => Err(streams::closed()),
        _ => Ok(()),
    }
}

/// Who writes to stdout.
#[derive(Default)]
struct Streams {
    /// The first who does, and what would free it.
    user: Option<(&'static str, &'static str)>,
}

impl Streams {
    fn add(&mut self, user: &'static str, instead: &'static str) -> Result<()> {
        match self.user {
            None => {
                self.user = Some((user, instead));
                Ok(())
            }
            Some((first, instead)) => Err(Error::Usage(format!(
                "{user} -: stdout is taken by {first}, which {instead} would change"
            ))),
        }
    }
}

/// The files that are written, by destination.
#[derive(Default)]
struct Files {
    seen: Vec<(&'static str, PathBuf)>,
}

impl Files {
    fn add(&mut self, option: &'static str, path: &Path) -> Result<()> {
        check_writable(path)?;
        // Pipes and devices take one output after the other.
        match destination(path)? {
            Some(destination) => self.note(option, path, destination),
            None => Ok(()),
        }
    }

    /// A file in a folder that may not be there yet.
    fn add_within(&mut self, option: &'static str, folder: &Path, name: &str) -> Result<()> {
        // No other output can be in a folder that is not there.
        if folder.is_dir() { self.add(option, &folder.join(name)) } else { Ok(()) }
    }

    fn note(&mut self, option: &'static str, path: &Path, destination: PathBuf) -> Result<()> {
        if let Some((first, _)) = self.seen.iter().find(|(_, seen)| *seen == destination) {
            let path = text::name(path);
            return Err(Error::Usage(format!("{first} and {option} name one file, {path}")));
        }
        self.seen.push((option, destination));
        Ok(())
    }
}

/// Checks that a folder is there or can be made, without making it.
fn check_folder(folder: &Path) -> Result<()> {
    let failed = |error| Error::file(folder, error);
    for ancestor in folder.ancestors() {
        let ancestor = if ancestor.as_os_str().is_empty() { Path::new(".") } else { ancestor };
        match fs::metadata(ancestor) {
            Ok(found) if found.is_dir() => {
                // A name that no other program uses; nothing is left behind.
                return check_writable(&ancestor.join(".wgalois")).map_err(|error| match error {
                    Error::File { source, .. } => failed(source),
                    other => other,
                });
            }
            Ok(_) => return Err(failed(io::ErrorKind::NotADirectory.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (),
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(())
}

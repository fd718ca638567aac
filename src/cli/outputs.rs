//! The outputs of a run: all are known and checked before any work is done.

use super::options::Options;
use super::streams;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use wgalois::io::{check_writable, destination, text};
use wgalois::{Error, Result};

/// The outputs of a verb.
#[derive(Default)]
pub struct Outputs {
    /// The destination of the verb's data.
    pub data: Data,
    /// The endings that the file of `-o` may have, the usual one of each format; `None` if any will do.
    pub endings: Option<&'static [&'static str]>,
    /// Other files, each with the option that names it.
    pub files: Vec<(&'static str, PathBuf)>,
    /// Additional folders, each with the option that names it, and a file that is created in it unless `files` has all of them.
    pub folders: Vec<(&'static str, PathBuf, Option<&'static str>)>,
}

/// The destination of a verb's data.
#[derive(Default)]
pub enum Data {
    /// The file of `-o`, or stdout without `-o`.
    #[default]
    Stream,
    /// These files in the folder of `-o`.
    Folder(Vec<String>),
    /// The verb writes no data.
    None,
}

/// The endings of text of any kind.
pub const TEXT: &[&str] = &["txt", "text", "out", "dat", "hex"];

/// Returns the ending of a file in lower case; `None` if it has none. Numbers count files, as in `rows.2`.
pub fn ending(path: &Path) -> Option<String> {
    let ending = path.extension()?.to_string_lossy().to_ascii_lowercase();
    (!ending.bytes().all(|byte| byte.is_ascii_digit())).then_some(ending)
}

/// Refuses an ending that no format here has.
fn check_ending(path: &Path, endings: &[&str]) -> Result<()> {
    let is_known = |ending: &String| endings.contains(&ending.as_str());
    match ending(path).filter(|ending| !is_known(ending)) {
        // A device is no file that is opened later by its ending.
        Some(_) if fs::metadata(path).is_ok_and(|found| !found.is_file()) => Ok(()),
        Some(ending) => {
            let known: Vec<_> = endings.iter().map(|ending| format!(".{ending}")).collect();
            Err(Error::Usage(format!(
                "-o {}: nothing here writes .{}; the endings are {}",
                text::name(path),
                text::one_line(&ending, 20),
                known.join(", ")
            )))
        }
        None => Ok(()),
    }
}

/// True if `path` is the name that stands for standard output.
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Refuses outputs that cannot be written, that overwrite each other, or that would mix on stdout.
///
/// # Errors
/// [`Error::Usage`] for outputs that contradict each other, [`Error::File`] for one that cannot be
/// written.
pub fn check(options: &Options, outputs: &Outputs) -> Result<()> {
    let mut streams = Streams::default();
    let mut files = Files::default();
    let result = options.output.as_deref();
    if let (Some(path), Some(endings)) = (result.filter(|path| !is_stdout(path)), outputs.endings) {
        check_ending(path, endings)?;
    }
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
    for (option, folder, name) in &outputs.folders {
        check_folder(folder)?;
        name.map_or(Ok(()), |name| files.add_within(option, folder, name))?;
    }
    for (_, path) in outputs.files.iter().filter(|(option, path)| *option == "--plot" && !is_stdout(path)) {
        if let Some(ending) = ending(path).filter(|ending| !["svg", "png"].contains(&ending.as_str())) {
            let (path, ending) = (text::name(path), text::one_line(&ending, 20));
            return Err(Error::Usage(format!(
                "--plot {path}: plots are SVG or PNG, and nothing here draws .{ending}"
            )));
        }
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

/// The output that uses stdout.
#[derive(Default)]
struct Streams {
    /// The first output that uses stdout, and the option that would redirect it.
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

/// The files to write, by destination.
#[derive(Default)]
struct Files {
    seen: Vec<(&'static str, PathBuf)>,
}

impl Files {
    fn add(&mut self, option: &'static str, path: &Path) -> Result<()> {
        check_writable(path)?;
        // Several outputs can go to the same pipe or device.
        match destination(path)? {
            Some(destination) => self.note(option, path, destination),
            None => Ok(()),
        }
    }

    /// Adds a file in a folder that may not exist yet.
    fn add_within(&mut self, option: &'static str, folder: &Path, name: &str) -> Result<()> {
        // If the folder does not exist, no other output can be in it.
        if folder.is_dir() { self.add(option, &folder.join(name)) } else { Ok(()) }
    }

    fn note(&mut self, option: &'static str, path: &Path, destination: PathBuf) -> Result<()> {
        if let Some((first, _)) = self.seen.iter().find(|(_, seen)| *seen == destination) {
            let path = text::name(path);
            return Err(Error::Usage(format!("{first} and {option} name the same file, {path}")));
        }
        self.seen.push((option, destination));
        Ok(())
    }
}

/// Checks that a folder exists or can be created, without creating it.
fn check_folder(folder: &Path) -> Result<()> {
    let failed = |error| Error::file(folder, error);
    for ancestor in folder.ancestors() {
        let ancestor = if ancestor.as_os_str().is_empty() { Path::new(".") } else { ancestor };
        match fs::metadata(ancestor) {
            Ok(found) if found.is_dir() => {
                // A name that no other program uses. The check leaves no file behind.
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

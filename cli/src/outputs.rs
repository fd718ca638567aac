//! The outputs of a run: all are known and checked before any work is done.

use super::inputs::{Identity, Inputs};
use super::options::Options;
use super::streams;
use crate::prelude::*;
use std::fs;
use std::io;
use wgalois::files::{check_writable, destination};

/// The outputs of a verb.
#[derive(Default)]
pub struct Outputs {
    /// The destination of the verb's data.
    pub data: Data,
    /// The endings that the file of `-o` may have, the usual one of each format; `None` if any will do.
    pub endings: Option<&'static [&'static str]>,
    /// Other files, each with the option that names it.
    pub files: Vec<(&'static str, PathBuf)>,
    /// Additional folders, each with the option that names it, and files that are created in it unless `files` has all of them.
    pub folders: Vec<(&'static str, PathBuf, &'static [&'static str])>,
}

/// The destination of a verb's data.
#[derive(Default)]
pub enum Data {
    /// The file of `-o`, or stdout without `-o`.
    #[default]
    Stream,
    /// These files in the folder of `-o`.
    Folder(Vec<String>),
    /// These files in the folder of `-o`; or, where that has one of these endings, the file itself, and files of its name with other
    /// endings beside it.
    FolderOrFile { names: Vec<String>, endings: &'static [&'static str], beside: Vec<String> },
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
        Some(ending) => Err(unknown_ending("-o", path, &ending, endings)),
        None => Ok(()),
    }
}

/// The error of a file that has another ending than the known ones.
fn unknown_ending(option: &str, path: &Path, ending: &str, known: &[&str]) -> Error {
    let known = known.iter().map(|ending| format!(".{ending}"));
    Error::unknown("format for files", &format!(".{ending}"), known)
        .of(format!("{option} {}", text::name(path)))
}

/// True if `path` is the name that stands for standard output.
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Options for files that a run reads, too: none can be stdout.
const KEPT: &[&str] = &["--checkpoint"];

/// Refuses outputs that cannot be written, that overwrite each other or an input, or that would mix on stdout. Only `-o`
/// may be an input: the answer replaces it as a whole.
pub fn check(options: &Options, outputs: &Outputs, inputs: &Inputs) -> Result<()> {
    let mut streams = Streams::default();
    let mut files = Files { inputs, seen: Vec::new() };
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
        Data::FolderOrFile { names, endings, beside } => {
            let is_file = |path: &Path| {
                let known = ending(path).is_some_and(|ending| endings.contains(&ending.as_str()));
                known && !path.is_dir()
            };
            match result {
                Some(path) if is_file(path) => {
                    files.add("-o", path)?;
                    beside.iter().try_for_each(|ending| files.add("-o", &path.with_extension(ending)))?;
                }
                Some(folder) => {
                    check_folder(folder)?;
                    names.iter().try_for_each(|name| files.add_within("-o", folder, name))?;
                }
                None => (),
            }
        }
        data => match (result.filter(|path| !is_stdout(path)), data) {
            (Some(path), Data::Stream) if fs::metadata(path).is_ok_and(|found| found.is_file()) => {
                files.add_replaced("-o", path)?;
            }
            (Some(path), _) => files.add("-o", path)?,
            (None, _) => (),
        },
    }
    if options.json {
        streams.add("the report of --json", "no --json")?;
    } else if options.plan {
        streams.add("the plan of --plan", "no --plan")?;
    }
    for (option, folder, names) in &outputs.folders {
        check_folder(folder)?;
        names.iter().try_for_each(|name| files.add_within(option, folder, name))?;
    }
    check_plots(outputs)?;
    let trace = options.trace.iter().map(|path| ("--trace", path));
    for (option, path) in trace.chain(outputs.files.iter().map(|(option, path)| (*option, path))) {
        match is_stdout(path) {
            true if KEPT.contains(&option) => {
                return Err(Error::needs(format!("{option}, which is read again,"), "the name of a file"));
            }
            true => streams.add(option, "the name of a file")?,
            false => files.add(option, path)?,
        }
    }
    match streams.user {
        Some(_) if streams::stdout_is_closed() => Err(streams::closed()),
        Some((user, _)) => files.check_stdout(user),
        _ => Ok(()),
    }
}

/// Refuses plots in formats that nothing here draws.
fn check_plots(outputs: &Outputs) -> Result<()> {
    for (_, path) in outputs.files.iter().filter(|(option, path)| *option == "--plot" && !is_stdout(path)) {
        if let Some(ending) = ending(path).filter(|ending| !["svg", "png"].contains(&ending.as_str())) {
            return Err(unknown_ending("--plot", path, &ending, &["svg", "png"]));
        }
    }
    Ok(())
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

/// An output: the option that names it, its destination, and the file that it replaces.
struct Seen {
    option: &'static str,
    destination: PathBuf,
    replaced: Option<Identity>,
}

/// The files to write, beside the inputs.
struct Files<'i> {
    inputs: &'i Inputs,
    seen: Vec<Seen>,
}

impl Files<'_> {
    /// Adds a file that is no input.
    fn add(&mut self, option: &'static str, path: &Path) -> Result<()> {
        if let Some(input) = self.inputs.at(path) {
            let first = format!("{option} {}", text::name(path));
            return Err(Error::SameFile { first, second: of_run(input) });
        }
        self.add_replaced(option, path)
    }

    /// Adds a file that may be an input, since it is replaced as a whole after all is read.
    fn add_replaced(&mut self, option: &'static str, path: &Path) -> Result<()> {
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
        let replaced = Identity::of(path);
        let is_same =
            |seen: &&Seen| seen.destination == destination || replaced.is_some() && seen.replaced == replaced;
        if let Some(Seen { option: first, .. }) = self.seen.iter().find(is_same) {
            let second = format!("{option} {}", text::name(path));
            return Err(Error::SameFile { first: (*first).to_owned(), second });
        }
        self.seen.push(Seen { option, destination, replaced });
        Ok(())
    }

    /// Refuses a stdout that is redirected to an input or to another output.
    fn check_stdout(&self, user: &str) -> Result<()> {
        let Some(stdout) = Identity::of_stdout() else { return Ok(()) };
        let user_of_stdout = format!("stdout, which {user} takes,");
        if let Some(input) = self.inputs.name_of(&stdout) {
            return Err(Error::SameFile { first: user_of_stdout, second: of_run(input) });
        }
        match self.seen.iter().find(|seen| seen.replaced.as_ref() == Some(&stdout)) {
            Some(seen) => Err(Error::SameFile { first: user_of_stdout, second: seen.option.to_owned() }),
            None => Ok(()),
        }
    }
}

/// Names an input in a sentence.
fn of_run(input: &Path) -> String {
    match is_stdout(input) {
        true => "standard input".to_owned(),
        false => format!("the input {}", text::name(input)),
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

//! The compilers and validators that check the translations.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use wgalois::parallel::*;

use crate::translate::{Target, translate};

use crate::texts::Text;
use crate::{dxc, limits};

/// A translation with the name of its text.
#[derive(Clone)]
pub struct Source {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// A checker's message about a source.
#[derive(Debug)]
pub struct Complaint {
    pub name: String,
    pub message: String,
}

/// Checks several sources in one call.
pub type Check = Box<dyn Fn(&[Source]) -> Vec<Complaint>>;

/// A checker of one language.
pub struct Checker {
    pub name: &'static str,
    pub target: Target,
    find: fn() -> Result<Check, String>,
}

pub const SPIRV: Checker = Checker {
    name: "spirv-val",
    target: Target::Spirv,
    find: || {
        // spirv-val takes one file per call.
        let program = Program {
            program: "spirv-val",
            arguments: &["--target-env", "vulkan1.1"],
            ending: "spv",
            at_once: 1,
        };
        program.find()
    },
};

pub const HLSL: Checker = Checker { name: "DXC", target: Target::Hlsl, find: dxc::find };

pub const MSL: Checker = Checker {
    name: "clang",
    target: Target::Msl,
    find: || {
        const STUB: &str = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/tests/translation/metal");
        // clang does not know any of the attributes.
        let arguments = &["-x", "c++", "-std=c++14", "-w", "-fsyntax-only", STUB];
        Program { program: "clang++", arguments, ending: "metal", at_once: 16 }.find()
    },
};

pub const GLSL: Checker = Checker {
    name: "glslangValidator",
    target: Target::Glsl,
    find: || {
        let program =
            Program { program: "glslangValidator", arguments: &["-S", "comp"], ending: "comp", at_once: 16 };
        program.find()
    },
};

impl Checker {
    /// Returns the check, or `None`, with a message on stderr, if the program is missing.
    pub fn find(&self) -> Option<Check> {
        match (self.find)() {
            Ok(check) => Some(check),
            Err(why) => {
                assert!(std::env::var_os("CI").is_none(), "{} must be there in CI: {why}", self.name);
                // Written directly, because the test runner captures `eprintln!`.
                let _ = writeln!(std::io::stderr(), "NOT RUN: the checks of {}: {why}", self.name);
                None
            }
        }
    }

    /// Returns the texts in this checker's language that the language can express and devices can
    /// receive.
    pub fn sources(&self, texts: &[&Text]) -> Vec<Source> {
        let is_for = |text: &Text| match self.target {
            Target::Glsl => !text.int64,
            Target::Hlsl => limits::fits_direct3d(text),
            _ => true,
        };
        let texts = texts.par_iter().map(|text| is_for(text).then(|| self.source(text)));
        texts.collect().into_iter().flatten().collect()
    }

    pub fn source(&self, text: &Text) -> Source {
        let bytes = translate(&text.wgsl, self.target);
        Source {
            name: text.name.clone(),
            bytes: bytes.unwrap_or_else(|error| panic!("{}: {error}", text.name)),
        }
    }
}

/// A checker that is a separate program and takes files.
struct Program {
    program: &'static str,
    arguments: &'static [&'static str],
    ending: &'static str,
    /// Files per call.
    at_once: usize,
}

impl Program {
    fn find(self) -> Result<Check, String> {
        let answer = Command::new(self.program).arg("--version").stdout(Stdio::null()).status();
        answer.map_err(|error| format!("{}: {error}", self.program))?;
        Ok(Box::new(move |sources| self.check(sources)))
    }

    fn check(&self, sources: &[Source]) -> Vec<Complaint> {
        let folder = tempfile::tempdir().unwrap();
        let write = |source: &Source| {
            let path = folder.path().join(format!("{}.{}", source.name, self.ending));
            std::fs::write(&path, &source.bytes).unwrap();
            path
        };
        let files: Vec<PathBuf> = sources.iter().map(write).collect();
        files
            .par_chunks(self.at_once)
            .map(|files| self.check_files(files))
            .collect()
            .into_iter()
            .flatten()
            .collect()
    }

    /// Checks files together, and each separately if there is an error.
    fn check_files(&self, files: &[PathBuf]) -> Vec<Complaint> {
        let output = Command::new(self.program).args(self.arguments).args(files).output().unwrap();
        match files {
            _ if output.status.success() => Vec::new(),
            [file] => {
                let text = [output.stdout, output.stderr].concat();
                vec![Complaint { name: stem(file), message: String::from_utf8_lossy(&text).into_owned() }]
            }
            files => files.iter().flat_map(|file| self.check_files(std::slice::from_ref(file))).collect(),
        }
    }
}

fn stem(file: &Path) -> String {
    file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

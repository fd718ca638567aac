//! The names of the files of a key.

use crate::outputs::ending;
use crate::prelude::*;
use std::fs;

/// The endings by which `-o` names a key.
pub const KEYS: &[&str] = &["zkey", "params"];

/// The files in a folder of `-o`; true for those of a generated circuit only.
pub const IN_FOLDER: &[(&str, bool)] =
    &[("circuit.zkey", false), ("witness.wtns", true), ("verification_key.json", false)];

/// The endings of the files beside a key that `-o` names.
pub const BESIDE: &[(&str, bool)] = &[("json", false), ("wtns", true), ("r1cs", true)];

/// The formats of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// That of snarkjs.
    Zkey,
    /// That of bellman.
    Params,
}

/// The files of a key.
pub struct Names {
    pub form: Form,
    pub key: PathBuf,
    pub verifying: PathBuf,
    pub circuit: PathBuf,
    /// The witness, if there is one.
    witness: PathBuf,
    /// The folder to be created; `None` if the key's own exists.
    folder: Option<PathBuf>,
}

impl Names {
    /// Those for the destination of `-o`.
    pub fn of(output: &Path) -> Self {
        let form = match ending(output).as_deref().filter(|_| !output.is_dir()) {
            Some("zkey") => Some(Form::Zkey),
            Some("params") => Some(Form::Params),
            _ => None,
        };
        match form {
            Some(form) => Names {
                form,
                key: output.to_owned(),
                verifying: output.with_extension("json"),
                circuit: output.with_extension("r1cs"),
                witness: output.with_extension("wtns"),
                folder: None,
            },
            None => Names {
                form: Form::Zkey,
                key: output.join("circuit.zkey"),
                verifying: output.join("verification_key.json"),
                circuit: output.join("circuit.r1cs"),
                witness: output.join("witness.wtns"),
                folder: Some(output.to_owned()),
            },
        }
    }

    /// The file of a witness, with its number if there are several.
    pub fn witness(&self, number: Option<u64>) -> PathBuf {
        match number {
            None => self.witness.clone(),
            Some(number) => self.witness.with_extension(format!("{number}.wtns")),
        }
    }

    pub fn create_folder(&self) -> Result<()> {
        let create = |folder: &PathBuf| fs::create_dir_all(folder).map_err(|e| Error::file(folder, e));
        self.folder.as_ref().map_or(Ok(()), create)
    }
}

//! Helpers of the command-line tests: the program, and a folder of files.
// Every test file is a separate crate and uses only some of these.
#![allow(dead_code)]

use assert_cmd::Command;
use std::path::PathBuf;

/// The modulus of small tests.
pub const P: &str = "998244353";

/// A new empty folder in which the program runs, on the CPU engine unless `--device` is given.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    /// Returns the program with `arguments`, split at spaces.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::cargo_bin("wgalois").unwrap();
        command.current_dir(self.0.path()).args(arguments.split_whitespace());
        for variable in ["WGPU_ADAPTER_NAME", "RUST_LOG"] {
            command.env_remove(variable);
        }
        // Plans are the same on every machine; `records.rs` measures.
        command.env("WGALOIS_SHIPPED_RECORD", "1").env("WGALOIS_CPU_RECORD", "shipped");
        if !arguments.contains("--device") && has_device(arguments) {
            command.args(["--device", "cpu"]);
        }
        command
    }

    /// Runs the program and returns its stdout; it must succeed.
    pub fn run(&self, arguments: &str) -> String {
        let output = self.command(arguments).assert().success().get_output().clone();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs the program with `--json` and returns the report; it must succeed.
    pub fn report(&self, arguments: &str) -> serde_json::Value {
        serde_json::from_str(&self.run(&format!("{arguments} --json"))).unwrap()
    }

    /// Runs the program with `--json`, which must end with the exit code of a missing answer; returns the report.
    pub fn no_answer(&self, arguments: &str) -> serde_json::Value {
        let output = self.command(arguments).assert().code(7).get_output().clone();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["exit_code"], 7, "{arguments}");
        report
    }

    /// Runs the program, which must fail with `code`, print nothing and leave no new file. Returns
    /// its stderr.
    pub fn fail(&self, arguments: &str, code: i32) -> String {
        let before = self.names();
        let output = self.command(arguments).assert().code(code).get_output().clone();
        assert!(output.stdout.is_empty(), "{arguments}: {}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(self.names(), before, "{arguments}");
        String::from_utf8(output.stderr).unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// Returns the sorted names of the files in the folder.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// True if the verb of these arguments has the option `--device`.
pub fn has_device(arguments: &str) -> bool {
    let without = [
        "groth16 verify",
        "groth16 info",
        "kzg verify",
        "gen",
        "check polymul",
        "check intmul",
        "check ntt",
        "check gf2 transpose",
        "check gf2 mul",
        "check solve",
        "devices",
        "shaders",
        "completions",
        "formats",
        "man",
    ];
    !without.iter().any(|verb| arguments == *verb || arguments.starts_with(&format!("{verb} ")))
}

/// Parses the numbers of a text.
pub fn numbers<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> Vec<T> {
    text.split_whitespace().map(|token| token.parse().unwrap()).collect()
}

/// Returns the path of a file of the repository.
pub fn repository(path: &str) -> String {
    format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))
}

/// Ethereum's trusted setup.
pub fn trusted_setup() -> String {
    let file = std::fs::File::open(repository("proofs/tests/kzg/trusted_setup.txt.gz")).unwrap();
    std::io::read_to_string(flate2::read::GzDecoder::new(file)).unwrap()
}

/// The rows of a benchmark's report.
pub fn rows(report: &serde_json::Value) -> &Vec<serde_json::Value> {
    report["rows"].as_array().unwrap()
}

/// True if the value is a number above 0.
pub fn positive(value: &serde_json::Value) -> bool {
    value.as_f64().is_some_and(|number| number > 0.0)
}

/// The file or folder of a name within a folder.
pub fn find(folder: &std::path::Path, name: &str) -> Option<std::path::PathBuf> {
    std::fs::read_dir(folder).ok()?.flatten().find_map(|entry| match entry.file_name() == name {
        true => Some(entry.path()),
        false => find(&entry.path(), name),
    })
}

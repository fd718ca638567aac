//! The file of measured times: an object of machines, each an object of times by their names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::Simd;
use crate::files::cached;

/// Times of another version were measured by other code.
const VERSION: u32 = 2;
/// Largest file that is read, in bytes: thousands of machines.
const MOST: u64 = 1 << 20;

type Times = BTreeMap<String, f64>;

/// The times that were kept of this machine; none if the file is missing or damaged.
pub fn read() -> Times {
    path().map(|path| read_all(&path)).and_then(|mut all| all.remove(&machine())).unwrap_or_default()
}

/// Adds times of this machine to the file. Those that another process writes at the same moment may be lost, and are then
/// measured again.
pub fn add(new: Times) {
    let Some(path) = path() else { return };
    if let Err(error) = add_to(&path, machine(), new) {
        log::warn!("the measured times of the CPU engine cannot be kept: {error}");
    }
}

fn path() -> Option<PathBuf> {
    Some(cached::folder()?.join("cpu_record.json"))
}

fn read_all(path: &Path) -> BTreeMap<String, Times> {
    cached::read(path, MOST).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

fn add_to(path: &Path, machine: String, new: Times) -> crate::Result<()> {
    let mut all = read_all(path);
    all.entry(machine).or_default().extend(new);
    cached::write(path, |out| Ok(serde_json::to_writer_pretty(out, &all)?))
}

/// What the times depend on: the processor, its cores and vector instructions, how this code was compiled, and its version.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let profile = if cfg!(debug_assertions) { "development" } else { "release" };
    format!("{}, {cores} cores, {}, {profile}, {VERSION}", processor(), Simd::best())
}

/// The model of the processor as the system names it; only the architecture where it does not.
fn processor() -> String {
    let listed = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |name: &str| {
        let line = listed.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let parts: Vec<String> = ["vendor_id", "cpu family", "model\t", "model name", "stepping"]
        .into_iter()
        .chain(["CPU implementer", "CPU part", "CPU variant"])
        .filter_map(value)
        .collect();
    match parts.is_empty() {
        true => std::env::var("PROCESSOR_IDENTIFIER")
            .unwrap_or_else(|_| format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        false => parts.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn times(entries: &[(&str, f64)]) -> Times {
        entries.iter().map(|(name, seconds)| ((*name).to_owned(), *seconds)).collect()
    }

    #[test]
    fn machines_and_times_are_added_to_those_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/cpu_record.json");
        assert!(read_all(&path).is_empty());
        add_to(&path, "a".into(), times(&[("x", 1e-9), ("y", 2.5e-9)])).unwrap();
        add_to(&path, "b".into(), times(&[("x", 3e-9)])).unwrap();
        add_to(&path, "a".into(), times(&[("x", 4e-9)])).unwrap();
        let all = read_all(&path);
        assert_eq!(all["a"], times(&[("x", 4e-9), ("y", 2.5e-9)]));
        assert_eq!(all["b"], times(&[("x", 3e-9)]));
    }

    #[test]
    fn damaged_and_old_files_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cpu_record.json");
        let of_another_form = r#"{"a": [1, 2]}"#;
        for damaged in ["", "{", "null", of_another_form, "\u{0}\u{1}"] {
            fs::write(&path, damaged).unwrap();
            assert!(read_all(&path).is_empty(), "{damaged:?}");
            add_to(&path, "a".into(), times(&[("x", 1e-9)])).unwrap();
            assert_eq!(read_all(&path)["a"], times(&[("x", 1e-9)]), "{damaged:?}");
        }
        fs::write(&path, vec![b' '; MOST as usize + 1]).unwrap();
        assert!(read_all(&path).is_empty());
    }

    #[test]
    fn what_is_no_file_is_an_error_and_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cpu_record.json");
        fs::create_dir(&path).unwrap();
        assert!(read_all(&path).is_empty());
        assert!(add_to(&path, "a".into(), times(&[("x", 1e-9)])).is_err());
        assert!(path.is_dir());
    }

    #[test]
    fn writers_at_the_same_time_leave_a_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = &folder.path().join("cpu_record.json");
        std::thread::scope(|scope| {
            for thread in 0..8 {
                scope.spawn(move || {
                    for round in 0..20 {
                        let name = format!("machine {}", thread % 2);
                        add_to(path, name, times(&[("x", f64::from(round + 1))])).unwrap();
                        assert!(!read_all(path).is_empty());
                    }
                });
            }
        });
        assert!(read_all(path).values().all(|times| times["x"] >= 1.0));
    }

    #[test]
    fn a_machine_has_a_name_that_stays() {
        assert_eq!(machine(), machine());
        assert!(processor().len() > 2);
    }
}

//! Records in the user's cache folder, one file for each adapter and driver. The file saves a measurement and never makes a
//! run fail: a missing, old or damaged one counts as none.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::compiled_kernels::CompiledKernels;
use super::{DeviceRecord, Identity};
use crate::Result;
use crate::files::cached::{self, folder};

/// The version of the record and of the kernels that measure it. A file of another version counts as none.
const VERSION: u32 = 2;
/// Largest file that is read, in bytes. A record takes about 1 KiB.
const MOST: u64 = 1 << 16;
/// How the names of the files begin.
const RECORD: &str = "record";
const KERNELS: &str = "kernels";
/// The version whose kernels were compiled: another one may have other texts.
const LIBRARY: &str = env!("CARGO_PKG_VERSION");
/// The time to find and to open an H200 with a warm driver. Where nothing is measured yet, it stands for that of any GPU: it only
/// decides from which time on it is worth to look for GPUs.
const OPENING: Duration = Duration::from_millis(220);

/// What a file holds.
#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    /// The adapter and its driver. File names have no spaces; two adapters could have one file.
    adapter: String,
    record: DeviceRecord,
}

/// What a file of compiled kernels holds.
#[derive(Serialize, Deserialize)]
struct Kernels {
    library: String,
    adapter: String,
    kinds: BTreeMap<String, f64>,
    /// The shortest time in which it was found and opened: the first time, which is in its record, the driver may be cold.
    opening: f64,
}

/// The record of an adapter that was kept, if there is a sound one.
pub(in crate::gpu) fn kept(adapter: &Identity<'_>) -> Option<DeviceRecord> {
    let (folder, adapter) = (folder()?, identity(adapter));
    let record = kept_in(&folder, &adapter)?;
    let opening = kernels_in(&folder, &adapter).map_or(f64::INFINITY, |kernels| kernels.opening);
    Some(DeviceRecord { opening: record.opening.min(opening), ..record })
}

/// Keeps the record of an adapter: a file that is there whole or not at all.
pub(in crate::gpu) fn keep(adapter: &Identity<'_>, record: &DeviceRecord) -> Result<()> {
    folder().map_or(Ok(()), |folder| keep_in(&folder, identity(adapter), record))
}

/// The kinds of kernels that were compiled for an adapter by this version of the library.
pub(in crate::gpu) fn compiled(adapter: &Identity<'_>) -> CompiledKernels {
    let read = || kernels_in(&folder()?, &identity(adapter));
    CompiledKernels(read().map_or_else(BTreeMap::new, |kernels| kernels.kinds))
}

/// Adds kinds of kernels to those that were compiled, with their factors, and notes the time of an opening if it is the shortest.
/// Two programs that end at the same time may lose some, which a later one adds.
pub(in crate::gpu) fn add_compiled(
    adapter: &Identity<'_>,
    compiled: &CompiledKernels,
    opening: Duration,
) -> Result<()> {
    let Some(folder) = folder() else { return Ok(()) };
    add_compiled_in(&folder, &identity(adapter), compiled, opening.as_secs_f64())
}

fn add_compiled_in(folder: &Path, adapter: &str, compiled: &CompiledKernels, opening: f64) -> Result<()> {
    let CompiledKernels(kinds) = compiled;
    let mut file =
        Kernels { library: LIBRARY.to_owned(), adapter: adapter.to_owned(), kinds: kinds.clone(), opening };
    if let Some(known) = kernels_in(folder, adapter) {
        // A shorter time or another factor that differs little is not worth a file.
        let is_near = |factor: f64, known: f64| (factor / known - 1.0).abs() < 0.1;
        let is_known = |(kind, &factor): (&String, &f64)| {
            known.kinds.get(kind).is_some_and(|&known| is_near(factor, known))
        };
        if kinds.iter().all(is_known) && opening > 0.9 * known.opening {
            return Ok(());
        }
        for (kind, factor) in known.kinds {
            file.kinds.entry(kind).or_insert(factor);
        }
        file.opening = opening.min(known.opening);
    }
    cached::write(&path(folder, KERNELS, adapter), |out| Ok(serde_json::to_writer_pretty(out, &file)?))
}

fn kernels_in(folder: &Path, adapter: &str) -> Option<Kernels> {
    let bytes = cached::read(&path(folder, KERNELS, adapter), MOST).ok()?;
    let file: Kernels = serde_json::from_slice(&bytes).ok()?;
    let is_sound = file.kinds.values().chain([&file.opening]).all(|x| x.is_finite() && *x > 0.0);
    (file.library == LIBRARY && file.adapter == adapter && is_sound).then_some(file)
}

/// The shortest time in which a GPU of this machine was found and opened, as far as it was measured.
pub fn shortest_opening() -> Duration {
    let folder = folder();
    let opening = |entry: fs::DirEntry| {
        let is_record = entry.file_name().to_str().is_some_and(|name| name.starts_with(RECORD));
        let file = is_record.then(|| read(&entry.path()))??;
        let later = kernels_in(folder.as_deref()?, &file.adapter).map_or(f64::INFINITY, |file| file.opening);
        Some(file.record.opening.min(later))
    };
    let kept = folder.as_deref().and_then(|folder| fs::read_dir(folder).ok());
    let shortest = kept.into_iter().flatten().flatten().filter_map(opening).reduce(f64::min);
    shortest.map_or(OPENING, Duration::from_secs_f64)
}

/// Another driver is another device, and so is a software driver on other cores.
fn identity(adapter: &Identity<'_>) -> String {
    let Identity { name, backend, driver, cores, .. } = adapter;
    let on_cores = cores.map_or_else(String::new, |cores| format!(", {cores} cores"));
    format!("{name}, {backend}, {driver}{on_cores}")
}

fn path(folder: &Path, what: &str, adapter: &str) -> PathBuf {
    let name: String = adapter.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    folder.join(format!("{what}-{name}.json"))
}

/// A file of this version with a sound record.
fn read(path: &Path) -> Option<File> {
    let file: File = serde_json::from_slice(&cached::read(path, MOST).ok()?).ok()?;
    (file.version == VERSION && file.record.is_sound()).then_some(file)
}

fn kept_in(folder: &Path, adapter: &str) -> Option<DeviceRecord> {
    read(&path(folder, RECORD, adapter)).filter(|file| file.adapter == adapter).map(|file| file.record)
}

fn keep_in(folder: &Path, adapter: String, record: &DeviceRecord) -> Result<()> {
    let path = path(folder, RECORD, &adapter);
    let file = File { version: VERSION, adapter, record: record.clone() };
    cached::write(&path, |out| Ok(serde_json::to_writer_pretty(out, &file)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_found_by_its_adapter_alone() {
        let (folder, record) = (tempfile::tempdir().unwrap(), DeviceRecord::of_h200());
        let folder = folder.path().join("new");
        assert_eq!(kept_in(&folder, "a, b"), None);
        keep_in(&folder, "a, b".to_owned(), &record).unwrap();
        assert_eq!(kept_in(&folder, "a, b"), Some(record));
        // The same file name.
        assert_eq!(path(&folder, RECORD, "a; b"), path(&folder, RECORD, "a, b"));
        assert_eq!(kept_in(&folder, "a; b"), None);
    }

    #[test]
    fn a_damaged_or_old_file_counts_as_none_and_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, record) = (folder.path(), DeviceRecord::of_h200());
        keep_in(folder, "a".to_owned(), &record).unwrap();
        let whole = fs::read_to_string(path(folder, RECORD, "a")).unwrap();
        let changed = |from: &str, to: &str| {
            assert!(whole.contains(from), "{from} in {whole}");
            whole.replace(from, to)
        };
        let damaged = [
            String::new(),
            whole[..whole.len() / 2].to_owned(),
            changed("\"version\": 2", "\"version\": 1"),
            changed("\"upload\": ", "\"upload\": -"),
            changed("\"dispatch\": ", "\"dispatch\": null, \"other\": "),
            changed("\"latency\": ", "\"latency\": 0.0, \"other\": "),
            "[]".to_owned(),
        ];
        for text in damaged {
            fs::write(path(folder, RECORD, "a"), &text).unwrap();
            assert_eq!(kept_in(folder, "a"), None, "{text}");
            keep_in(folder, "a".to_owned(), &record).unwrap();
            assert_eq!(kept_in(folder, "a").as_ref(), Some(&record));
        }
    }

    #[test]
    fn what_stands_in_the_place_of_a_file_is_an_error_to_write_and_none_to_read() {
        let (folder, record) = (tempfile::tempdir().unwrap(), DeviceRecord::of_h200());
        fs::create_dir(path(folder.path(), RECORD, "a")).unwrap();
        assert_eq!(kept_in(folder.path(), "a"), None);
        assert!(keep_in(folder.path(), "a".to_owned(), &record).is_err());
    }

    #[test]
    fn kinds_of_kernels_are_added_and_the_shortest_opening_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let of = |kinds: &[(&str, f64)]| {
            kinds.iter().map(|&(kind, factor)| (kind.to_owned(), factor)).collect::<BTreeMap<_, _>>()
        };
        let add = |kinds: &[(&str, f64)], opening| {
            add_compiled_in(folder.path(), "a", &CompiledKernels(of(kinds)), opening).unwrap();
        };
        let known = || kernels_in(folder.path(), "a").map(|file| (file.kinds, file.opening));
        assert_eq!(known(), None);
        add(&[("gf2", 1.0)], 0.5);
        add(&[("ntt", 3.0), ("msm 381", 1.0)], 0.7);
        assert_eq!(known(), Some((of(&[("gf2", 1.0), ("msm 381", 1.0), ("ntt", 3.0)]), 0.5)));
        add(&[("ntt", 3.0)], 0.2);
        assert_eq!(known(), Some((of(&[("gf2", 1.0), ("msm 381", 1.0), ("ntt", 3.0)]), 0.2)));
        // Another factor replaces the one before, if it differs by a tenth.
        add(&[("ntt", 3.1)], 0.2);
        add(&[("gf2", 0.5)], 0.2);
        assert_eq!(known(), Some((of(&[("gf2", 0.5), ("msm 381", 1.0), ("ntt", 3.0)]), 0.2)));
        assert!(kernels_in(folder.path(), "b").is_none());
        fs::write(path(folder.path(), KERNELS, "a"), "{").unwrap();
        assert_eq!(known(), None);
    }

    #[test]
    fn writers_at_the_same_time_leave_a_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let records: Vec<DeviceRecord> =
            (1..9).map(|i| DeviceRecord { upload: f64::from(i), ..DeviceRecord::of_h200() }).collect();
        std::thread::scope(|scope| {
            for record in &records {
                scope.spawn(|| keep_in(folder.path(), "a".to_owned(), record).unwrap());
            }
        });
        assert!(records.contains(&kept_in(folder.path(), "a").unwrap()));
    }
}

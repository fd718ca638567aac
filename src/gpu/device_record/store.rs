//! Records in the user's cache folder, one file for each adapter and driver. The file saves a measurement and never makes a
//! run fail: a missing, old or damaged one counts as none.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::DeviceRecord;
use crate::Result;
use crate::files::cached;
use crate::gpu::AdapterDescription;

/// The version of the record and of the kernels that measure it. A file of another version counts as none.
const VERSION: u32 = 1;
/// Largest file that is read, in bytes. A record takes about 1 KiB.
const MOST: u64 = 1 << 16;

/// What a file holds.
#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    /// The adapter and its driver. File names have no spaces; two adapters could have one file.
    adapter: String,
    record: DeviceRecord,
}

/// The record of an adapter that was kept, if there is a sound one.
pub(in crate::gpu) fn kept(adapter: &AdapterDescription) -> Option<DeviceRecord> {
    let bytes = cached::read(&path(adapter)?, MOST).ok()?;
    let file: File = serde_json::from_slice(&bytes).ok()?;
    let is_own = file.version == VERSION && file.adapter == identity(adapter);
    (is_own && file.record.is_sound()).then_some(file.record)
}

/// Keeps the record of an adapter: a file that is there whole or not at all.
pub(in crate::gpu) fn keep(adapter: &AdapterDescription, record: &DeviceRecord) -> Result<()> {
    let Some(path) = path(adapter) else { return Ok(()) };
    let file = File { version: VERSION, adapter: identity(adapter), record: record.clone() };
    cached::write(&path, |out| Ok(serde_json::to_writer_pretty(out, &file)?))
}

fn path(adapter: &AdapterDescription) -> Option<PathBuf> {
    let name: String =
        identity(adapter).chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let project = directories::ProjectDirs::from("", "", "wgalois")?;
    Some(project.cache_dir().join(format!("record-{name}.json")))
}

/// Another driver is another device.
fn identity(adapter: &AdapterDescription) -> String {
    let AdapterDescription { name, backend, driver, .. } = adapter;
    format!("{name}, {backend}, {driver}")
}

//! Plans of problems on files, and what is common to their runs.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::dense::OutOfCore;
use super::system::OutOfCoreSystem;
use crate::task::{Cost, Plan};
use crate::{Cpu, Device, Error, Result};

/// Bytes a second that are written to a file. Measured with dd in blocks of 4 MiB (2026-11-23, two cores of a virtual
/// machine in use by other work): 1 GiB at 0.71 to 0.72 GB/s, the first time at 0.31; 2 GiB at 0.57 GB/s until the data
/// are on the disk.
const WRITE_RATE: f64 = 0.7e9;

/// Bytes a second that are read from the disk: 1.4 GB/s in the same way with direct reads. What the system holds in its
/// cache is read at 4.6 GB/s or more.
const READ_RATE: f64 = 1.4e9;

/// The numbers of a plan on files.
#[derive(Clone, Copy, Debug)]
pub(super) struct FilesPlan {
    /// Tiles in memory at a time; of a product, rows of the answer.
    pub at_a_time: usize,
    pub parts: usize,
    /// Bytes that a band of the answer may take.
    pub band: u64,
    /// The bytes of `read_bytes` that come from input files.
    pub input_bytes: u64,
    pub read_bytes: u64,
    pub written_bytes: u64,
    /// Time of the arithmetic.
    pub compute: Duration,
    pub host_bytes: u64,
}

impl FilesPlan {
    fn cost(&self) -> Cost {
        let seconds = self.read_bytes as f64 / READ_RATE + self.written_bytes as f64 / WRITE_RATE;
        Cost {
            time: self.compute.saturating_add(Duration::from_secs_f64(seconds)),
            host_bytes: self.host_bytes,
            device_bytes: 0,
        }
    }
}

/// A plan to compute a problem whose data stay in files: an [`OutOfCore`] or an [`OutOfCoreSystem`].
#[derive(Clone, Debug)]
pub struct OutOfCorePlan<P = OutOfCore> {
    pub(super) problem: P,
    pub(super) files: FilesPlan,
}

/// A plan to eliminate an [`OutOfCoreSystem`].
pub type OutOfCoreSystemPlan = OutOfCorePlan<OutOfCoreSystem>;

impl<P: Clone> OutOfCorePlan<P> {
    /// The problem.
    pub fn problem(&self) -> &P {
        &self.problem
    }

    /// The number of parts: groups of tiles, or bands of rows of a product. Every part reads the multipliers of all
    /// blocks before it, or the second factor; of a system, both input files too.
    pub fn parts(&self) -> usize {
        self.files.parts
    }

    /// Bytes that are read from files, in whole pages; at most, for a system and for a matrix in which a block of columns has
    /// no pivot.
    pub fn read_bytes(&self) -> u64 {
        self.files.read_bytes
    }

    /// Of the [`read_bytes`](Self::read_bytes), those of input files; the others are read from scratch files.
    pub fn input_bytes(&self) -> u64 {
        self.files.input_bytes
    }

    /// Bytes that are written to scratch files; for a system at most.
    pub fn written_bytes(&self) -> u64 {
        self.files.written_bytes
    }

    /// Prepares the plan; scratch files are made in `scratch`.
    ///
    /// # Errors
    /// [`Error::Usage`] on a GPU.
    pub fn prepare(&self, device: &Device, scratch: &Path) -> Result<PreparedOutOfCore<P>> {
        match device {
            Device::Cpu(cpu) => {
                let (cpu, plan, folder) = (cpu.clone(), self.clone(), scratch.to_owned());
                Ok(PreparedOutOfCore { cpu, plan, folder })
            }
            _ => Err(Error::Usage("this plan was made for the CPU engine".into())),
        }
    }
}

impl<P> Plan for OutOfCorePlan<P>
where
    Self: fmt::Display,
{
    fn cost(&self) -> Cost {
        self.files.cost()
    }
}

/// An [`OutOfCorePlan`] that is ready to run.
#[derive(Clone, Debug)]
pub struct PreparedOutOfCore<P = OutOfCore> {
    pub(super) cpu: Cpu,
    pub(super) plan: OutOfCorePlan<P>,
    pub(super) folder: PathBuf,
}

/// An [`OutOfCoreSystemPlan`] that is ready to run.
pub type PreparedOutOfCoreSystem = PreparedOutOfCore<OutOfCoreSystem>;

impl<P> PreparedOutOfCore<P> {
    /// The plan.
    pub fn plan(&self) -> &OutOfCorePlan<P> {
        &self.plan
    }
}

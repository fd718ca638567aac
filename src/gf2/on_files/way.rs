//! The way of problems whose data stay in files: the CPU engine reads them a part at a time.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::task::{Cost, CpuProfile, Done, Engine, Problem, Profile, Ready, Way, Ways};
use crate::{Cpu, Error, Result};

/// Bytes a second that are written to a file. Measured with dd in blocks of 4 MiB (2026-11-23, two cores of a virtual
/// machine in use by other work): 1 GiB at 0.71 to 0.72 GB/s, the first time at 0.31; 2 GiB at 0.57 GB/s until the data
/// are on the disk.
const WRITE_RATE: f64 = 0.7e9;

/// Bytes a second that are read from the disk: 1.4 GB/s in the same way with direct reads. What the system holds in its
/// cache is read at 4.6 GB/s or more.
const READ_RATE: f64 = 1.4e9;

/// A problem whose data stay in files. What all runs have in common is the folder of the scratch files.
pub trait StaysOnDisk: for<'a> Problem<Resident<'a> = &'a Path, Kernels = ()> {
    /// The parts into which it is divided for the host memory of a profile.
    fn in_parts(&self, profile: &Profile, cpu: CpuProfile) -> FromFiles;

    /// Writes the lines of a plan that state the way.
    fn write_parts(&self, files: &FromFiles, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Runs on an input that was checked.
    fn run_in_parts(&self, ready: &ReadyFromFiles<'_>, input: Self::Input<'_>) -> Result<Self::Answer>;

    /// The only way.
    fn only_way(&self, profile: &Profile) -> Result<Ways<Self>> {
        let &Engine::Cpu(cpu) = &profile.engine else {
            return Err(Error::only_for(Self::NAME, "the CPU engine: --device cpu"));
        };
        Ok(Ways::default().with("from files", Ok(self.in_parts(profile, cpu))))
    }
}

/// The way.
#[derive(Clone, Copy, Debug)]
pub struct FromFiles {
    /// The number of parts: groups of tiles, or bands of rows of a product. Every part reads the multipliers of all
    /// blocks before it, or the second factor; of an F4 matrix, both input files too.
    pub parts: usize,
    /// Bytes that are read from files, in whole pages; at most, for an F4 matrix and for a matrix in which a block of columns has
    /// no pivot.
    pub read_bytes: u64,
    /// Bytes that are written to scratch files; for an F4 matrix at most.
    pub written_bytes: u64,
    /// The bytes of `read_bytes` that come from input files; the others are read from scratch files.
    pub input_bytes: u64,
    /// Tiles in memory at a time; of a product, rows of the answer.
    pub(super) at_a_time: usize,
    /// Bytes that a band of the answer may take.
    pub(super) band: u64,
    /// Time of the arithmetic.
    pub(super) compute: Duration,
    pub(super) host_bytes: u64,
}

impl<P: StaysOnDisk> Way<P> for FromFiles {
    type Device = Cpu;
    type Ready<'p> = ReadyFromFiles<'p>;

    fn cost(&self) -> Cost {
        let seconds = self.read_bytes as f64 / READ_RATE + self.written_bytes as f64 / WRITE_RATE;
        Cost {
            time: self.compute.saturating_add(Duration::from_secs_f64(seconds)),
            host_bytes: self.host_bytes,
            device_bytes: 0,
            ..Cost::default()
        }
    }

    fn write(&self, problem: &P, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        problem.write_parts(self, f)
    }

    fn prepare<'p>(&self, _: &P, cpu: &Cpu, folder: P::Resident<'p>) -> Result<Self::Ready<'p>> {
        Ok(ReadyFromFiles { cpu: cpu.clone(), files: *self, folder })
    }
}

/// The way with the engine, and the folder of the scratch files.
#[derive(Debug)]
pub struct ReadyFromFiles<'p> {
    pub(super) cpu: Cpu,
    pub(super) files: FromFiles,
    pub(super) folder: &'p Path,
}

impl<P: StaysOnDisk> Ready<P> for ReadyFromFiles<'_> {
    async fn run<'i: 'i>(&self, problem: &P, input: P::Input<'i>, _: &Done) -> Result<P::Answer> {
        problem.run_in_parts(self, input)
    }
}
